# SPDX-License-Identifier: GPL-3.0-or-later
"""What objdump prints of each instruction set, as rows: matrix_code.py reads
by them which instructions are branches, where code between a branch and its
target leads, and what stands where --nop took a branch away.
"""
import re

CALL, TAIL, COND = 0, 1, 2
EM_SPARCV9, EM_386, EM_MIPS, EM_PPC, EM_PPC64 = 43, 3, 8, 20, 21
EM_S390, EM_ARM, EM_X86_64, EM_AARCH64 = 22, 40, 62, 183
EM_RISCV, EM_LOONGARCH = 243, 258


class Rule:
    """One instruction of a veneer. The value is the sum of the groups a and b,
    registers, i, a number, and t, an address; WHAT is done with it: set the
    register d, load d from there, go there, or skip the instruction.
    """

    def __init__(self, what, pattern, scale=1, dest=None, plus=()):
        self.what, self.pattern = what, re.compile(pattern)
        self.scale, self.dest, self.plus = scale, dest, plus


class Insns:
    """One instruction set.

    call, tail, cond  the mnemonics of branches
    unit              bytes of what disabled sites are compared by, as the
                      machine orders its instructions
    disabled          by form and is-enabled, what --nop makes of a site, in
                      digits of units; or a function of the digits of the site
    may_stay          some sites cannot be disabled, for what is beside them
    rules             the instructions of veneers
    """

    def __init__(self, call="", tail="", cond="", unit=4, disabled=None,
                 may_stay=False, rules=()):
        self.call, self.tail = re.compile(call), re.compile(tail)
        self.cond, self.unit = re.compile(cond), unit
        self.disabled, self.may_stay = disabled, may_stay
        self.rules = rules


HEX = r"(?:0x)?(?P<t>[0-9a-f]+) <"
RA, RB = r"(?P<d>r\d+),", r"(?P<a>r\d+)"

X86 = {(TAIL, False): "c3cccccccc", (CALL, True): "b800000000"}

ARM_CALL = r"blx?(?:eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"

THUMB = {
    (CALL, False): "e00046c0",
    (CALL, True): "200046c0",
    (TAIL, False): "477046c0",
    (COND, False): lambda site: f"bf{int(site[:4], 16) >> 6 & 15:x}84770",
}

ARM_RULES = [
    Rule("load", r"ldr(?:\.w)? (?P<d>ip|pc|r\d+), \[(?P<a>ip|pc|r\d+)"
         r"(?:, #(?P<i>-?\d+))?\]!?"),
    Rule("set", r"add (?P<d>ip|pc|r\d+), (?P<a>ip|pc|r\d+), "
         r"(?P<b>ip|pc|r\d+)$"),
    Rule("set", r"add (?P<d>ip), (?P<a>ip|pc), #(?P<i>\d+)"
         r"(?:, (?P<rotate>\d+))?"),
    Rule("set", r"add(?:\.w)? (?P<d>ip), (?P<b>pc)$", plus=("ip",)),
    Rule("set", r"mov (?P<d>ip), (?P<a>pc)"),
    Rule("set", r"movt (?P<d>ip|r\d+), #(?P<i>\w+)", 65536, plus=("ip",)),
    Rule("set", r"movw? (?P<d>ip|r\d+), #(?P<i>\w+)"),
    Rule("go", r"bx (?P<a>ip|pc|r\d+)"),
    Rule("go", r"b(?:\.[nw])? " + HEX),
    Rule("skip", r"nop|mov r8, r8|push|pop"),
]

PPC = {
    (CALL, False): "60000000", (CALL, True): "38600000",
    (TAIL, False): "4e800020",
    (COND, False): lambda site:
    f"{0x4c000020 | int(site, 16) & 0x03ff0000:08x}",
}

PPC_RULES = [
    Rule("skip", r"std r2,|nop|mtlr"),
    Rule("set", f"addis {RA}{RB},(?P<i>-?\\d+)", 65536),
    Rule("set", r"lis (?P<d>r\d+),(?P<i>-?\d+)", 65536),
    Rule("set", f"addi {RA}{RB},(?P<i>-?\\d+)"),
    Rule("set", r"mtctr (?P<a>r\d+)", dest="ctr"),
    Rule("set", r"mflr (?P<d>r\d+)", plus=("lr",)),
    Rule("set", r"bcl 20,4\*cr7\+so," + HEX, dest="lr"),
    Rule("set", r"pla (?P<d>r\d+),.*# (?P<t>[0-9a-f]+)"),
    Rule("load", r"pld (?P<d>r\d+),.*# (?P<t>[0-9a-f]+)"),
    Rule("load", r"(?:ld|lwz) (?P<d>r\d+),(?P<i>-?\d+)\((?P<a>r\d+)\)"),
    Rule("go", r"bctr$", plus=("ctr",)),
    Rule("go", r"b " + HEX),
]

POWER = {
    "call": "bl", "tail": "b", "cond": r"b\w+[+-]?", "disabled": PPC,
    "rules": PPC_RULES,
}


def mips_either(plain, compact):
    """A compact branch, balc, becomes another word that does the same."""
    return lambda site: compact if int(site[:2], 16) >> 2 == 0x3a else plain


