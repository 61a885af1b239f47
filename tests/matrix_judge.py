# SPDX-License-Identifier: GPL-3.0-or-later
"""Is what sdtlink said of a cell of tests/matrix.py true?"""
import re

from matrix_isas import major
from matrix_variants import pick


def is_relaxed(cell):
    """May the final link shorten the code?"""
    cc = pick(cell.variant.cc, cell.cc.family) or []
    # clang 20 began to do so by itself.
    by_default = cell.arch.startswith("riscv") or \
        cell.arch == "loongarch64" and major(cell.cc) >= 20
    return by_default and "-mno-relax" not in cc or "+relax" in cc


def expected(cell, state):
    """What must be said one of, and what may be said besides."""
    if state in ("refused", "refused-verify"):
        codes = set(cell.variant.codes)
        if is_relaxed(cell) and cell.form == "offsets":
            codes.add("relaxation")
        if cell.arch == "armeb" and "no-symbols" in codes:
            codes.add("byte-order")
        return codes, codes
    causes, also = set(cell.variant.causes), set(cell.variant.also)
    if cell.form == "offsets" and "-shared" in (
            pick(cell.variant.ld, cell.ld.family) or []):
        # The linker measured from the PLT entry of a symbol.
        causes.add("table-mismatch")
    if cell.arch == "ppc32" and cell.ld.family == "lld" and \
       {"-fPIC", "-fPIE"} & set(pick(cell.variant.cc, cell.cc.family) or []):
        # It takes the addend of R_PPC_PLTREL24 for a distance if .got2 of
        # several objects was merged, and the branch goes behind the stub.
        causes |= {"rewritten", "thunk"}
        also.add("extra-site")
    return causes, also


def is_right(cell, outcome):
    """Is the table true, and of this partial?"""
    return outcome.faults == [] and not cell.variant.other


def classify(cell, outcome):
    """One of KINDS."""
    state = outcome.state
    if state in ("none", "link", "broken"):
        return state
    right = is_right(cell, outcome)
    if state == "proved" and not right:
        return "false-accept"
    if state == "proved":
        # What is proved of all text is proved of the sites.
        return "proved" if outcome.sites else "false-reject"
    if state == "drift" and right:
        return "false-reject"
    causes, also = expected(cell, state)
    said = outcome.causes
    if said and said[0] in causes and set(said) <= causes | also:
        return "drift" if state == "drift" else "refused"
    return "wrong-cause"


REFUSALS = {
    "no-base": "A section with sites has no global symbol to measure them "
    "from: static functions and the cold parts of functions have a section "
    "of their own with `-ffunction-sections` and after link-time "
    "optimisation. Only the offsets table needs one: use `--inject`.",
    "not-a-branch": "The call goes through the GOT or a register, so that no "
    "direct branch is there to be patched.",
    "lto": "The partial holds bytecode, slim or fat, and the final link "
    "could make other code of it.",
    "merged-group": "lld merges a COMDAT function into the text of the whole "
    "partial, and calls it all a member of the group.",
    "relaxation": "The offsets table cannot be right where the final link "
    "shortens code: use `--inject`, or compile with `-mno-relax`.",
    "byte-order": "In BE8 mapping symbols must say what is an instruction "
    "and what is data; the bytes that the script puts before all text have "
    "none.",
    "no-symbols": "The final has no symbol table, by which sections are "
    "placed: `-s` drops it, in mold `-S`, too. Verify, then strip.",
}

