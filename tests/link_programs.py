#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""link_programs.py [OPTION]... - small random C programs, linked by --link in
the ways of build systems: with compilers as drivers, archives, thin ones,
linker scripts that name inputs, response files, ld -r and options.

Their objects have static functions that are alike, weak ones that others have
as well, constructors and sections of their own. Whatever links without sdtlink
has to link with it, with calls and with NOPs. The truth is what objdump says
of the branches in the final, but for those that nothing leads to, as --link
counts them; and with NOPs there are as many sites.

  -n N       so many programs (100)
  --seed N   the first one (1); each program follows from its seed
  --keep DIR build there, and leave the files
  -v         print each verdict

SDTLINK is the command. Exit status: 0 if all was right but for the reasons that
KNOWN lists, 1 if not, 77 without tools.
"""
import argparse
import collections
import os
import random
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from block_links import count_dead, read_table  # noqa: E402
from random_links import SDTLINK, build_directory, run  # noqa: E402
from tools import newest  # noqa: E402

PROBE = "__dtrace_sdt_app___go"
# A right program that is refused.
KNOWN = {
    "branch-to-branch": "ld.lld leads calls to the stub itself",
    "the image has no site table": "gold drops the table",
}


class Program:
    """Some objects, and how they are linked."""
    def __init__(self, seed, where):
        self.rng = random.Random(seed)
        self.where, self.nfiles = where, 0
        self.compiler = self.rng.choice(
            [name for name in ("gcc", newest("clang")) if shutil.which(name)])
        self.compiler = [self.compiler, *self.some("-m32")] \
            if self.rng.random() < 0.3 else [self.compiler]
        self.flags = [self.rng.choice(["-O0", "-O1", "-O2", "-Os"]),
                      *self.some("-ffunction-sections"),
                      *self.some("-fno-pic", "-fPIC"), *self.some("-g")]
        self.linker = self.rng.choice(
            [name for name in ("bfd", "gold", "lld", "mold")
             if shutil.which("ld." + name)])
        self.options = [
            *self.some("-no-pie", "-static", "-shared"),
            *self.some("-Wl,--gc-sections"), *self.some("-Wl,-x"),
            *self.some("-Wl,--emit-relocs"),
            *(self.some("-Wl,--icf=all") if self.linker != "bfd" else []),
            *self.some("-Wl,-Map=map", "-Wl,--defsym=zz=g0", "-Wl,-u,g1",
                       "-Wl,--build-id", "-Wl,-z,now", "-Wl,-O2")]
        self.inputs = []

    def some(self, *words):
        """One of the words, or none."""
        return self.rng.choice([[], *([word] for word in words)])

    def file(self, suffix, text=""):
        """The name of a new file in the directory of the link."""
        self.nfiles += 1
        name = f"f{self.nfiles}{suffix}"
        with open(os.path.join(self.where, name), "w",
                  encoding="ascii") as out:
            out.write(text)
        return name

    def run(self, *command):
        """The finished process."""
        return run(*command, quiet=False, cwd=self.where)

    def source(self, i, n):
        """The source of object I of N."""
        rng = self.rng
        lines = [f"void {PROBE}(int);", *(f"int g{k}(int);" for k in range(n))]
        nstatic = rng.randint(0, 3)
        for k in range(nstatic):
            lines.append(
                f"static __attribute__((noinline)) int s{k}(int x)"
                f' {{ {PROBE}(x); __asm__(""); return x * '
                f"{rng.randint(2, 4)}; }}")
        if rng.random() < 0.3:
            lines.append(
                f"__attribute__((weak,noinline)) int w{rng.randint(0, 2)}"
                f"(int x) {{ {PROBE}(x); return x + {rng.randint(0, 1)}; }}")
        if rng.random() < 0.2:
            lines.append("__attribute__((constructor)) static void begin(void)"
                         f" {{ {PROBE}({i}); }}")
        if rng.random() < 0.2:
            lines.append(
                f'__attribute__((section(".text.hot{rng.randint(0, 1)}"),'
                f"noinline)) int h{i}(int x) {{ if (x) {PROBE}(x); "
                "return x; }")
        first, last = rng.random() < 0.75, rng.random() < 0.25
        calls = [f"x += s{k}(x);" for k in range(nstatic)] + [
            f"if (x == {k}) x += g{k}(x - 1);"
            for k in range(n) if k != i and rng.random() < 0.5]
        lines.append(" ".join((
            f"int g{i}(int x) {{", f"{PROBE}(x);" if first else "", *calls,
            f"{PROBE}(x);" if last else "", "return x; }")))
        if i == 0:
            lines.append("int main(int c, char **v)"
                         " { (void)v; return g0(c) & 1; }")
        return "\n".join(lines) + "\n"

    def compile(self):
        """The names of the objects. Names may have blanks and dots."""
        n, names = self.rng.randint(2, 9), []
        for i in range(n):
            name = self.rng.choice([f"u{i}", f"d{i}/same", f"u {i}",
                                    f"lib{i}.x"])
            os.makedirs(os.path.join(self.where, os.path.dirname(name)),
                        exist_ok=True)
            with open(os.path.join(self.where, name + ".c"), "w",
                      encoding="ascii") as out:
                out.write(self.source(i, n))
            names.append(name + ".o")
            done = self.run(*self.compiler, *self.flags, "-c", "-o",
                            names[-1], name + ".c")
            if done.returncode:
                sys.exit(done.stdout)
        return names

    def give(self, how, names):
        """The arguments that give these objects to the linker."""
        quoted = "".join(f'"{name}"\n' for name in names)
        if how == "plain":
            return names
        if how == "script":
            word = self.rng.choice(["INPUT", "GROUP"])
            return ["./" + self.file(".ld", f"{word}({quoted})\n")]
        if how == "response":
            return ["@" + self.file(".rsp", quoted)]
        output = self.file(".o" if how == "joined" else ".a")
        os.unlink(os.path.join(self.where, output))
        if how == "joined":
            self.run(*self.compiler, "-r", "-nostdlib", "-o", output, *names)
            return [output]
        self.run("ar", "rcsT" if how == "thin" else "rcs", output, *names)
        if how == "whole":
            return ["-Wl,--whole-archive", output, "-Wl,--no-whole-archive"]
        if how == "library":
            os.rename(os.path.join(self.where, output),
                      os.path.join(self.where, "lib" + output))
            return ["-L.", f"-l{output[:-2]}"]
        return [output]

    def make(self):
        """Compile all, and choose how they are given."""
        names = self.compile()
        self.inputs, rest = names[:1], names[1:]
        self.rng.shuffle(rest)
        while rest:
            n = self.rng.randint(1, len(rest))
            self.inputs += self.give(
                self.rng.choice(["plain", "archive", "thin", "whole",
                                 "library", "script", "response", "joined"]),
                rest[:n])
            rest = rest[n:]

    def command(self, output, *more):
        """What links OUTPUT."""
        return [*self.compiler, f"-fuse-ld={self.linker}", "-o", output,
                *self.options, "-Wl,--start-group", *self.inputs,
                "-Wl,--end-group", *more]

    def links_alone(self):
        """Does it link without sdtlink, with a stub?"""
        stub = self.file(".c", f"void {PROBE}(int x) {{ (void)x; }}\n")
        self.run(*self.compiler, "-fPIC", "-c", "-o", "stub.o", stub)
        return self.run(*self.command("plain", "stub.o")).returncode == 0

    def branches(self, final):
        """Where objdump shows a branch to the stub."""
        said = self.run("objdump", "-d", "--no-show-raw-insn", final).stdout
        return {int(addr, 16) for addr in re.findall(
            rf"^ *([0-9a-f]+):\s+\S+\s+[0-9a-f]+ <{PROBE}>$", said, re.M)}

    def judge(self):
        """(outcome, text) of the links with calls and with NOPs."""
        sites = {}
        for nop in [], ["--nop"]:
            final = "nops" if nop else "calls"
            done = self.run(SDTLINK, "-v", "--link", *nop, "--",
                            *self.command(final))
            if done.returncode:
                yield next(("known: " + why for text, why in KNOWN.items()
                            if text in done.stdout), "REFUSED"), done.stdout
                continue
            table = read_table(os.path.join(self.where, final))
            sites[final] = {site for site, _ in table}
            lost = set() if nop else self.branches(final) - sites[final]
            if len(lost) > count_dead(done.stdout):
                yield "LOST", f"{sorted(lost)}: {done.stdout}"
            else:
                yield "proved", done.stdout
        if len(sites) == 2 and "-Wl,--icf=all" not in self.options and \
                len(sites["calls"]) != len(sites["nops"]):
            yield "LOST", f"{len(sites['calls'])} calls, " \
                f"{len(sites['nops'])} NOPs"


def do_seed(seed, keep):
    """(outcome, text) of one program."""
    with build_directory(seed, keep) as where:
        program = Program(seed, where)
        program.make()
        what = " ".join([*program.flags, "|", *program.command("final")])
        if not program.links_alone():
            return [("not linked", what)]
        return [(outcome, f"{what}: {said}")
                for outcome, said in program.judge()]


def main():
    """Run."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    if not all(map(shutil.which, ("gcc", "ld.bfd", "objdump", "ar"))):
        print("no gcc or binutils here")
        return 77
    counts = collections.Counter()
    for seed in range(args.seed, args.seed + args.n):
        for outcome, text in do_seed(seed, args.keep):
            counts[outcome] += 1
            if args.v or outcome.isupper():
                print(f"{outcome}: seed {seed}: {text}")
    for outcome, n in sorted(counts.items()):
        print(f"{n:7} {outcome}")
    return int(any(map(str.isupper, counts)))


if __name__ == "__main__":
    sys.exit(main())
