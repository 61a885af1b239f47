#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fields.py SDTLINK PARTIAL FINAL OBJDUMP OPTION... - what may a field become?

FINAL, linked of PARTIAL, is proved. Flips each bit around each relocation of
the function `start`, or one in $SDTLINK_STRIDE. A mutant may be proved only if
OBJDUMP -D -b binary OPTION... reads the same instruction with the same
registers there, and another number; or the opposite operation, with all its
bits. Prints the number of mutants, exits 1 if another instruction was
proved.
"""
import os
import re
import subprocess
import sys

from elf import Elf, SHT_REL, SHT_RELA

sdtlink, partial, final, *objdump = sys.argv[1:]
STRIDE = int(os.environ.get("SDTLINK_STRIDE", "1"))
EM_S390 = 22
WIDTH, ROOM = 8, 16  # bytes of a prefixed instruction, and with zeros
# By the sign of a number, the mode of what is called, or for an erratum.
OPPOSITES = {"sub": "add", "subw": "addw", "movn": "movz", "blx": "bl",
             "adr": "adrp"}


def is_proved(image):
    """Is that what --verify says of the bytes IMAGE?"""
    with open("mutant", "wb") as file:
        file.write(image)
    return subprocess.run([sdtlink, "--verify", partial, "mutant"],
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def fields():
    """The offsets in `start` of the relocations of PARTIAL."""
    obj = Elf(partial)
    start = next(s for s in obj.symbols if s.name == "start")
    for section in obj.sections:
        if section.sh_type in (SHT_REL, SHT_RELA) and \
           section.sh_info == start.st_shndx:
            for r in obj.relocations(section):
                yield r.r_offset - (start.st_value & ~1)


def read(pieces):
    """What objdump reads at the start of each of PIECES, without numbers."""
    with open("pieces", "wb") as file:
        file.write(b"".join(piece.ljust(ROOM, b"\0") for piece in pieces))
    text = subprocess.run(objdump[:1] + ["-D", "-b", "binary", "-z",
                                         *objdump[1:], "pieces"],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    found = {}
    for line in text.splitlines():
        row = re.match(r" *([0-9a-f]+):\t[0-9a-f ]+\t(.*)", line)
        if row:
            insn = re.sub(r"([;/<@]|\t#).*", "", row[2]).strip()
            name, *operands = insn.split(None, 1)
            operands = re.sub(r",?[ +]*(?<![\w$%])#?[-+]?(0x[0-9a-f]+|\d+)\b",
                              "", " ".join(operands))
            found[int(row[1], 16)] = OPPOSITES.get(name, name) + " " + operands
    return [found.get(i * ROOM, "nothing") for i in range(len(pieces))]


image = bytearray(open(final, "rb").read())
if not is_proved(image):
    sys.exit("it is not proved as it was linked")
elf = Elf(final)
symbol = next(s for s in elf.symbols if s.name == "start")
text = elf.sections[symbol.st_shndx]
base = text.sh_offset + (symbol.st_value & ~1) - text.sh_addr
nmutants, pieces, where = 0, [], []
for field in sorted({offset & ~1 for offset in fields()}):
    first = base + (field - 2 if elf.ehdr.e_machine == EM_S390 else
                    field if "force-thumb" in objdump else field & ~3)
    for bit in range(8 * 4):
        nmutants += 1
        if nmutants % STRIDE:
            continue
        at = first + bit // 8
        image[at] ^= 1 << bit % 8
        if is_proved(image):
            pieces += [bytes(elf.bytes[first:first + WIDTH]),
                       bytes(image[first:first + WIDTH])]
            where.append("start+0x%x, bit %d of 0x%x" % (first - base, bit % 8,
                                                         at - base))
        image[at] ^= 1 << bit % 8
insns = read(pieces)
failed = 0
for i, place in enumerate(where):
    if insns[2 * i] != insns[2 * i + 1]:
        print("%s: %s became %s" % (place, insns[2 * i], insns[2 * i + 1]))
        failed += 1
print("%d mutants, %d proved, %d of these other instructions" %
      (nmutants // STRIDE, len(where), failed))
sys.exit(1 if failed or not where else 0)
