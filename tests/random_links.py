#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""random_links.py [OPTION]... - small random programs: what --verify says of
each final, and of the same with a damaged table, compared with the truth.

Each program is a few objects of short functions, which are twins, namesakes,
empty, weak, hidden, with two names, in COMDAT groups, or of an object that no
partial is given for, which may call a probe. Whole objects may be twins, too.
Sites are calls, tail calls, conditional ones on x86, and of the branch form.
Objects are given as they were or as they were injected, or several as one
partial, though some were injected with --nop. Symbols are stripped, entries
moved or dropped, and branches led to other stubs.
The truth is the linker's own: a section that is not loaded has for each
section of code a relocation against it (--verify does not look at it).

  -n N            so many programs (100)
  --seed N        the first one (1); each program follows from its seed
  --machine NAME  only that one; may be given more than once
  --plain         without what is newer than the seeds that tests/ name: hidden
                  functions, second names, conditional sites, the branch form,
                  some options
  --keep DIR      build there, and leave the files
  -j N            so many processes
  -v              print each verdict

SDTLINK is the command. Exit status: 0 if no wrong table was proved, 1 if one
was, 77 without tools. Right tables are rejected, too, where nothing tells two
small functions apart: how many is printed.
"""
import argparse
import collections
import contextlib
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
# pylint: disable=wrong-import-position
from matrix_elf import PREFIX, SHF_EXEC, Pe, Wrong, open_image  # noqa: E402
from matrix_oracle import anchored_range, read_anchored  # noqa: E402
from tools import newest  # noqa: E402

SDTLINK = os.environ.get("SDTLINK", "sdtlink")

# call, jump, a constant in a register, return; assembler, linkers; the word
# of an address and what an unloaded section says of what was dropped; a
# conditional jump, if that can be a site, and what each source begins with.
Machine = collections.namedtuple(
    "Machine", "call jump const ret word progbits prefix linkers options cond "
    "head", defaults=[None, ""])
GNU = ("bfd", "gold", "lld-19", "lld-22", "mold")
PC = (*GNU, "pe")
MACHINES = {
    "x86_64": Machine("call {}", "jmp {}", "mov ${},%eax", "ret", ".quad",
                      "@progbits", "", PC, ["--64"], "jne {}"),
    "i386": Machine("call {}", "jmp {}", "mov ${},%eax", "ret", ".long",
                    "@progbits", "", PC, ["--32"], "jne {}"),
    "aarch64": Machine("bl {}", "b {}", "mov w0,#{}", "ret", ".quad",
                       "@progbits", "aarch64-linux-gnu-", GNU, []),
    "arm": Machine("bl {}", "b {}", "mov r0,#{}", "bx lr", ".long",
                   "%progbits", "arm-linux-gnueabihf-", GNU, []),
    "riscv64": Machine("call {}", "tail {}", "li a0,{}", "ret", ".quad",
                       "@progbits", "riscv64-linux-gnu-",
                       ("bfd", "lld-19", "lld-22", "mold"), []),
    "s390x": Machine("brasl %r14,{}", "jg {}", "lhi %r2,{}", "br %r14",
                     ".quad", "@progbits", "s390x-linux-gnu-",
                     ("bfd", "lld-19", "lld-22"), []),
    "ppc64le": Machine("bl {}\n nop", "b {}", "li 3,{}", "blr", ".quad",
                       "@progbits", "powerpc64le-linux-gnu-",
                       ("bfd", "lld-19", "lld-22"), []),
    "x32": Machine("call {}", "jmp {}", "mov ${},%eax", "ret", ".long",
                   "@progbits", "", ("bfd", "gold", "lld-22"), ["--x32"],
                   "jne {}"),
    "thumb": Machine("bl {}", "b.w {}", "movs r0,#{}", "bx lr", ".long",
                     "%progbits", "arm-linux-gnueabihf-", GNU,
                     ["-march=armv7-a"], None, ".syntax unified\n.thumb"),
    # Each object in one of the two; see Program.source().
    "armmix": Machine("bl {}", "b {}", "mov r0,#{}", "bx lr", ".long",
                      "%progbits", "arm-linux-gnueabihf-", GNU,
                      ["-march=armv7-a"], None, ".syntax unified"),
    "riscv32": Machine("call {}", "tail {}", "li a0,{}", "ret", ".long",
                       "@progbits", "riscv64-linux-gnu-",
                       ("bfd", "lld-19", "lld-22"),
                       ["-march=rv32gc", "-mabi=ilp32"]),
    "loong64": Machine("bl {}", "b {}", "ori $a0,$zero,{}", "ret", ".quad",
                       "@progbits", "llvm", ("lld-22",),
                       ["--target=loongarch64-linux-gnu", "-c"]),
    "ppc32": Machine("bl {}", "b {}", "li 3,{}", "blr", ".long",
                     "@progbits", "powerpc-linux-gnu-",
                     ("bfd", "gold", "lld-22"), []),
    "ppc64": Machine("bl {}\n nop", "b {}", "li 3,{}", "blr", ".quad",
                     "@progbits", "powerpc64-linux-gnu-",
                     ("bfd", "lld-22"), [], None, ".abiversion 2"),
    "mips": Machine("jal {}", "j {}", "li $2,{}", "jr $31", ".long",
                    "@progbits", "mips-linux-gnu-",
                    ("bfd", "gold", "lld-22"), ["-mips32r2"]),
    "mips64el": Machine("jal {}", "j {}", "li $2,{}", "jr $31", ".quad",
                        "@progbits", "mips64el-linux-gnuabi64-",
                        ("bfd", "lld-22"), ["-mips64r2"]),
    # gold writes no truth into a library of it.
    "sparc64": Machine("call {}\n nop", "call {}\n restore", "mov {},%o0",
                       "retl\n nop", ".xword", "@progbits",
                       "sparc64-linux-gnu-", ("bfd",), []),
}
# What links ELF objects into a PE image.
PE_EMULATION = {"x86_64": "i386pep", "i386": "i386pe"}
EMULATION = {"x86_64": "elf_x86_64", "i386": "elf_i386",
             "x32": "elf32_x86_64", "riscv32": "elf32lriscv"}

# Their linkers delete code.
RELAXING = ("riscv64", "riscv32", "loong64")
# What may be a site, and its form in the table.
FORMS = {"site": 0, "tail": 1, "cond": 2, "branch": 3}
# The NOP of the branch form, where it is not "nop".
NOP_X86 = ".byte 0x0f,0x1f,0x44,0,0"
NOPS = {"x86_64": NOP_X86, "x32": NOP_X86,
        "i386": ".byte 0x3e,0x8d,0x74,0x26,0", "s390x": "brcl 0,.",
        "arm": ".inst 0xe320f000", "armmix": ".inst 0xe320f000",
        "thumb": "nop.w"}
NOPS.update(dict.fromkeys(("riscv32", "riscv64"), ".option push\n"
                          " .option norvc\n nop\n .option pop"))
NOPS.update(dict.fromkeys(("mips", "mips64el"), ".set push\n"
                          " .set noreorder\n nop\n nop\n .set pop"))
# Of a final, besides what each machine has.
OPTIONS = ([], [], [], [], [], ["-shared"], ["-shared", "-Bsymbolic"],
           ["-z", "separate-code"], ["-Ttext=0x400100"],
           ["-z", "keep-text-section-prefix"])

# One function. sites: of (index of its label, probe, form). visibility: a
# directive, or None; alias: another name, or None, and if it is global.
Function = collections.namedtuple(
    "Function", "name bind group body sites section visibility alias")
# One object: its functions, whether it is injected, and how, and if the
# partial is what was written then.
Unit = collections.namedtuple(
    "Unit", "name functions injected nop anchor gives_injected")


def tool(machine, name):
    """The path of a binary tool, or of a linker by its name here."""
    prefix = MACHINES[machine].prefix
    if prefix == "llvm" and not name.startswith("lld"):
        name = {"as": "clang"}.get(name, "llvm-" + name)
        return newest(name)
    if name == "pe":
        name = "bfd"
    if name in ("bfd", "gold"):
        name = f"{prefix}ld.{name}"
    elif name.startswith("lld"):
        name = "ld." + name
    elif name != "mold":
        name = prefix + name
    return shutil.which(name)


def run(*command, quiet=True, cwd=None):
    """The finished process."""
    return subprocess.run(command, stdout=subprocess.PIPE, check=False, cwd=cwd,
                          stderr=subprocess.DEVNULL if quiet else
                          subprocess.STDOUT, text=True)


@contextlib.contextmanager
def build_directory(seed, keep):
    """Where to build a program: below KEEP, or a directory that is removed."""
    if not keep:
        with tempfile.TemporaryDirectory() as where:
            yield where
        return
    where = os.path.join(keep, str(seed))
    os.makedirs(where, exist_ok=True)
    yield where


def joiner_of(machine, seed):
    """What joins partials: GNU ld, or lld at times."""
    linkers = MACHINES[machine].linkers
    return "lld-22" if "lld-22" in linkers and \
        random.Random(f"join {seed}").random() < 0.3 else linkers[0]


def list_sites(body):
    """Of a function of that body."""
    return [(k, arg, FORMS[what]) for k, (what, arg) in enumerate(body)
            if what in FORMS]


def target_of(function, k):
    """Where a site of the branch form at index K jumps to: another index."""
    return k + 1 if k % 2 else 0 if k else len(function.body) - 1


class Program:
    """Random objects, from a seed."""

    def __init__(self, seed, machines, plain=False):
        self.rng = rng = random.Random(seed)
        self.seed, self.plain = seed, plain
        self.machine = rng.choice(machines)
        self.probes = [f"{PREFIX}p___{c}" for c in "abc"[:rng.randint(1, 3)]]
        self.count = 0
        self.bodies = []
        n = rng.randint(2, 5)
        self.globals = [f"g{i}_{j}" for i in range(n) for j in range(2)]
        nop = rng.choice((False, True, None))
        self.units = [self.unit(i, nop) for i in range(n)]
        # Which functions .eh_frame describes is not part of the program.
        frames = random.Random(f"frames {seed}")
        share = 0 if plain else frames.choice((0, 0.5, 1))
        self.described = {(u.name, i) for u in self.units
                          for i in range(len(u.functions))
                          if frames.random() < share}
        # Nor what -fpatchable-function-entry=4,2 puts before functions.
        self.is_padded = not plain and \
            random.Random(f"pads {seed}").random() < 0.2
        self.add_branch_form(random.Random(f"branch form {seed}"))
        self.make_twins(random.Random(f"twins {seed}"))

    def make_twins(self, rng):
        """Of the first object: all is the same but for global names."""
        if self.plain or rng.random() < 0.85:
            return
        first = self.units[0]
        for i, unit in enumerate(self.units[1:], 1):
            if not unit.injected or rng.random() < 0.3:
                continue
            new = {f"g0_{j}": f"g{i}_{j}" for j in range(2)}
            new["k0"] = f"k{i}"
            functions = []
            for f in first.functions:
                name = new.get(f.name, f.name)
                functions.append(f._replace(
                    name=name, body=[(what, new.get(arg, arg))
                                     for what, arg in f.body],
                    section=f".text.{name}" if f.section != ".text" else
                    ".text",
                    alias=f.alias and (f"{f.alias[0]}_{i}", f.alias[1])))
            self.units[i] = unit._replace(functions=functions)

    def add_branch_form(self, rng):
        """To functions that have sites. In what is not injected, it is a NOP."""
        if self.plain or rng.random() < 0.6:
            return
        for unit in self.units:
            for i, f in enumerate(unit.functions):
                if unit.injected and f.sites and rng.random() < 0.6:
                    f.body.insert(rng.randrange(len(f.body)),
                                  ("branch", rng.choice(self.probes)))
                    unit.functions[i] = f._replace(sites=list_sites(f.body))

    def unit(self, i, nop):
        """One object."""
        rng = self.rng
        names, functions = set(), []
        for j in range(2):
            functions.append(self.function(f"g{i}_{j}", "global", None))
        # Something local is alive, as in any program of some size.
        functions.append(Function(f"k{i}", "local", None, [("const", i)], [],
                                  f".text.k{i}", None, None))
        functions[0].body.insert(0, ("call", f"k{i}"))
        if i == 0:
            functions[0].body[1:1] = [("call", g) for g in self.globals
                                      if rng.random() < 0.5]
        functions[0] = functions[0]._replace(
            sites=list_sites(functions[0].body))
        for _ in range(rng.randint(0, 3)):
            kind = rng.choice(("local", "local", "weak", "comdat"))
            name = rng.choice("stuvw") + "_" + kind[0]
            if name in names:
                continue
            names.add(name)
            functions.append(self.function(
                name, "local" if kind == "local" else "weak",
                name if kind == "comdat" else None))
        rng.shuffle(functions)
        injected = i == 0 or rng.random() < 0.8
        if not injected and rng.random() < 0.7:
            # Else what no partial has fires a probe.
            functions = [f._replace(body=[x for x in f.body
                                          if x[0] not in FORMS],
                                    sites=[]) for f in functions]
        return Unit(f"o{i}", functions, injected,
                    rng.random() < 0.5 if nop is None else nop,
                    "auto" if self.machine in RELAXING else
                    rng.choice(("auto", "label", "section")),
                    not self.plain and rng.random() < 0.2)

    def function(self, name, bind, group):
        """One function: often the body of another one."""
        rng = self.rng
        if self.bodies and rng.random() < 0.5:
            body = rng.choice(self.bodies)
        else:
            body = []
            kinds = ["site", "site", "call", "const", "const"]
            if MACHINES[self.machine].cond and not self.plain:
                kinds.append("cond")
            for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
                what = rng.choice(kinds)
                body.append((what, {
                    "site": lambda: rng.choice(self.probes),
                    "cond": lambda: rng.choice(self.probes),
                    "call": lambda: rng.choice(self.globals),
                    "const": lambda: rng.randint(0, 3)}[what]()))
            if rng.random() < 0.3:
                body.append(("tail", rng.choice(self.probes)))
            self.bodies.append(body)
        apart = group or rng.random() < 0.8
        self.count += 1
        visibility = alias = None
        if bind != "local" and not self.plain and rng.random() < 0.15:
            visibility = rng.choice((".hidden", ".hidden", ".protected"))
        if not self.plain and rng.random() < 0.15:
            alias = f"a{self.count}", rng.random() < 0.3
        return Function(name, bind, group, list(body), list_sites(body),
                        f".text.{name}" if apart else ".text", visibility,
                        alias)

    def source(self, unit):
        """Assembly, with the truth."""
        m = MACHINES[self.machine]
        code, truth = [], []
        keys = {}
        head, nop = m.head, NOPS.get(self.machine, "nop")
        if self.machine == "armmix":
            mode = random.Random(f"mode {self.seed} {unit.name}").choice(
                (".arm", ".thumb"))
            head += "\n" + mode
            nop = NOPS["thumb"] if mode == ".thumb" else nop
        style = random.Random(f"labels {self.seed} {unit.name}")
        # Other objects have the same ones; some are global.
        labels = 0 if self.plain else style.choice((0, 0, 0, 0.5))
        for i, f in enumerate(unit.functions):
            group = f",{f.group},comdat" if f.group else ""
            flags = "axG" if f.group else "ax"
            code.append(f' .section {f.section},"{flags}",{m.progbits}{group}')
            if self.is_padded:
                code += [" nopr" if self.machine == "s390x" else " nop"] * 2
            code += [f" .type {f.name},%function",
                     f".Ltruth{i}:", f"{f.name}:"]
            if f.bind != "local":
                code.append(f" .{'globl' if f.bind == 'global' else 'weak'} "
                            f"{f.name}")
            if f.visibility:
                code.append(f" {f.visibility} {f.name}")
            if f.alias:
                code += [f" .type {f.alias[0]},%function",
                         f" {f.alias[0]} = {f.name}"]
                if f.alias[1]:
                    code.append(f" .globl {f.alias[0]}")
            if (unit.name, i) in self.described:
                code.append(" .cfi_startproc")
            for k, (what, arg) in enumerate(f.body):
                form = {"site": m.call, "call": m.call, "tail": m.jump,
                        "const": m.const, "cond": m.cond,
                        "branch": nop}[what]
                if what == "branch" and self.machine.startswith("riscv"):
                    code.append(" .balign 4")
                if k and style.random() < labels:
                    code.append(f"in{i}_{k}:")
                    if style.random() < 0.2:
                        code += [f"in_{unit.name}_{i}_{k}:",
                                 f" .globl in_{unit.name}_{i}_{k}"]
                code += [f".Ltruth{i}_{k}:", " " + form.format(arg)]
                if what == "branch":
                    code += [' .pushsection .sdt_branches,"eo?",'
                             f"{m.progbits},.Ltruth{i}_{k}",
                             f" .balign {4 if m.word == '.long' else 8}",
                             f" {m.word} {arg},.Ltruth{i}_{k},"
                             f".Ltruth{i}_{target_of(f, k)}", " .popsection"]
            if not f.body or f.body[-1][0] != "tail":
                code.append(" " + m.ret)
            if (unit.name, i) in self.described:
                code.append(" .cfi_endproc")
            code.append(f" .size {f.name},.-{f.name}")
            key = keys.setdefault((f.section, f.group), len(keys))
            # Identity, the section, and how far behind its start the sites
            # are: a difference, which is right where text relaxes, too.
            truth.append(f' .section .debug.truth,"{"G" if f.group else ""}",'
                         f"{m.progbits}{group}")
            for k, _, form in f.sites:
                truth.append(f" {m.word} {self.identity(unit, i, k)}")
                truth.append(f" {m.word} {f.section}")
                truth.append(f" {m.word} .Ltruth{i}_{k}-.Lstart{key}")
                k = target_of(f, k) if form == FORMS["branch"] else k
                truth.append(f" {m.word} .Ltruth{i}_{k}-.Lstart{key}")
        # Assembly often has neither types nor sizes.
        if not self.plain and random.Random(
                f"bare {self.seed} {unit.name}").random() > (
                    0.85 if unit.injected else 0.7) and \
                self.machine not in ("thumb", "armmix"):
            code = [x for x in code if not x.startswith((" .type", " .size"))]
        start = [f' .section {section},"ax{"G" if group else ""}",{m.progbits}'
                 f"{f',{group},comdat' if group else ''}\n.Lstart{key}:"
                 for (section, group), key in keys.items()]
        return "\n".join([f' .file "{unit.name}.c"', head] + start +
                         code + truth +
                         [f' .section .note.GNU-stack,"",{m.progbits}', ""])

    def identity(self, unit, i, k):
        """Of a site: the linker does not change what it says."""
        return 0x5d700000 + (self.units.index(unit) << 12) + (i << 6) + k

    def site(self, identity):
        """The probe and form of that site."""
        number = identity - 0x5d700000
        functions = self.units[number >> 12].functions
        return next((p, form) for k, p, form in
                    functions[number >> 6 & 63].sites if k == number & 63)


class Build:
    """A program's objects, linked."""

    def __init__(self, program, where):
        self.program, self.where = program, where
        self.inputs, self.partials, self.options = [], [], []

    def path(self, name):
        """In the directory."""
        return os.path.join(self.where, name)

    def make(self):
        """Assembles and injects all. False if a tool refuses something."""
        p = self.program
        for unit in p.units:
            with open(self.path(unit.name + ".s"), "w",
                      encoding="ascii") as file:
                file.write(p.source(unit))
            before = self.path(unit.name + ".o")
            done = run(tool(p.machine, "as"), *MACHINES[p.machine].options,
                       "-o", before, self.path(unit.name + ".s"), quiet=False)
            if done.returncode:
                raise RuntimeError(done.stdout)
            if not p.plain and random.Random(
                    f"bare {p.seed} {unit.name}").random() < 0.3:
                before = self.drop_locals(before)
            if not unit.injected:
                self.inputs.append(before)
                continue
            after = self.path(unit.name + ".i.o")
            done = run(SDTLINK, "--inject", "-q", f"--anchor={unit.anchor}",
                       *(["--nop"] if unit.nop else []), "-o", after, before,
                       quiet=False)
            if done.returncode:
                return False
            self.inputs.append(after)
            self.partials.append(after if unit.gives_injected else before)
        if random.Random(p.seed).random() < 0.4 and (p.plain or
                                                     self.agrees()):
            self.join()
        return True

    def drop_locals(self, before):
        """Without local symbols, those that tell ARM from Thumb among them."""
        machine = self.program.machine
        linker = next(x for x in MACHINES[machine].linkers if x != "pe")
        after = before[:-2] + ".x.o"
        emulation = EMULATION.get(machine)
        done = run(tool(machine, linker), *(
            ["-m", emulation] if emulation else []), "-r", "-x", "-o", after,
            before)
        return before if done.returncode else after

    def agrees(self):
        """Are all definitions of a weak name alike? Else an ld -r keeps
        another one than the link."""
        bodies = collections.defaultdict(set)
        for unit in self.program.units:
            for f in unit.functions:
                if f.bind == "weak":
                    bodies[f.name].add(str(f.body))
        return all(len(alike) == 1 for alike in bodies.values())

    def join(self):
        """What was injected one by one is given as one partial."""
        p = self.program
        options = ["-m", EMULATION[p.machine]] if p.machine in EMULATION \
            else []
        linker = MACHINES[p.machine].linkers[0] if p.plain else \
            joiner_of(p.machine, p.seed)
        done = run(tool(p.machine, linker), *options, "-r", "-o",
                   self.path("joined.o"), *self.partials)
        if done.returncode == 0:
            self.partials = [self.path("joined.o")]

    def link(self, linker):
        """The final's path, or None."""
        p, rng = self.program, random.Random(self.program.seed)
        entry = p.units[0].functions
        options = ["-e", next(f.name for f in entry if f.bind == "global")]
        options += rng.choice(([], ["--gc-sections"], ["--gc-sections"]))
        if linker in ("gold", "lld-19", "lld-22", "mold"):
            options += rng.choice(([], [], ["--icf=all"], ["--icf=safe"]))
        options += rng.choice(([], [], ["-pie"], ["-O2"], ["-q"]))
        more = [] if p.plain else rng.choice(OPTIONS)
        if linker != "pe":
            options += more
        else:
            # It keeps nothing of what ELF objects refer to.
            options = [o for o in options if o not in (
                "-pie", "-q", "--gc-sections")] + [
                "-m", PE_EMULATION[p.machine], "--subsystem=10",
                "--image-base=0x100000"]
            options += rng.choice(([], ["--disable-reloc-section"]))
        if linker != "pe" and p.machine in EMULATION:
            options += ["-m", EMULATION[p.machine]]
        if linker == "bfd" and not p.plain and \
                random.Random(f"names {p.seed}").random() < 0.1:
            options += ["-z", "unique-symbol"]
        self.options = options
        final = self.path("final." + linker)
        inputs = list(self.inputs)
        rng.shuffle(inputs)
        done = run(tool(p.machine, linker), *options, "-o", final, *inputs)
        if done.returncode or not os.path.exists(final):
            return None
        names = [f.name for u in p.units for f in u.functions]
        some = [f"-N{name}" for name in
                ([rng.choice(names)] if p.plain else rng.sample(names, 3))]
        strips = [[], [], [], ["-x"], ["-X"], some[:1], ["--strip-unneeded"]]
        if not p.plain:
            strips += [[], [], some, [*some, "-g"], ["-g"], ["-x", "-g"],
                       ["-R", ".debug.sdt"], ["-L", names[0]]]
        strip = rng.choice(strips)
        if strip:
            shutil.copy(final, final + ".full")
            run(tool(p.machine, "objcopy"), *strip, final)
        return final

    def truth(self, final):
        """The sites of the final: (address, probe, form); as its linker
        says. And those that share a place and are of different probes."""
        elf = open_image(final + ".full" if os.path.exists(
            final + ".full") else final)
        text = [s for s in elf.sections if s.flags & SHF_EXEC and s.size]
        sites = {}
        told = {probe for unit in self.program.units if unit.injected
                for f in unit.functions for _, probe, _ in f.sites}
        form = "4Q" if elf.is64 else "4I"
        for sec in elf.sections:
            if sec.name != ".debug.truth":
                continue
            data = elf.data(sec)
            for row in range(0, len(data), struct.calcsize("<" + form)):
                identity, start, offset, to = elf.unpack(form, data, row)
                if any(s.addr <= start < s.addr + s.size for s in text):
                    sites.setdefault(elf.wrap(start + offset), set()).add(
                        (*self.program.site(identity), elf.wrap(start + to)
                         if to != offset else None))
        return {(addr, *what) for addr, all in sites.items() for what in all
                if what[0] in told}


