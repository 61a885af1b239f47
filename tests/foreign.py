#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""foreign.py FILE... - does --dump --kind=all list what is in the tables of
others that each ELF file has?

readelf reads notes, llvm-xray the map of a final, and elf.py the rest: an
entry's relocations in an object, its bytes in a final. Prints how many sites of
each kind were the same, and fails at a difference. $SDTLINK is the command.
"""
import collections
import json
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from elf import Elf  # noqa: E402

ET_REL, SHT_RELA, SHT_REL, SHT_NOBITS = 1, 4, 9, 8
WORDS = {"__mcount_loc": "mcount", "__patchable_function_entries": "patchable"}
BOUNDS = {"__mcount_loc": ("__start_mcount_loc", "__stop_mcount_loc"),
          "__jump_table": ("__start___jump_table", "__stop___jump_table"),
          ".static_call_sites": ("__start_static_call_sites",
                                 "__stop_static_call_sites")}
OWN = {"call", "tail", "cond", "enabled", "branch", "tracepoint"}
SLEDS = ["entry", "exit", "tail", "entry", "custom-event", "typed-event"]


class Table:
    """A table's bytes, and what its fields lead to."""

    def __init__(self, elf, name, index, start, size):
        self.elf, self.index, self.start, self.size = elf, index, start, size
        self.name = name
        self.section = elf.sections[index]
        self.relocs = collections.defaultdict(list)
        for rel in elf.sections:
            if rel.sh_type in (SHT_RELA, SHT_REL) and \
               (rel.sh_info == index if elf.ehdr.e_type == ET_REL else
                    rel.sh_flags & 2):
                for r in elf.relocations(rel):
                    self.relocs[r.r_offset].append(r)

    def number(self, at, width, signed=False):
        """The WIDTH bytes at AT."""
        kind = {4: "i", 8: "q"}[width]
        return struct.unpack_from(
            self.elf.order + (kind if signed else kind.upper()),
            self.elf.bytes, self.section.sh_offset + self.start + at)[0]

    def target(self, r, at, width):
        """Symbol, and offset in its section, of a relocation."""
        sym = self.elf.symbols[r.symndx]
        addend = self.number(at, width, True) if r.r_addend is None \
            else r.r_addend
        return sym, (sym.st_value + addend) % (1 << self.elf.bits)

    def field(self, at, width, distance):
        """(section or None, offset or address, symbol), or None if it is 0."""
        addr = self.section.sh_addr + self.start + at
        if self.elf.ehdr.e_type != ET_REL:
            value = self.number(at, width, distance)
            if not distance and addr in self.relocs:
                r, = self.relocs[addr]
                if r.r_addend is not None:
                    value = r.r_addend
            value = (addr if distance else 0) + value
            return (None, value % (1 << self.elf.bits), None) if value else None
        relocs = self.relocs[self.start + at]
        if not relocs:
            return None
        sym, offset = self.target(relocs[0], at, width)
        if len(relocs) == 2:  # what is added, and what is subtracted
            _, base = self.target(relocs[1], at, width)
            offset += self.start + at - base
        if sym.st_shndx == 0:
            return None, offset, sym.name
        return sym.st_shndx, offset, None


def tables(elf, name):
    """All of that name, by section, or by the names of its ends."""
    found = [Table(elf, name, i, 0, s.sh_size)
             for i, s in enumerate(elf.sections)
             if s.name == name and s.sh_size and s.sh_type != SHT_NOBITS]
    if found or elf.ehdr.e_type == ET_REL or name not in BOUNDS:
        return found
    ends = {s.name: s.st_value for s in elf.symbols if s.name in BOUNDS[name]}
    if len(ends) < 2:
        return []
    start, end = (ends[n] for n in BOUNDS[name])
    for i, s in enumerate(elf.sections):
        if s.sh_flags & 2 and s.sh_addr <= start < s.sh_addr + s.sh_size:
            return [Table(elf, name, i, start - s.sh_addr, end - start)]
    return []


def is_text(elf, place):
    """Is there code?"""
    if place is None:
        return False
    if elf.ehdr.e_type == ET_REL:
        return place[0] is not None and elf.sections[place[0]].sh_flags & 4
    return any(s.sh_flags & 4 and s.sh_addr <= place[1] < s.sh_addr + s.sh_size
               for s in elf.sections)


def shown(elf, place):
    """As the JSON has it: the section's name, and offset or address."""
    if elf.ehdr.e_type == ET_REL:
        return elf.sections[place[0]].name, place[1]
    return None, place[1]


def names_at(elf, place):
    """All that a key may be called."""
    if place[2] is not None:
        return {place[2] + (f"+{place[1]:#x}" if place[1] else "")}
    if not hasattr(elf, "data_names"):
        elf.data_names = [(s.st_shndx, s.st_value, max(s.st_size, 1), s.name)
                          for s in elf.symbols if s.name and
                          0 < s.st_shndx < 0xff00 and s.st_info & 15 in (0, 1)
                          and not elf.sections[s.st_shndx].sh_flags & 4]
    names = set()
    for shndx, value, size, name in elf.data_names:
        if value <= place[1] < value + size and \
           (elf.ehdr.e_type != ET_REL or shndx == place[0]):
            offset = place[1] - value
            names.add(name + (f"+{offset:#x}" if offset else ""))
    return names


