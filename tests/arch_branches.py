#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""arch_branches.py BRANCHES OBJDUMP FINAL - what is a direct branch in FINAL?

The disassembler OBJDUMP, of libopcodes or of LLVM, prints a target behind each:
sdtlink, by the program BRANCHES, must read one to there at each of these
instructions, and none at another. Prints each difference, and the numbers, and
exits 1 if there is one.
"""
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):[\t ]((?:[0-9a-f]+ )+) *\t(\S+)\s*(.*)$")
TARGET = re.compile(r"(?:^|[\s,])(?:0x)?(-?[0-9a-f]+) <[^>]*>$")
COMMENT = re.compile(r"\s*(?:[@;!]|//|# ).*$")
# Beginnings of the names of branches; others have an address as operand, too.
BRANCH = re.compile(r"b|j|c\.[jb]|call|loop|xbegin|cbn?z|tbn?z|fb|cl?g?[ri]?j|"
                    r"cl?[gr]?[ri]j|cw|cx")
# A prefix is shown as if it were the instruction.
PREFIX = re.compile(r"^(?:bnd|notrack|data16|addr32|rex\S*|cs|ds|[fg]s) ")


def disassemble(objdump, final):
    """(address, length, target or None, text) of each instruction."""
    text = subprocess.run([objdump, "-dwz", final], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        match = LINE.match(line)
        if not match or match[3].startswith("."):
            continue # data
        whole = PREFIX.sub("", f"{match[3]} {match[4]}".replace("\t", " "))
        name, _, words = whole.partition(" ")
        target = TARGET.search(COMMENT.sub("", words.strip()))
        addr = int(match[1], 16)
        if not BRANCH.match(name) or "nop" in name or target is None:
            target = None
        elif "llvm" in objdump: # a distance
            target = addr + int(target[1])
        else:
            target = int(target[1], 16)
        yield addr, len(match[2].replace(" ", "")) // 2, target, whole


def main():
    """Compare them."""
    branches, objdump, final = sys.argv[1:]
    out = subprocess.run([branches, final], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    read = {}
    for line in out.splitlines():
        addr, target, length = line.split()
        read.setdefault(int(addr, 16), set()).add((int(target, 16),
                                                   int(length)))
    ninsns, nbranches, bad = 0, 0, []
    for addr, length, target, text in disassemble(objdump, final):
        # A pair, of which the disassembler sees the parts, is longer.
        targets = {where for where, bytes_ in read.get(addr, ())
                   if bytes_ <= length}
        ninsns += 1
        nbranches += target is not None
        if targets != ({target} if target is not None else set()):
            bad.append(f"{addr:x}: {text}: {sorted(map(hex, targets))}")
    print("\n".join(bad[:20]))
    print(f"{ninsns} instructions, {nbranches} branches, {len(bad)} differ")
    sys.exit(bool(bad) or nbranches < 10)


main()