def read_table(final):
    """The entries, or what is wrong with them."""
    try:
        return {(*entry.key, entry.target)
                for entry in read_anchored(open_image(final), False)}
    except Wrong as wrong:
        return str(wrong)


def shrink(elf, data, table, by):
    """Ends the section TABLE earlier in DATA, and the symbol that tells it."""
    if isinstance(elf, Pe):
        row = elf.rows + 40 * (elf.sections.index(table) - 1)
        struct.pack_into("<I", data, row + 8, table.size - by)
        return
    word = elf.order + ("Q" if elf.is64 else "I")
    heads, = struct.unpack_from(word, data, 40 if elf.is64 else 32)
    each, n = struct.unpack_from(elf.order + "2H", data,
                                 58 if elf.is64 else 46)
    # sh_offset, sh_size and sh_link, from the start of a section header.
    fields = (24, 32, 40) if elf.is64 else (16, 20, 24)

    def field(head, i, form=word):
        return struct.unpack_from(form, data, head + fields[i])[0]

    for head in range(heads, heads + each * n, each):
        kind, = struct.unpack_from(elf.order + "I", data, head + 4)
        if (field(head, 0), field(head, 1)) == (table.offset, table.size):
            struct.pack_into(word, data, head + fields[1], table.size - by)
        if kind not in (2, 11):  # symbol tables
            continue
        names = field(heads + each * field(head, 2, elf.order + "I"), 0)
        first = field(head, 0)
        for sym in range(first, first + field(head, 1), 24 if elf.is64
                         else 16):
            at = names + struct.unpack_from(elf.order + "I", data, sym)[0]
            value = sym + (8 if elf.is64 else 4)
            if data[at:at + 17] == b"__stop_sdt_sites\0":
                struct.pack_into(word, data, value, struct.unpack_from(
                    word, data, value)[0] - by)


