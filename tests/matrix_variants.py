# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to build that tests/matrix.py knows, and its cells."""
import collections

from matrix_isas import ISAS, NAMES

FORMS = ["offsets", "inject", "nop"]
ANCHORED = FORMS[1:]
LABEL = ["--anchor=label"]
X86 = ["x86_64", "i386", "x32"]
PIC = [name for name in NAMES if ISAS[name].pic]
AARCH64 = ["aarch64", "aarch64_be"]
ARM = ["arm", "thumb", "armeb"]
MIPS = ["mips", "mipsel", "mips64", "mips64el", "mipsn32", "mipsn32el"]
RISCV = ["riscv64", "riscv32"]
PPC64 = ["ppc64le", "ppc64", "ppc64v1"]
FAR = AARCH64 + ARM + PPC64 + ["ppc32"]
START = "0x1001000"

Cell = collections.namedtuple("Cell", "arch variant cc ld form")
# What --verify says, with the causes; what the oracle says; what was printed;
# and whether --verify --text=sites proves it.
Outcome = collections.namedtuple("Outcome", "state causes faults text sites",
                                 defaults=[False])


def cell_key(cell):
    """What a cell is found by."""
    return (cell.arch, cell.variant.name, cell.cc.name, cell.ld.name,
            cell.form)


class Variant:
    """One way to build.

    cc      flags of all objects; dict by compiler family, where they differ
    body    flags of the partial's objects only
    ld      flags of the final link; dict by linker family: others cannot
    part    flags of the partial link; likewise
    inject  flags of sdtlink --inject
    more    a source that the partial has besides
    stubs   flags of the stubs, where they are not in the partial
    how     a special build: see Build
    causes  what --verify must say one of, where the table is wrong
    also    what it may say beside that, because it follows
    codes   what sdtlink may refuse, and with what
    wrong   built wrong on purpose
    other   the table may be right: PARTIAL is not what was linked
    """

    def __init__(self, name, what, **rest):
        self.name, self.what = name, what
        self.cc = rest.pop("cc", [])
        self.body = rest.pop("body", [])
        self.ld = rest.pop("ld", [])
        self.part = rest.pop("part", [])
        self.inject = rest.pop("inject", [])
        self.arches = rest.pop("arches", NAMES)
        self.forms = rest.pop("forms", FORMS)
        self.more = rest.pop("more", None)
        self.stubs = rest.pop("stubs", [])
        self.how = rest.pop("how", None)
        self.causes = set(rest.pop("causes", "").split())
        self.also = set(rest.pop("also", "").split())
        self.codes = set(rest.pop("codes", "").split())
        self.wrong = rest.pop("wrong", False)
        self.other = rest.pop("other", False)
        self.quick = rest.pop("quick", False)
        assert not rest, rest


def pick(flags, family):
    """Of a list or dict, what is for FAMILY; None if nothing is."""
    return flags.get(family) if isinstance(flags, dict) else flags


FSEC = ["-ffunction-sections"]
KERNEL = {family: ["-T", "{data}/kernel.lds", "--defsym=START={start}"]
          for family in ("bfd", "gold", "lld")}
PADDED = {family: ["-T", "{data}/padded.lds"]
          for family in ("bfd", "gold", "lld")}
HIGH = {family: ["-T", "{data}/kernel.lds",
                 "--defsym=START=0xffffffff81000000"]
        for family in ("bfd", "gold", "lld")}
AFAR = {family: ["-T", "{data}/far.lds"] for family in ("bfd", "gold", "lld")}
LARCH_RELAX = ["-Xclang", "-target-feature", "-Xclang", "+relax"]
ICF_ALL = {f: ["--icf=all"] for f in ("gold", "lld", "mold")}
ICF_SAFE = {f: ["--icf=safe"] for f in ("gold", "lld", "mold")}
ORDER = {"lld": ["--symbol-ordering-file={root}/order.txt",
                 "--no-warn-symbol-ordering"],
         "gold": ["--section-ordering-file={root}/sections.txt"]}

