#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""drift_maps.py SDTLINK CC SEED N LINKER...: links N small random programs with
each linker and some options, and compares what --drift says of each section
with the map that the linker wrote. Exit 1 if they disagree.

The map of a linker that folds says nothing of who stands for whom. What it
prints does (--print-icf-sections), and what it drops (--print-gc-sections).

Each final is then compared with the one before (--against), with the inputs and
by symbols: where functions are, their order and bytes, are what the symbol tables
and the files say."""
import bisect
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from matrix_elf import SHF_EXEC, Elf  # noqa: E402

BODIES = ["n * 3 + 1", "n ^ 0x55aa", "n / 7 - 2", "n + 1", "n", "0",
          "n * 3 + 1", "n << 5 | 3"]


RELAXES = {"riscv64", "riscv32", "loongarch64"}

# What gold writes where it has not laid out a section when it writes the map.
UNTOLD = 2**64 - 1


def source(rng, unit, units, names):
    """One object: functions of random bodies, which call others."""
    out = [f"int {name}(int);" for name in names]
    mine = [name for name in names if name.startswith(f"f{unit}_")]
    statics = [f"s{rng.randrange(4)}_{i}" if rng.random() < .5 else f"s_{i}"
               for i in range(rng.randrange(4))]
    for name in statics:
        out.append(f"static __attribute__((noinline)) int {name}(int n) "
                   f"{{ return {rng.choice(BODIES)}; }}")
    if rng.random() < .5:
        out.append(f"__attribute__((weak, noinline)) int weak(int n) "
                   f"{{ return {rng.choice(BODIES)}; }}")
    for name in mine:
        calls = [rng.choice(names + statics) for _ in range(rng.randrange(4))]
        body = " + ".join([rng.choice(BODIES)] +
                          [f"{call}(n + {i})" for i, call in enumerate(calls)])
        out.append(f"__attribute__((noinline)) int {name}(int n) "
                   f"{{ return {body}; }}")
    if statics and rng.random() < .5:
        out.append(f"int (*p{unit})(int) = {rng.choice(statics)};")
    if unit == 0:
        out.append(f"int _start(int n) {{ return {names[0]}(n) + "
                   f"{rng.choice(names)}(1); }}")
    return "\n".join(out) + "\n"


def is_explained(drift, status):
    """All is, and moved inside sections at most where linkers delete code. Of
    an image that has none of the sections, nothing is known."""
    is_whole = not drift["fates"]["changed"] + drift["fates"]["unknown"] \
        + drift["bytes"]["unexplained"] + len(drift["strays"])
    is_drift = drift["classes"]["shortened"] > 0 or not drift["fates"]["placed"]
    return is_whole and status == is_drift


def is_gnu(linker):
    """Has its map the form of GNU ld's?"""
    return linker.endswith(("ld", "gold")) and "lld" not in linker \
        and "mold" not in linker


def sections_of_map(kind, text):
    """(file, section) -> its addresses, as the map has them."""
    found = {}
    if is_gnu(kind):
        text = text[text.index("emory map"):]
        pattern = re.compile(r"^ (\.\S+)\s+0x([0-9a-f]+)\s+0x[0-9a-f]+ (\S+)$",
                             re.M)
        rows = [(m[3], m[1], m[2]) for m in pattern.finditer(text)]
    else:
        pattern = re.compile(r"^\s*(?:0x)?([0-9a-f]+)\s.*?(\S+):\(([^()]*)\)$",
                             re.M)
        rows = [(m[2], m[3], m[1]) for m in pattern.finditer(text)]
    for file, section, addr in rows:
        found.setdefault((file, section), set()).add(int(addr, 16))
    return found


def judge(drift, found, folds):
    """What --drift says that the map contradicts."""
    placed = {}
    for s in drift["sections"]:
        there = found.get((s["input"], s["section"]), set())
        if UNTOLD in there:
            continue
        if s["fate"] in ("placed", "folded"):
            addr = int(s["address"], 16)
        if s["fate"] == "placed":
            placed[addr] = s
            # Of several that were folded, any one may stand for all; of those
            # that are alike, any may be anywhere.
            if addr not in there and not (folds or s["alike"]):
                yield s, there
        elif s["fate"] == "folded":
            if not folds or (there and addr not in there):
                yield s, there
        elif s["fate"] == "dropped":
            if there and not (folds or s["alike"]) and 0 not in there:
                yield s, there
        else:
            yield s, there
    # Whatever the map has, something is placed there.
    names = {(s["input"], s["section"]) for s in drift["sections"]}
    for name, there in found.items():
        if name in names and UNTOLD not in there and not there & (placed.keys() | {0}):
            yield {"missing": name}, there


