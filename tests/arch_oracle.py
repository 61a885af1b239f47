#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""arch_oracle.py OBJDUMP FINAL PARTIAL <DUMP - is the site table in FINAL true?

DUMP is what sdtlink --dump --format=json says of FINAL. The truth is what the
disassembler OBJDUMP prints of it: each instruction with a probe function, or
a veneer to it, as its operand, or a pair of instructions that the disassembler
does not put together (LoongArch). PARTIAL is the same of the partial: where
that shows whether one store switches a site, FINAL says the same. Prints each difference and exits 1 if there is
one; else prints the number of sites.
"""
import json
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):\s(.*)$")
HEAD = re.compile(r"^([0-9a-f]+) <(.*)>:$")
HIGH = re.compile(r"\bpcaddu18i\s+(\$\w+), (-?\d+)$")
LOW = re.compile(r"\bj(?:irl\s+\$\w+,|r) (\$\w+)(?:, (-?\d+))?$")
NAME = re.compile(r"<(?:[^<>]*?[_.])??(__dtrace_sdt_\w+?)(?:_veneer|_from_\w+|"
                  r"_to_\w+|@plt|\$\w+)?(?:\+0x[48])?>")


def branches(objdump, final):
    """The address of each branch to a probe function, with its name."""
    text = subprocess.run([objdump, "-d", final], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    found, inside, high, pairs, names = {}, "", None, {}, {}
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            inside = head.group(2)
            names[int(head.group(1), 16)] = inside
        match = LINE.match(line)
        if not match or "__dtrace_sdt_" in inside:
            continue
        addr, insn = int(match.group(1), 16), match.group(2)
        name = NAME.search(insn)
        # Behind the second of a pair, LLVM 22 prints the target, too.
        low = LOW.search(re.sub(r"\s*<.*", "", insn).replace("\t", " "))
        if high and low and high[1] == low.group(1):
            pairs[high[0]] = high[0] + high[2] + int(low.group(2) or 0)
        elif name:
            found[addr] = name.group(1)
        match = HIGH.search(insn)
        high = match and (addr, match.group(1), int(match.group(2)) << 18)
    for addr, target in pairs.items():
        name = NAME.search("<%s>" % names.get(target, ""))
        if name:
            found[addr] = name.group(1)
    return found


def stores(dump):
    """What it says of one store, by probe and place."""
    return {(probe["symbol"], site["function"], site["function_offset"]):
            site["one_store"]
            for probe in dump["probes"] for site in probe["sites"]}


def main():
    truth = branches(sys.argv[1], sys.argv[2])
    listed, bad, final = {}, 0, json.load(sys.stdin)
    with open(sys.argv[3], encoding="utf-8") as file:
        partial = stores(json.load(file))
    for place, store in stores(final).items():
        if partial.get(place, None) not in (None, store):
            print("one_store of %s+%s was another in the partial" % place[1:])
            bad = 1
    for probe in final["probes"]:
        for site in probe["sites"]:
            addr = int(site["address"], 16)
            if addr in listed:
                print("0x%x is listed twice" % addr)
                bad = 1
            listed[addr] = probe["symbol"]
    for addr in sorted(set(truth) | set(listed)):
        if truth.get(addr) != listed.get(addr):
            print("0x%x: listed as %s, and is %s" %
                  (addr, listed.get(addr), truth.get(addr)))
            bad = 1
    if bad or not truth:
        sys.exit(1)
    print(len(truth))


if __name__ == "__main__":
    main()
