# SPDX-License-Identifier: GPL-3.0-or-later
"""ELF files for the tests: read them, and change one field.

Written from the gABI, and shares nothing with sdtlink or libelf.
"""
import struct

SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL, SHT_DYNSYM = 2, 4, 8, 9, 11
SHT_GROUP = 17
SHF_ALLOC, SHF_EXECINSTR = 2, 4
SHN_UNDEF, SHN_LORESERVE = 0, 0xff00
ET_REL = 1
EM_386, EM_X86_64 = 3, 62

# Names and struct formats of the fields of each structure, by class.
EHDR = {64: "e_type:H e_machine:H e_version:I e_entry:Q e_phoff:Q e_shoff:Q "
            "e_flags:I e_ehsize:H e_phentsize:H e_phnum:H e_shentsize:H "
            "e_shnum:H e_shstrndx:H",
        32: "e_type:H e_machine:H e_version:I e_entry:I e_phoff:I e_shoff:I "
            "e_flags:I e_ehsize:H e_phentsize:H e_phnum:H e_shentsize:H "
            "e_shnum:H e_shstrndx:H"}
SHDR = {64: "sh_name:I sh_type:I sh_flags:Q sh_addr:Q sh_offset:Q sh_size:Q "
            "sh_link:I sh_info:I sh_addralign:Q sh_entsize:Q",
        32: "sh_name:I sh_type:I sh_flags:I sh_addr:I sh_offset:I sh_size:I "
            "sh_link:I sh_info:I sh_addralign:I sh_entsize:I"}
PHDR = {64: "p_type:I p_flags:I p_offset:Q p_vaddr:Q p_paddr:Q p_filesz:Q "
            "p_memsz:Q p_align:Q",
        32: "p_type:I p_offset:I p_vaddr:I p_paddr:I p_filesz:I p_memsz:I "
            "p_flags:I p_align:I"}
SYM = {64: "st_name:I st_info:B st_other:B st_shndx:H st_value:Q st_size:Q",
       32: "st_name:I st_value:I st_size:I st_info:B st_other:B st_shndx:H"}
REL = {64: "r_offset:Q r_info:Q", 32: "r_offset:I r_info:I"}
RELA = {64: "r_offset:Q r_info:Q r_addend:q",
        32: "r_offset:I r_info:I r_addend:i"}


def layout(fields, order="<"):
    """Name, offset and format of each of the FIELDS, and the size of all."""
    at, rows = 0, []
    for field in fields.split():
        name, kind = field.split(":")
        rows.append((name, at, order + kind))
        at += struct.calcsize(order + kind)
    return rows, at


class Record:
    """A structure in the file's bytes; its fields are attributes."""

    def __init__(self, elf, fields, offset):
        self.__dict__.update(elf=elf, offset=offset, rows=layout(fields, elf.order)[0])
        for name, at, kind in self.rows:
            value, = struct.unpack_from(kind, elf.bytes, offset + at)
            self.__dict__[name] = value

    def set(self, name, value):
        """Write VALUE, cut to the size of the field, to the bytes."""
        for row, at, kind in self.rows:
            if row == name:
                size = struct.calcsize(kind)
                self.elf.bytes[self.offset + at:self.offset + at + size] = \
                    (value & (1 << 8 * size) - 1).to_bytes(
                        size, "little" if kind[0] == "<" else "big")
                return
        raise KeyError(name)


class Elf:
    """The segments, sections, symbols and relocations of a file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())
        if self.bytes[:4] != b"\x7fELF":
            raise ValueError(path + ": no ELF file")
        self.order = "<" if self.bytes[5] == 1 else ">"
        self.bits = 64 if self.bytes[4] == 2 else 32
        self.ehdr = Record(self, EHDR[self.bits], 16)
        size = layout(SHDR[self.bits])[1]
        self.sections = [Record(self, SHDR[self.bits],
                                self.ehdr.e_shoff + i * size)
                         for i in range(self.ehdr.e_shnum)]
        size = layout(PHDR[self.bits])[1]
        self.segments = [Record(self, PHDR[self.bits],
                                self.ehdr.e_phoff + i * size)
                         for i in range(self.ehdr.e_phnum)]
        names = self.sections[self.ehdr.e_shstrndx]
        for section in self.sections:
            section.name = self.string(names, section.sh_name)
        self.symbols = []
        for section in self.sections:
            if section.sh_type == SHT_SYMTAB:
                self.symbols = self.symbols_of(section)

    def string(self, table, at):
        """The string at offset AT of the string table TABLE."""
        start = table.sh_offset + at
        return self.bytes[start:self.bytes.index(0, start)].decode(
            "utf-8", "surrogateescape")

    def records(self, section, fields):
        """The entries of a section."""
        size = layout(fields)[1]
        return [Record(self, fields, section.sh_offset + i * size)
                for i in range(section.sh_size // size)]

    def symbols_of(self, section):
        """The symbols of a symbol table, with their names."""
        symbols = self.records(section, SYM[self.bits])
        for symbol in symbols:
            symbol.name = self.string(self.sections[section.sh_link],
                                      symbol.st_name)
        return symbols

    def relocations(self, section):
        """The relocations of a section; r_addend is None in SHT_REL."""
        rela = section.sh_type == SHT_RELA
        relocations = self.records(section, (RELA if rela else
                                             REL)[self.bits])
        for r in relocations:
            shift = 32 if self.bits == 64 else 8
            r.symndx, r.type = r.r_info >> shift, r.r_info & (1 << shift) - 1
            if not rela:
                r.r_addend = None
        return relocations

    def section(self, name):
        """The first section of that name."""
        return next(s for s in self.sections if s.name == name)

    def data(self, section):
        """The bytes of a section."""
        if section.sh_type == SHT_NOBITS:
            return b""
        return bytes(self.bytes[section.sh_offset:
                                section.sh_offset + section.sh_size])

    def at_address(self, addr, size):
        """SIZE bytes at ADDR of a linked image, or None."""
        for s in self.sections:
            if s.sh_flags & SHF_ALLOC and s.sh_type != SHT_NOBITS and \
               s.sh_addr <= addr and addr + size <= s.sh_addr + s.sh_size:
                at = s.sh_offset + addr - s.sh_addr
                return bytes(self.bytes[at:at + size])
        return None