GC = re.compile(r"removing unused section (?:from )?'([^']+)' in file '([^']+)'"
                r"|removing unused section (\S+):\(([^()]*)\)")
ICF = re.compile(r"ICF folding section '([^']+)' in file '([^']+)' into "
                 r"'([^']+)' in file '([^']+)'"
                 r"|(selected|removing identical) section (\S+):\(([^()]*)\)")


def sections_of_said(text):
    """What the linker printed: those that it removed, and, for each that it kept
    in the place of others, all of these."""
    removed = {(m[2] or m[3], m[1] or m[4]) for m in GC.finditer(text)}
    groups, kept = {}, None
    for m in ICF.finditer(text):
        if m[1]:
            groups.setdefault((m[4], m[3]), {(m[4], m[3])}).add((m[2], m[1]))
        elif m[5] == "selected":
            kept = m[6], m[7]
        else:
            groups.setdefault(kept, {kept}).add((m[6], m[7]))
    return removed, list(groups.values())


def judge_said(drift, text, drops):
    """What --drift says that the linker's own words contradict. DROPS: it says
    what it drops."""
    removed, groups = sections_of_said(text)
    folded = set().union(*groups)
    fates = {}
    for s in drift["sections"]:
        name = s["input"], s["section"]
        if s["alike"]:
            continue
        fates[name] = s["fate"]
        if name in removed and s["fate"] != "dropped":
            yield s, "the linker removed it"
        if drops and s["fate"] == "dropped" and name not in removed | folded:
            yield s, "the linker did not remove it"
        if s["fate"] == "folded" and name not in folded:
            yield s, "the linker did not fold it"
    for group in groups:
        if sum(fates.get(name) == "placed" for name in group) > 1:
            yield group, "the linker made one of them"


def functions_of(path):
    """Global name -> (address, bytes), of a final; None if it is stripped."""
    elf = Elf(path)
    found = {}
    for symbol in elf.symbols:
        if symbol.type != 2 or symbol.bind == 0 or not symbol.size:
            continue
        addr = symbol.value
        for section in elf.sections:
            if section.flags & SHF_EXEC and section.type != 8 and \
                    section.addr <= addr < section.addr + section.size:
                start = addr - section.addr
                found[symbol.name] = addr, elf.data(section)[
                    start:start + symbol.size]
    return found or None


def longest(addrs):
    """How many of these ascend, at most."""
    ends = []
    for addr in addrs:
        i = bisect.bisect_right(ends, addr)
        ends[i:i + 1] = [addr]
    return len(ends)


def judge_pair(diff, old, new, relaxes):
    """What --against says that symbols and bytes contradict."""
    both = [f for f in diff["functions"]
            if f["old"]["address"] and f["new"]["address"] and
            not f["old"]["folded"] and not f["new"]["folded"]]
    places = sorted((int(f["old"]["address"], 16), int(f["new"]["address"], 16),
                     i) for i, f in enumerate(both))
    if len(both) - longest([new for _, new, _ in places]) != diff["moved"]:
        yield "moved", diff["moved"]
    stay = [place[1] for place in places if not both[place[2]]["moved"]]
    if stay != sorted(stay):
        yield "those that stay are not in order", stay
    for f in diff["functions"]:
        name = f["function"]
        if f["alike"]:
            continue
        for side, table, other in (("old", old, new), ("new", new, old)):
            # Without names, these say nothing.
            if not table:
                continue
            addr = f[side]["address"] and int(f[side]["address"], 16)
            # Of several definitions of a weak function one has the name.
            if name == "weak" or name not in table | other or addr is None or \
                    f[side]["folded"]:
                continue
            if table.get(name, [None])[0] != addr:
                yield f, table.get(name)
        if f in both and name != "weak" and name in old and name in new and \
                f["old"]["size"] == len(old[name][1]) and \
                f["new"]["size"] == len(new[name][1]):
            if (f["bytes"] == "same") != (old[name][1] == new[name][1]):
                yield f, old[name][1].hex() + " " + new[name][1].hex()
            if f["old"]["size"] != f["new"]["size"] and not relaxes:
                yield f, "of another size"


def run_pair(tool, inputs):
    """The document, and is its verdict the exit status?"""
    ran = subprocess.run([tool, "--drift", "--format=json", "--against=before",
                          *inputs, "app"], capture_output=True, text=True)
    diff = json.loads(ran.stdout)
    differs = diff["verdict"] != "same"
    wrong = [] if ran.returncode == differs else \
        [("status", ran.returncode)]
    # Nothing differs, and yet it is not the same: then something was inserted.
    if not differs and (diff["differing"] or diff["rewrites"]):
        wrong.append(("verdict", diff["differing"]))
    return diff, wrong


