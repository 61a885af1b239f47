#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""matrix.py [OPTION]... - links testdata/matrix in every way, and compares
what sdtlink --verify says of each final with the truth (matrix_oracle.py).

  --all            every cell; the default is a subset that takes a minute
  --shuffle        not the matrix: eight objects, each injected by itself,
                   linked in twenty orders by each linker
  --write FILE     write the table of outcomes as Markdown
  --only TEXT      only cells whose name, ARCH/VARIANT/COMPILER/LINKER/FORM,
                   contains TEXT; may be given more than once, all must match
  --keep DIR       build there, and leave the files
  -j N             so many processes
  -v               print each cell

The environment says where things are: SDTLINK the command, srcdir the source
tree. Exit status: 0 all as it should be, 1 not, 77 no tool to test with.
"""
import argparse
import collections
import glob
import json
import multiprocessing
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import matrix_oracle as oracle  # noqa: E402

DATA = os.path.join(HERE, "..", "testdata", "matrix")
SDTLINK = os.environ.get("SDTLINK", "sdtlink")
if "/" in SDTLINK:
    SDTLINK = os.path.abspath(SDTLINK)
FORMS = ["offsets", "inject", "nop"]
ARCHES = ["x86_64", "i386", "riscv64"]
X86 = ["x86_64", "i386"]
EMULATION = {"x86_64": "elf_x86_64", "i386": "elf_i386",
             "riscv64": "elf64lriscv"}
START = "0x1001000"
os.environ["LC_ALL"] = "C"


# --- Tools ----------------------------------------------------------------------

Tool = collections.namedtuple("Tool", "name family version path cxx")


def output(*argv):
    """What a command prints, or nothing."""
    try:
        return subprocess.run(argv, stdout=subprocess.PIPE, timeout=60,
                              stderr=subprocess.STDOUT, check=False
                              ).stdout.decode("utf-8", "replace")
    except OSError:
        return ""


def version_of(path):
    """The last version number in the first line of --version."""
    line = (output(path, "--version").splitlines() or [""])[0]
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)+", line)
    return (numbers[-1] if "ld" in line and "LLD" not in line else
            numbers[0]) if numbers else None


def find_all(*patterns):
    """The commands on the path whose names match, each file once."""
    found = {}
    for folder in os.environ["PATH"].split(os.pathsep):
        for pattern in patterns:
            for path in glob.glob(os.path.join(folder, pattern)):
                if re.search(r"(-\d+|[a-z+])$", path) and \
                   os.access(path, os.X_OK):
                    found.setdefault(os.path.realpath(path), path)
    return sorted(found.values())


def compiles(path, flags):
    """Does the compiler make code for that?"""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "x.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("int x;\n")
        return subprocess.run([path, *flags, "-c", "-o",
                               os.path.join(folder, "x.o"), source],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              check=False).returncode == 0


def arch_flags(arch, family):
    """What makes the compiler make code for ARCH."""
    if arch == "riscv64":
        target = ["--target=riscv64-linux-gnu"] if family == "clang" else []
        return target + ["-mabi=lp64d", "-mcmodel=medany"]
    return ["-m64" if arch == "x86_64" else "-m32", "-fcf-protection=none"]


def find_compilers(arch):
    """gcc, and each clang."""
    tools = []
    prefix = "riscv64-linux-gnu-" if arch == "riscv64" else ""
    for path in find_all(prefix + "gcc", prefix + "gcc-[0-9]*"):
        tools.append(("gcc", path, re.sub(r"gcc(-\d+)?$", r"g++\1", path)))
    for path in find_all("clang", "clang-[0-9]*"):
        tools.append(("clang", path, re.sub(r"clang(-\d+)?$", r"clang++\1",
                                            path)))
    found = {}
    for family, path, cxx in tools:
        if not compiles(path, arch_flags(arch, family)):
            continue
        version = version_of(path)
        name = f"{family}-{version.split('.')[0]}"
        if not os.access(cxx, os.X_OK):
            continue
        found.setdefault(name, Tool(name, family, version, path, cxx))
    return sorted(found.values(), key=sort_tool)


def find_linkers(arch):
    """GNU ld, gold, each lld, mold."""
    prefix = "riscv64-linux-gnu-" if arch == "riscv64" else ""
    found = {}
    patterns = [("bfd", prefix + "ld.bfd"), ("lld", "ld.lld"),
                ("lld", "ld.lld-[0-9]*"), ("mold", "mold")]
    if arch != "riscv64":
        patterns.append(("gold", "ld.gold"))
    for family, pattern in patterns:
        for path in find_all(pattern):
            # lld goes by the name it is called by.
            version = version_of(path)
            name = f"{family}-{version.split('.')[0]}" if family == "lld" \
                else family
            if version:
                found.setdefault(name, Tool(name, family, version, path, None))
    return sorted(found.values(), key=sort_tool)


def sort_tool(tool):
    """GNU first, then by version."""
    order = ["gcc", "clang", "bfd", "gold", "lld", "mold"]
    return order.index(tool.family), int(tool.version.split(".")[0])


def find_objdump(arch):
    """One that disassembles ARCH."""
    if arch == "riscv64":
        return shutil.which("riscv64-linux-gnu-objdump")
    return shutil.which("objdump") if "elf64-x86-64" in \
        output("objdump", "-i") else shutil.which("x86_64-linux-gnu-objdump")


# --- Variants ---------------------------------------------------------------------

class Variant:
    """One way to build.

    cc      flags of all objects; dict by compiler family, where they differ
    body    flags of the partial's objects only
    ld      flags of the final link; dict by linker family: others cannot
    part    flags of the partial link; likewise
    how     a special build: see Cell
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
        self.arches = rest.pop("arches", ARCHES)
        self.forms = rest.pop("forms", FORMS)
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
    Variant("fpic", "`-fPIC`, linked to a fixed address", cc=["-fPIC"]),
    Variant("pie", "`-fPIE`, `-pie`", cc=["-fPIE"], ld=["-pie"], quick=True),
    Variant("pie-gc", "and `-ffunction-sections`, `--gc-sections`",
            cc=["-fPIE"], body=FSEC, ld=["-pie", "--gc-sections"],
            codes="no-base"),
    Variant("shared", "`-fPIC`, `-shared`", cc=["-fPIC"], ld=["-shared"],
            quick=True),
    Variant("shared-hidden", "and `-fvisibility=hidden`",
            cc=["-fPIC", "-fvisibility=hidden"], ld=["-shared"]),
    Variant("symbolic", "and `-Bsymbolic`, `-z now`", cc=["-fPIC"],
            ld=["-shared", "-Bsymbolic", "-z", "now"]),
    Variant("no-plt", "`-fPIC -fno-plt`", cc=["-fPIC"], body=["-fno-plt"],
            codes="not-a-branch", quick=True),
    Variant("no-plt-shared", "and `-shared`", cc=["-fPIC"],
            body=["-fno-plt"], ld=["-shared"], codes="not-a-branch"),
    Variant("mcmodel-kernel", "`-mcmodel=kernel`, the kernel script high",
            cc=["-mcmodel=kernel", "-mno-red-zone"], ld=HIGH,
            arches=["x86_64"], quick=True),
    Variant("mcmodel-large", "`-mcmodel=large`", cc=["-mcmodel=large"],
            arches=["x86_64"], codes="not-a-branch"),
    Variant("hot-cold", "hot/cold splitting",
            body={"gcc": ["-freorder-blocks-and-partition", "-O3"],
                  "clang": ["-mllvm", "-hot-cold-split=true", "-mllvm",
                            "-hotcoldsplit-threshold=-1"]}),
    Variant("stubs-first", "the stubs before the partial", how="stubs-first",
            quick=True),
    Variant("padding", "bytes before and between all text", ld=PADDED),
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
            how="two-partials", body=FSEC, forms=["inject", "nop"],
            quick=True),
    Variant("relink", "`ld -r` once more after `--inject` or with the stubs",
            how="relink"),
    Variant("relink-fsec", "and `-ffunction-sections`", how="relink",
            body=FSEC, codes="no-base"),
    Variant("no-relax", "`--no-relax` at the final link",
            ld=["--no-relax"], arches=["riscv64"], quick=True),
    Variant("mno-relax", "`-mno-relax`", cc=["-mno-relax"],
            arches=["riscv64"], quick=True),
    Variant("norvc", "`-march=rv64g`", cc=["-march=rv64g"],
            arches=["riscv64"], quick=True),
    Variant("norvc-fixed", "and `-mno-relax`",
            cc=["-march=rv64g", "-mno-relax"], arches=["riscv64"]),
    Variant("align", "functions aligned to 64", body=["-falign-functions=64"],
            quick=True),
    Variant("align-loops", "and loops to 32",
            body=["-falign-functions=64", "-falign-loops=32"]),
    # Wrong on purpose: what sdtlink says must be true.
    Variant("w-moved-set", "a linker set, and text behind padding",
            wrong=True, forms=["offsets"], arches=X86, how="linker-set",
            part={"bfd": ["-T", "{data}/merge-all.lds",
                          "--force-group-allocation"]},
            ld=PADDED, causes="reorder"),
    Variant("w-stubs-folded", "stubs in a section each, `--icf=all`",
            wrong=True, how="split-stubs", forms=["offsets"], ld=ICF_ALL,
            causes="stub-folded", also="icf extra-site table-mismatch",
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
            how="two-partials", body=FSEC, forms=["inject", "nop"],
            ld={family: ["-T", "{data}/discard.lds"]
                for family in ("bfd", "gold", "lld")},
            causes="gc", quick=True),
    Variant("w-relaxation", "the table of objects compiled with `-mno-relax`",
            wrong=True, how="rigid-table", forms=["offsets"],
            arches=["riscv64"], causes="relaxation",
            also="table-mismatch", quick=True),
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


