# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages finals of tests/matrix.py in one place."""
import os
import struct

import matrix_oracle as oracle
from matrix_code import CALL, Code
from matrix_elf import (EM_ARM, EM_RISCV, ENABLED, NOBITS, SHF_ALLOC, Elf,
                        is_probe)
from matrix_insns import (EM_386, EM_AARCH64, EM_LOONGARCH, EM_MIPS, EM_PPC,
                          EM_PPC64, EM_S390, EM_SPARCV9, EM_X86_64)

# Where the distance is in a call, and in how many bytes it counts.
FIELDS = {
    EM_AARCH64: (0x3ffffff, 4), EM_ARM: (0xffffff, 4),
    EM_PPC: (0x3fffffc, 1), EM_PPC64: (0x3fffffc, 1),
    EM_MIPS: (0x3ffffff, 4), EM_SPARCV9: (0x3fffffff, 4),
}


def file_offset(final, addr):
    """Where an address is in the file."""
    return next(sec.offset + addr - sec.addr for sec in final.sections
                if sec.flags & SHF_ALLOC and sec.type != NOBITS and
                sec.addr <= addr < sec.addr + sec.size)


def patch(build, partial):
    """Damage a final in one place; or say that it cannot be done."""
    path, how = os.path.join(build.dir, "final"), build.variant.how
    final = Elf(path)
    data = bytearray(final.bytes)
    if how in ("patch-target", "patch-site"):
        if not patch_site(final, data, build, Elf(partial)):
            return False
    elif build.form == "offsets":
        table = file_offset(final, final.defined("sdt_table")[0])
        sections = final.unpack("I", data, table + 12)[0]
        swap(final.order, data, table + 32 + 8 * sections, how, 8)
    else:
        start, end = oracle.anchored_range(final)
        at = file_offset(final, start)
        if how == "patch-twice":
            move(final.order, data, at, 8)
        elif how == "patch-probe":
            exchange_descriptors(final.order, data, at, (end - start) // 8)
        else:
            swap(final.order, data, at, how, 8)
    os.remove(path)
    with open(path, "wb") as file:
        file.write(data)
    return True


def move(order, data, at, size):
    """Overwrite an anchored entry by the one behind it."""
    site, what = struct.unpack_from(order + "2i", data, at + size)
    struct.pack_into(order + "2i", data, at, site + size, what + size)


def exchange_descriptors(order, data, at, n):
    """Of the first entry and one of another probe but the same form."""
    whats = [struct.unpack_from(order + "i", data, at + 8 * i + 4)[0] + 8 * i
             for i in range(n)]
    other = next(i for i in range(1, n) if whats[i] != whats[0] and
                 (whats[i] ^ whats[0]) & 7 == 0)
    struct.pack_into(order + "i", data, at + 4, whats[other])
    struct.pack_into(order + "i", data, at + 8 * other + 4,
                     whats[0] - 8 * other)


def swap(order, data, at, how, size):
    """Damage an entry: both forms have the site first, then the probe."""
    first, what = struct.unpack_from(order + "2I", data, at)
    if how == "patch-entry":
        struct.pack_into(order + "I", data, at, first + 2)
    elif how == "patch-twice":
        data[at:at + size] = data[at + size:at + 2 * size]
    else:
        i = 1
        while True:
            other = struct.unpack_from(order + "I", data,
                                       at + size * i + 4)[0]
            if other >> 3 != what >> 3 and not (other ^ what) & 7:
                break
            i += 1
        struct.pack_into(order + "I", data, at + 4, other)
        struct.pack_into(order + "I", data, at + size * i + 4, what)


def patch_site(final, data, build, partial):
    """Damage a branch: the first call that goes right to a stub."""
    final.is_thumb = partial.is_thumb
    stubs = {name: final.defined(name)[0] for name in final.by_name
             if is_probe(name) and final.defined(name)}
    code = Code(final, stubs, build.objdump, partial)
    direct = {source for target, source in code.targets
              if target in stubs.values()}
    addr, name, _ = next(site for site in sorted(code.sites)
                         if site[2] == CALL and site[0] in direct and
                         not site[1].startswith(ENABLED))
    other = next(stub for stub in sorted(stubs)
                 if stub != name and not stub.startswith(ENABLED))
    at = file_offset(final, addr)
    if build.variant.how == "patch-target":
        return redirect(final, data, at, addr, stubs[name], stubs[other])
    if final.machine in (EM_386, EM_X86_64):
        data[at:at + 5] = b"\x0f\x1f\x44\x00\x01"
    elif final.machine == EM_RISCV:
        struct.pack_into("<I", data, at, 0x00100013)
    else:
        nop = bytes.fromhex(build.isa.nop)
        unit = code.row.unit
        if final.is_code_little:
            nop = b"".join(nop[i:i + unit][::-1]
                           for i in range(0, len(nop), unit))
        data[at:at + len(nop)] = nop
    return True


def redirect(final, data, at, addr, old, new):
    """Let a call go to another stub."""
    order = "<" if final.is_code_little else ">"
    delta = new - old
    if final.machine in (EM_386, EM_X86_64):
        field = struct.unpack_from("<i", data, at + 1)[0]
        struct.pack_into("<i", data, at + 1, field + delta)
    elif final.machine == EM_RISCV:
        redirect_riscv(data, at, new - addr)
    elif final.machine == EM_S390:
        field = struct.unpack_from(">i", data, at + 2)[0]
        struct.pack_into(">i", data, at + 2, field + delta // 2)
    elif final.machine == EM_ARM and final.is_thumb:
        struct.pack_into("<2H", data, at, *thumb_call(new - addr - 4))
    elif final.machine == EM_LOONGARCH:
        redirect_loongarch(data, at, new - addr >> 2)
    else:
        mask, scale = FIELDS[final.machine]
        word = struct.unpack_from(order + "I", data, at)[0]
        struct.pack_into(order + "I", data, at,
                         word & ~mask | word + delta // scale & mask)
    return True


def redirect_loongarch(data, at, offset):
    """bl, or pcaddu18i and jirl, OFFSET instructions away."""
    first, second = struct.unpack_from("<2I", data, at)
    if first >> 25 == 0x0f:
        high = offset + 0x8000 >> 16
        struct.pack_into("<2I", data, at,
                         first & ~(0xfffff << 5) | (high & 0xfffff) << 5,
                         second & ~(0xffff << 10) | (offset & 0xffff) << 10)
    else:
        struct.pack_into("<I", data, at, 0x54000000 | (offset & 0xffff) << 10 |
                         offset >> 16 & 0x3ff)


def thumb_call(offset):
    """The two halves of bl."""
    s = offset >> 24 & 1
    j1, j2 = ((offset >> n & 1) ^ 1 ^ s for n in (23, 22))
    return (0xf000 | s << 10 | offset >> 12 & 0x3ff,
            0xd000 | j1 << 13 | j2 << 11 | offset >> 1 & 0x7ff)


def redirect_riscv(data, at, offset):
    """jal, or auipc and jalr."""
    word = struct.unpack_from("<I", data, at)[0]
    if word & 0x7f == 0x6f:
        struct.pack_into("<I", data, at, word & 0xfff | jal_bits(offset))
        return
    struct.pack_into("<2I", data, at,
                     word & 0xfff | (offset + 0x800) & 0xfffff000,
                     struct.unpack_from("<I", data, at + 4)[0] & 0xfffff |
                     (offset & 0xfff) << 20)


def jal_bits(offset):
    """The immediate of a jal."""
    return ((offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 |
            (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12)
