#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""trace.py [--all] [--only TEXT] [-v] | --table [PAGE] - what an image with
probes has that the same image without has not: testdata/trace, of every machine
and linker that is here. With --all, by each compiler and in each form; else
those take turns. --table prints the bytes of what --inject adds, by machine, or
compares them with the table in PAGE.

  names     of .symtab and .dynsym: what sdtlink-inject(7) lists, and no more
  headings  of objdump -d, GNU's and LLVM's
  places    at each instruction of a function, addr2line -f (GNU, LLVM,
            elfutils) and the nearest symbol of any type, as FreeBSD's kernel
            takes it, name that function
  shape     sections and segments, their flags and alignment, .comment, notes;
            the number of the build is another
  kallsyms  what Linux selects of nm -n, and what nm --size-sort lists

The environment says where things are: SDTLINK the command, srcdir the source
tree. Exit status: 0 all as it should be, 1 not, 77 no tool to test with.
"""
import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from matrix_elf import Elf, FUNC  # noqa: E402
from matrix_isas import (ISAS, NAMES, find_compilers,  # noqa: E402
                         find_linkers, find_objdump)
from tools import newest  # noqa: E402

os.environ["LC_ALL"] = "C"
DATA = os.path.join(HERE, "..", "testdata", "trace")
SDTLINK = os.path.abspath(os.environ.get("SDTLINK", "sdtlink"))
# Their tables are .ARM.exidx, in which entries that are alike become one.
ARM = ("arm", "thumb", "armeb")
RELAXING = ("riscv64", "riscv32", "loongarch64")

# What sdtlink-inject(7) says that an image has more: symbols and sections.
STUB = r"(__dtrace_sdt_\w+)"
NEW_SYMBOL = re.compile(STUB + r"|(__sdt_(nop_)?probe_" + STUB +
                        r")|(__sdt_stub_" + STUB + r")|(\." + STUB + ")")
NEW_SECTIONS = {"sdt_sites", "sdt_probes"}
NOP_SECTIONS = {".debug.sdt"}
# Mapping symbols and the assembler's own: every tool passes over them.
UNSEEN = re.compile(r"\$[adtx](\..*)?|\.L0 ")
# scripts/mksysmap and scripts/kallsyms.c of Linux 6.1.
KALLSYMS = re.compile(r"\$|\.L|__(start|stop)_|_?_?(efistub|pi)_")


class Bad(Exception):
    """The image tells."""


def run(*argv, **rest):
    """What a command prints."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.PIPE, timeout=120, **rest)
    if done.returncode:
        raise RuntimeError(" ".join(argv) + ": " +
                           done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace")


def frames(path):
    """The FDEs of .eh_frame: their length and which code they are of."""
    parts = run("readelf", "-wf", path).split("Contents of the ")
    return [row for part in parts if part.startswith(".eh_frame section")
            for row in re.findall(r"^\w+ (\w+) \w+ FDE .*pc=(\w+)\.\.(\w+)$",
                                  part, re.M)]


class Image:
    """A linked image and what tools say of it."""

    def __init__(self, path, objdumps, nm):
        self.path, self.objdumps, self.nm = path, objdumps, nm
        self.elf = Elf(path)
        self.functions = {}
        for sym in self.elf.symbols:
            if sym.type == FUNC and sym.name and sym.shndx:
                self.functions[sym.name] = (self.elf.code(sym.value), sym.size,
                                            1 if sym.is_thumb else 0)
        self.starts = sorted(start for start, *_ in self.functions.values())

    @functools.cached_property
    def symbols(self):
        """Names and types of symbols, by table."""
        tables = {".dynsym": set(), ".symtab": set()}
        for line in run("readelf", "-sW", self.path).splitlines():
            title = re.match(r"Symbol table '(.*)'", line)
            if title:
                table = tables[title[1]]
            # A thunk is one of the register that the compiler chose.
            if "__x86.get_pc_thunk" in line:
                continue
            row = re.match(r" *\d+: +\w+ +\w+ (\w+) +\w+ +\w+ +(?:\[.*?\] +)?"
                           r"\w+ ?(.*)$", line)
            if row and row[1] not in ("SECTION", "FILE"):
                table.add((row[2].split("@")[0], row[1]))
        return tables

    @functools.cached_property
    def headings(self):
        """Of objdump -d, and the instructions below each."""
        found = []
        for objdump in self.objdumps:
            names, at = {}, None
            for line in run(objdump, "-d", self.path).splitlines():
                heading = re.match(r"[0-9a-f]+ <(.*)>:$", line)
                if heading:
                    at = names.setdefault(heading[1], [])
                row = re.match(r" *([0-9a-f]+):\s", line)
                if row and at is not None:
                    at.append(int(row[1], 16))
            found.append(names)
        return found

    def instructions(self, names):
        """Each function of NAMES, with the address of each instruction. For
        elfutils, a Thumb function begins a byte later; mold does not shorten
        those that it relaxes."""
        rows = []
        for name in names:
            start, size, skipped = self.functions[name]
            end = min([start + size] + [other for other in self.starts
                                        if other > start])
            rows += [(name, addr) for addrs in self.headings[0].values()
                     for addr in addrs if start + skipped <= addr < end]
        return rows

    def shape(self):
        """Sections and segments, and what they are like."""
        text = run("readelf", "-SW", self.path)
        sections = re.findall(r"^ *\[ *\d+\] (\S+) +(\S+) +\w+ \w+ \w+ \w+ "
                              r"+([A-Za-z]*) +\d+ +\d+ +(\d+)$", text, re.M)
        text = run("readelf", "-lW", self.path)
        segments = re.findall(r"^  ([A-Z_]+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ "
                              r"([R ][W ][E ]) (0x\w+)$", text, re.M)
        return {name: rest for name, *rest in sections}, segments

    def notes(self):
        """.comment and notes, but for the number of the build."""
        text = run("readelf", "-nW", "-p.comment", self.path)
        return re.sub(r"(Build ID:|File:|0x[0-9a-f]{8}).*", "", text)

    def sized(self):
        """The names that nm --size-sort lists."""
        return {line.split()[-1] for line in
                run(self.nm, "--size-sort", self.path).splitlines()}

    def build_id(self):
        """The number of the build."""
        return re.search(r"Build ID: (\w+)", run("readelf", "-nW", self.path))[1]

    def kallsyms(self):
        """The names that Linux' kallsyms would have."""
        found = set()
        for line in run(self.nm, "-n", self.path).splitlines():
            row = re.match(r"[0-9a-f]* *([A-Za-z]) (.*)$", line)
            if not row or row[1] in "aNUw" or KALLSYMS.match(row[2]):
                continue
            if not row[2]:
                raise Bad(f"kallsyms cannot read '{line}'")
            found.add(row[2])
        return found

    def frames(self):
        """Of each FDE, where its code begins, and how long that is."""
        return [(int(first, 16), int(end, 16) - int(first, 16))
                for _, first, end in frames(self.path)]

    def nearest(self, addr):
        """link_elf_search_symbol() of FreeBSD."""
        best = None
        for sym in self.elf.symbols:
            value = self.elf.code(sym.value) if sym.type == FUNC else sym.value
            if sym.name and value <= addr and \
               (best is None or value >= best[0]):
                best = (value, sym.name)
        return best and best[1]


def ask(argv, image, addrs):
    """The first line of each answer of an addr2line -f."""
    text = run(*argv, "-f", "-e", image.path,
               input="".join(f"{addr:#x}\n" for addr in addrs).encode())
    lines = text.splitlines()
    return [line.split("(")[0] for line in lines[::2]]


def is_new(name):
    """May it be new?"""
    return bool(NEW_SYMBOL.fullmatch(name)) or \
        name.startswith(("__start_sdt_", "__stop_sdt_"))


def compare(case, probed, bare, tools):
    """Raises Bad if a tool can tell PROBED from BARE, but by the list."""
    for table, one in probed.symbols.items():
        two = bare.symbols[table]
        new = {row for row in one - two if table == ".dynsym" or
               not (is_new(row[0]) or UNSEEN.fullmatch(row[0]))}
        if new or two - one:
            raise Bad(f"{table}: {sorted(new)} new, {sorted(two - one)} gone")
    new = probed.kallsyms() - bare.kallsyms()
    if any(not is_new(name) for name in new):
        raise Bad(f"kallsyms: {sorted(new)}")
    for one, two in zip(probed.headings, bare.headings):
        # What is at the start of text has the name of that, too.
        new = [name for name in one if name not in two and not is_new(name)
               and (name, "NOTYPE") not in bare.symbols[".symtab"]]
        if new:
            raise Bad(f"objdump -d: {new}")
    shape, segments = probed.shape()
    old_shape, old_segments = bare.shape()
    if segments != old_segments:
        raise Bad(f"segments: {segments}, without probes {old_segments}")
    if set(shape) - set(old_shape) != NEW_SECTIONS | (
            NOP_SECTIONS if case.nop else set()):
        raise Bad(f"sections: {sorted(set(shape) - set(old_shape))}")
    for name, rest in old_shape.items():
        if shape.get(name) != rest:
            raise Bad(f"{name}: {shape.get(name)}, without probes {rest}")
    if probed.notes() != bare.notes():
        raise Bad(f"notes: {probed.notes()}\nwithout:\n{bare.notes()}")
    new = probed.sized() - bare.sized()
    if any(not is_new(name) for name in new):
        raise Bad(f"nm --size-sort: {sorted(new)}")
    if probed.build_id() == bare.build_id():
        raise Bad("two programs have one build ID")
    unwinds(probed, bare)
    places(probed, bare, tools, case.dwarf)


def unwinds(probed, bare):
    """Is there a way out of each stub, where functions have one?"""
    found = probed.frames()
    for name, (addr, size, _) in probed.functions.items():
        if bare.frames() and re.fullmatch(STUB, name) and \
           found.count((addr, size)) != 1:
            raise Bad(f"{name}: {found.count((addr, size))} FDEs")


def places(probed, bare, tools, dwarf):
    """Is each instruction in its function, for everybody?"""
    names = [name for name in probed.functions if name in bare.functions]
    rows = probed.instructions(names)
    old = bare.instructions(names)
    if len({name for name, _ in rows}) < 5:
        raise Bad(f"only {sorted(set(name for name, _ in rows))} have code")
    for argv in tools:
        answers = ask(argv, probed, [addr for _, addr in rows])
        olds = set(zip((name for name, _ in old),
                       ask(argv, bare, [addr for _, addr in old])))
        for (name, addr), answer in zip(rows, answers):
            if answer != name and (name, answer) not in olds:
                raise Bad(f"{argv[0]}{' with DWARF' if dwarf else ''}: "
                          f"{addr:#x} of {name} is in {answer}")
        if len(answers) != len(rows):
            raise Bad(f"{argv[0]}: {len(answers)} answers of {len(rows)}")
    olds = {(name, bare.nearest(addr)) for name, addr in old}
    for name, addr in rows:
        answer = probed.nearest(addr)
        if answer != name and (name, answer) not in olds:
            raise Bad(f"nearest: {addr:#x} of {name} is in {answer}")


class Case:
    """One machine, compiler, linker and form."""

    def __init__(self, arch, tool, linker, how, root):
        self.isa, self.cc, self.ld = ISAS[arch], tool, linker
        self.nop, self.dwarf, self.shared = how
        self.shared = self.shared and self.isa.pic
        self.root = root
        self.name = "/".join((arch, tool.name, linker.name if linker else "",
                              "nop" if self.nop else "inject",
                              "dwarf" if self.dwarf else "bare",
                              "shared" if self.shared else "exec"))

    def compile(self, source, out, *flags):
        """An object."""
        path = os.path.join(self.root, out)
        run(self.cc.path, *self.isa.flags[self.cc.family], "-O2",
            "-ffreestanding", "-fno-stack-protector",
            "-fPIC" if self.shared else "-fno-pic",
            "-fvisibility=hidden" if self.shared else "-fvisibility=default",
            "-f" + "no-" * (self.isa.name in ARM or self.nop and self.dwarf) +
            "asynchronous-unwind-tables",
            *(["-g"] if self.dwarf else []), *flags, "-c", "-o", path,
            os.path.join(DATA, source))
        return path

    def link(self, out, *objects):
        """A final: compilers give -X to linkers where labels are usual."""
        path = os.path.join(self.root, out)
        relaxes = self.isa.name in RELAXING and self.ld.family == "lld"
        run(self.ld.path, *self.isa.ld, *self.isa.final, "-e", "start",
            "--build-id=sha1", "--eh-frame-hdr", *(["-X"] if relaxes else []),
            *(["-shared"] if self.shared else []), "-o", path, *objects)
        return path

    def build(self):
        """The image with probes and the one without."""
        outside = self.compile("outside.c", "outside.o")
        bare = self.compile("program.c", "bare.o")
        probed = self.compile("program.c", "probed.o", "-DPROBES")
        injected = os.path.join(self.root, "injected.o")
        run(SDTLINK, "--inject", *(["--nop"] if self.nop else []),
            "-o", injected, probed)
        image = self.link("probed", injected, outside)
        done = run(SDTLINK, "--verify", probed, image)
        if "proved" not in done:
            raise Bad(done)
        return image, self.link("bare", bare, outside)


def try_case(case, tools):
    """What is wrong, or None."""
    prefix = case.isa.prefix
    objdumps = [find_objdump(case.isa.name)]
    if shutil.which(newest("llvm-objdump")) not in objdumps:
        objdumps.append(newest("llvm-objdump"))
    nm = shutil.which(prefix + "nm") or newest("llvm-nm")
    gnu = shutil.which(prefix + "addr2line")
    probed, bare = (Image(path, objdumps, nm) for path in case.build())
    compare(case, probed, bare, ([[gnu]] if gnu else []) + tools)


def find_cases(args, root):
    """Each linker of each machine; compilers and forms take turns. Where a
    sample is enough, one linker of each machine, in turn, too."""
    ways = [(nop, dwarf, shared) for shared in (False, True)
            for dwarf in (False, True) for nop in (False, True)]
    turn = 0
    for arch in NAMES:
        compilers, linkers = find_compilers(arch), find_linkers(arch)
        if not compilers or not linkers or not find_objdump(arch):
            print(f"{arch}: no compiler, linker or objdump here")
            continue
        if os.environ.get("SDTLINK_STRIDE", "1") != "1" and not args.all:
            linkers = [linkers[turn // 3 % len(linkers)]]
        for linker in linkers:
            turn += 3
            for compiler in compilers if args.all else \
                    [compilers[turn % len(compilers)]]:
                for way in ways if args.all else [ways[turn % len(ways)]]:
                    yield Case(arch, compiler, linker, way, root)


def added(arch, compiler, root):
    """Bytes of a stub, of one that returns 0, and of the FDE of either."""
    case = Case(arch, compiler, None, (False, False, False), root)
    out = os.path.join(root, "added.o")
    run(SDTLINK, "--inject", "-o", out,
        case.compile("program.c", "plain.o", "-DPROBES"))
    text = run("readelf", "-SgW", out)
    sizes = [int(size, 16) for size in re.findall(
        r" \.text\.sdt_stubs +PROGBITS +\w+ \w+ (\w+) \w+ +AXG", text)]
    found = frames(out)
    return min(sizes), max(sizes), int(found[-1][0], 16) + 4 if found else 0


def print_table(page, root):
    """Prints the table, or says where PAGE has another."""
    rows = []
    for arch in NAMES:
        compilers = find_compilers(arch)
        if not compilers:
            print(f"{arch}: no compiler here")
            continue
        row = "%-12s%8d%13d%8d" % (arch, *added(arch, compilers[0], root))
        rows.append(row)
        if page is None:
            print(row)
    if page is None:
        return 0
    with open(page, encoding="utf-8") as file:
        lines = file.read().splitlines()
    wrong = [row for row in rows if row not in lines]
    print("\n".join(["not in the manual:"] + wrong) if wrong else
          f"{len(rows)} rows as in the manual")
    return 1 if wrong else 0


def main():
    """The command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("page", nargs="?")
    args = parser.parse_args()
    if args.table:
        with tempfile.TemporaryDirectory() as root:
            return print_table(args.page, root)
    tools = [[path] for path in (newest("llvm-addr2line"), "eu-addr2line")
             if path and shutil.which(path)]
    ndone = nlinked = nbad = 0
    with tempfile.TemporaryDirectory() as root:
        for case in find_cases(args, root):
            if args.only not in case.name:
                continue
            ndone += 1
            try:
                try_case(case, tools)
                nlinked += 1
                if args.v:
                    print(f"{case.name}: no trace", flush=True)
            except Bad as bad:
                nbad += 1
                print(f"{case.name}: {bad}", flush=True)
            except RuntimeError as failed:
                print(f"{case.name}: not built: {failed}", flush=True)
    print(f"{nlinked} of {ndone} without a trace, {nbad} with one; by " +
          ", ".join(os.path.basename(argv[0]) for argv in tools))
    if ndone == 0:
        return 77
    return 1 if nbad or nlinked * 10 < ndone * 9 else 0


if __name__ == "__main__":
    sys.exit(main())