# Every so manieth variant only, where programs start slowly.
STRIDE = {v.name for v in [v for v in VARIANTS if v.quick]
          [::int(os.environ.get("SDTLINK_STRIDE", "1"))]}


# --- One cell ------------------------------------------------------------------------

class Failed(Exception):
    """A command failed."""


class NoSuchCell(Exception):
    """The compiler or the linker has no such thing."""


def run(argv, cwd):
    """Run a command; Failed has what it printed."""
    try:
        done = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              timeout=120)
    except subprocess.TimeoutExpired as slow:
        raise Failed("timeout: " + argv[0]) from slow
    if done.returncode:
        raise Failed(done.stdout.decode("utf-8", "replace"))


Cell = collections.namedtuple("Cell", "arch variant cc ld form")
Outcome = collections.namedtuple("Outcome", "state causes faults text")


class Build:
    """Builds one cell in a folder, of objects that cells share."""

    def __init__(self, cell, root, objdump):
        self.cell, self.root, self.objdump = cell, root, objdump
        self.variant = cell.variant
        self.is_gcc = cell.cc.family == "gcc"
        self.form = cell.form
        self.structures = []
        self.dir = os.path.join(
            root, "-".join((cell.arch, self.variant.name, cell.cc.name,
                            cell.ld.name, cell.form)))
        self.expand = {"data": os.path.abspath(DATA),
                       "start": START, "root": root,
                       "merge": os.path.join(root, "merge.lds")}

    def words(self, flags, family):
        """Flags for this cell, or NoSuchCell."""
        flags = pick(flags, family)
        if flags is None:
            raise NoSuchCell()
        return [flag.format(**self.expand) if "{" in flag else flag
                for flag in flags]

    def common(self):
        """Flags of all objects."""
        cell = self.cell
        flags = arch_flags(cell.arch, cell.cc.family) + [
            "-ffreestanding", "-fno-stack-protector", "-fno-pic", "-O2"]
        return flags + self.words(self.variant.cc, cell.cc.family)

    def compile(self, source, defines=(), body=None):
        """Compile a file of the program, once for all cells."""
        cell = self.cell
        flags = self.common() + list(defines) + (body or [])
        cxx = source.endswith(".cc")
        if cxx:
            flags += ["-fno-exceptions", "-fno-rtti"]
        if not os.path.isabs(source):
            source = os.path.join(self.expand["data"], source)
            key = [cell.arch, cell.cc.name, os.path.basename(source)] + flags
            name = re.sub(r"[^\w.=+-]+", "_", "@".join(key)) + ".o"
            out = os.path.join(self.root, "objects", name)
            if os.path.exists(out):
                return out
        else:
            out = os.path.join(self.dir, os.path.basename(source) + ".o")
        temporary = f"{out}.{os.getpid()}"
        run([cell.cc.cxx if cxx else cell.cc.path, *flags, "-c", "-o",
             temporary, source], self.dir)
        os.rename(temporary, out)
        return out

    def objects(self, body=None):
        """The objects of the partial: two halves, which share a COMDAT."""
        if body is None:
            body = self.words(self.variant.body, self.cell.cc.family)
        first = [self.compile(s, (), body) for s in ("core.c", "net.c")]
        second = []
        if self.variant.how == "weak":
            first.append(self.compile("weak.c", (), body))
        for copy, half in (("copy_one", first), ("copy_two", second)):
            half.append(self.compile("inline.cc", ["-DCOPY=" + copy], body))
        return first, second

    def link_partial(self, out, objects):
        """ld -r; for LTO the compiler calls it."""
        cell, how = self.cell, self.variant.how
        if how in ("lto", "lto-slim") and self.is_gcc:
            if cell.ld.family == "lld":
                raise NoSuchCell()
            if cell.ld.family == "mold" and cell.arch == "riscv64":
                raise NoSuchCell()
            more = ["-flinker-output=nolto-rel"] if how == "lto" else []
            run([cell.cc.path, *self.common(), "-flto", "-r", "-nostdlib",
                 "-fuse-ld=" + cell.ld.family, *more, "-o", out, *objects],
                self.dir)
            return
        if how == "lto" and (
                cell.ld.family != "lld" or int(cell.ld.version.split(".")[0]) <
                int(cell.cc.version.split(".")[0])):
            raise NoSuchCell()
        run([cell.ld.path, "-m", EMULATION[cell.arch], "-r", "-o", out,
             *self.words(self.variant.part, cell.ld.family), *objects],
            self.dir)

    def sdtlink(self, *argv):
        """Run it; the document it prints."""
        done = subprocess.run([SDTLINK, "--format=json", *argv], cwd=self.dir,
                              stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.DEVNULL, timeout=120)
        if done.returncode < 0 or done.returncode > 2:
            raise Failed(f"sdtlink crashed: {done.returncode}")
        return done.returncode, json.loads(done.stdout)

    def generate(self, partial, stem):
        """Stubs and table: the objects to link in place of PARTIAL."""
        if self.form == "offsets":
            more = ["--table=linker-set"] if self.variant.how == "linker-set" \
                else []
            source = os.path.join(self.dir, stem + ".c")
            status, doc = self.sdtlink(*more, "-o", source, partial)
            if status:
                raise Refused(doc)
            if more:
                # The structures that the records of a linker set point to.
                path = os.path.join(self.dir, "structures.c")
                with open(path, "w", encoding="ascii") as file:
                    for probe in doc["probes"]:
                        name = probe["symbol"][len("__dtrace_"):]
                        file.write(f"int {name} = 1;\n")
                self.structures = [self.compile(path)]
            body = ["-fno-lto"]
            if self.variant.how == "split-stubs":
                split_stubs(source)
                body.append("-ffunction-sections")
            return [partial, self.compile(source, (), body)]
        out = os.path.join(self.dir, stem + "-injected.o")
        status, doc = self.sdtlink("--inject", *(["--nop"] * (
            self.form == "nop")), "-o", out, partial)
        if status:
            raise Refused(doc)
        return [out]

    def rest(self):
        """What is not in the partial."""
        how = self.variant.how
        rest = []
        form = "OFFSETS" if self.form == "offsets" else "ANCHORED"
        if how in ("no-reader", "linker-set"):
            form = "NO_TABLE"
        rest.append(self.compile("reader.c", ["-D" + form]))
        if how == "weak-final":
            rest.append(self.compile("weak.c", ["-DPROBELESS"]))
        if how == "outside":
            rest.append(self.compile("outside.c"))
        return rest

    def link_final(self, objects):
        """The final link."""
        cell = self.cell
        run([cell.ld.path, "-m", EMULATION[cell.arch], "-e", "start", "-o",
             "final", *self.words(self.variant.ld, cell.ld.family),
             *self.structures, *objects], self.dir)

    def make(self):
        """Build the final; the name of the partial to compare it with."""
        how = self.variant.how
        first, second = self.objects()
        part = os.path.join(self.dir, "part.o")
        if how in ("two-partials", "half"):
            halves = [os.path.join(self.dir, n) for n in ("a.o", "b.o")]
            self.link_partial(halves[0], first)
            self.link_partial(halves[1], second)
            self.link_partial(part, halves)
            objects = [o for i, half in enumerate(halves)
                       for o in self.generate(half, f"probes{i}")]
            self.link_final(objects + self.rest())
            return halves[0] if how == "half" else part
        if how == "lto-relink":
            return self.make_lto_relink(first + second, part)
        if how in ("other-table", "rigid-table"):
            return self.make_other_table(first + second, part)
        self.link_partial(part, first + second)
        objects, rest = self.generate(part, "probes"), self.rest()
        if how == "relink":
            run([self.cell.ld.path, "-m", EMULATION[self.cell.arch], "-r",
                 "-o", "whole.o", *objects], self.dir)
            objects = ["whole.o"]
        if how == "stubs-first":
            objects = [self.compile("pad.c")] + rest + objects[::-1]
        elif how in ("comdat", "comdat-bare"):
            other = self.compile("inline.cc", ["-DCOPY=copy_three"] +
                                 ["-DOTHER"] * (how == "comdat"))
            objects = [other] + objects + rest
        else:
            objects += rest
        self.link_final(objects)
        if how and how.startswith("patch"):
            patch(os.path.join(self.dir, "final"), self.form, how,
                  self.objdump)
        if how == "other-partial":
            first, second = self.objects(["-Os", "-fno-inline"])
            part = os.path.join(self.dir, "other.o")
            self.link_partial(part, first + second)
        return part

    def make_lto_relink(self, objects, part):
        """The partial from plain objects, the final from bytecode."""
        if self.is_gcc:
            if self.cell.ld.family not in ("bfd", "gold") or \
               self.cell.arch == "riscv64":
                raise NoSuchCell()
        elif self.cell.ld.name != self.cell.cc.name.replace("clang", "lld"):
            raise NoSuchCell()
        plain = [o for half in self.objects(["-fno-lto"]) for o in half]
        self.link_partial(part, plain)
        _, probes = self.generate(part, "probes")
        if not self.is_gcc:
            self.link_final([*objects, probes, *self.rest()])
            return part
        run([self.cell.cc.path, *self.common(), "-flto", "-nostdlib",
             "-static", "-Wl,-e,start", "-fuse-ld=" + self.cell.ld.family,
             "-o", "final", *objects, probes, *self.rest()], self.dir)
        return part

    def make_other_table(self, objects, part):
        """Stubs and table are those of a build with other flags."""
        other = os.path.join(self.dir, "other.o")
        first, second = self.objects(
            ["-mno-relax"] if self.variant.how == "rigid-table" else
            ["-Os", "-fno-inline"])
        self.link_partial(other, first + second)
        _, probes = self.generate(other, "probes")
        self.link_partial(part, objects)
        self.link_final([part, probes] + self.rest())
        return part

    def verify(self, partial):
        """What sdtlink says, and what is true."""
        more = []
        if self.variant.how == "linker-set":
            more = ["--table=linker-set"]
        _, doc = self.sdtlink("--verify", *more, partial, "final")
        state = doc.get("verdict", "trouble")
        causes = [f["cause"] for f in doc.get("findings", [])] + \
            [d["code"] for d in doc.get("diagnostics", [])
             if d["severity"] == "error"]
        # The first one is to be the true one.
        causes = causes[:1] + sorted(set(causes[1:]) - set(causes[:1]))
        if state == "refused":
            state = "refused-verify"
        text = "; ".join(f["text"] for f in doc.get("findings", []) +
                         doc.get("diagnostics", []))
        faults = None
        try:
            if self.variant.how == "linker-set":
                faults = ["the linker set counts from elsewhere"]
            else:
                faults = oracle.judge(
                    os.path.join(self.dir, partial),
                    os.path.join(self.dir, "final"), self.form, self.objdump,
                    ["weak_function"] * (self.variant.how == "weak-final"))
        except oracle.Unknown:
            pass
        return Outcome(state, causes, faults, text)


