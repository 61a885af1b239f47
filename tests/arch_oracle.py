#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""arch_oracle.py OBJDUMP FINAL <DUMP - is the site table in FINAL true?

DUMP is what sdtlink --dump --format=json says of FINAL. The truth is what the
disassembler OBJDUMP prints of it: each instruction with a probe function, or
a veneer to it, as its operand. Prints each difference and exits 1 if there is
one; else prints the number of sites.
"""
import json
import re
import subprocess
import sys

LINE = re.compile(r"^ *([0-9a-f]+):\t(.*)$")
HEAD = re.compile(r"^[0-9a-f]+ <(.*)>:$")
NAME = re.compile(r"<(?:[^<>]*?_)??(__dtrace_sdt_\w+?)(?:_veneer|_from_\w+|"
                  r"_to_\w+|@plt|\$\w+)?(?:\+0x8)?>")


def branches(objdump, final):
    """The address of each branch to a probe function, with its name."""
    text = subprocess.run([objdump, "-d", final], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    found, inside = {}, ""
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            inside = head.group(1)
        match = LINE.match(line)
        if not match or "__dtrace_sdt_" in inside:
            continue
        name = NAME.search(match.group(2))
        if name:
            found[int(match.group(1), 16)] = name.group(1)
    return found


def main():
    truth = branches(sys.argv[1], sys.argv[2])
    listed, bad = {}, 0
    for probe in json.load(sys.stdin)["probes"]:
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
