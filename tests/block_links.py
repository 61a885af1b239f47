#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""block_links.py [OPTION]... FILE... - real programs in C, C++, Fortran, Ada or D
with a probe in each basic block, or (C) in the branch form at each if: what
--verify says of each final, and of the same with a damaged table.

-fsanitize-coverage=trace-pc calls a function in each block, and so in cold
parts, in front of jump tables and behind calls that do not return. Each program
is compiled by gcc or clang, and linked in some way: as one partial or several,
whose local symbols ld -r may have dropped; with calls or NOPs; with some options
of compiler and linker that change code, and some tool that changes the final.
One object may be given to the linker, but not to --verify. The truth is what
objdump says of the branches in the final, but for those that --verify says
nothing leads to: as many as --inject has left out. Finals are also proved alone
and with a debug file.

  -n N            so many programs (100)
  --seed N        the first one (1); each program follows from its seed
  --machine NAME  only that one; may be given more than once
  --keep DIR      build there, and leave the files
  -j N            so many processes
  -v              print each verdict

What only --verify holds for dead may be so: --inject may have seen a way to it
that is no way in the final.

SDTLINK is the command. Exit status: 0 if no wrong table was proved and no right
one rejected but for the reasons that KNOWN lists, 1 if one was, 77 without
tools.
"""
import argparse
import collections
import multiprocessing
import os
import random
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(os.path.dirname(HERE), "runtime")
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from matrix_elf import Wrong, open_image  # noqa: E402
from matrix_oracle import anchored_range  # noqa: E402
from random_links import MACHINES, SDTLINK, build_directory, damage, \
    joiner_of, offset_of, retarget, run, shrink, tool  # noqa: E402
from tools import newest  # noqa: E402

# The probe function of each, and how the compiler is told to call it.
PROBES = {
    "blocks": ("__sanitizer_cov_trace_pc", ["-fsanitize-coverage=trace-pc"]),
    "ifs": ("__dtrace_sdt_app___test", ["-include", "ifs.h"]),
}
# Headers may have inline functions.
IFS = """
#include "sdt.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>
#define if(...) \\
    if (({ SDT_BRANCH_PROBE1(app, test, __LINE__); 0; }) || (__VA_ARGS__))