def compare_pair(tool, files, old, new, relaxes):
    """All that is wrong with what --against says of before and app."""
    diff, wrong = run_pair(tool, files)
    wrong += judge_pair(diff, old or {}, new or {}, relaxes)
    if old and new:
        diff, more = run_pair(tool, [])
        wrong += more + list(judge_pair(diff, old, new, relaxes))
        raw = [[sorted((addr, data) for addr, data in table.values())]
               for table in (old, new)]
        if diff["verdict"] == "same" and \
                [data for _, data in raw[0][0]] != [data for _, data in raw[1][0]]:
            wrong.append(("the same, with other bytes", None))
    return wrong


def link(linker, options, files):
    """What the linker said; None if it failed."""
    for option, more in (("--gc-sections", "--print-gc-sections"),
                         ("--icf=all", "--print-icf-sections")):
        if option in options:
            options = options + [more]
    ran = subprocess.run([linker, *options, "-Map=map", "-o", "app", *files],
                         capture_output=True, text=True)
    return ran.stdout + ran.stderr if ran.returncode == 0 else None


def variants(linker):
    yield False, []
    yield False, ["--gc-sections"]
    yield False, ["--gc-sections", "-s"]
    yield False, ["-z", "keep-text-section-prefix", "--emit-relocs"]
    if "mold" not in linker:
        yield False, ["--sort-section=name"]
    if linker.endswith("gold") or "lld" in linker or "mold" in linker:
        yield True, ["--icf=all"]
        yield True, ["--icf=all", "--gc-sections"]


def compare(tool, cc, seed, n, linkers):
    """The exit status. Its files are in the current directory."""
    links = sections = pairs = dropped = folds_said = bad = 0
    for program in range(int(seed), int(seed) + int(n)):
        rng = random.Random(program)
        units = rng.randrange(1, 6)
        names = [f"f{u}_{i}" for u in range(units)
                 for i in range(rng.randrange(1, 6))]
        files = []
        for unit in range(units):
            path = pathlib.Path(f"u{unit}.c")
            path.write_text(source(rng, unit, units, names))
            files.append(f"u{unit}.o")
            subprocess.run([*cc.split(), rng.choice(["-O1", "-O2", "-Os"]),
                            rng.choice(["-ffunction-sections", "-fno-plt",
                                        "-fPIE", "-ffunction-sections"]),
                            "-ffreestanding", "-fno-stack-protector",
                            "-fno-asynchronous-unwind-tables", "-w",
                            "-c", "-o", files[-1], path], check=True)
        before = None
        pathlib.Path("before").unlink(missing_ok=True)
        for linker in linkers:
            for folds, options in variants(linker):
                said = link(linker, options, files)
                if said is None:
                    continue
                ran = subprocess.run([tool, "--drift", "--format=json", *files,
                                      "app"], capture_output=True, text=True)
                drift = json.loads(ran.stdout)
                text = pathlib.Path("map").read_text(errors="replace")
                wrong = list(judge(drift, sections_of_map(linker, text), folds))
                removed, groups = sections_of_said(said)
                dropped += len(removed)
                folds_said += len(groups)
                wrong += judge_said(drift, said, "--gc-sections" in options)
                if not is_explained(drift, ran.returncode) and not wrong:
                    wrong = [({"status": ran.returncode}, drift["bytes"])]
                functions = functions_of("app")
                if links and os.path.exists("before"):
                    pairs += 1
                    wrong += compare_pair(tool, files, before, functions,
                                          drift["machine"] in RELAXES)
                before = functions
                os.replace("app", "before")
                links += 1
                sections += len(drift["sections"])
                bad += bool(wrong)
                for section, there in wrong[:3]:
                    print(program, linker, *options, section, there)
    print(f"{links} links, {sections} sections, {pairs} pairs, {dropped} removed "
          f"and {folds_said} kept for others as linkers say: {bad} differ")
    return int(bad > 0 or links == 0 or (int(n) > 9 and dropped == 0))


def main():
    tool, cc, seed, n, *linkers = sys.argv[1:]
    if "/" in tool:
        tool = os.path.abspath(tool)
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        status = compare(tool, cc, seed, n, linkers)
        os.chdir("/")
    sys.exit(status)


if __name__ == "__main__":
    main()
