#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""targets.py write|check FILE - the tables of doc/targets.md.

Each row is measured: a site of each kind is assembled for each machine, and
what sdtlink makes of it is read from its JSON and from the bytes of its output,
by the reader and the disassembler of other people. "write" puts the tables
between the comments in FILE, "check" compares those there with what is found
here, as far as there are tools, and exits with 77 if there are none.

SDTLINK is the command, srcdir the source tree.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from matrix_elf import Elf  # noqa: E402
from tools import VERSIONS, newest  # noqa: E402

SDTLINK = os.path.abspath(os.environ.get("SDTLINK", "sdtlink"))
RUNTIME = os.path.abspath(os.path.join(os.environ.get("srcdir", "."),
                                       "runtime"))
P, E = "__dtrace_sdt_a", "__dtrace_sdt_enabled_a"
LINKERS = ["bfd", "gold", "lld", "mold"]
# The linkers that the document is about, and the disassembler whose words are
# in it. Others may differ.
KNOWN = {name: re.escape(versions[-1]) for name, versions in VERSIONS.items()}
LINKER = re.compile(r"^(?:GNU ld .* {binutils}|GNU gold .* {gold}|"
                    r".*LLD {llvm}\.|mold {mold})".format(**KNOWN))
OBJDUMP = re.compile(r"Binutils.* {binutils}|LLVM version {llvm}".format(
    **KNOWN))
CLANG = newest("clang")
BRANCH_C = """#include <sdt.h>
int f(int n) { SDT_BRANCH_PROBE1(t, a, n); return n; }
"""


class Target:
    """One machine, or one encoding of it.

    name     as sdtlink has it, and what sets it apart
    gnu      the prefix of the GNU tools
    start    the first lines of the source: what the sites need
    nop      the shortest instruction that does nothing
    sites    instructions; behind a semicolon, what else is looked at
    ld       flags of each link
    cc       a compiler for the macros
    patcher  the file of the runtime
    wrap     only the compiler, and not the assembler, has the option
    """

    def __init__(self, name, gnu, sites, patcher, assembler=(), start="",
                 nop="nop", ld=(), cc=None, clang=None, final=(), wrap=False):
        self.name, self.gnu, self.start, self.nop = name, gnu, start, nop
        self.sites, self.ld, self.final = sites, list(ld), list(final)
        self.patcher, self.wrap = patcher, wrap
        self.assembler = [CLANG, "--target=" + clang, "-c",
                          "-xc" if wrap else "-xassembler", *assembler] if clang else [gnu + "-as", *assembler]
        self.cc = cc or [gnu + "-gcc"]
        self.objdump = newest("llvm-objdump") if clang else gnu + "-objdump"
        self.linkers = [("bfd", gnu + "-ld.bfd"), ("gold", gnu + "-ld.gold"),
                        ("lld", newest("ld.lld")), ("mold", "mold")]

    def machine(self):
        """As sdtlink has it."""
        return self.name.split()[0]


X86 = [f"call {P}", f"jmp {P}", f"jne {P}", f"call {E}", f"jmp {E}"]
A64 = [f"bl {P}", f"b {P}", f"bl {E}", f"b {E}"]
ARM = [f"bl {P}", f"blne {P}", f"b {P}", f"bne {P}", f"bl {E}", f"b {E}"]
THUMB = [f"bl {P}", f"b.w {P}", f"bne.w {P}", f"bl {E}", f"b.w {E}"]
RISCV = [f"call {P}", f"tail {P}", f"call {E}", f"tail {E}"]
LARCH = [f"bl {P}", f"b {P}", f"bl {E}", f"b {E}",
         f"call36 {P}", f"tail36 $t0, {P}", f"call36 {E}"]
MIPS = [f"jal {P}; nop", f"jal {P}; move $31,$4", f"j {P}; nop",
        f"jal {E}; nop", f"jal {E}; move $2,$4", f"j {E}; nop"]
R6 = [f"balc {P}", f"bc {P}", f"balc {E}", f"bc {E}"]
PPC = [f"bl {P}", f"b {P}", f"bne {P}", f"bl {E}", f"b {E}"]
S390 = [f"brasl %r14,{P}", f"jg {P}", f"jgne {P}", f"brasl %r14,{E}",
        f"jg {E}"]
SPARC = [f"call {P}; nop", f"call {P}; restore", f"call {P}; mov %g1,%o7",
         f"call {E}; nop", f"call {E}; mov 1,%o0", f"call {E}; restore"]
MIPS_HEAD = ".set noreorder\n.set noat\n"
A7 = ["-march=armv7-a"]
ARMCC = ["arm-linux-gnueabihf-gcc"]
N64, N64EL = "mips64-linux-gnuabi64", "mips64el-linux-gnuabi64"