def offset_of(elf, addr):
    """Where in the file the byte at ADDR is, and its section."""
    sec = next(s for s in elf.sections
               if s.addr <= addr < s.addr + s.size and s.flags & 2)
    return sec.offset + addr - sec.addr, sec


def damage(final, rng, plain=False):
    """Writes FINAL.bad, with another table. None if there is no entry."""
    elf = open_image(final)
    try:
        first, last = anchored_range(elf)
    except Wrong:
        return None
    n = (last - first) // 8
    if n == 0:
        return None
    at, sec = offset_of(elf, first)
    words = [list(elf.unpack("2i", elf.bytes, at + 8 * i)) for i in range(n)]
    site = [first + 8 * i + w[0] for i, w in enumerate(words)]
    what = [first + 8 * i + 4 + w[1] for i, w in enumerate(words)]
    i, j = rng.randrange(n), rng.randrange(n)
    kinds = ["swap", "copy", "move", "probe", "form", "drop", "drop"]
    jumps = [w & ~7 for w in what if w & 3 == FORMS["branch"]]
    kind = rng.choice(kinds if plain else [
        *kinds, "drop two", *(["target", "target"] if jumps else [])])
    if kind == "swap":
        what[i], what[j] = what[j], what[i]
    elif kind == "copy":
        site[i], what[i] = site[j], what[j]
    elif kind == "move":
        site[i] += rng.choice((-8, -5, -4, -2, 2, 4, 5, 8, 16))
    elif kind == "probe":
        what[i] = what[j]
    elif kind == "form":
        what[i] ^= 1
    data = bytearray(elf.bytes)
    if kind == "target":
        jump = rng.choice(jumps)
        here, _ = offset_of(elf, jump)
        by, = elf.unpack("i", data, here)
        struct.pack_into(elf.order + "i", data, here,
                         by + rng.choice((-8, -4, -2, 2, 4, 8)))
    if kind.startswith("drop"):
        gone = {site[i], site[j] if kind == "drop two" else site[i]}
        kept = [k for k in range(n) if site[k] not in gone]
        shrink(elf, data, sec, 8 * (n - len(kept)))
        site, what = [site[k] for k in kept], [what[k] for k in kept]
        n = len(kept)
    for k in range(n):
        struct.pack_into(elf.order + "2I", data, at + 8 * k,
                         (site[k] - first - 8 * k) & 0xffffffff,
                         (what[k] - first - 8 * k - 4) & 0xffffffff)
    with open(final + ".bad", "wb") as file:
        file.write(data)
    return final + ".bad"