def keyed(elf, name, kind, want):
    """Static keys and calls: entries with a key."""
    absolute = elf.ehdr.e_machine in (8, 40, 43)  # MIPS, ARM, SPARC
    word = elf.bits // 8
    for table in tables(elf, name):
        width = 4 if not absolute or elf.ehdr.e_machine == 43 else word
        key = word if kind == "jump-label" and elf.ehdr.e_machine != 43 else 4
        key_at = 2 * width if kind == "jump-label" else 4
        for at in range(0, table.size, key_at + key):
            code = table.field(at, width, not absolute)
            to = table.field(at + key_at, key, not absolute)
            if is_text(elf, code):
                form = "branch"
                if kind == "static-call":
                    form = "tail" if to[1] & 1 else "call"
                to = to[0], to[1] & ~3, to[2]
                want.append((kind, *shown(elf, code), form, to))


def read_xray(elf, path, want):
    """XRay's map: in a final, as LLVM's own tool reads it."""
    found = tables(elf, "xray_instr_map")
    if found and elf.ehdr.e_type != ET_REL:
        words = {"function-enter": "entry", "function-exit": "exit",
                 "tail-exit": "tail"}
        text = subprocess.run([os.environ.get("LLVM_XRAY", "llvm-xray"),
                               "extract", "-o", "-", path], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        for addr, kind in re.findall(r"address: (\S+), .*kind: ([a-z-]+)",
                                     text):
            want.append(("xray", None, int(addr, 16), words.get(kind, kind)))
        return
    word = elf.bits // 8
    for table in found:
        for at in range(0, table.size, 4 * word):
            place = table.field(at, word, True)
            kind = elf.bytes[table.section.sh_offset + at + 2 * word]
            want.append(("xray", *shown(elf, place), SLEDS[kind]))


def read_notes(elf, path, want):
    """Notes, as readelf prints them; in an object it does not relocate them."""
    text = subprocess.run(["readelf", "-nW", path], check=True,
                          stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL).stdout
    notes = re.findall(
        r"Provider: (.*)\n\s*Name: (.*)\n\s*Location: (\S+), Base: (\S+), "
        r"Semaphore: (\S+)\n\s*Arguments: ?(.*)", text)
    if elf.ehdr.e_type != ET_REL:
        base = [s.sh_addr for s in elf.sections if s.name == ".stapsdt.base"]
        for provider, name, site, at, semaphore, operands in notes:
            moved = base[0] - int(at, 16) if base and int(at, 16) else 0
            semaphore = int(semaphore, 16)
            want.append(("stapsdt", None, int(site, 16) + moved, provider, name,
                         operands, semaphore and semaphore + moved))
        return
    places, word = [], elf.bits // 8
    for table in tables(elf, ".note.stapsdt"):
        at = 0
        while at < table.size:
            places.append(table.field(at + 20, word, False))
            at += 20 + (table.number(at + 4, 4) + 3) // 4 * 4
    for place, (provider, name, _, _, _, operands) in zip(places, notes,
                                                          strict=True):
        want.append(("stapsdt", *shown(elf, place), provider, name, operands, 0))


def wanted(path):
    """All sites of PATH, by what its tables hold."""
    elf, want = Elf(path), []
    for name, kind in WORDS.items():
        for table in tables(elf, name):
            for at in range(0, table.size, elf.bits // 8):
                place = table.field(at, elf.bits // 8, False)
                if is_text(elf, place):
                    # The low bit of a pointer to Thumb code is none of it.
                    thumb = 1 if elf.ehdr.e_machine == 40 else 0
                    place = place[0], place[1] & ~thumb, None
                    want.append((kind, *shown(elf, place)))
    keyed(elf, "__jump_table", "jump-label", want)
    keyed(elf, ".static_call_sites", "static-call", want)
    read_xray(elf, path, want)
    if any(s.name == ".note.stapsdt" for s in elf.sections):
        read_notes(elf, path, want)
    return elf, want


def listed(path):
    """What sdtlink lists, in the same terms; and the names of keys."""
    done = subprocess.run([os.environ.get("SDTLINK", "sdtlink"), "--dump",
                           "--kind=all", "--format=json", path], check=False,
                          stdout=subprocess.PIPE)
    document = json.loads(done.stdout)
    if done.returncode:
        sys.exit(f"{path}: {document['diagnostics']}")
    for probe in document["probes"]:
        for site in probe["sites"]:
            kind = site["kind"]
            if kind in OWN:
                continue
            place = (None, int(site["address"], 16)) if site["address"] \
                else (site["section"], int(site["offset"], 16))
            row = kind, *place
            if kind == "xray":
                row += probe["name"],
            elif kind == "stapsdt":
                row += (probe["provider"], probe["name"], site["operands"],
                        int(site["semaphore"] or "0", 16))
            elif kind in ("jump-label", "static-call"):
                row += site["form"],
            yield row, probe["name"]


def compare(path, counts):
    """Exits at a difference."""
    elf, want = wanted(path)
    keys = collections.defaultdict(list)
    for row in want:
        if row[0] in ("jump-label", "static-call"):
            keys[row[:4]].append(row[4])
    want = collections.Counter(
        row[:4] if row[0] in ("jump-label", "static-call") else row
        for row in want)
    got = collections.Counter()
    cache = {}
    for row, name in listed(path):
        got[row] += 1
        if row not in keys:
            continue
        names = set()
        for key in keys[row]:
            if key not in cache:
                cache[key] = {re.sub("^__SC[KT]__", "", n)
                              for n in names_at(elf, key)}
            names |= cache[key]
        if elf.symbols and name not in names:
            sys.exit(f"{path}: {row}: {name} is none of {names}")
    if got != want:
        sys.exit(f"{path}: only listed: {list((got - want).items())[:5]}; "
                 f"not listed: {list((want - got).items())[:5]}")
    for row, n in got.items():
        counts[row[0]] += n


def main():
    """Compare each file."""
    counts = collections.Counter()
    for path in sys.argv[1:]:
        compare(path, counts)
    print(*(f"{kind}={n}" for kind, n in sorted(counts.items())))


main()