def mips(name, gnu, release, *flags, **rest):
    """Those of MIPS; the second has the branches of release 6."""
    code = ["-mno-abicalls", "-fno-pic"]
    cc = [gnu + "-gcc", *code, *[flag.replace("-n32", "-mabi=n32")
                                 for flag in flags]]
    flags += ("-" + release,) if release else ()
    return Target(name, gnu, R6 if release else MIPS, "mips", flags,
                  MIPS_HEAD, cc=cc, **rest)


N32BE, N32LE = {"ld": ["-m", "elf32btsmipn32"]}, {"ld": ["-m",
                                                         "elf32ltsmipn32"]}
TARGETS = [
    Target("x86_64", "x86_64-linux-gnu", X86, "x86", ["--64"]),
    Target("x32", "x86_64-linux-gnu", X86, "x86", ["--x32"],
           ld=["-m", "elf32_x86_64"], cc=["x86_64-linux-gnu-gcc", "-mx32"]),
    Target("i386", "x86_64-linux-gnu", X86, "x86", ["--32"],
           ld=["-m", "elf_i386"], cc=["x86_64-linux-gnu-gcc", "-m32"]),
    Target("aarch64", "aarch64-linux-gnu", A64, "aarch64"),
    Target("aarch64_be", "aarch64-linux-gnu", A64, "aarch64", ["-EB"],
           ld=["-m", "aarch64linuxb"],
           cc=["aarch64-linux-gnu-gcc", "-mbig-endian"]),
    Target("arm", "arm-linux-gnueabihf", ARM, "arm", A7,
           cc=ARMCC + ["-marm"]),
    Target("arm Thumb", "arm-linux-gnueabihf", THUMB, "arm", A7,
           ".syntax unified\n.thumb\n", cc=ARMCC + ["-mthumb"]),
    Target("armeb", "arm-linux-gnueabihf", ARM, "arm", A7 + ["-EB"],
           ld=["-EB"], final=["--be8"], cc=ARMCC + ["-marm", "-mbig-endian"]),
    Target("armeb Thumb", "arm-linux-gnueabihf", THUMB, "arm",
           A7 + ["-EB"], ".syntax unified\n.thumb\n", ld=["-EB"],
           final=["--be8"], cc=ARMCC + ["-mthumb", "-mbig-endian"]),
    Target("riscv64", "riscv64-linux-gnu", RISCV, "riscv",
           ["-march=rv64gc"], ".option norelax\n"),
    Target("riscv64 relaxing", "riscv64-linux-gnu", RISCV, "riscv",
           ["-march=rv64gc"], ".option relax\n"),
    Target("riscv32", "riscv64-linux-gnu", RISCV, "riscv",
           ["-march=rv32gc", "-mabi=ilp32d"], ".option norelax\n",
           ld=["-m", "elf32lriscv"],
           cc=[CLANG, "--target=riscv32-linux-gnu"]),
    Target("riscv32 relaxing", "riscv64-linux-gnu", RISCV, "riscv",
           ["-march=rv32gc", "-mabi=ilp32d"], ".option relax\n",
           ld=["-m", "elf32lriscv"],
           cc=[CLANG, "--target=riscv32-linux-gnu"]),
    Target("loongarch64", "loongarch64-linux-gnu", LARCH, "loongarch",
           ["-mno-relax"], clang="loongarch64-linux-gnu",
           cc=[CLANG, "--target=loongarch64-linux-gnu"]),
    Target("loongarch64 relaxing", "loongarch64-linux-gnu", LARCH,
           "loongarch", clang="loongarch64-linux-gnu", wrap=True,
           assembler=["-Xclang", "-target-feature", "-Xclang", "+relax"],
           cc=[CLANG, "--target=loongarch64-linux-gnu"]),
    mips("mips", "mips-linux-gnu", None),
    mips("mipsel", "mipsel-linux-gnu", None),
    mips("mipsn32", N64, None, "-n32", **N32BE),
    mips("mipsn32el", N64EL, None, "-n32", **N32LE),
    mips("mips64", N64, None),
    mips("mips64el", N64EL, None),
    mips("mips release 6", "mips-linux-gnu", "mips32r6"),
    mips("mipsel release 6", "mipsel-linux-gnu", "mips32r6"),
    mips("mips64 release 6", N64, "mips64r6"),
    mips("mips64el release 6", N64EL, "mips64r6"),
    Target("ppc32", "powerpc-linux-gnu", PPC, "ppc"),
    Target("ppc64", "powerpc64-linux-gnu", PPC, "ppc", [],
           ".abiversion 2\n",
           cc=[CLANG, "--target=powerpc64-linux-gnu", "-mabi=elfv2"]),
    Target("ppc64v1", "powerpc64-linux-gnu", PPC, "ppc", [],
           '.section .opd,"aw"\n.globl g\n.type g,%function\n'
           'g: .quad f,.TOC.@tocbase,0\n.text\n'),
    Target("ppc64le", "powerpc64le-linux-gnu", PPC, "ppc", [],
           ".abiversion 2\n"),
    Target("s390x", "s390x-linux-gnu", S390, "s390x", ["-m64"], nop="nopr"),
    Target("sparc64", "sparc64-linux-gnu", SPARC, "sparc64", ["-Av9"]),
]


