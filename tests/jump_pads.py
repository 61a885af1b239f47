#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""jump_pads.py prepare NAME.s: writes plain.s, with NOPs around each landing pad
that the compiler's table names, and named.s, the same with symbols at the pads
and at the ranges of calls that lead there. jump_pads.py compare PLAIN NAMED: in
both files, made of these, the text is the same; sdtlink is asked about each
instruction of PLAIN, and nm tells of NAMED where pads and ranges are.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SDTLINK = os.environ.get("SDTLINK", "sdtlink/sdtlink")
NOPS = 3  # before a pad; behind it there are five


def call_sites(lines):
    """(from, to, pad) labels of each entry: the four lines of it are distances,
    FROM - FUNCTION, TO - FROM, PAD - FUNCTION, and a number."""
    entries = []
    distances = [re.match(r"\s+\.(?:uleb128|4byte|long)\s+(\S+?)-(\S+?)"
                          r"(?:\s*[#/].*)?$", line) for line in lines]
    for i in range(len(lines) - 2):
        start, length, pad = distances[i:i + 3]
        if start and length and pad and length[2] == start[1] and \
                pad[2] == start[2]:
            entries.append((start[1], length[1], pad[1]))
    return entries


def prepare(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    entries = call_sites(lines)
    pads = {pad for _, _, pad in entries}
    plain, named = [], []
    for line in lines:
        found = re.match(r"(\.L\w+):", line)
        label = found[1] if found else None
        extra = ["\tnop"] * NOPS if label in pads else []
        after = ["\tnop"] * 5 if label in pads else []
        plain += extra + [line] + after
        named += extra + [line]
        for i, entry in enumerate(entries):
            named += [f"{kind}{i}:" for kind, name in
                      zip(("from_", "to_", "pad_"), entry) if name == label]
        named += after
    for name, text in (("plain.s", plain), ("named.s", named)):
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
    print(len(entries), "entries", len(pads), "pads")
    assert len(pads) > 5


def names(path):
    """{symbol: (section, value)}; the section of a final does not matter."""
    text = subprocess.run(["readelf", "-SsW", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    sections = dict(re.findall(r"^\s*\[\s*(\d+)\] (\S+)", text, re.M))
    rows = re.findall(r"^\s*\d+: ([0-9a-f]+)\s+\S+ \w+\s+\w+\s+\w+\s+(\d+) (\S+)$",
                      text, re.M)
    return {name: (sections[index], int(value, 16))
            for value, index, name in rows if index in sections}


def boundaries(path):
    section, places = None, []
    text = subprocess.run(["objdump", "-dwz", "--no-show-raw-insn", path],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    for line in text.splitlines():
        found = re.match(r"Disassembly of section (.*):", line)
        section = found[1] if found else section
        found = re.match(r"\s*([0-9a-f]+):\t", line)
        if found:
            places.append((section, int(found[1], 16)))
    return places


def ask(path, places, is_final):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(f"{at:#x}" if is_final else f"{section}+{at:#x}"
                             for section, at in places))
        file.flush()
        run = subprocess.run([SDTLINK, "--check-jump", "--format=json", path,
                              "@" + file.name], stdout=subprocess.PIPE,
                             check=False)
    return dict(zip(places, json.loads(run.stdout)["places"], strict=True))


def compare(plain, named):
    symbols = names(named)
    pads = {at for name, at in symbols.items() if name.startswith("pad_")}
    ranges = [(symbols[name], symbols["to_" + name[5:]])
              for name in symbols if name.startswith("from_")]
    is_final = plain.endswith(".elf")
    # In a final, a number may be an address by chance.
    chance = ("pointer",) if is_final else ()
    told = ask(plain, boundaries(plain), is_final)
    yes = {place: answer["length"] for place, answer in told.items()
           if answer["jump"]}
    for (section, at), length in yes.items():
        for pad in pads:
            assert pad[0] != section or not at < pad[1] < at + length, \
                ("over a pad", plain, section, hex(at))
        for start, end in ranges:
            assert start[0] != section or at >= end[1] or \
                at + length <= start[1], ("in a range", plain, section, hex(at))
    for section, pad in pads:
        assert (section, pad) in yes or \
            told[section, pad]["rule"] in chance, \
            ("at a pad", hex(pad), told[section, pad])
        for at in range(pad - NOPS, pad):
            assert told[section, at]["rule"] in ("exceptions", *chance), \
                ("before a pad", hex(at), told[section, at])
    print(plain, len(pads), "pads", len(ranges), "ranges", len(yes), "yes of",
          len(told))
    assert pads and ranges and len(yes) > 4 * len(pads)


if sys.argv[1] == "prepare":
    prepare(sys.argv[2])
else:
    compare(*sys.argv[2:])