"""
# Options of gcc and clang, and the target of clang. What is not here has no C
# library, or its calls go through registers.
COMPILERS = {
    "x86_64": ([], "x86_64-linux-gnu"),
    "i386": (["-m32", "-I/usr/include/x86_64-linux-gnu"], "x86_64-linux-gnu"),
    "aarch64": ([], "aarch64-linux-gnu"),
    "arm": (["-marm"], "armv7a-linux-gnueabihf"),
    "thumb": (["-mthumb"], "armv7a-linux-gnueabihf"),
    "riscv64": ([], "riscv64-linux-gnu"),
    "s390x": ([], "s390x-linux-gnu"),
    "ppc64le": ([], "powerpc64le-linux-gnu"),
    "ppc32": ([], "powerpc-linux-gnu"),
    "mips": (["-mno-abicalls", "-G0", "-fno-pic"], None),
    "sparc64": ([], None),
}
# What else the compilers of a language take. Ada's are those of its library.
OF_LANGUAGE = {".adb": ["-gnatg", "-gnatws"]}
# One of each row may be added, if the compiler or linker knows it.
WILD = [
    ["-mcmodel=large", "-mcmodel=medium", "-mcmodel=kernel", "-mcmodel=tiny",
     "-mcmodel=small", "-mcmodel=medany", "-mcmodel=medlow", "-mlong-calls",
     "-mpure-code", "-mslow-flash-data", "-mxgot", "-mminimal-toc",
     "-mlongcall", "-mno-pcrel -mcpu=power10", "-mcpu=power10", "-mno-relax",
     "-msave-restore", "-march=rv64g", "-mtls-dialect=gnu2",
     "-mtls-dialect=desc", "-march=z14", "-mpacked-stack -msoft-float",
     "-mno-app-regs", "-mfix-cortex-a53-843419",
     "-mpc-relative-literal-loads", "-march=armv6t2",
     "-march=armv5t -mfloat-abi=soft", "-mapx-features=egpr"],
    ["-fno-plt", "-fcf-protection=full", "-mbranch-protection=standard",
     "-fpatchable-function-entry=4,2", "-fpatchable-function-entry=2",
     "-fsplit-stack", "-fstack-protector-all", "-fstack-clash-protection",
     "-fzero-call-used-regs=all", "-mindirect-branch=thunk",
     "-mindirect-branch=thunk-inline", "-mfunction-return=thunk",
     "-mharden-sls=all", "-fsanitize=undefined", "-fsanitize=kcfi",
     "-finstrument-functions", "-fprofile-arcs",
     "-fsanitize=shadow-call-stack -ffixed-x18", "-mretpoline",
     "-mspeculative-load-hardening", "-p", "-pg -mfentry",
     "-pg -mrecord-mcount -mfentry -mnop-mcount"],
    ["-fbasic-block-sections=all",
     "-fbasic-block-sections=all -funique-basic-block-section-names",
     "-mllvm -enable-split-machine-functions", "-moutline", "-Oz", "-Og",
     "-fno-reorder-blocks", "-fno-integrated-as",
     "-freorder-blocks-algorithm=simple", "-falign-functions=64",
     "-falign-loops=32", "-fno-align-functions -fno-align-jumps",
     "-fexceptions -fnon-call-exceptions", "-fno-toplevel-reorder",
     "-funit-at-a-time -fno-inline", "-fno-section-anchors", "-fno-ident",
     "-funique-section-names -fno-common",
     "-fno-unique-section-names -ffunction-sections", "-fglobal-isel",
     "-fdata-sections", "-fvisibility=hidden",
     "-fno-semantic-interposition -fPIC",
     "-fno-direct-access-external-data -fPIE", "-mno-direct-extern-access",
     "-gz -g", "-Wa,--crel", "-Wa,-mrelax-relocations=no",
     "-fsanitize=thread", "-fcommon -fshort-enums",
     "-Wa,-mbranches-within-32B-boundaries"],
]
WILD_LINK = [
    ["--no-relax", "-z now", "-z norelro", "-z separate-code",
     "-z noseparate-code", "-Ttext=0x8000000", "-shared -Bsymbolic",
     "--export-dynamic", "-z pack-relative-relocs", "--pack-dyn-relocs=relr",
     "-z keep-text-section-prefix", "--shuffle-sections=*=7",
     "--shuffle-sections", "-O2", "--no-rosegment", "-N", "-n",
     "-z max-page-size=65536", "--sort-section=alignment",
     "--sort-section=name", "--fix-cortex-a53-843419", "--fix-cortex-a8",
     "-z ibtplt", "-z retpolineplt", "-z force-bti", "-z pac-plt",
     "--branch-to-branch", "--optimize-bb-jumps",
     "-z text", "-z notext", "--xosegment", "--relax-gp", "--be8",
     "--no-toc-optimize", "--no-tls-optimize", "--stub-group-size=4096",
     "--no-pcrel-optimize", "--power10-stubs=yes", "-z start-stop-gc",
     "--image-base=0x4000000", "--icf=safe", "--icf=safe_thunks",
     "--no-gnu-unique", "-z nocopyreloc", "--compress-debug-sections=zlib",
     "--build-id", "--discard-none", "--section-start=.text=0x9000040"],
]
# What may be done to the final. {} is its name.
POST = ["{strip} -g", "{objcopy} --strip-debug", "{objcopy} -X", "eu-strip -g",
        "{llvm-objcopy} --strip-debug", "{llvm-objcopy} --discard-locals",
        "{objcopy} --compress-debug-sections", "dwz",
        "patchelf --set-rpath /opt/some/where/long"]
# What may be done to what --inject has written.
BETWEEN = ["{strip} -g", "{strip} --strip-unneeded", "{objcopy} -X",
           "{llvm-objcopy} --strip-unneeded", "{objcopy} --localize-hidden",
           "{objcopy} --weaken", "{objcopy} --rename-section .data=.data.own",
           "{objcopy} --rename-section .text=.text.own",
           "{objcopy} --set-section-alignment .text=64",
           "{objcopy} --compress-debug-sections", "{ld} -r", "{ld} -r -x",
           "{ld} -r -X", "{ld} -r --unique"]
EMULATION = {"i386": "elf_i386", "mips": "elf32btsmip"}
# A right table that is rejected, or an error.
KNOWN = {
    # gold drops the table, as nothing refers to it.
    "the image has no site table": "gold drops the table",
    "where no branch to it is": "wrong relocations",
    "the final link dropped them all": "all was dropped",
    "no record in .debug.sdt": "the records were stripped",
    "a symbol's name is outside the string table": "a tool wrote no ELF file",
}


def known(said):
    """The outcome of a right final that is not proved."""
    return next(("known: " + why for text, why in KNOWN.items()
                 if text in said), "REJECTED")


def read_table(final):
    """The entries: where the site is, and what the rest refers to."""
    try:
        elf = open_image(final)
        first, last = anchored_range(elf)
    except Wrong:
        return set()
    rows = [(at, *elf.unpack("2i", elf.at(at, 8)))
            for at in range(first, last, 8)]
    return {(elf.wrap(at + site), elf.wrap(at + 4 + what))
            for at, site, what in rows}


def keep_one(final):
    """Write FINAL.one, whose table has only its first entry."""
    elf = open_image(final)
    first, last = anchored_range(elf)
    data = bytearray(elf.bytes)
    shrink(elf, data, offset_of(elf, first)[1], last - first - 8)
    with open(final + ".one", "wb") as out:
        out.write(data)
    return final + ".one"


def flip(final, table, rng):
    """Write FINAL.bad, in which a bit of a site is another."""
    elf = open_image(final)
    addr = rng.choice(sorted(table))[0] + rng.randrange(2)
    data = bytearray(elf.bytes)
    data[offset_of(elf, addr)[0]] ^= 1 << rng.randrange(8)
    with open(final + ".bad", "wb") as out:
        out.write(data)
    return final + ".bad"


def count_dead(said):
    """How many sites nothing leads to, as --verify has it."""
    dead = re.search(", ([0-9]+) dead", said)
    return int(dead[1]) if dead else 0


def linker_script(rng):
    """A script as firmware has them, for GNU ld and lld."""
    def maybe(*texts):
        return rng.choice((*texts, *[""] * len(texts)))

    def text(*inputs, far=""):
        return (f"{far or maybe('ALIGN(64)', 'ALIGN(4096)')} :"
                f" {maybe('SUBALIGN(32)', 'SUBALIGN(4)')} {{"
                + "\n".join((maybe("_begins = .;"), *inputs,
                             maybe(". += 24;", "LONG(0x12345678)"))) +
                f" }} {maybe('=0xcccccccc', '=0x00', '=0x90909090')}")
    own, far = rng.random() < 0.5, rng.random() < 0.3
    return "\n".join((
        "SECTIONS {", f". = {rng.choice((0x10000, 0x400000, 0x8000040))};",
        ".head : { LONG(0x600d) *(.text.head) }",
        maybe(".init.text " + text("*p1.o.i.o(.text .text.*)"),
              ".cold.text " + text("*(.text.unlikely .text.unlikely.*)")),
        ".text " + text(
            maybe("*(SORT_BY_NAME(.text.[g-z]*))", "*(SORT(.text.[a-f]*))"),
            maybe(". = ALIGN(256);"), "*(.text.sdt_stubs)" if rng.random() < 0.3
            else "", "*(.text .text.*)"),
        maybe(". = ALIGN(0x1000);", ". += 0x20000;"),
        maybe(".far.text " + text("*p0.o.i.o(.text.far* .text.*_block*)",
                                  far=". + 0x10000000"),
              ".far.text " + text("*(.text.sdt_stubs)",
                                  far=". + 0x3000000")) if far else "",
        ".rodata : { *(.rodata .rodata.*) KEEP(*(sdt_probes)) }",
        "sdt_sites : { __start_sdt_sites = .; KEEP(*(sdt_sites))"
        " __stop_sdt_sites = .; }" if own else "",
        ".data : { *(.data .data.*) }",
        ".bss : { *(.bss .bss.* COMMON) }",
        maybe("/DISCARD/ : { *(.comment .note.* .eh_frame) }"), "}\n"))


class Program:
    """How the files are compiled and linked."""
    def __init__(self, seed, machines, files):
        rng = self.rng = random.Random(seed)
        self.machine = rng.choice(machines)
        self.files = rng.sample(files, len(files))
        self.linker = rng.choice([name for name in
                                  MACHINES[self.machine].linkers
                                  if name != "pe" and tool(self.machine, name)])
        language = os.path.splitext(files[0])[1]
        is_cxx = language in (".cc", ".cpp", ".cxx")
        # The headers of C++ cannot do with an if that is a macro.
        self.probe, probes = PROBES[
            rng.choice(["blocks", "ifs"]) if language == ".c" else "blocks"]
        flags, target = COMPILERS[self.machine]
        clang = target and shutil.which(newest("clang")) and \
            (language == ".c" or is_cxx) and rng.random() < 0.3
        prefix = MACHINES[self.machine].prefix
        self.compiler = [newest("clang"), "--target=" + target,
                         *([f"-I/usr/{prefix[:-1]}/include"] if prefix else [])
                         ] if clang else [prefix + "gcc"]
        if is_cxx:
            self.compiler = [*self.compiler, "--driver-mode=g++"] if clang \
                else [prefix + "g++"]
        self.flags = [
            "-w", *probes,
            rng.choice(["-O0", "-O1", "-O2", "-O3", "-Os"]),
            *rng.choice([[], ["-ffunction-sections"]]),
            *rng.choice([[], [], ["-g"], ["-fno-asynchronous-unwind-tables"],
                         ["-fno-jump-tables"]]),
            *rng.choice([[], ["-fPIC"], ["-fPIE"], ["-fno-pic"]]), *flags,
            *OF_LANGUAGE.get(language, [])]
        self.wild = [rng.choice(row).split() for row in WILD
                     if rng.random() < 0.5]
        self.wild_link = [rng.choice(row).split() for row in WILD_LINK
                          if rng.random() < 0.5]
        self.post = rng.choice(POST) if rng.random() < 0.2 else None
        between = random.Random(f"between {seed}")
        self.between = between.choice(BETWEEN) if between.random() < 0.2 \
            else None
        self.emulation = ["-m", EMULATION[self.machine]] \
            if self.machine in EMULATION else []
        self.drop = rng.choice([[], ["-x"], ["-x"], ["-X"]])
        self.nop = rng.choice([[], [], ["--nop"]])
        self.is_joined = rng.random() < 0.6
        self.joiner = joiner_of(self.machine, seed)
        self.is_open = rng.random() < 0.3
        self.options = [
            *self.emulation, "--unresolved-symbols=ignore-all",
            *(["--defsym=__dso_handle=0"] if is_cxx else []),
            *rng.choice([[], [], ["-pie"]]),
            *rng.choice([[], ["--gc-sections"]]),
            *rng.choice([[], ["--emit-relocs"]]),
            *([] if self.linker == "bfd" else
              rng.choice([[], [], ["--icf=all"]])),
            *rng.choice([[], [], [], ["-x"]])]
        scripts = random.Random(f"script {seed}")
        self.script = None
        if self.linker not in ("gold", "mold") and scripts.random() < 0.3:
            self.script = linker_script(scripts)

    def __str__(self):
        return " ".join([
            self.machine, *self.compiler[:1], *self.flags[1:], "|",
            "joined" if self.is_joined else "single", self.joiner, *self.drop,
            *self.nop,
            "| with another object |" if self.is_open else "|", self.linker,
            *self.options, "| wild", *sum(self.wild + self.wild_link, []),
            self.post or "", f"between: {self.between}" if self.between else "",
            "with a script" if self.script else ""])


class Build:
    """The files of a program in the directory WHERE."""
    def __init__(self, program, where):
        self.program, self.where = program, where
        self.partials = []
        self.final = os.path.join(where, "final")

    def relocate(self, output, *inputs, options=()):
        """Link partially; the output, or None."""
        p = self.program
        output = os.path.join(self.where, output)
        done = run(tool(p.machine, p.joiner), *p.emulation, "-r", *options,
                   "-o", output, *inputs)
        return output if done.returncode == 0 else None

    def compile_one(self, path, flags=()):
        """The object of a file, or None. (Ada's is named after its unit.)"""
        p = self.program
        where = os.path.join(self.where, str(p.files.index(path)))
        os.makedirs(where, exist_ok=True)
        output = os.path.join(
            where, os.path.splitext(os.path.basename(path))[0] + ".o")
        done = run(*p.compiler, "-I", self.where, "-I", RUNTIME, *p.flags,
                   *sum(p.wild, []), *flags, "-c", "-o", output, path)
        return output if done.returncode == 0 else None

    def compile(self):
        """The objects, or None."""
        p, objects = self.program, []
        with open(os.path.join(self.where, "ifs.h"), "w",
                  encoding="ascii") as out:
            out.write(IFS)
        rows, p.wild = p.wild, []
        for flags in rows:
            if self.compile_one(p.files[0], flags):
                p.wild.append(flags)
        for path in p.files:
            objects.append(self.compile_one(path))
            if objects[-1] is None:
                return None
        return objects

    def make(self):
        """Make the final. Returns what stands in the way, or None."""
        p, objects = self.program, self.compile()
        if objects is None:
            return "not compiled"
        others = []
        if p.is_open:
            others = [objects.pop()]
            if p.drop:
                others = [self.relocate("other.o", *others, options=p.drop)]
        if p.is_joined:
            self.partials = [self.relocate("p.o", *objects, options=p.drop)]
        else:
            self.partials = [self.relocate(f"p{i}.o", path, options=p.drop)
                             for i, path in enumerate(objects)]
        if None in self.partials + others:
            return "not joined"
        injected = []
        for path in self.partials:
            injected.append(path + ".i.o")
            if run(SDTLINK, "--inject", *p.nop, "--symbol=" + p.probe, "-o",
                   injected[-1], path).returncode:
                return "not injected"
            self.change_injected(injected[-1])
        inputs = injected + others
        p.rng.shuffle(inputs)
        entry = re.search(r" T (\w+)$", run(tool(p.machine, "nm"),
                                            self.partials[0]).stdout, re.M)
        if p.script:
            p.options += ["-T", os.path.join(self.where, "script")]
            with open(p.options[-1], "w", encoding="ascii") as out:
                out.write(p.script)
        for options in [*p.options, *sum(p.wild_link, [])], p.options:
            done = run(tool(p.machine, p.linker), *options, "-e",
                       entry[1] if entry else "0", "-o", self.final, *inputs)
            if done.returncode == 0:
                break
            p.wild_link = []
        if done.returncode:
            return "not linked"
        words = self.words(p.post) if p.post else [""]
        if not shutil.which(words[0]) or run(*words, self.final).returncode:
            p.post = None
        return None

    def words(self, command):
        """Of a command for the machine."""
        machine = self.program.machine
        return command.format_map({
            "ld": tool(machine, "bfd"), "strip": tool(machine, "strip"),
            "objcopy": tool(machine, "objcopy"),
            "llvm-objcopy": newest("llvm-objcopy")}).split()

    def change_injected(self, path):
        """Do something to it in between."""
        p = self.program
        if not p.between:
            return
        words = [*self.words(p.between), path]
        if p.between.startswith("{ld}"):
            words += [*p.emulation, "-o", path + ".r"]
        if run(*words).returncode:
            p.between = None
        elif p.between.startswith("{ld}"):
            os.replace(path + ".r", path)

    def branches(self):
        """Where objdump shows a branch to the stub. (For ARM and AArch64, lld
        leads calls of what is not defined to the next instruction.)"""
        said = run(tool(self.program.machine, "objdump"), "-d",
                   "--no-show-raw-insn", self.final).stdout
        # A call of RISC-V begins with the auipc in front.
        found = [(int(addr, 16) - 4 * (insn == "jalr"), int(target, 16))
                 for addr, insn, target in
                 re.findall(rf"^ *([0-9a-f]+):\s+(\S+).*\b([0-9a-f]+) "
                            rf"<{self.program.probe}>$", said, re.M)]
        return {addr for addr, target in found if target != addr + 4}

    def verify(self, final, way="with its symbols"):
        """Exit status, and what was said."""
        partials, options = self.partials, []
        if way == "alone":
            partials = []
        elif way == "by --text=sites":
            options = ["--text=sites"]
        elif way == "with a debug file":
            options = ["--debug-file=" + final + ".debug"]
            shutil.copy(final, final + ".debug")
            run(tool(self.program.machine, "strip"), "-o", final + ".bare",
                final)
            final += ".bare"
        done = run(SDTLINK, "--verify", "--symbol=" + self.program.probe,
                   *options, *partials, final, quiet=False)
        return done.returncode, done.stdout.strip()


def judge(build):
    """(outcome, text) for the final and for damaged ones."""
    p = build.program
    status, all_said = build.verify(build.final)
    said = all_said.split("\n")[0]
    if status not in (0, 1, 2) or "Sanitizer" in said or "runtime error" in said:
        yield "broken", said
        return
    table = read_table(build.final)
    branches = build.branches()
    left = branches - {entry[0] for entry in table}
    if len(left) <= count_dead(said):
        left = set()
    if status == 0:
        yield ("FALSE ACCEPT" if left else "proved"), said + "".join(
            f"; not in the table: {addr:#x}" for addr in sorted(left)[:3])
    elif p.is_open and (left or "a branch to the stub" in said):
        # objdump does not find what has lost its mapping symbols.
        yield "found, with another object", said
    elif p.probe == PROBES["blocks"][0] and not p.nop and \
            {entry[0] for entry in table} - branches:
        yield "found, as linked", said
    elif left and "has none of the sites" in said:
        # GNU ld --gc-sections, of what it keeps last.
        yield "found: the linker dropped entries", said
    elif (p.machine, p.linker) == ("aarch64", "mold") and \
            "the bytes of the image are not those" in said:
        # mold 1 overwrites what is between an adrp and its ldr.
        yield "known: mold overwrites code", said
    elif p.machine == "ppc64le" and ["-fsplit-stack"] in p.wild and \
            "the bytes of the image are not those" in said:
        # As __morestack is undefined, lld restores r2 over what is behind.
        yield "known: lld overwrites code", said
    else:
        yield known(all_said), said
    if status != 0:
        return
    ways = ["with its symbols", "with a debug file", "by --text=sites"]
    # A final alone does not show all of the branch form, nor what is dead.
    if p.probe == PROBES["blocks"][0] and table and not count_dead(said):
        ways.append("alone")
    for way in ways[1:]:
        other, way_said = build.verify(build.final, way)
        outcome = "right, " + way if other == 0 else known(way_said)
        # Nothing says what is data if local symbols were dropped.
        if outcome == "REJECTED" and way == "alone" and \
                p.machine in ("arm", "thumb") and \
                "a branch to the stub" in way_said:
            outcome = "known: no mapping symbols"
        yield outcome, way + ": " + way_said.split("\n")[0]
    # --inject has left out what is dead.
    if table:
        bare, all_said = build.verify(keep_one(build.final))
        yield ("FALSE ACCEPT" if not bare and len(table) > 1 else
               "found" if count_dead(all_said) == count_dead(said) else
               "LOOK: more is dead"), "one entry: " + all_said.split("\n")[-1]
        for turn in range(4):
            bad = flip(build.final, table, random.Random(turn))
            yield ("found" if build.verify(bad)[0] else "FALSE ACCEPT"), \
                f"a bit of a site, {turn}"
    for turn in range(12):
        rng = random.Random(turn)
        way = rng.choice(ways)
        bad = damage(build.final, rng)
        if bad and turn > 9 and MACHINES[p.machine].cond:
            bad = retarget(build.final, rng)
        elif not bad or read_table(bad) == table:
            continue
        if bad is not None:
            yield ("found" if build.verify(bad, way)[0] else
                   "FALSE ACCEPT"), f"damaged, {turn}, {way}"


def do_seed(job):
    """(seed, outcome, text) for each final of one program."""
    seed, machines, files, keep = job
    program = Program(seed, machines, files)
    with build_directory(seed, keep) as where:
        build = Build(program, where)
        failed = build.make()
        if failed:
            return [(seed, failed, str(program))]
        return [(seed, outcome, f"{program}: {text}")
                for outcome, text in judge(build)]


def main():
    """Run."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", action="append", choices=COMPILERS)
    parser.add_argument("--keep")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-v", action="store_true")
    parser.add_argument("file", nargs="+")
    args = parser.parse_args()
    machines = [m for m in args.machine or COMPILERS if tool(m, "gcc")]
    if not machines:
        print("skipped: no compiler to test with")
        return 77
    counts = collections.Counter()
    with multiprocessing.Pool(args.j) as pool:
        for rows in pool.imap_unordered(
                do_seed, [(seed, machines, sorted(args.file), args.keep)
                          for seed in range(args.seed, args.seed + args.n)]):
            for seed, outcome, text in rows:
                counts[outcome] += 1
                if args.v or outcome in ("FALSE ACCEPT", "REJECTED", "broken",
                                         "LOOK: more is dead"):
                    print(f"{outcome}: seed {seed}: {text}", flush=True)
    for outcome, n in sorted(counts.items()):
        print(f"{n:7} {outcome}")
    return int(counts["FALSE ACCEPT"] + counts["REJECTED"] +
               counts["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
