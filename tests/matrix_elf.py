# SPDX-License-Identifier: GPL-3.0-or-later
"""An ELF reader for the oracle of tests/matrix.py, which shares nothing with
sdtlink: both classes, both byte orders, and no check of what it reads.
"""
import struct

SHF_ALLOC, SHF_EXEC = 2, 4
PROGBITS, SYMTAB, RELA, NOBITS, REL, DYNSYM = 1, 2, 4, 8, 9, 11
FUNC, NOTYPE = 2, 0
EM_ARM, EM_PPC64, EM_RISCV = 40, 21, 243
EF_ARM_BE8 = 0x800000
R_PPC64_ADDR64 = 38
PREFIX, ENABLED = "__dtrace_sdt_", "__dtrace_sdt_enabled_"


def is_probe(name):
    """Is that the name of a probe function? mold's thunks have a $."""
    return name.startswith(PREFIX) and name not in (PREFIX, ENABLED) and \
        "$" not in name


class Wrong(Exception):
    """There is no table, or not a table at all."""


class Unknown(Exception):
    """The image does not say what would be needed to tell."""


class Broken(Exception):
    """The image cannot run, whatever sdtlink did."""


class Sym:
    """One symbol. Of Thumb functions the address is told apart."""

    def __init__(self, name, value, size, info, other, shndx, machine):
        self.name, self.size, self.other = name, size, other
        self.bind, self.type, self.shndx = info >> 4, info & 15, shndx
        self.is_thumb = machine == EM_ARM and self.type == FUNC and value & 1
        self.value = value - 1 if self.is_thumb else value


class Sec:
    """One section."""

    def __init__(self, row):
        (self.nameoff, self.type, self.flags, self.addr, self.offset,
         self.size, self.link, self.info, self.align, self.entsize) = row
        self.name = ""


