#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""source_lines.py FILE [OPTION]... - compare the lines and inline
chains of sdtlink --dump --source with those of addr2line -i and eu-addr2line -i.

OPTIONs are sdtlink's. $ADDR2LINE names another addr2line. Of a partial, the
section with most sites is compared. Prints what it compared, and the first
differences; exit 1 if there are any that no rule explains. $SOURCE_STRIDE takes
one site in so many."""
import collections
import json
import os
import re
import subprocess
import sys

SDTLINK = os.environ.get("SDTLINK", "sdtlink/sdtlink")
STRIDE = int(os.environ.get("SOURCE_STRIDE", "1"))
ADDR2LINE = os.environ.get("ADDR2LINE", "addr2line")


def run(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          encoding="utf-8", errors="surrogateescape",
                          check=False).stdout


def sites(path, options):
    """A section, or None of a final; and by offset or address the frames, as
    (function, file, line, column)."""
    dump = json.loads(run([SDTLINK, "--dump", "--source", "--format=json",
                           *options, path]))
    listed = [site for probe in dump["probes"] for site in probe["sites"]]
    section = None
    if dump["type"] != "final":
        count = collections.Counter(site["section"] for site in listed)
        section = count.most_common(1)[0][0]
    return section, {
        int(site["address"] or site["offset"], 16):
        [(f["function"], f["file"], f["line"], f["column"])
         for f in site["source"]["frames"]]
        for site in listed if section in (None, site["section"])}


def place(text):
    """(file, line) of FILE:LINE[:COLUMN]; line 0 and ?? are nothing."""
    text = re.sub(r" \(discriminator \d+\)$", "", text)
    match = re.fullmatch(r"(.*?):(\d+|\?)(?::(\d+))?", text)
    if not match or match[1] == "??" or match[2] in ("0", "?"):
        return None, None, None
    return match[1], int(match[2]), match[3] and int(match[3])


def blocks(output):
    """The lines that follow each 0x... line: eu-addr2line prints addresses as
    it has laid out the sections."""
    found = []
    for line in output.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            found.append([])
        else:
            found[-1].append(line)
    return found


def oracle(command, addresses):
    text = "".join(f"{a:#x}\n" for a in addresses)
    found = blocks(run(command, text))
    if len(found) != len(addresses):
        sys.exit(f"{command[0]} answered {len(found)} of {len(addresses)}")
    result = {}
    for key, lines in zip(addresses, found):
        chain = []
        for name, where in zip(lines[::2], lines[1::2]):
            name = re.sub(r" inlined at .*", "", name)
            chain.append((None if name == "??" else name, *place(where)))
        result[key] = chain
    return result


def is_path(a, b):
    """The same path? "." and ".." aside; one may lack the directory."""
    if a is None or b is None:
        return a == b
    a, b = os.path.normpath(a), os.path.normpath(b)
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def same(ours, theirs):
    return (ours[0] == theirs[0] and is_path(ours[1], theirs[1]) and
            ours[2] == theirs[2] and
            (theirs[3] is None or ours[3] is None or ours[3] == theirs[3]))


def is_same(ours, theirs):
    return len(ours) == len(theirs) and all(map(same, ours, theirs))


def is_start(ours, theirs):
    """eu-addr2line does not know the callers where there are no aranges."""
    return 0 < len(theirs) < len(ours) and all(map(same, ours, theirs))


NO_LINES = "addr2line is the same, eu-addr2line has no lines"


def is_nowhere(theirs):
    """Nor does it know lines there, of some objects."""
    return all(frame[1] is None for frame in theirs)


def is_main_file(ours, theirs):
    """addr2line (2.40) takes the unit's own file for some of its headers."""
    return len(ours) == len(theirs) and all(
        a[0] == b[0] and a[2] == b[2] and
        (is_path(a[1], b[1]) or not b[1].endswith(".h"))
        for a, b in zip(ours, theirs) if b[1])


def judge(ours, binutils, elfutils):
    """By which rule the three agree, or None."""
    if not ours or ours[0][1] is None:
        return "no line" if not elfutils or elfutils[0][1] is None else None
    if is_same(ours, binutils) and is_same(ours, elfutils):
        return "same"
    if is_same(ours, elfutils) and is_main_file(ours, binutils):
        return "eu-addr2line is the same, addr2line has another file"
    if is_same(ours, binutils) and is_start(ours, elfutils):
        return "addr2line is the same, eu-addr2line has no callers"
    if is_same(ours, binutils) and is_nowhere(elfutils):
        return NO_LINES
    return None


def main():
    path, *options = sys.argv[1:]
    section, ours = sites(path, options)
    ours = dict(sorted(ours.items())[::STRIDE])
    where = ["-j", section] if section else []
    theirs = [oracle([name, "-i", "-f", "-a", "-e", path, *where], list(ours))
              for name in (ADDR2LINE, "eu-addr2line")]
    rules = collections.Counter()
    for at, chain in ours.items():
        others = [other[at] for other in theirs]
        others = [[f for f in other if f[0] or f[1]] for other in others]
        rule = judge(chain, *others)
        rules[rule] += 1
        if rule is None and rules[rule] <= 5:
            print(f"{path} at {at:#x}:", chain, *others, sep="\n  ")
    inlined = sum(len(chain) > 1 for chain in ours.values())
    print(f"{path}: {len(ours)} sites, {inlined} inlined;",
          ", ".join(f"{n} {rule or 'DIFFER'}" for rule, n in rules.items()))
    sys.exit(rules[None] > 0 or rules["same"] + rules[NO_LINES] == 0)


main()