class Refused(Exception):
    """sdtlink did not make a table."""

    def __init__(self, doc):
        super().__init__()
        errors = [d for d in doc.get("diagnostics", [])
                  if d["severity"] == "error"]
        self.codes = sorted({d["code"] for d in errors})
        self.text = "; ".join(d["text"] for d in errors[:3])


def split_stubs(path):
    """Let -ffunction-sections have each stub, and make all alike."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("__section__(SDT_STUB_SECTION)", "__unused__")
    text = re.sub(r"__asm__ __volatile__\(\"/\* \d+ \*/\"\);", "", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def file_offset(final, addr):
    """Where an address is in the file."""
    for sec in final.sections:
        if sec.flags & oracle.SHF_ALLOC and sec.type != 8 and \
           sec.addr <= addr < sec.addr + sec.size:
            return sec.offset + addr - sec.addr
    raise Failed("no such address")


def patch(path, form, how, objdump):
    """Damage a final in one place."""
    final = oracle.Elf(path)
    data = bytearray(final.bytes)
    if how in ("patch-target", "patch-site"):
        patch_site(final, data, how, objdump)
    elif form == "offsets":
        table = file_offset(final, final.defined("sdt_table")[0])
        sections = struct.unpack_from("<I", data, table + 12)[0]
        swap(data, table + 32 + 8 * sections, how, 8)
    else:
        start, end = oracle.anchored_range(final)
        at = file_offset(final, start)
        if how == "patch-twice":
            move(data, at, 8)
        elif how == "patch-probe":
            exchange_descriptors(data, at, (end - start) // 8)
        else:
            swap(data, at, how, 8)
    with open(path, "wb") as file:
        file.write(data)


def move(data, at, size):
    """Overwrite an anchored entry by the one behind it."""
    site, what = struct.unpack_from("<2i", data, at + size)
    struct.pack_into("<2i", data, at, site + size, what + size)


def exchange_descriptors(data, at, n):
    """Of the first entry and one of another probe but the same form."""
    whats = [struct.unpack_from("<i", data, at + 8 * i + 4)[0] + 8 * i
             for i in range(n)]
    other = next(i for i in range(1, n) if whats[i] != whats[0] and
                 (whats[i] ^ whats[0]) & 7 == 0)
    struct.pack_into("<i", data, at + 4, whats[other])
    struct.pack_into("<i", data, at + 8 * other + 4,
                     whats[0] - 8 * other)


def swap(data, at, how, size):
    """Damage an entry: both forms have the site first, then the probe."""
    first, what = struct.unpack_from("<2I", data, at)
    if how == "patch-entry":
        struct.pack_into("<I", data, at, first + 2)
    elif how == "patch-twice":
        data[at:at + size] = data[at + size:at + 2 * size]
    else:
        i = 1
        while True:
            other = struct.unpack_from("<I", data, at + size * i + 4)[0]
            if other >> 3 != what >> 3 and not (other ^ what) & 7:
                break
            i += 1
        struct.pack_into("<I", data, at + 4, other)
        struct.pack_into("<I", data, at + size * i + 4, what)


def patch_site(final, data, how, objdump):
    """Damage a branch: the first call of at least 4 bytes in sched_switch."""
    stubs = {name: final.defined(name)[0] for name in final.by_name
             if oracle.is_probe(name) and final.defined(name)}
    code = oracle.Code(final, stubs, objdump)
    addr, name, _ = next(site for site in sorted(code.sites)
                         if site[2] == oracle.CALL and
                         not site[1].startswith(oracle.ENABLED))
    other = next(stub for stub in sorted(stubs)
                 if stub != name and not stub.startswith(oracle.ENABLED))
    delta = stubs[other] - stubs[name]
    at = file_offset(final, addr)
    if final.machine != oracle.EM_RISCV:
        if how == "patch-site":
            data[at:at + 5] = b"\x0f\x1f\x44\x00\x01"
        else:
            struct.pack_into("<i", data, at + 1,
                             struct.unpack_from("<i", data, at + 1)[0] + delta)
        return
    if how == "patch-site":
        struct.pack_into("<I", data, at, 0x00100013)
        return
    word = struct.unpack_from("<I", data, at)[0]
    if word & 0x7f == 0x6f:
        offset = stubs[other] - addr
        struct.pack_into("<I", data, at, word & 0xfff | jal_bits(offset))
        return
    offset = stubs[other] - addr
    struct.pack_into("<2I", data, at,
                     word & 0xfff | (offset + 0x800) & 0xfffff000,
                     struct.unpack_from("<I", data, at + 4)[0] & 0xfffff |
                     (offset & 0xfff) << 20)


def jal_bits(offset):
    """The immediate of a jal."""
    return ((offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 |
            (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12)


def do_cell(job):
    """Build and judge one cell, in a process of the pool."""
    cell, root, objdump, keep = job
    build = Build(cell, root, objdump)
    os.makedirs(build.dir, exist_ok=True)
    try:
        outcome = build.verify(build.make())
    except NoSuchCell:
        outcome = Outcome("none", [], None, "")
    except Refused as refused:
        outcome = Outcome("refused", refused.codes, None, refused.text)
    except Failed as failed:
        outcome = Outcome("link", [], None, str(failed))
    except Exception as error:  # whatever it is, the cell is to name it
        outcome = Outcome("broken", [], None, repr(error))
    if not keep:
        shutil.rmtree(build.dir)
    return cell, outcome


# --- Judgement ---------------------------------------------------------------------

def is_relaxed(cell):
    """May the final link shorten the code?"""
    return cell.arch == "riscv64" and "-mno-relax" not in cell.variant.cc


def expected(cell, state):
    """What must be said one of, and what may be said besides."""
    if state in ("refused", "refused-verify"):
        codes = set(cell.variant.codes)
        if is_relaxed(cell) and cell.form == "offsets":
            codes.add("relaxation")
        return codes, codes
    causes, also = set(cell.variant.causes), set(cell.variant.also)
    if cell.form == "offsets" and "-shared" in (
            pick(cell.variant.ld, cell.ld.family) or []):
        # The linker measured from the PLT entry of a symbol.
        causes.add("table-mismatch")
    return causes, also


def classify(cell, outcome):
    """One of KINDS."""
    state, variant = outcome.state, cell.variant
    if state in ("none", "link", "broken"):
        return state
    if state == "proved":
        return "proved" if outcome.faults == [] and not variant.other else \
            "false-accept"
    if state == "drift" and outcome.faults == [] and not variant.other:
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
    "no-symbols": "The final has no symbol table, by which sections are "
    "placed: `-s` drops it, in mold `-S`, too. Verify, then strip.",
}

LINK_ERRORS = [
    ("R_RISCV_ALIGN requires unimplemented", "lld before version 15 does not "
     "relax, and wants objects compiled with `-mno-relax`."),
    ("multiple relocation sections", "What `ld.lld -r -T` merged has two "
     "sections of relocations for one of text, which lld itself does not "
     "read. It is so without sdtlink."),
    ("internal error in do_layout", "gold fails with `--emit-relocs` and "
     "`--gc-sections` when a section with `SHF_LINK_ORDER` is there."),
    ("internal error", "gold fails."),
    ("PLEASE submit a bug report", "lld crashes on the `SHF_LINK_ORDER` "
     "sections of `-fpatchable-function-entry` that its own `-r` merged. It "
     "is so without sdtlink."),
    (".LPFE", "mold cannot link the sections of "
     "`-fpatchable-function-entry` on RISC-V. It is so without sdtlink."),
    ("against symbol .*(recompile|can not|cannot)|requires dynamic .* reloc",
     "The offsets table measures from global symbols, and in a shared "
     "object others may override those that are not hidden: compile with "
     "`-fvisibility=hidden` or link with `-Bsymbolic`."),
    ("cannot be used against symbol", "The same, as lld says it."),
    ("undefined (reference to|symbol:|symbol) .?__dtrace_sdt", "`--nop` "
     "leaves no stubs: the linker itself finds the object outside."),
    (r"unknown relocation \(60\)|unrecognized reloc|unknown relocation",
     "The linker is too old for a relocation of this compiler."),
    ("different floating-point ABI", "The old compiler does not record the "
     "ABI in bytecode for RISC-V."),
    ("undefined symbol: (state|__start_sdt_sites)", "`gcc -r "
     "-flinker-output=nolto-rel` with mold makes a partial without the "
     "program."),
]

FALSE_REJECTS = [
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


# --- The document --------------------------------------------------------------------

def mark(cell, outcome):
    """What stands in the table for a cell."""
    kind = classify(cell, outcome)
    causes = "+".join(outcome.causes)
    return {"none": "\u00b7", "proved": "P", "drift": "D " + causes,
            "refused": "R " + causes, "link": "L", "broken": "**broken**",
            "false-accept": "**FA**", "false-reject": "**FR** " + causes,
            "wrong-cause": "**WC** " + causes}[kind]


def count_lines(cells, outcomes):
    """The summary."""
    kinds = collections.Counter(classify(c, outcomes[cell_key(c)])
                                for c in cells)
    total = sum(kinds.values()) - kinds["none"]
    rejects = [c for c in cells if
               classify(c, outcomes[cell_key(c)]) == "false-reject"]
    unexplained = sum(explain(c, outcomes[cell_key(c)], "false-reject") is
                      None for c in rejects)
    generated = sum(outcomes[cell_key(c)].state == "refused" for c in cells)
    rows = [("cells", total),
            ("linked", total - kinds["link"] - kinds["broken"] - generated),
            ("proved, and right", kinds["proved"]),
            ("drift, and wrong", kinds["drift"]),
            ("refused", kinds["refused"]),
            ("link errors", kinds["link"]),
            ("**false accepts**", kinds["false-accept"]),
            ("false rejects, explained below", len(rejects) - unexplained),
            ("**false rejects, not explained**", unexplained),
            ("**another cause than the true one**", kinds["wrong-cause"]),
            ("**broken**", kinds["broken"])]
    bad = kinds["false-accept"] + unexplained + kinds["wrong-cause"] + \
        kinds["broken"]
    return rows, bad


def tables(cells, outcomes, tools):
    """The table of outcomes of each architecture."""
    lines = []
    by_key = {cell_key(cell): cell for cell in cells}
    for arch, (compilers, linkers, _) in tools.items():
        columns = [(cc, ld) for cc in compilers for ld in linkers]
        lines += ["", f"### {arch}", "", "| variant | form | " + " | ".join(
            f"{cc.name} {ld.name}" for cc, ld in columns) + " |",
                  "|---|---|" + "---|" * len(columns)]
        for variant in VARIANTS:
            for form in variant.forms:
                keys = [(arch, variant.name, cc.name, ld.name, form)
                        for cc, ld in columns]
                marks = [mark(by_key[key], outcomes[key]) if key in by_key
                         else "\u00b7" for key in keys]
                if set(marks) != {"\u00b7"}:
                    lines.append(f"| {variant.name} | {form} | " +
                                 " | ".join(marks) + " |")
    return lines


def explanations(cells, outcomes, kind):
    """Each reason, with how many cells and in which variants."""
    reasons = {}
    for cell in cells:
        outcome = outcomes[cell_key(cell)]
        if classify(cell, outcome) == kind:
            why = explain(cell, outcome, kind) or "Not explained."
            reasons.setdefault(why, []).append(cell)
    lines = []
    for why, group in sorted(reasons.items(), key=lambda r: -len(r[1])):
        names = [v.name for v in VARIANTS
                 if any(c.variant is v for c in group)]
        where = ", ".join(names) if len(names) < 12 else \
            f"{len(names)} variants"
        arches = ", ".join(a for a in ARCHES if any(c.arch == a
                                                    for c in group))
        linkers = sorted({c.ld.name for c in group})
        lines.append(f"* {why} ({len(group)} cells: {arches}; "
                     f"{', '.join(linkers)}; {where})")
    return lines or ["None."]


def document(cells, outcomes, tools):
    """The whole text."""
    rows, _ = count_lines(cells, outcomes)
    lines = [
        "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->",
        "<!-- Generated by tests/matrix.py --all --write doc/matrix.md -->",
        "# What sdtlink makes of compilers and linkers", "",
        "A small program with every kind of probe site is compiled and "
        "linked in each of these ways, by each compiler and linker, with "
        "each form of the table. Each time an oracle, which shares no code "
        "with sdtlink, finds the true sites in what objdump prints of the "
        "final, and compares them with the table as a program would read it. "
        "Then it is known whether `sdtlink --verify` told the truth.", "",
        "Regenerate it with", "",
        "    SDTLINK=build/sdtlink/sdtlink tests/matrix.py --all "
        "--write doc/matrix.md", "",
        "which takes all versions of clang, lld and the others that it finds "
        "on the path. `make check` runs a part of it.", "", "## Summary", "",
        "| outcome | cells |", "|---|---|"]
    lines += [f"| {name} | {number} |" for name, number in rows]
    lines += ["", "## Tools", ""]
    for arch, (compilers, linkers, _) in tools.items():
        lines.append(f"* {arch}: " + ", ".join(
            f"{t.name} {t.version}" if t.family in ("bfd", "gold", "mold")
            else f"{t.name} ({t.version})" for t in compilers + linkers))
    lines += ["", "## Forms", "",
              "* `offsets`: `sdtlink -o probes.c part.o`, compiled and linked",
              "* `inject`: `sdtlink --inject -o injected.o part.o`",
              "* `nop`: the same with `--nop`: most sites are no branches any "
              "more", "", "## Variants", "",
              "\u201cAnd\u201d means: what the variant above has. Those "
              "that begin with `w-` are wrong on purpose: the cause that "
              "sdtlink names has to be the one given here.", "",
              "| variant | what it is | true cause |", "|---|---|---|"]
    lines += [f"| {v.name} | {v.what} | {' or '.join(sorted(v.causes))} |"
              for v in VARIANTS]
    lines += ["", "## Outcomes", "",
              "`P` proved, and the oracle agrees; `D` drift, with the "
              "causes, and the table is wrong; `R` refused, with the code; "
              "`L` the linker says no; `\u00b7` there is no such thing. "
              "**FA** is a false accept, **FR** a false reject, **WC** a "
              "cause that is not the true one."]
    lines += tables(cells, outcomes, tools)
    for kind, title in (("refused", "Refusals"), ("link", "Link errors"),
                        ("false-reject", "False rejects"),
                        ("wrong-cause", "Wrong causes"),
                        ("false-accept", "False accepts")):
        lines += ["", "## " + title, ""]
        lines += explanations(cells, outcomes, kind)
    return "\n".join(lines) + "\n"


def make_cells(args):
    """What there is to do on this machine; and which tools there are."""
    cells, tools = [], {}
    for arch in ARCHES:
        compilers, linkers = find_compilers(arch), find_linkers(arch)
        objdump = find_objdump(arch)
        if not compilers or not linkers or not objdump:
            print(f"{arch}: no compiler, linker or objdump here")
            continue
        tools[arch] = (compilers, linkers, objdump)
        for variant in VARIANTS:
            if arch not in variant.arches:
                continue
            for cc in compilers:
                for ld in linkers:
                    cells += [Cell(arch, variant, cc, ld, form)
                              for form in variant.forms]
    return [cell for cell in cells if wanted(cell, args, tools)], tools


def name_of(cell):
    """ARCH/VARIANT/COMPILER/LINKER/FORM."""
    return "/".join((cell.arch, cell.variant.name, cell.cc.name, cell.ld.name,
                     cell.form))


def wanted(cell, args, tools):
    """Is the cell to be built?"""
    if args.only:
        return all(text in name_of(cell) for text in args.only)
    if args.all:
        return True
    if not cell.variant.quick:
        return False
    if cell.variant.name not in STRIDE:
        return False
    compilers, linkers, _ = tools[cell.arch]
    c, n = compilers.index(cell.cc), linkers.index(cell.ld)
    # Each linker with one compiler, and each form with one linker.
    k = [v.name for v in VARIANTS].index(cell.variant.name)
    return cell.cc in (compilers[0], compilers[-1]) and \
        (c + n + k + FORMS.index(cell.form)) % 3 == 0


def run_all(cells, tools, root, args):
    """The outcome of each cell."""
    os.makedirs(os.path.join(root, "objects"), exist_ok=True)
    subprocess.run([SDTLINK, "--merge-script", "-o",
                    os.path.join(root, "merge.lds")], check=True)
    for name, prefix in (("order.txt", ""), ("sections.txt", ".text.")):
        with open(os.path.join(root, name), "w", encoding="ascii") as file:
            for function in ("sched_wake_up", "net_send", "aligned",
                             "vm_fault", "net_receive", "start"):
                file.write(prefix + function + "\n")
    jobs = [(cell, root, tools[cell.arch][2], bool(args.keep))
            for cell in cells]
    outcomes = {}
    with multiprocessing.Pool(args.j) as pool:
        for cell, outcome in pool.imap_unordered(do_cell, jobs, 4):
            outcomes[cell_key(cell)] = outcome
            kind = classify(cell, outcome)
            if args.v or kind in ("false-accept", "wrong-cause", "broken") or \
               kind == "false-reject" and not explain(cell, outcome, kind):
                print(kind, name_of(cell), outcome.state,
                      ",".join(outcome.causes),
                      (outcome.faults or [""])[0], "|", outcome.text[:300],
                      flush=True)
    return outcomes


def cell_key(cell):
    """What a cell is found by."""
    return (cell.arch, cell.variant.name, cell.cc.name, cell.ld.name,
            cell.form)


# --- Orders of injected objects ---------------------------------------------------

SHUFFLES = 20


def write_objects(root):
    """Eight sources, which share probes and a COMDAT function."""
    for i in range(8):
        with open(os.path.join(root, f"o{i}.cc"), "w",
                  encoding="ascii") as file:
            file.write(f"""
