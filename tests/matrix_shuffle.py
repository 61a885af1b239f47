# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of injected objects: tests/matrix.py --shuffle."""
import json
import os
import random
import subprocess
import tempfile

import matrix_oracle as oracle
from matrix_build import SDTLINK, Failed, run
from matrix_isas import (ISAS, NAMES, find_compilers, find_linkers,
                         find_objdump)

SHUFFLES = max(3, 20 // int(os.environ.get("SDTLINK_STRIDE", "1")))


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
    common = ["-ffreestanding", "-O2", "-fno-stack-protector", "-fno-pic"]
    flags = ISAS[arch].flags[cc.family] + common
    cxx_flags = ISAS[arch].flags["clang"] + common \
        if "clang" in os.path.basename(cc.cxx) else flags
    if arch == "riscv64":
        # Not all lld relax.
        flags.append("-mno-relax")
        cxx_flags = flags
    for i in range(8):
        run([cc.cxx, *cxx_flags, "-fno-exceptions", "-fno-rtti", "-c", "-o",
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
                run([ld.path, *ISAS[arch].ld, *ISAS[arch].final, "-e", "start", "-o",
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


def shuffle(others):
    """Each architecture with the first compiler of it."""
    wrong = done = 0
    for arch in [n for n in NAMES if ISAS[n].every != others]:
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