def run(*argv):
    """The exit status, and all that it prints."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def must(*argv):
    """The same, of what has to work."""
    status, text = run(*argv)
    if status:
        sys.exit(f"{' '.join(argv)}: {text}")
    return text


def dump(path):
    """The sites as JSON has them, by offset."""
    text = must(SDTLINK, "--dump", "--format=json", path)
    sites = [site for probe in json.loads(text)["probes"]
             for site in probe["sites"]]
    return sorted(sites, key=lambda site: int(site["offset"], 16))


def text_of(path):
    """The bytes of .text."""
    elf = Elf(path)
    return next(elf.data(sec) for sec in elf.sections if sec.name == ".text")


def words(target, path, start, end):
    """The instructions there, in the words of the disassembler."""
    text = must(target.objdump, "-d", "--section=.text",
                f"--start-address={start}", f"--stop-address={end}", path)
    found = [re.sub(r"\s+", " ", re.split(r"<|\s(?:[;@#]|//)\s", match[1])[0]).strip()
             for match in re.finditer(
                 r"^ *[0-9a-f]+:\s(?:[0-9a-f]+ ?)+ *\t(.*)$", text, re.M)]
    # Of the same ones in a row, one is enough.
    return "; ".join(w for i, w in enumerate(found)
                     if not i or w != found[i - 1])


class Measured:
    """What is found of one target."""

    def __init__(self, target):
        self.target = target
        lines = [target.start, ".text", ".balign 16", ".globl f",
                 ".type f,%function", "f:", target.nop, *target.sites,
                 ".size f,.-f"]
        with open("a.s", "w", encoding="ascii") as file:
            for line in lines:
                file.write(f"__asm__({json.dumps(line)});\n" if target.wrap
                           else line + "\n")
        must(*target.assembler, "-o", "a.o", "a.s")
        self.sites = dump("a.o")
        if len(self.sites) != len(target.sites):
            sys.exit(f"{target.name}: {len(self.sites)} sites")
        self.modes = [self.mode("-o", "a.c", "a.o"),
                      self.mode("--inject", "-o", "i.o", "a.o"),
                      self.mode("--inject", "--nop", "-o", "n.o", "a.o")]
        self.align = int(self.sites[0]["function_offset"], 16)

    @staticmethod
    def mode(*argv):
        """Does it work? If not, what code?"""
        status, text = run(SDTLINK, "--format=json", *argv)
        return "yes" if status == 0 else json.loads(
            text[text.index("{"):])["diagnostics"][0]["code"]

    def rows(self):
        """Of the table of sites; without the machine."""
        before, after = text_of("a.o"), text_of("n.o")
        # objdump counts Thumb branches otherwise where there is a relocation.
        if not self.target.objdump.startswith("llvm"):
            must(self.target.gnu + "-objcopy", "--remove-relocations=.text",
                 "n.o")
        for site, source in zip(self.sites, self.target.sites):
            start = int(site["offset"], 16)
            end = start + site["length"]
            nop = after[start:end]
            stays = nop == before[start:end]
            source = source.replace(P, "p").replace(E, "e")
            yield [site["kind"] if site["kind"] == site["form"] else
                   f"{site['kind']}, {site['form']}", f"`{source}`",
                   before[start:end].hex(" "), str(site["length"]),
                   "stays" if stays else nop.hex(" "),
                   "" if stays else f"`{words(self.target, 'n.o', start, end)}`",
                   {True: "yes", False: "no",
                    None: "by address"}[site["one_store"]]]

    def branch_form(self):
        """Has the machine the branch form?"""
        with open("b.c", "w", encoding="ascii") as file:
            file.write(BRANCH_C)
        if not shutil.which(self.target.cc[0]):
            return None
        status, _ = run(*self.target.cc, "-O2", "-ffreestanding", "-w",
                        "-I" + RUNTIME, "-c", "-o", "b.o", "b.c")
        if status:
            return "no"
        return "yes" if any(site["kind"] == "branch" for site in
                            dump("b.o")) else "no"

    def linker(self, path):
        """Links what was injected, and proves it."""
        if not shutil.which(path) or \
           not LINKER.search(run(path, "--version")[1]):
            return None
        # gold needs no -m, and lld no prefix.
        flags = self.target.ld + self.target.final
        status, text = run(path, *flags, "-e", "f", "-o", "i", "i.o")
        if status:
            unknown = re.search(r"unrecogni[sz]ed emulation|unknown emulation|"
                                r"unsupported|unknown (?:-m )?argument|"
                                r"unknown command line option|"
                                r"-m option is missing", text)
            return "-" if unknown else "fails"
        status, text = run(SDTLINK, "--verify", "a.o", "i")
        return "proved" if status == 0 and ": proved: " in text else "refused"


def have(target):
    """Are its tools here?"""
    return all(map(shutil.which, (target.assembler[0], target.objdump)))


def merge(rows):
    """Rows that differ in the machine only become one."""
    merged = []
    for machine, row in rows:
        same = [old for old in merged if old[1] == row]
        if same:
            same[0][0].append(machine)
        else:
            merged.append(([machine], row))
    return [[", ".join(names), *row] for names, row in merged]


def tables():
    """Both, as lists of rows; None where there is no tool."""
    sites, modes = [], []
    for target in filter(have, TARGETS):
        measured = Measured(target)
        sites += [(target.name, row) for row in measured.rows()]
        linkers = [measured.linker(path) for _, path in target.linkers]
        verify = "yes" if "proved" in linkers else "no"
        file = f"sdt_patch_{target.patcher}.c"
        if not os.path.exists(os.path.join(RUNTIME, file)):
            sys.exit(f"no {file}")
        modes.append([target.name, *measured.modes, verify, "yes",
                      f"`{file}`", measured.branch_form(),
                      str(measured.align), *linkers])
    return {"sites": sites, "modes": modes}


HEADS = {
    "sites": "machine|kind|instruction|bytes|length|after `--nop`|"
             "which is|one store",
    "modes": "machine|generate|inject|nop|verify|dump|patcher|branch form|"
             "alignment|" + "|".join(LINKERS),
}


def markdown(name, rows):
    """A table."""
    head = HEADS[name].split("|")
    return "\n".join(["| " + " | ".join(row) + " |" for row in
                      [head, ["---"] * len(head), *rows]]) + "\n"


def between(name):
    """Finds a table in the document."""
    return re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)


def write(path, found):
    """Put them into the document."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found["sites"] = merge(found["sites"])
    for name, rows in found.items():
        table = markdown(name, [[c or "-" for c in row] if name == "modes"
                                else row for row in rows])
        text, n = between(name).subn(lambda m, table=table: m[1] + table +
                                     m[2], text)
        if n != 1:
            sys.exit(f"{path}: no table of {name}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path, name):
    """The rows in the document, each machine for itself."""
    with open(path, encoding="utf-8") as file:
        found = between(name).search(file.read())
    rows = [re.split(r" \| ", line.strip("|\n ").replace("|  |", "| - |"))
            for line in found[0].splitlines()[3:-1]]
    return rows


def check(path, found):
    """Compare them; what has no tool here is not."""
    bad = []
    objdump_is_known = {}
    documented = read(path, "sites")
    names = [t.name for t in filter(have, TARGETS)]
    for name in names:
        target = next(t for t in TARGETS if t.name == name)
        objdump_is_known[name] = OBJDUMP.search(
            run(target.objdump, "--version")[1])
        here = [row for machine, row in found["sites"] if machine == name]
        there = [row[1:] for row in documented
                 if name in row[0].split(", ")]
        for row in here + there:
            row[5:6] = [(row[5] or "-") if objdump_is_known[name] else ""]
        bad += [f"{name}: not in the document: {' | '.join(row)}"
                for row in here if row not in there]
        bad += [f"{name}: not found: {' | '.join(row)}"
                for row in there if row not in here]
    documented = {row[0]: row for row in read(path, "modes")}
    if set(documented) != {target.name for target in TARGETS}:
        bad.append("the table of modes has other machines")
    for row in found["modes"]:
        there = documented.get(row[0], row)
        bad += [f"{row[0]}: is {here}, and not {said}"
                for here, said in zip(row, there)
                if here is not None and here != said]
    return bad, len(names)


def main():
    """Measure, and write or compare."""
    what, path = sys.argv[1], os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = tables()
        os.chdir("/")
    if not found["sites"]:
        print("no assembler here")
        sys.exit(77)
    if what == "write":
        write(path, found)
        return
    bad, n = check(path, found)
    print("\n".join(bad) if bad else f"{n} machines are as documented")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