LINK_ERRORS = [
    ("R_RISCV_ALIGN requires unimplemented", "lld before version 15 does not "
     "relax, and wants objects compiled with `-mno-relax`."),
    ("multiple relocation sections", "What `ld.lld -r -T` merged has two "
     "sections of relocations for one of text, which lld itself does not "
     "read. It is so without sdtlink."),
    ("EXIDX sections .* both link to text section", "gold does not read "
     "what its own `-r -T` merged of `.ARM.exidx`. It is so without "
     "sdtlink."),
    ("must be used in (MOVQ|ADDQ|leaq)", "lld wants the instructions that "
     "64 bits have for thread-local storage, in x32, too."),
    (r"mold: \S+: .*Assertion", "mold fails: an assertion of its own."),
    ("internal error in do_layout", "gold fails with `--emit-relocs` and "
     "`--gc-sections` when a section with `SHF_LINK_ORDER` is there."),
    ("internal error", "gold fails."),
    ("clang frontend command failed", "clang crashes."),
    ("with different ABI from", "clang does not record the ABI in bytecode."),
    ("PLEASE submit a bug report", "lld crashes on the `SHF_LINK_ORDER` "
     "sections of `-fpatchable-function-entry` that its own `-r` merged. It "
     "is so without sdtlink."),
    ("sh_link points to discarded section", "gcc 12 leaves the list of a "
     "COMDAT function's entries out of its group, and lld 22 refuses the "
     "second copy. It is so without sdtlink."),
    (".LPFE", "mold cannot link the sections of "
     "`-fpatchable-function-entry` on RISC-V. It is so without sdtlink."),
    ("against symbol .*(recompile|can not|cannot)|"
     "requires (unsupported )?dynamic .*reloc",
     "The offsets table measures from global symbols, and in a shared "
     "object others may override those that are not hidden: compile with "
     "`-fvisibility=hidden` or link with `-Bsymbolic`."),
    ("cannot be used against symbol", "The same, as lld says it."),
    (r"unknown relocation \(60\)|unrecognized reloc|unknown relocation|unsupported reloc",
     "The linker is too old for a relocation of this compiler."),
    ("-shared and -r are incompatible", "gcc for MIPS calls gold with "
     "`-shared` beside `-r`."),
    ("is incompatible with elf32(_x86_64|[bl]tsmipn32)", "lld makes code of "
     "64 bits of bytecode for x32 and n32."),
    ("r2 is not .TOC.", "gold lets big-endian functions compute r2 two bytes "
     "too high: its veneers load from the wrong place, and the program does "
     "not run. It is so without sdtlink, which refuses it: thunk."),
    ("both ordered and unordered sections", "gcc's list of "
     "`-fpatchable-function-entry` for ELFv1 is linked to no text, that of "
     "the C++ file, which clang compiles, is."),
    ("_restgpr_", "gcc calls functions of libgcc at `-Os`, which the program "
     "does not have."),
    ("unsupported -mbss-plt code", "gold takes no position-independent code "
     "of this ABI that it cannot tell to be `-msecure-plt`."),
    ("different floating-point ABI", "The old compiler does not record the "
     "ABI in bytecode for RISC-V."),
    ("undefined symbol: (state|__start_sdt_sites)", "`gcc -r "
     "-flinker-output=nolto-rel` with mold makes a partial without the "
     "program."),
]

FALSE_REJECTS = [
    (lambda c, o: c.arch in ("mips64", "mips64el") and c.ld.name == "bfd" and
     c.variant.name == "pic-stubs",
     "GNU ld's code for t9 has room for 32 bits, and its n64 programs are "
     "above 4 GB: the jump is right, and t9 is wrong."),
    (lambda c, o: c.arch == "armeb" and c.ld.name == "gold" and
     set(o.causes) <= {"thunk", "rewritten"},
     "gold writes no mapping symbols for its veneers, so that in BE8 nothing "
     "says which of their bytes are a literal, in the other order."),
    (lambda c, o: is_relaxed(c) and o.causes == ["extra-site"] and
     c.variant.name in ("emit-relocs", "relocs-gc"),
     "The linker shortens code and leaves the offsets of the relocations "
     "that it keeps as they were: the image contradicts itself."),
]


def explain(cell, outcome, kind):
    """Why; or None."""
    if kind == "refused":
        return "; ".join(REFUSALS[c] for c in outcome.causes if c in REFUSALS)
    if kind == "link":
        for pattern, text in LINK_ERRORS:
            if re.search(pattern, outcome.text):
                return text
    if kind == "false-reject":
        for test, text in FALSE_REJECTS:
            if test(cell, outcome):
                return text
    return None