MIPS = {
    "call": "jal|bal|balc", "tail": "j|b|bc", "cond": r"b\w+",
    "may_stay": True,
    "disabled": {(CALL, False): mips_either("00000000", "00000025"),
                 (CALL, True): mips_either("00001025", "00001021"),
                 (TAIL, False): "03e00009|d81f0000"},
    "rules": [
        Rule("set", r"lui (?P<d>\w+),(?P<i>0x\w+)", 65536),
        Rule("set", r"d?addiu (?P<d>\w+),(?P<a>\w+),(?P<i>-?\d+)"),
        Rule("go", r"jr (?P<a>\w+)"),
        Rule("go", r"j " + HEX),
        Rule("skip", r"nop"),
    ],
}

INSNS = {
    "aarch64": Insns(
        "bl", "b", r"b\.\w+|cbn?z|tbn?z",
        disabled={(CALL, False): "d503201f", (CALL, True): "52800000",
                  (TAIL, False): "d65f03c0"},
        rules=[
            Rule("set", r"adrp? (?P<d>x\d+), " + HEX),
            Rule("set", r"add (?P<d>x\d+), (?P<a>x\d+), #(?P<i>\w+)"),
            Rule("set", r"add (?P<d>x\d+), (?P<a>x\d+), (?P<b>x\d+)"),
            Rule("load", r"ldr (?P<d>x\d+), " + HEX),
            Rule("load", r"ldr (?P<d>x\d+), \[(?P<a>x\d+)"
                 r"(?:, #(?P<i>-?\w+))?\]"),
            Rule("go", r"br (?P<a>x\d+)"),
            Rule("go", r"b " + HEX),
            Rule("skip", r"nop|bti"),
        ]),
    "arm": Insns(
        ARM_CALL, "b", r"b\w\w",
        disabled={(CALL, False): "e1a00000",
                  (CALL, True): lambda site: site[0] + "3a00000",
                  (TAIL, False): "e12fff1e",
                  (COND, False): lambda site: site[0] + "12fff1e"},
        rules=ARM_RULES),
    "thumb": Insns(
        ARM_CALL, r"b(?:\.[nw])?", r"b\w\w(?:\.[nw])?|cbn?z", unit=2, disabled=THUMB,
        rules=ARM_RULES),
    "i386": Insns(unit=1, disabled={(CALL, False): "3e8d742600", **X86}),
    "loongarch64": Insns(
        "bl", "b", r"b\w+",
        disabled={(CALL, False): "03400000|1e00000.03400000",
                  (CALL, True): "00150004|1e00000.00150004",
                  (TAIL, False): "4c000020|1e0000..4c000020"},
        rules=[
            Rule("set", r"pcaddu12i (?P<d>\$\w+), (?P<i>-?\d+)", 4096,
                 plus=("pc",)),
            Rule("load", r"ld\.d (?P<d>\$\w+), (?P<a>\$\w+), (?P<i>-?\d+)"),
            Rule("go", r"jirl \$\w+, (?P<a>\$\w+), (?P<i>-?\d+)"),
            Rule("go", r"jr (?P<a>\$\w+)"),
        ]),
    "mips": Insns(**MIPS),
    "ppc": Insns(**POWER),
    "riscv": Insns(disabled={
        (CALL, False): "0080006f00000013", (TAIL, False): "0000806700000013",
        (CALL, True): "0000051300000013"}),
    "s390x": Insns(
        "brasl|jasl", "jg|jlu|j", r"jg?\w+|br\w+", unit=1,
        disabled={(CALL, False): "c00400000000", (CALL, True): "c02100000000",
                  (TAIL, False): "07fe07000700",
                  (COND, False): lambda site: f"07{site[2]}e07000700"},
        rules=[
            Rule("set", r"larl (?P<d>%r\d+)," + HEX),
            Rule("load", r"lg (?P<d>%r\d+),(?P<i>\d+)\((?P<a>%r\d+)\)"),
            Rule("go", r"br (?P<a>%r\d+)"),
            Rule("go", r"jg " + HEX),
        ]),
    "sparc64": Insns(
        "call", "ba|b", r"b\w+(?:,\w+)*", may_stay=True,
        disabled={(CALL, False): "01000000", (CALL, True): "90100000",
                  (TAIL, False): "81c7e008|81c3e008|81c[0-9a-f][0-9a-f][0-9a-f]08"},
        rules=[
            Rule("go", r"ba?(?:,a)?(?:,pt)? +(?:%[ix]cc, *)?" + HEX),
        ]),
    "x86": Insns(unit=1, disabled={(CALL, False): "0f1f440000", **X86}),
}


def insns_of(final):
    """The row for an image."""
    if final.machine == EM_ARM:
        return INSNS["thumb" if final.is_thumb else "arm"]
    return INSNS[{EM_386: "i386", EM_X86_64: "x86", EM_RISCV: "riscv",
                  EM_AARCH64: "aarch64", EM_PPC: "ppc", EM_PPC64: "ppc",
                  EM_MIPS: "mips", EM_S390: "s390x", EM_SPARCV9: "sparc64",
                  EM_LOONGARCH: "loongarch64"}[final.machine]]
