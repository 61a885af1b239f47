#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""drift_random.py [OPTION]... - the programs of random_links.py: where --drift
says that each section is, compared with what the linker wrote. A section that
is not loaded has for each section of code a relocation against its start.

  -n N            so many programs (100)
  --seed N        the first one (1)
  --machine NAME  only that one; may be given more than once
  --plain         those of random_links.py --plain
  -v              print what --drift is not sure of, too

SDTLINK is the command. Exit status: 1 if a section is elsewhere than --drift
says, or a final that has all its inputs is not explained; 77 without tools."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from drift_maps import is_explained  # noqa: E402
from matrix_elf import SHF_EXEC, open_image  # noqa: E402
from random_links import MACHINES, SDTLINK, Build, Program, tool  # noqa: E402

# Of others, --drift calls some of the PLT's entries unexplained.
KNOWN_PLTS = ("x86_64", "i386", "x32", "aarch64", "riscv64", "riscv32")


class Signed(Program):
    """A program that says of each of its sections where it is."""

    def source(self, unit):
        m, out, seen = MACHINES[self.machine], [super().source(unit)], set()
        for i, f in enumerate(unit.functions):
            if (f.section, f.group) in seen:
                continue
            seen.add((f.section, f.group))
            flags = f'"G",{m.progbits},{f.group},comdat' if f.group \
                else f'"",{m.progbits}'
            out.append(f" .section .debug.place,{flags}")
            out.append(f" {m.word} {self.identity(unit, i, 0)}")
            out.append(f" {m.word} {f.section}")
        return "\n".join(out) + "\n"

    def section(self, identity):
        """The unit and the section of that record."""
        number = identity - 0x5d700000
        unit = self.units[number >> 12]
        return unit.name, unit.functions[number >> 6 & 63].section


def places(program, final):
    """(unit, section) -> address, as the linker says."""
    elf = open_image(final + ".full" if os.path.exists(final + ".full")
                     else final)
    text = [s for s in elf.sections if s.flags & SHF_EXEC and s.size]
    found = {}
    size = 16 if elf.is64 else 8
    for sec in elf.sections:
        if sec.name != ".debug.place":
            continue
        data = elf.data(sec)
        for row in range(0, len(data), size):
            identity, start = elf.unpack("2Q" if elf.is64 else "2I", data, row)
            if any(s.addr <= start < s.addr + s.size for s in text):
                found[program.section(identity)] = start
    return found


def judge(build, final, counts):
    """What --drift gets wrong."""
    truth = places(build.program, final)
    ran = subprocess.run([SDTLINK, "--drift", "--format=json", *build.inputs,
                          final], capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        return [f"exit {ran.returncode}: {ran.stdout[-300:]}{ran.stderr}"]
    drift = json.loads(ran.stdout)
    wrong, alike = [], collections.defaultdict(lambda: [set(), set()])
    # Here, it says, any of several may be.
    guessed = {int(s["address"], 16) for s in drift["sections"]
               if s["fate"] == "placed" and s["alike"]}
    for s in drift["sections"]:
        name = os.path.basename(s["input"]).split(".")[0], s["section"]
        addr = int(s["address"], 16) if s["address"] else None
        told = truth.get(name)
        counts[s["fate"]] += 1
        if s["fate"] == "placed" and s["alike"]:
            counts["alike"] += 1
        # Of what is the same in all, any may be anywhere.
        same = s["alike"]
        if s["fate"] == "changed" or s["fate"] == "unknown":
            wrong.append(f"{name} is {s['fate']}, and truly at {told}")
        elif same or s["fate"] == "folded" and told is None:
            alike[s["size"]][0].add(addr)
            alike[s["size"]][1].add(told)
        elif told is not None and addr != told and told not in guessed:
            wrong.append(f"{name} is {s['fate']} at {s['address']}, and truly "
                         f"at {told:#x}")
        elif told is None and addr is not None and s["fate"] == "placed":
            alike[s["size"]][0].add(addr)
    for size, (said, told) in alike.items():
        if not told - {None} <= said | set(truth.values()):
            wrong.append(f"of {size} bytes: {said} and truly {told}")
    # Whatever is there, something is placed there.
    said = {int(s["address"], 16) for s in drift["sections"]
            if s["fate"] == "placed"}
    wrong += [f"nothing is at {addr:#x}, where {name} is"
              for name, addr in truth.items() if addr not in said]
    if not is_explained(drift, ran.returncode):
        wrong.append(f"verdict {drift['verdict']}: {drift['bytes']} "
                     f"{drift['strays']} {drift['fates']}")
    return wrong


def main():
    """Run."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", action="append", choices=MACHINES)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    # The GOT that GNU ld makes for ppc32 has code in it.
    machines = [m for m in args.machine or sorted({*MACHINES} - {"ppc32"})
                if tool(m, "as") and tool(m, "objcopy")]
    if not machines:
        print("skipped: no assembler to test with")
        return 77
    counts, bad = collections.Counter(), 0
    for seed in range(args.seed, args.seed + args.n):
        program = Signed(seed, machines, args.plain)
        with tempfile.TemporaryDirectory() as where:
            build = Build(program, where)
            if not build.make():
                continue
            for linker in MACHINES[program.machine].linkers:
                final = tool(program.machine, linker) and build.link(linker)
                if not final or "-shared" in build.options and \
                        program.machine not in KNOWN_PLTS:
                    continue
                counts["links"] += 1
                counts[program.machine] += 1
                wrong = judge(build, final, counts)
                bad += bool(wrong)
                for text in wrong[:4]:
                    print(f"seed {seed} {program.machine} {linker}"
                          f"{' stripped' if os.path.exists(final + '.full') else ''}: {text}")
    print(*(f"{n} {what}" for what, n in sorted(counts.items())), sep=", ")
    print(f"{bad} links differ")
    return int(bad > 0 or counts["links"] == 0)


if __name__ == "__main__":
    sys.exit(main())
