#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""block_links.py [OPTION]... FILE.c... - real programs with a probe in each
basic block, or in the branch form at each if: what --verify says of each final,
and of the same with a damaged table.

-fsanitize-coverage=trace-pc calls a function in each block, and so in cold
parts, in front of jump tables and behind calls that do not return. Each program
is compiled by gcc or clang, and linked in some way: as one partial or several,
whose local symbols ld -r may have dropped; with calls or NOPs. One object may be
given to the linker, but not to --verify. The truth is what objdump says of the
branches in the final, but for those that --verify says nothing leads to.

  -n N            so many programs (100)
  --seed N        the first one (1); each program follows from its seed
  --machine NAME  only that one; may be given more than once
  --keep DIR      build there, and leave the files
  -j N            so many processes
  -v              print each verdict

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
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(os.path.dirname(HERE), "runtime")
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from matrix_elf import Wrong, open_image  # noqa: E402
from matrix_oracle import anchored_range  # noqa: E402
from random_links import MACHINES, SDTLINK, damage, retarget, run, \
    tool  # noqa: E402
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
EMULATION = {"i386": "elf_i386", "mips": "elf32btsmip"}
# A right table that is rejected, or an error.
KNOWN = {
    # gold drops the table, as nothing refers to it.
    "the image has no site table": "gold drops the table",
    "where no branch to it is": "wrong relocations",
    "the final link dropped them all": "all was dropped",
}


def read_table(final):
    """The entries: where the site is, and what the rest refers to."""
    elf = open_image(final)
    try:
        first, last = anchored_range(elf)
    except Wrong:
        return set()
    rows = [(at, *elf.unpack("2i", elf.at(at, 8)))
            for at in range(first, last, 8)]
    return {(elf.wrap(at + site), elf.wrap(at + 4 + what))
            for at, site, what in rows}


class Program:
    """How the files are compiled and linked."""
    def __init__(self, seed, machines, files):
        rng = self.rng = random.Random(seed)
        self.machine = rng.choice(machines)
        self.files = rng.sample(files, len(files))
        self.linker = rng.choice([name for name in
                                  MACHINES[self.machine].linkers
                                  if name != "pe" and tool(self.machine, name)])
        self.probe, probes = PROBES[rng.choice(["blocks", "ifs"])]
        flags, target = COMPILERS[self.machine]
        clang = target and shutil.which(newest("clang")) and \
            rng.random() < 0.3
        prefix = MACHINES[self.machine].prefix
        self.compiler = [newest("clang"), "--target=" + target,
                         *([f"-I/usr/{prefix[:-1]}/include"] if prefix else [])
                         ] if clang else [prefix + "gcc"]
        self.flags = [
            "-w", *probes,
            rng.choice(["-O0", "-O1", "-O2", "-O3", "-Os"]),
            *rng.choice([[], ["-ffunction-sections"]]),
            *rng.choice([[], [], ["-g"], ["-fno-asynchronous-unwind-tables"],
                         ["-fno-jump-tables"]]),
            *rng.choice([[], ["-fPIC"], ["-fPIE"], ["-fno-pic"]]), *flags]
        self.emulation = ["-m", EMULATION[self.machine]] \
            if self.machine in EMULATION else []
        self.drop = rng.choice([[], ["-x"], ["-x"], ["-X"]])
        self.nop = rng.choice([[], [], ["--nop"]])
        self.is_joined = rng.random() < 0.6
        self.is_open = rng.random() < 0.3
        self.options = [
            *self.emulation, "--unresolved-symbols=ignore-all",
            *rng.choice([[], [], ["-pie"]]),
            *rng.choice([[], ["--gc-sections"]]),
            *rng.choice([[], ["--emit-relocs"]]),
            *([] if self.linker == "bfd" else
              rng.choice([[], [], ["--icf=all"]])),
            *rng.choice([[], [], [], ["-x"]])]

    def __str__(self):
        return " ".join([
            self.machine, *self.compiler[:1], *self.flags[1:], "|",
            "joined" if self.is_joined else "single", *self.drop, *self.nop,
            "| with another object |" if self.is_open else "|", self.linker,
            *self.options])


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
        done = run(tool(p.machine, "bfd"), *p.emulation, "-r", *options, "-o",
                   output, *inputs)
        return output if done.returncode == 0 else None

    def compile(self):
        """The objects, or None."""
        p, objects = self.program, []
        with open(os.path.join(self.where, "ifs.h"), "w",
                  encoding="ascii") as out:
            out.write(IFS)
        for i, path in enumerate(p.files):
            objects.append(os.path.join(self.where, f"{i}.o"))
            if run(*p.compiler, "-I", self.where, "-I", RUNTIME, *p.flags,
                   "-c", "-o", objects[-1], path).returncode:
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
        inputs = injected + others
        p.rng.shuffle(inputs)
        entry = re.search(r" T (\w+)$", run(tool(p.machine, "nm"),
                                            self.partials[0]).stdout, re.M)
        done = run(tool(p.machine, p.linker), *p.options, "-e",
                   entry[1] if entry else "0", "-o", self.final, *inputs)
        return None if done.returncode == 0 else "not linked"

    def branches(self):
        """Where objdump shows a branch to the stub. (For ARM and AArch64, lld
        leads calls of what is not defined to the next instruction.)"""
        said = run(tool(self.program.machine, "objdump"), "-d",
                   "--no-show-raw-insn", self.final).stdout
        found = [(int(addr, 16), int(target, 16)) for addr, target in
                 re.findall(rf"^ *([0-9a-f]+):.*\b([0-9a-f]+) "
                            rf"<{self.program.probe}>$", said, re.M)]
        return {addr for addr, target in found if target != addr + 4}

    def verify(self, final):
        """Exit status, and the first line of what was said."""
        done = run(SDTLINK, "--verify", "--symbol=" + self.program.probe,
                   *self.partials, final, quiet=False)
        return done.returncode, done.stdout.strip().split("\n")[0]