def retarget(final, rng):
    """Writes FINAL.bad, in which a branch of a PC goes to another stub. None
    if there is none."""
    elf = open_image(final)
    whole = open_image(final + ".full") if os.path.exists(
        final + ".full") else elf
    stubs = {s.value: s.name for s in whole.symbols
             if s.shndx and s.name.startswith(PREFIX)}
    branches = re.findall(
        r"^ *([0-9a-f]+):\s+(call|jmp|jne) +([0-9a-f]+)",
        run("objdump", "-d", "--no-show-raw-insn", whole.path).stdout, re.M)
    if not branches or not stubs:
        return None
    at, what, target = rng.choice(branches)
    field, target = int(at, 16) + (2 if what == "jne" else 1), int(target, 16)
    stub = rng.choice(sorted(stubs))
    where, _ = offset_of(elf, field)
    # Not one of two bytes, and not one that goes there.
    if stubs.get(target) == stubs[stub] or struct.unpack_from(
            "<i", elf.bytes, where)[0] != target - field - 4:
        return None
    data = bytearray(elf.bytes)
    struct.pack_into("<i", data, where, stub - field - 4)
    with open(final + ".bad", "wb") as file:
        file.write(data)
    return final + ".bad"


def judge(build, final, truth, label):
    """What became of it, and what was said; TRUTH is None if nothing is right.
    Sites in dead code may have lost their entries."""
    table = read_table(final)
    right = truth is not None and (
        table == truth or not truth and isinstance(table, str))
    done = run(SDTLINK, "--verify", *build.partials, final, quiet=False)
    said = done.stdout.strip()
    if done.returncode not in (0, 1, 2) or "anitizer" in said:
        return "broken", f"{label}: exit {done.returncode}: {said}"
    if re.search(", [0-9]+ dead", said) and truth is not None:
        return "not judged, with dead code", f"{label}: {said}"
    if done.returncode != 0 and not right and run(
            SDTLINK, "--verify", "--text=sites", *build.partials,
            final).returncode == 0:
        return "FALSE ACCEPT", f"{label}, --text=sites: {said}"
    if done.returncode == 0:
        return ("proved" if right else "FALSE ACCEPT"), f"{label}: {said}"
    if not right:
        return "found", f"{label}: {said}"
    return ("rejected, stripped" if os.path.exists(final + ".full")
            else "rejected"), f"{label}: {said}"


