#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""arm_bits.py SDTLINK READELF PARTIAL FINAL - who notices a bit that flips?

FINAL, an ARM image, is proved. Flips each bit of each branch at a site, of the
four bytes before and behind it, of each veneer, and bit 0 of each stub's
symbol, or one in $SDTLINK_STRIDE of these; no such image may be proved. Bits that mean nothing are left out: what
lies behind bx pc, fields that the linker sets next to a site, and what does
not belong to the partial. Prints the number of mutants, exits 1 if one lived.
"""
import json
import os
import re
import struct
import subprocess
import sys

sdtlink, readelf, partial, final = sys.argv[1:]
data = open(final, "rb").read()
order = ">" if data[5] == 2 else "<"


def read(tool, *args):
    return subprocess.run([tool, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def proved():
    with open("mutant", "wb") as file:
        file.write(data)
    return read(sdtlink, "--verify", partial, "mutant").returncode == 0


def sections():
    """(address, offset, size) of what is loaded and executed."""
    shoff, = struct.unpack_from(order + "I", data, 32)
    size, count = struct.unpack_from(order + "HH", data, 46)
    for i in range(count):
        row = struct.unpack_from(order + "10I", data, shoff + i * size)
        if row[2] & 6 == 6 and row[1] == 1:
            yield row[3], row[4], row[5]


def offset_of(addr):
    for start, offset, size in sections():
        if start <= addr < start + size:
            return offset + addr - start
    sys.exit("0x%x is not in the text" % addr)


def symbols():
    text = read(readelf, "-sW", final).stdout.decode()
    for line in text.splitlines():
        row = line.split()
        if len(row) >= 8 and row[0][:-1].isdigit():
            yield row[7], int(row[1], 16), row[3]


def relocated():
    """The sections and offsets that have a relocation in the partial."""
    found, name = set(), ""
    for line in read(readelf, "-rW", partial).stdout.decode().splitlines():
        head = re.match(r"Relocation section '\.rel(.*?)'", line)
        if head:
            name = head.group(1)
        row = line.split()
        if len(row) >= 5 and re.match("[0-9a-f]{8}$", row[0]):
            found.add((name, int(row[0], 16)))
    return found


def sites(path):
    probes = json.loads(read(sdtlink, "--dump", "--format=json", path).stdout)
    return [(probe["symbol"], site) for probe in probes["probes"]
            for site in probe["sites"]]


STRIDE = int(os.environ.get("SDTLINK_STRIDE", "1"))
survivors = []
nflips = nmutants = 0


def flip(at, bit, what):
    global data, nflips, nmutants
    nflips += 1
    if nflips % STRIDE != 0:
        return
    before = data
    data = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]
    nmutants += 1
    if proved():
        survivors.append("%s, byte 0x%x, bit %d" % (what, at, bit))
    data = before


def flip_all(at, size, what):
    for i in range(size * 8):
        flip(at + i // 8, i % 8, what)


if not proved():
    sys.exit("it is not proved")
fields = relocated()
sizes = {}
for symbol, site in sites(partial):
    sizes.setdefault((symbol, site["function"]), []).append(site)
for symbol, site in sites(final):
    at = offset_of(int(site["address"], 16))
    flip_all(at, site["length"], "the site of " + symbol)
    # The same site in the partial: what is next to it there?
    for twin in sizes[symbol, site["function"]]:
        if twin["function_offset"] != site["function_offset"]:
            continue
        offset = int(twin["offset"], 16)
        for near in (offset - 4, offset + 4):
            touched = any((twin["section"], near + i) in fields
                          for i in range(-3, 4))
            inside = 0 <= near and not touched
            if inside and int(site["function_offset"], 16) >= 4:
                flip_all(at + near - offset, 2, "beside " + symbol)
for name, value, kind in symbols():
    if re.search("__dtrace_sdt_.*(_veneer|_from_)|Thunk_*__dtrace", name):
        at = offset_of(value & ~1)
        code = data[at:at + 4]
        if struct.unpack(order + "H", code[:2])[0] == 0x4778 or \
           code[:2] == b"\x78\x47":
            flip_all(at, 2, name)
            flip_all(at + 4, 4, name)
        else:
            flip_all(at, 8, name)
print("%d mutants, %d proved" % (nmutants, len(survivors)))
for what in survivors:
    print(what)
sys.exit(len(survivors) > 0)