VARIANTS = [
    Variant("plain", "`-O2`, the linker's own script", quick=True),
    Variant("O0", "`-O0`", body=["-O0"]),
    Variant("Os", "`-Os`", body=["-Os"]),
    Variant("fsec", "`-ffunction-sections`", body=FSEC, codes="no-base"),
    Variant("gc", "and `--gc-sections`", body=FSEC, ld=["--gc-sections"],
            codes="no-base", quick=True),
    Variant("icf-all", "and `--icf=all`", body=FSEC, ld=ICF_ALL,
            causes="icf", codes="no-base", quick=True),
    Variant("icf-safe", "and `--icf=safe`", body=FSEC, ld=ICF_SAFE,
            causes="icf", codes="no-base"),
    Variant("symbol-order", "`--symbol-ordering-file`, in gold "
            "`--section-ordering-file`", body=FSEC, ld=ORDER,
            codes="no-base"),
    Variant("sort-section", "`--sort-section=name`, with a script in lld",
            body=FSEC, codes="no-base",
            ld={"bfd": ["--sort-section=name"],
                "gold": ["--sort-section=name"],
                "lld": ["--sort-section=name"] + KERNEL["lld"]}),
    Variant("shuffle", "`--shuffle-sections`, with a seed", body=FSEC,
            codes="no-base", quick=True,
            ld={"lld": ["--shuffle-sections=*=7"],
                "mold": ["--shuffle-sections=7"]}),
    Variant("reverse", "sections in reverse", body=FSEC, codes="no-base",
            ld={"lld": ["--shuffle-sections=*=-1"],
                "mold": ["--reverse-sections"]}),
    Variant("fpic", "`-fPIC`, linked to a fixed address", cc=["-fPIC"],
            arches=PIC),
    Variant("pie", "`-fPIE`, `-pie`", cc=["-fPIE"], ld=["-pie"], arches=PIC,
            quick=True),
    Variant("pie-gc", "and `-ffunction-sections`, `--gc-sections`",
            cc=["-fPIE"], body=FSEC, ld=["-pie", "--gc-sections"],
            arches=PIC, codes="no-base"),
    Variant("shared", "`-fPIC`, `-shared`", cc=["-fPIC"], ld=["-shared"],
            arches=PIC, quick=True),
    Variant("shared-hidden", "and `-fvisibility=hidden`",
            cc=["-fPIC", "-fvisibility=hidden"], ld=["-shared"],
            arches=PIC),
    Variant("symbolic", "and `-Bsymbolic`, `-z now`", cc=["-fPIC"],
            ld=["-shared", "-Bsymbolic", "-z", "now"], arches=PIC),
    Variant("no-plt", "`-fPIC -fno-plt`", cc=["-fPIC"], body=["-fno-plt"],
            arches=PIC, codes="not-a-branch", quick=True),
    Variant("no-plt-shared", "and `-shared`", cc=["-fPIC"],
            body=["-fno-plt"], ld=["-shared"], arches=PIC,
            codes="not-a-branch"),
    Variant("mcmodel-kernel", "`-mcmodel=kernel`, the kernel script high",
            cc=["-mcmodel=kernel", "-mno-red-zone"], ld=HIGH,
            arches=["x86_64"], quick=True),
    Variant("mcmodel-large", "`-mcmodel=large`", cc=["-mcmodel=large"],
            arches=["x86_64", *AARCH64, *PPC64], codes="not-a-branch"),
    Variant("hot-cold", "hot/cold splitting",
            body={"gcc": ["-freorder-blocks-and-partition", "-O3"],
                  "clang": ["-mllvm", "-hot-cold-split=true", "-mllvm",
                            "-hotcoldsplit-threshold=-1"]}),
    Variant("stubs-first", "the stubs before the partial", how="stubs-first",
            quick=True),
    Variant("padding", "bytes before and between all text", ld=PADDED,
            codes="byte-order"),
    Variant("merge-script", "`ld -r -T` with `sdtlink --merge-script`",
            part={f: ["-T", "{merge}"] for f in ("bfd", "gold", "lld")},
            codes="merged-group", quick=True),
    Variant("merge-fsec", "and `-ffunction-sections`, `--gc-sections`",
            body=FSEC, ld=["--gc-sections"],
            part={f: ["-T", "{merge}"] for f in ("bfd", "gold", "lld")},
            codes="merged-group"),
    Variant("kernel-script", "as a kernel lays out its image", ld=KERNEL,
            quick=True),
    Variant("kernel-fsec", "and `-ffunction-sections`", body=FSEC, ld=KERNEL,
            codes="no-base"),
    Variant("kernel-gc", "and `--gc-sections`", body=FSEC, codes="no-base",
            ld={f: flags + ["--gc-sections"] for f, flags in KERNEL.items()}),
    Variant("text-prefix", "`-z keep-text-section-prefix`",
            ld=["-z", "keep-text-section-prefix"]),
    Variant("emit-relocs", "`--emit-relocs`", ld=["--emit-relocs"],
            quick=True),
    Variant("relocs-gc", "and `--gc-sections`", body=FSEC, codes="no-base",
            ld=["--emit-relocs", "--gc-sections"]),
    Variant("cet", "`-fcf-protection=full`", cc=["-fcf-protection=full"],
            arches=X86),
    Variant("retpoline", "retpolines: `-mindirect-branch=thunk`, "
            "`-mretpoline`", arches=X86,
            cc={"gcc": ["-mindirect-branch=thunk", "-fcf-protection=none",
                        "-mfunction-return=thunk"],
                "clang": ["-mretpoline"]}),
    Variant("debug", "`-g`, final link with `-S`", cc=["-g"], ld=["-S"],
            codes="no-symbols"),
    Variant("entry-pads", "`-fpatchable-function-entry=5`",
            body=["-fpatchable-function-entry=5"]),
    Variant("lto-full", "`-flto`, code made by `ld -r`", how="lto",
            body={"gcc": ["-flto"], "clang": ["-flto=full"]},
            codes="no-base", quick=True),
    Variant("lto-thin", "`-flto=thin`, code made by `ld.lld -r`", how="lto",
            body={"clang": ["-flto=thin"]}, codes="no-base"),
    Variant("lto-slim", "`-flto`, bytecode left in the partial",
            how="lto-slim", body={"gcc": ["-flto"]}, codes="lto"),
    Variant("lto-fat", "`-flto -ffat-lto-objects`, plain `ld -r`",
            body={"gcc": ["-flto", "-ffat-lto-objects"]}, codes="lto",
            quick=True),
    Variant("weak", "a weak function overridden by another of the partial, "
            "which leaves a body without a name", how="weak", quick=True),
    Variant("weak-fsec", "and `-ffunction-sections`, `--gc-sections`",
            how="weak", body=FSEC, ld=["--gc-sections"], codes="no-base"),
    Variant("weak-final", "a weak function overridden by an object outside "
            "the partial", how="weak-final"),
    Variant("two-partials", "two partials that share a COMDAT function, each "
            "injected by itself; PARTIAL is `ld -r` of both",
            how="two-partials", body=FSEC, forms=ANCHORED,
            quick=True),
    Variant("relink", "`ld -r` once more after `--inject` or with the stubs",
            how="relink"),
    Variant("relink-fsec", "and `-ffunction-sections`", how="relink",
            body=FSEC, codes="no-base"),
    Variant("label", "`--inject --anchor=label`: a label for each site",
            inject=LABEL, forms=ANCHORED, quick=True),
    Variant("label-gc", "and `-ffunction-sections`, `--gc-sections`",
            inject=LABEL, forms=ANCHORED, body=FSEC, ld=["--gc-sections"]),
    Variant("label-icf", "and `-ffunction-sections`, `--icf=all`",
            inject=LABEL, forms=ANCHORED, body=FSEC, ld=ICF_ALL,
            causes="icf"),
    Variant("label-relink", "and `ld -r` once more", how="relink",
            inject=LABEL, forms=ANCHORED),
    Variant("no-relax", "`--no-relax` at the final link",
            ld=["--no-relax"], arches=RISCV + ["loongarch64"], quick=True),
    Variant("mno-relax", "`-mno-relax`", cc=["-mno-relax"],
            arches=RISCV + ["loongarch64"], quick=True),
    Variant("norvc", "`-march=rv64g`", cc=["-march=rv64g"],
            arches=["riscv64"], quick=True),
    Variant("norvc-fixed", "and `-mno-relax`",
            cc=["-march=rv64g", "-mno-relax"], arches=["riscv64"]),
    Variant("align", "functions aligned to 64", body=["-falign-functions=64"],
            quick=True),
    Variant("align-pie", "and `-fPIE`, `-pie`", cc=["-fPIE"], arches=PIC,
            body=["-falign-functions=64"], ld=["-pie"]),
    Variant("align-loops", "and loops to 32",
            body=["-falign-functions=64", "-falign-loops=32"]),
    Variant("tls-fpic", "thread-local variables, `-fPIC`, linked to a fixed "
            "address", cc=["-fPIC"], more="tls.c", arches=PIC),
    Variant("tls-pie", "and `-fPIE`, `-pie`", cc=["-fPIE"], ld=["-pie"],
            more="tls.c", arches=PIC),
    Variant("tls-shared", "and `-fPIC`, `-shared`", cc=["-fPIC"],
            ld=["-shared"], more="tls.c", arches=PIC),
    Variant("tls-no-relax", "and `-fPIC`, `--no-relax`", cc=["-fPIC"],
            ld=["--no-relax"], more="tls.c", arches=PIC),
    Variant("tls-desc", "and `-mtls-dialect=gnu2`: TLS descriptors",
            cc=["-fPIC"], body=["-mtls-dialect=gnu2"], more="tls.c",
            arches=X86 + ARM),
    Variant("tls-desc-shared", "and `-shared`", cc=["-fPIC"],
            body=["-mtls-dialect=gnu2"], ld=["-shared"], more="tls.c",
            arches=X86 + ARM),
    Variant("icf-equal", "`--icf=all`, and a function that is what `--nop` "
            "makes of one with a site", more="equal.c", ld=ICF_ALL,
            causes="icf"),
    # What few machines have.
    Variant("far", "the stubs, and all cold code, 144 MB away", ld=AFAR,
            arches=FAR, quick=True),
    Variant("far-pie", "and `-fPIE`, `-pie`", cc=["-fPIE"], arches=FAR,
            ld={f: flags + ["-pie"] for f, flags in AFAR.items()}),
    Variant("far-fsec", "and `-ffunction-sections`", body=FSEC, arches=FAR,
            ld=AFAR, codes="no-base"),
    Variant("bti", "`-mbranch-protection=standard`, `-z force-bti`",
            cc=["-mbranch-protection=standard"], arches=AARCH64,
            ld={f: ["-z", "force-bti"] for f in ("bfd", "lld")}),
    Variant("bti-shared", "and `-fPIC`, `-shared`, `-z pac-plt`",
            cc=["-mbranch-protection=standard", "-fPIC"], arches=AARCH64,
            ld={f: ["-shared", "-z", "force-bti", "-z", "pac-plt"]
                for f in ("bfd", "lld")}),
    Variant("a53-843419", "`--fix-cortex-a53-843419`", more="a53.s",
            ld={f: ["--fix-cortex-a53-843419"]
                for f in ("bfd", "gold", "lld")}, arches=AARCH64),
    Variant("a53-both", "`--fix-cortex-a53-843419=adrp`, in gold without "
            "`=adrp`, and `--fix-cortex-a53-835769`", more="a53.s",
            ld={"bfd": ["--fix-cortex-a53-843419=adrp",
                        "--fix-cortex-a53-835769"],
                "gold": ["--fix-cortex-a53-843419",
                         "--fix-cortex-a53-835769"]}, arches=AARCH64),
    Variant("cortex-a8", "`--fix-cortex-a8`, a site across the end of a page",
            more="a8.s", arches=["thumb"],
            ld={f: ["-T", "{data}/a8.lds", "--fix-cortex-a8"]
                for f in ("bfd", "gold", "lld")}),
    Variant("interwork", "the stubs are of the other instruction set",
            stubs={"arm": ["-mthumb"], "armeb": ["-mthumb"],
                   "thumb": ["-marm"]}, forms=["offsets"], arches=ARM),
    Variant("interwork-far", "and 144 MB away",
            stubs={"arm": ["-mthumb"], "armeb": ["-mthumb"],
                   "thumb": ["-marm"]}, forms=["offsets"], arches=ARM,
            ld=AFAR),
    Variant("armv5", "`-march=armv5te`", arches=["arm"],
            cc=["-march=armv5te", "-mfloat-abi=soft"]),
    Variant("long-calls", "`-mlong-calls`", arches=ARM[:2] + MIPS,
            body=["-mlong-calls"], codes="not-a-branch"),
    Variant("longcall", "`-mlongcall`", arches=PPC64 + ["ppc32"],
            body=["-mlongcall"], codes="not-a-branch"),
    Variant("toc-small", "`-mcmodel=small`", arches=PPC64,
            cc=["-mcmodel=small"]),
    Variant("no-toc-optimize", "`--no-toc-optimize`", arches=PPC64,
            ld={f: ["--no-toc-optimize"] for f in ("bfd", "gold", "lld")}),
    Variant("plt-align", "`-fPIC`, `-shared`, `--plt-align`", cc=["-fPIC"],
            ld={f: ["-shared", "--plt-align"] for f in ("bfd", "gold")},
            arches=PPC64 + ["ppc32"]),
    Variant("power10", "`-mcpu=power10`: calls without a TOC",
            cc=["-mcpu=power10"], arches=["ppc64le"]),
    Variant("power10-shared", "and `-fPIC`, `-shared`", arches=["ppc64le"],
            cc=["-mcpu=power10", "-fPIC"], ld=["-shared"]),
    Variant("power10-far", "and `-pie`, far away", arches=["ppc64le"],
            cc=["-mcpu=power10", "-fPIE"],
            ld={f: flags + ["-pie"] for f, flags in AFAR.items()}),
    Variant("bss-plt", "`-fPIC`, `-shared`, `--bss-plt`", cc=["-fPIC"],
            ld={"bfd": ["-shared", "--bss-plt"]}, arches=["ppc32"]),
    Variant("abicalls", "`-mabicalls -fPIC`, `-shared`", arches=MIPS,
            body={"gcc": ["-mabicalls", "-fPIC"]}, ld=["-shared"],
            codes="not-a-branch"),
    Variant("pic-stubs", "the stubs are compiled with `-mabicalls -fPIC`",
            stubs=["-mabicalls", "-fPIC"], forms=["offsets"], arches=MIPS),
    Variant("release-6", "MIPS release 6, `-mcompact-branches=always`",
            arches=["mipsel"], cc={
                "gcc": ["-march=mips32r6", "-mcompact-branches=always"],
                "clang": ["-march=mips32r6"]}),
    Variant("release-6-64", "the same with 64 bits", arches=["mips64el"], cc={
        "gcc": ["-march=mips64r6", "-mcompact-branches=always"],
        "clang": ["-march=mips64r6"]}),
    Variant("ld-relax", "`--relax`", arches=["sparc64"],
            ld={"bfd": ["--relax"]}),
    Variant("larch-relax", "clang's feature `+relax`", cc=LARCH_RELAX,
            arches=["loongarch64"]),
    Variant("larch-relax-fsec", "and `-ffunction-sections`, `--gc-sections`",
            cc=LARCH_RELAX, body=FSEC, ld=["--gc-sections"],
            arches=["loongarch64"], codes="no-base"),
    Variant("larch-medium", "`-mcmodel=medium`: pairs of instructions",
            cc=["-mcmodel=medium"], arches=["loongarch64"]),
    Variant("larch-both", "and `+relax`", arches=["loongarch64"],
            cc=LARCH_RELAX + ["-mcmodel=medium"]),
    # Wrong on purpose: what sdtlink says must be true.
    Variant("w-moved-set", "a linker set, and text behind padding",
            wrong=True, forms=["offsets"], arches=X86[:2],
            how="linker-set",
            part={"bfd": ["-T", "{data}/merge-all.lds",
                          "--force-group-allocation"]},
            # A displaced entry may be where another site is.
            ld=PADDED, causes="reorder", also="table-mismatch"),
    Variant("w-stubs-folded", "stubs in a section each, `--icf=all`",
            wrong=True, how="split-stubs", forms=["offsets"], ld=ICF_ALL,
            # mold 3 drops the names of what it folds.
            causes="stub-folded stub-missing",
            also="icf extra-site table-mismatch",
            quick=True),
    Variant("w-no-table", "`--gc-sections`, and nothing refers to the table",
            wrong=True, how="no-reader", ld=["--gc-sections"],
            causes="table-missing"),
    Variant("w-outside", "an object outside the partial calls a probe",
            wrong=True, how="outside", causes="extra-site", quick=True),
    Variant("w-comdat", "another object has another body of a COMDAT "
            "function", wrong=True, how="comdat",
            causes="comdat", also="extra-site table-mismatch", quick=True),
    Variant("w-comdat-bare", "another object, which was not injected, has "
            "the COMDAT function", wrong=True, how="comdat-bare",
            forms=["inject"], causes="comdat", also="extra-site", quick=True),
    Variant("w-gc", "a script drops the entries of one object", wrong=True,
            how="two-partials", body=FSEC, forms=ANCHORED,
            ld={family: ["-T", "{data}/discard.lds"]
                for family in ("bfd", "gold", "lld")},
            causes="gc", quick=True),
    Variant("w-relaxation", "the table of objects compiled with `-mno-relax`",
            wrong=True, how="rigid-table", forms=["offsets"],
            arches=RISCV, causes="relaxation", quick=True),
    Variant("w-half", "two partials, and PARTIAL is one of them", wrong=True,
            other=True, how="half", forms=["inject"], body=FSEC, causes="extra-site",
            also="table-mismatch", quick=True),
    Variant("w-other-table", "the table of another build", wrong=True,
            how="other-table", forms=["offsets"], causes="table-mismatch",
            quick=True),
    Variant("w-other-partial", "PARTIAL is another build's", wrong=True,
            other=True, how="other-partial", causes="text-differs", also="extra-site table-mismatch "
            "unplaced stub-missing", quick=True),
    Variant("w-lto-relink", "the final comes from the bytecode of fat "
            "objects, or clang's", wrong=True, how="lto-relink",
            body={"gcc": ["-flto", "-ffat-lto-objects"],
                  "clang": ["-flto"]}, forms=["offsets"],
            causes="lto", also="extra-site table-mismatch", quick=True),
    Variant("w-stripped", "the final is stripped", wrong=True,
            how="stripped", ld=["-s"],
            codes="no-symbols"),
    Variant("w-patched-target", "a branch patched to go to another stub",
            wrong=True, how="patch-target", causes="rewritten", also="extra-site",
            forms=["offsets", "inject"], quick=True),
    Variant("w-patched-site", "a branch patched to be none", wrong=True,
            how="patch-site", causes="rewritten",
            forms=["offsets", "inject"], quick=True),
    Variant("w-patched-entry", "an entry patched to the next byte",
            wrong=True, how="patch-entry", causes="table-mismatch",
            quick=True),
    Variant("w-patched-probe", "two entries exchange their probes",
            wrong=True, how="patch-probe", causes="table-mismatch"),
    Variant("w-two-entries", "an entry overwritten by the next one",
            wrong=True, how="patch-twice", causes="table-mismatch"),
]