def judge_stripped(build, final, truth, label):
    """The same without any symbol: what is said to be proved in part."""
    bare = final + ".stripped"
    run(tool(build.program.machine, "objcopy"), "--strip-all", final, bare)
    table = read_table(final)
    done = run(SDTLINK, "--verify", "-v", *build.partials, bare, quiet=False)
    said = done.stdout.strip()
    label += f", stripped: exit {done.returncode}: {said}"
    if done.returncode not in (1, 2) or "anitizer" in said or \
            ": proved" in said:
        return "broken", label
    if ": partly-proved: " in said and not isinstance(table, str):
        left = {(int(addr, 16), probe) for probe, addr in re.findall(
            r"which site of (\S+) the table's entry for (0x[0-9a-f]+)", said)}
        proved = {entry for entry in table if entry[:2] not in left}
        if not proved <= truth or \
                (table != truth and "not proved:" not in said and
                 not re.search(", [0-9]+ dead", said)):
            return "FALSE ACCEPT", label
        return ("stripped: all of it proved" if proved == truth else
                "stripped: some of it proved" if proved else
                "stripped: nothing proved"), label
    if table != truth:
        return "stripped: found", label
    return ("stripped: rejected" if done.returncode == 1 else
            "stripped: not judged"), label


def do_seed(job):
    """(seed, outcome, text) for each final of one program."""
    seed, machines, keep, plain = job
    program = Program(seed, machines, plain)
    out = []
    with build_directory(seed, keep) as where:
        build = Build(program, where)
        if not build.make():
            return [(seed, "not injected", program.machine)]
        for linker in MACHINES[program.machine].linkers:
            if not tool(program.machine, linker):
                continue
            label = f"{program.machine} {linker}"
            final = build.link(linker)
            if not final:
                out.append((seed, "not linked", label))
                continue
            truth = build.truth(final)
            out.append((seed, *judge(build, final, truth, label)))
            for turn in [seed] if plain else [2 * seed, 2 * seed + 1]:
                bad = damage(final, random.Random(turn), plain)
                if bad and read_table(bad) != truth:
                    out.append((seed, *judge(build, bad, truth,
                                             label + ", damaged")))
            bad = MACHINES[program.machine].cond and linker != "pe" and \
                retarget(final, random.Random(seed))
            if bad:
                out.append((seed, *judge(build, bad, None,
                                         label + ", led elsewhere")))
            whole = final + ".full" if os.path.exists(final + ".full") else \
                final
            out.append((seed, *judge_stripped(build, whole, truth, label)))
            bad = damage(whole, random.Random(seed), plain)
            if bad and read_table(bad) != truth:
                out.append((seed, *judge_stripped(build, bad, truth,
                                                  label + ", damaged")))
    return out


def main():
    """Run."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", action="append", choices=MACHINES)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    machines = [m for m in args.machine or MACHINES
                if tool(m, "as") and tool(m, "objcopy")]
    if not machines:
        print("skipped: no assembler to test with")
        return 77
    counts = collections.Counter()
    with multiprocessing.Pool(args.j) as pool:
        for rows in pool.imap_unordered(
                do_seed, [(seed, machines, args.keep, args.plain) for seed in
                          range(args.seed, args.seed + args.n)]):
            for seed, outcome, text in rows:
                counts[outcome] += 1
                if args.v or outcome in ("FALSE ACCEPT", "broken"):
                    print(f"{outcome}: seed {seed}: {text}", flush=True)
    for outcome, n in sorted(counts.items()):
        print(f"{n:7} {outcome}")
    return int(counts["FALSE ACCEPT"] + counts["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