class Elf:
    """An ELF file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = data = file.read()
        if data[:4] != b"\x7fELF":
            raise ValueError(path)
        self.path, self.is64 = path, data[4] == 2
        self.order = "<" if data[5] == 1 else ">"
        self.machine = self.unpack("H", data, 18)[0]
        if self.is64:
            shoff = self.unpack("Q", data, 40)[0]
            flags = self.unpack("I", data, 48)[0]
            shentsize, shnum, shstrndx = self.unpack("3H", data, 58)
            form = "IIQQQQIIQQ"
        else:
            shoff = self.unpack("I", data, 32)[0]
            flags = self.unpack("I", data, 36)[0]
            shentsize, shnum, shstrndx = self.unpack("3H", data, 46)
            form = "10I"
        # Instructions need not have the order of the data.
        self.is_code_little = self.order == "<" or self.machine == 183 or \
            self.machine == EM_ARM and bool(flags & EF_ARM_BE8)
        self.sections = [Sec(self.unpack(form, data, shoff + i * shentsize))
                         for i in range(shnum)]
        for sec in self.sections:
            sec.name = self.string(self.sections[shstrndx].offset +
                                   sec.nameoff)
        self.symbols = []
        for sec in self.sections:
            if sec.type == SYMTAB:
                self.symbols = self.read_symbols(sec)
        self.dynamic = self.read_dynamic()
        self.toc = None
        if self.machine == EM_PPC64 and not flags & 2:
            self.follow_descriptors()
        self.is_thumb = any(s.is_thumb for s in self.symbols
                            if not is_probe(s.name))
        self.by_name = {}
        for sym in self.symbols:
            self.by_name.setdefault(sym.name, []).append(sym)

    def unpack(self, form, data, at=0):
        """Words in the order of the file."""
        return struct.unpack_from(self.order + form, data, at)

    def string(self, at):
        """The string at a file offset."""
        end = self.bytes.find(0, at)
        if end < 0:
            raise Wrong("a name is outside the file")
        return self.bytes[at:end].decode("utf-8", "replace")

    def read_symbols(self, sec):
        """The symbols of one table."""
        strings = self.sections[sec.link].offset
        data = self.bytes[sec.offset:sec.offset + sec.size]
        if self.is64:
            rows = [(n, v, s, i, o, x) for n, i, o, x, v, s in
                    struct.iter_unpack(self.order + "IBBHQQ", data)]
        else:
            rows = struct.iter_unpack(self.order + "IIIBBH", data)
        return [Sym(self.string(strings + n), v, s, i, o, x, self.machine)
                for n, v, s, i, o, x in rows]

    def read_dynamic(self):
        """What the loader will store where: the name of a symbol, or a
        number; for slots that a branch may be led by."""
        slots = {}
        for sec in self.sections:
            if sec.type not in (REL, RELA) or not sec.flags & SHF_ALLOC:
                continue
            syms = self.sections[sec.link]
            names = [s.name for s in self.read_symbols(syms)] \
                if syms.type == DYNSYM else []
            data = self.bytes[sec.offset:sec.offset + sec.size]
            form = ("QQq" if self.is64 else "IIi")[:2 + (sec.type == RELA)]
            for row in struct.iter_unpack(self.order + form, data):
                symndx = row[1] >> (32 if self.is64 else 8)
                if symndx and symndx < len(names):
                    slots[row[0]] = names[symndx]
                elif sec.type == RELA:
                    slots[row[0]] = row[2]
        return slots

    def follow_descriptors(self):
        """ELFv1: a function's symbol is that of a record in .opd, whose first
        word is the address of the code, and the second that of the TOC."""
        found = [i for i, sec in enumerate(self.sections)
                 if sec.name == ".opd" and sec.type == PROGBITS]
        code = {}
        for rela in self.sections:
            if rela.type == RELA and rela.info in found and not \
               rela.flags & SHF_ALLOC:
                for at, info, addend in struct.iter_unpack(
                        self.order + "QQq", self.data(rela)):
                    sym = self.symbols[info >> 32]
                    if info & 0xffffffff == R_PPC64_ADDR64:
                        code[at] = (sym.shndx, sym.value + addend)
        for sym in self.symbols:
            if sym.shndx not in found or sym.type != FUNC:
                continue
            if sym.value in code:
                sym.shndx, sym.value = code[sym.value]
            elif self.at(sym.value, 16):
                words = [self.dynamic.get(sym.value + 8 * i, word) for i, word
                         in enumerate(self.unpack("2Q",
                                                  self.at(sym.value, 16)))]
                sym.value, self.toc = words
                sym.shndx = next(
                    (i for i, sec in enumerate(self.sections)
                     if sec.flags & SHF_EXEC and
                     sec.addr <= sym.value < sec.addr + sec.size), 0xfff1)

    def data(self, sec):
        """The bytes of a section."""
        return b"" if sec.type == NOBITS else \
            self.bytes[sec.offset:sec.offset + sec.size]

    def at(self, addr, size):
        """SIZE bytes at an address of the image, or None."""
        for sec in self.sections:
            if sec.flags & SHF_ALLOC and sec.type != NOBITS and \
               sec.addr <= addr and addr + size <= sec.addr + sec.size:
                start = sec.offset + addr - sec.addr
                return self.bytes[start:start + size]
        return None

    def string_at(self, addr):
        """The string at an address of the image."""
        for sec in self.sections:
            if sec.flags & SHF_ALLOC and sec.type != NOBITS and \
               sec.addr <= addr < sec.addr + sec.size:
                return self.string(sec.offset + addr - sec.addr)
        raise Wrong(f"no string at {addr:#x}")

    def wrap(self, addr):
        """An address of this class."""
        return addr & ((1 << 64) - 1 if self.is64 else 0xffffffff)

    def code(self, addr):
        """The address of an instruction, of a pointer to it."""
        return self.wrap(addr) & ~(self.machine == EM_ARM)

    def defined(self, name):
        """The addresses of the symbols of that name."""
        return [s.value for s in self.by_name.get(name, []) if s.shndx]

    def units(self, data, unit):
        """Instructions as digits, the most significant first."""
        step = -1 if self.is_code_little else 1
        return "".join(data[i:i + unit][::step].hex()
                       for i in range(0, len(data), unit))


class Pe(Elf):
    """A PE image with the symbols of COFF, as GNU ld links one of ELF."""
    # pylint: disable=super-init-not-called

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = data = file.read()
        self.path, self.order, self.toc = path, "<", None
        self.head, = self.unpack("I", data, 60)
        machine, nsections, _, symbols, nsymbols, optional, _ = self.unpack(
            "HHIIIHH", data, self.head + 4)
        self.is64, self.is_thumb = machine == 0x8664, False
        self.machine = 62 if self.is64 else 3
        base, = self.unpack("Q" if self.is64 else "I", data,
                            self.head + (48 if self.is64 else 52))
        self.rows = self.head + 24 + optional
        self.sections, self.symbols, self.dynamic = [Sec([0] * 10)], [], {}
        self.is_code_little = True
        strings = symbols + 18 * nsymbols
        for i in range(nsections):
            row = self.rows + 40 * i
            size, rva, raw, offset = self.unpack("4I", data, row + 8)
            code = data[row + 36] & 0x20 or data[row + 39] & 0x20
            sec = Sec([0, PROGBITS if raw else NOBITS,
                       (SHF_ALLOC if rva or code else 0) |
                       (SHF_EXEC if code else 0), base + rva, offset,
                       min(size, raw) if raw else size, 0, 0, 0, 0])
            sec.name = data[row:row + 8].rstrip(b"\0").decode()
            sec.name = {"sdt_site": "sdt_sites", "sdt_prob": "sdt_probes",
                        ".debug.t": ".debug.truth",
                        ".debug.p": ".debug.place"}.get(sec.name, sec.name)
            self.sections.append(sec)
        at = 0
        while at < nsymbols:
            row = data[symbols + 18 * at:symbols + 18 * at + 18]
            value, number, _, kind, more = self.unpack("IHHBB", row, 8)
            name = self.string(strings + self.unpack("I", row, 4)[0]) \
                if row[:4] == bytes(4) else row[:8].rstrip(b"\0").decode()
            at += 1 + more
            if kind in (2, 3) and number < 0xfff0 and not (
                    kind == 3 and more):
                sec = self.sections[number]
                self.symbols.append(Sym(
                    name, value + (sec.addr if number else 0), 0,
                    16 * (kind == 2) + (FUNC if sec.flags & SHF_EXEC else 0),
                    0, number, self.machine))
        self.by_name = {}
        for sym in self.symbols:
            self.by_name.setdefault(sym.name, []).append(sym)


def open_image(path):
    """A linked image, in either format."""
    with open(path, "rb") as file:
        return (Pe if file.read(2) == b"MZ" else Elf)(path)
