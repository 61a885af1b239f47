#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bare.py FILE OUTPUT: OUTPUT is the ELF file FILE without section headers and
what only they tell of, as the loader reads it."""
import struct
import sys


def bare(image):
    order = "<" if image[5] == 1 else ">"
    is_64 = image[4] == 2
    phoff = struct.unpack_from(order + ("Q" if is_64 else "I"), image,
                               32 if is_64 else 28)[0]
    phnum = struct.unpack_from(order + "H", image, 56 if is_64 else 44)[0]
    end = 0
    for i in range(phnum):
        if is_64:
            offset, _, _, size = struct.unpack_from(order + "4Q", image,
                                                    phoff + 56 * i + 8)
        else:
            offset, _, _, size = struct.unpack_from(order + "4I", image,
                                                    phoff + 32 * i + 4)
        end = max(end, offset + size)
    struct.pack_into(order + ("Q" if is_64 else "I"), image,
                     40 if is_64 else 32, 0)
    struct.pack_into(order + "3H", image, 58 if is_64 else 46, 0, 0, 0)
    return image[:end]


with open(sys.argv[1], "rb") as file:
    contents = bytearray(file.read())
with open(sys.argv[2], "wb") as file:
    file.write(bare(contents))
