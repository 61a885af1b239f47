#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""x86_encodings.py OUT [STRIDE] - writes an object of x86-64 with encodings.

One stands in each SLOT of bytes, with NOPs behind it: all opcodes of one byte
and behind 0f, with and without REX, REX2 and a prefix, and those of VEX and of
each map of EVEX, with operands of several forms. Of those that are alike, one
in STRIDE is there.
"""
import itertools
import struct
import sys

SLOT = 32
# Registers, no displacement, a SIB byte, one relative to %rip, displacements.
MODRM = [b"\xc1", b"\x01", b"\x04\x24", b"\x05", b"\x44\x24", b"\x80"]
MODRM += [bytes((0xc1 | reg << 3,)) for reg in range(1, 8)]
# Prefixes, and what begins other encodings.
OTHERS = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3,
          0x0f, 0x62, 0xc4, 0xc5, 0xd5}
# Intel ignores 66 before a near branch, which others do not.
NEAR = {0xe8, 0xe9}


def is_in_rex2(payload, opcode):
    """LLVM decodes more than the manual has."""
    if payload & 0x80:
        return opcode >> 4 not in {3, 8}
    return opcode >> 4 not in {4, 7, 0xa, 0xe} and opcode not in OTHERS


def encodings():
    every = [bytes((i,)) for i in range(256)]
    for opcode, modrm in itertools.product(every, MODRM):
        number = opcode[0]
        for prefix in (b"", b"\x66", b"\xf2", b"\x48", b"\x67"):
            if number not in OTHERS and number >> 4 != 4 and \
                    (prefix != b"\x66" or number not in NEAR):
                yield prefix + opcode + modrm
            if prefix != b"\x66" or number >> 4 != 8:
                yield prefix + b"\x0f" + opcode + modrm
        for payload in (0, 8, 0x80, 0x88, 0x11, 0x51, 0xd5):
            for prefix in (b"", b"\x66"):
                if is_in_rex2(payload, number):
                    yield prefix + bytes((0xd5, payload)) + opcode + modrm
        for p in range(4):
            yield bytes((0xc5, 0xf8 | p)) + opcode + modrm
            for m, w in itertools.product((1, 2, 3, 5), (0, 0x80)):
                yield bytes((0xc4, 0xe0 | m, 0x78 & ~w | w | p)) + \
                    opcode + modrm
            for m, w, last in itertools.product(
                    (1, 2, 3, 4, 5, 6), (0, 0x80),
                    (0x08, 0x18, 0x0c, 0x1c, 0x48)):
                yield bytes((0x62, 0xf0 | m, 0x7c & ~w | w | p, last)) + \
                    opcode + modrm


def main():
    stride = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    text = b"".join(insn.ljust(SLOT, b"\x90")
                    for insn in itertools.islice(encodings(), 0, None, stride))
    names = b"\0.text\0.shstrtab\0"
    start = 64 + len(text)
    with open(sys.argv[1], "wb") as file:
        file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 1, 62, 1,
                               0, 0, (start + len(names) + 7) & -8, 0, 64, 0,
                               0, 64, 3, 2))
        file.write(text + names + bytes(-(start + len(names)) % 8) + bytes(64))
        file.write(struct.pack("<IIQQQQIIQQ", 1, 1, 6, 0, 64, len(text), 0, 0,
                               SLOT, 0))
        file.write(struct.pack("<IIQQQQIIQQ", 7, 3, 0, 0, start, len(names),
                               0, 0, 1, 0))


main()