extern "C" {{
void __dtrace_sdt_all___common(int);
void __dtrace_sdt_one___probe{i}(int, int);
void __dtrace_sdt_some___pair{i // 2}(int);
int __dtrace_sdt_enabled_all___common();
void __dtrace_sdt_cxx___inline(int);
extern volatile int state;
int call{i}(int);
void tail{i}(int);
}}
template <typename T> __attribute__((noinline)) T shared_inline(T n)
{{
	__dtrace_sdt_cxx___inline(n);
	return n + state;
}}
static __attribute__((noinline, cold)) void cold{i}(int n)
{{
	__dtrace_sdt_one___probe{i}(n, {i});
	state = n;
}}
int call{i}(int n)
{{
	if (__dtrace_sdt_enabled_all___common())
		__dtrace_sdt_all___common(n);
	for (int i = 0; i < {i + 1}; i++)
		__dtrace_sdt_some___pair{i // 2}(i);
	if (n > 99)
		cold{i}(n);
	return shared_inline<int>(n);
}}
void tail{i}(int n)
{{
	state = n;
	__dtrace_sdt_one___probe{i}(n, n);
}}
""")
    with open(os.path.join(root, "start.c"), "w", encoding="ascii") as file:
        file.write("volatile int state;\nvoid start(void);\n")
        for i in range(8):
            file.write(f"int call{i}(int); void tail{i}(int);\n")
        file.write("void start(void)\n{\n\tfor (;;) {\n")
        for i in range(8):
            file.write(f"\t\tcall{i}(state); tail{i}(state);\n")
        file.write("\t}\n}\n")


def shuffle_one(arch, cc, linkers, objdump, root):
    """All linkers with one compiler; how many links were wrong."""
    flags = arch_flags(arch, cc.family) + ["-ffreestanding", "-O2",
                                           "-fno-stack-protector", "-fno-pic"]
    if arch == "riscv64":
        # Not all lld relax.
        flags.append("-mno-relax")
    for i in range(8):
        run([cc.cxx, *flags, "-fno-exceptions", "-fno-rtti", "-c", "-o",
             f"o{i}.o", f"o{i}.cc"], root)
        run([SDTLINK, "--inject", "-o", f"i{i}.o", f"o{i}.o"], root)
    run([cc.path, *flags, "-c", "-o", "start.o", "start.c"], root)
    wrong = 0
    for ld in linkers:
        rng, faults, linked = random.Random(1), [], 0
        for _ in range(SHUFFLES):
            names = [f"i{i}.o" for i in range(8)] + ["start.o"]
            rng.shuffle(names)
            try:
                run([ld.path, "-m", EMULATION[arch], "-e", "start", "-o",
                     "final", *names], root)
            except Failed as failed:
                faults.append(str(failed).splitlines()[0])
                continue
            linked += 1
            final = os.path.join(root, "final")
            faults += oracle.judge(os.path.join(root, "start.o"), final,
                                   "inject", objdump)
            entries = oracle.read_anchored(oracle.Elf(final), True)
            faults += check_dump(final, entries)
            faults += check_verify(root)
        print(f"{arch} {cc.name} {ld.name}: {linked} of {SHUFFLES} linked, "
              f"{len(faults)} faults", *faults[:3])
        wrong += len(faults)
    return wrong


def check_verify(root):
    """--verify has to prove the objects all at once, and not seven of them."""
    objects = [f"o{i}.o" for i in range(8)]
    faults = []
    for partials, verdict in ((objects, 0), (objects[1:], 1)):
        done = subprocess.run([SDTLINK, "--verify", *partials, "final"],
                              cwd=root, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.STDOUT)
        if done.returncode != verdict:
            faults.append(done.stdout.decode())
    return faults


def check_dump(final, entries):
    """--dump has to list what the table says."""
    done = subprocess.run([SDTLINK, "--dump", "--format=json", final],
                          stdout=subprocess.PIPE, check=False)
    listed = sorted((int(site["address"], 16), probe["symbol"])
                    for probe in json.loads(done.stdout)["probes"]
                    for site in probe["sites"])
    wanted = sorted((entry.addr, entry.probe) for entry in entries)
    return [] if listed == wanted else ["--dump lists other sites"]


def shuffle():
    """Each architecture with the first compiler of it."""
    wrong = done = 0
    for arch in ARCHES:
        compilers, linkers = find_compilers(arch), find_linkers(arch)
        objdump = find_objdump(arch)
        if not compilers or not linkers or not objdump:
            print(f"{arch}: no compiler, linker or objdump here")
            continue
        with tempfile.TemporaryDirectory() as root:
            write_objects(root)
            wrong += shuffle_one(arch, compilers[0], linkers, objdump, root)
        done += 1
    return 77 if not done else 1 if wrong else 0


def main():
    """Run."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--only", action="append")
    parser.add_argument("--keep")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    if args.shuffle:
        return shuffle()
    cells, tools = make_cells(args)
    if not cells:
        print("skipped: no compiler and linker to test with")
        return 77
    root = os.path.abspath(args.keep) if args.keep else tempfile.mkdtemp()
    try:
        outcomes = run_all(cells, tools, root, args)
    finally:
        if not args.keep:
            shutil.rmtree(root)
    rows, bad = count_lines(cells, outcomes)
    for name, number in rows:
        print(f"{number:6d} {name.strip('*')}")
    if args.write:
        with open(args.write, "w", encoding="utf-8") as file:
            file.write(document(cells, outcomes, tools))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