def judge(build):
    """(outcome, text) for the final and for damaged ones."""
    p = build.program
    status, said = build.verify(build.final)
    if status not in (0, 1, 2) or "Sanitizer" in said or "runtime error" in said:
        yield "broken", said
        return
    table = read_table(build.final)
    left = build.branches() - {entry[0] for entry in table}
    dead = re.search(", ([0-9]+) dead", said)
    if dead and len(left) <= int(dead[1]):
        left = set()
    if status == 0:
        yield ("FALSE ACCEPT" if left else "proved"), said + "".join(
            f"; not in the table: {addr:#x}" for addr in sorted(left)[:3])
    elif p.is_open and (left or "a branch to the stub" in said):
        # objdump does not find what has lost its mapping symbols.
        yield "found, with another object", said
    else:
        known = [why for text, why in KNOWN.items() if text in said]
        yield ("known: " + known[0] if known else "REJECTED"), said
    for turn in range(12):
        rng = random.Random(turn)
        bad = damage(build.final, rng) if status == 0 else None
        if bad and turn > 9 and MACHINES[p.machine].cond:
            bad = retarget(build.final, rng)
        elif not bad or read_table(bad) == table:
            continue
        if bad is not None:
            yield ("found" if build.verify(bad)[0] else "FALSE ACCEPT"), \
                f"damaged, {turn}"


def do_seed(job):
    """(seed, outcome, text) for each final of one program."""
    seed, machines, files, keep = job
    program = Program(seed, machines, files)
    where = os.path.join(keep, str(seed)) if keep else tempfile.mkdtemp()
    os.makedirs(where, exist_ok=True)
    try:
        build = Build(program, where)
        failed = build.make()
        if failed:
            return [(seed, failed, str(program))]
        return [(seed, outcome, f"{program}: {text}")
                for outcome, text in judge(build)]
    finally:
        if not keep:
            shutil.rmtree(where)


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
                if args.v or outcome in ("FALSE ACCEPT", "REJECTED", "broken"):
                    print(f"{outcome}: seed {seed}: {text}", flush=True)
    for outcome, n in sorted(counts.items()):
        print(f"{n:7} {outcome}")
    return int(counts["FALSE ACCEPT"] + counts["REJECTED"] +
               counts["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
