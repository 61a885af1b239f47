# SPDX-License-Identifier: GPL-3.0-or-later
"""Is the site table of a final true? The second opinion of tests/matrix.py.

It shares nothing with sdtlink: an ELF reader of its own, the branches as
objdump prints them, and the tables as sdt_table(5) describes them.
"""
import bisect
import re
import struct
import subprocess

PREFIX, ENABLED = "__dtrace_sdt_", "__dtrace_sdt_enabled_"
CALL, TAIL, COND = 0, 1, 2
EM_386, EM_X86_64, EM_RISCV = 3, 62, 243
SHF_ALLOC, SHF_EXEC = 2, 4
FUNC, NOTYPE = 2, 0


class Wrong(Exception):
    """There is no table, or not a table at all."""


class Unknown(Exception):
    """The image does not say what would be needed to tell."""


# --- ELF ---------------------------------------------------------------------

class Sym:
    """One symbol."""

    def __init__(self, name, value, size, info, shndx):
        self.name, self.value, self.size = name, value, size
        self.bind, self.type, self.shndx = info >> 4, info & 15, shndx


class Sec:
    """One section."""

    def __init__(self, row):
        (self.nameoff, self.type, self.flags, self.addr, self.offset,
         self.size, self.link, self.info, self.align, self.entsize) = row
        self.name = ""


class Elf:
    """A little-endian ELF file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = data = file.read()
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise ValueError(path)
        self.path, self.is64 = path, data[4] == 2
        if self.is64:
            self.machine = struct.unpack_from("<H", data, 18)[0]
            shoff = struct.unpack_from("<Q", data, 40)[0]
            shentsize, shnum, shstrndx = struct.unpack_from("<3H", data, 58)
            form = "<IIQQQQIIQQ"
        else:
            self.machine = struct.unpack_from("<H", data, 18)[0]
            shoff = struct.unpack_from("<I", data, 32)[0]
            shentsize, shnum, shstrndx = struct.unpack_from("<3H", data, 46)
            form = "<10I"
        self.sections = [Sec(struct.unpack_from(form, data,
                                                shoff + i * shentsize))
                         for i in range(shnum)]
        for sec in self.sections:
            sec.name = self.string(self.sections[shstrndx].offset +
                                   sec.nameoff)
        self.symbols = []
        for sec in self.sections:
            if sec.type == 2:
                self.symbols = self.read_symbols(sec)
        self.by_name = {}
        for sym in self.symbols:
            self.by_name.setdefault(sym.name, []).append(sym)

    def string(self, at):
        """The string at a file offset."""
        return self.bytes[at:self.bytes.index(0, at)].decode("utf-8",
                                                             "replace")

    def read_symbols(self, sec):
        """The symbols of one table."""
        strings = self.sections[sec.link].offset
        data = self.bytes[sec.offset:sec.offset + sec.size]
        if self.is64:
            rows = [(n, v, s, i, x) for n, i, _, x, v, s in
                    struct.iter_unpack("<IBBHQQ", data)]
        else:
            rows = [(n, v, s, i, x) for n, v, s, i, _, x in
                    struct.iter_unpack("<IIIBBH", data)]
        return [Sym(self.string(strings + n), v, s, i, x)
                for n, v, s, i, x in rows]

    def relocations(self, sec):
        """Offset, type and symbol index of each."""
        data = self.bytes[sec.offset:sec.offset + sec.size]
        if self.is64:
            form = "<QQq" if sec.type == 4 else "<QQ"
            return [(row[0], row[1] & 0xffffffff, row[1] >> 32)
                    for row in struct.iter_unpack(form, data)]
        form = "<IIi" if sec.type == 4 else "<II"
        return [(row[0], row[1] & 255, row[1] >> 8)
                for row in struct.iter_unpack(form, data)]

    def data(self, sec):
        """The bytes of a section."""
        return b"" if sec.type == 8 else \
            self.bytes[sec.offset:sec.offset + sec.size]

    def at(self, addr, size):
        """SIZE bytes at an address of the image, or None."""
        for sec in self.sections:
            if sec.flags & SHF_ALLOC and sec.type != 8 and \
               sec.addr <= addr and addr + size <= sec.addr + sec.size:
                start = sec.offset + addr - sec.addr
                return self.bytes[start:start + size]
        return None

    def string_at(self, addr):
        """The string at an address of the image."""
        for sec in self.sections:
            if sec.flags & SHF_ALLOC and sec.type != 8 and \
               sec.addr <= addr < sec.addr + sec.size:
                return self.string(sec.offset + addr - sec.addr)
        raise Wrong(f"no string at {addr:#x}")

    def wrap(self, addr):
        """An address of this class."""
        return addr & ((1 << 64) - 1 if self.is64 else 0xffffffff)

    def defined(self, name):
        """The addresses of the symbols of that name."""
        return [s.value for s in self.by_name.get(name, []) if s.shndx]


def is_probe(name):
    """Is that the name of a probe function?"""
    return name.startswith(PREFIX) and name not in (PREFIX, ENABLED)


# --- Branches, as objdump prints them ------------------------------------------

LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+?) *(?:\t(.*))?$")
X86_BRANCH = re.compile(r"(?:(?:bnd|notrack|addr32|addr16|data16|rex\.?\w*|"
                        r"[c-g]s|ss|repz|repnz) )*(call|jmp|j\w+|loop\w*|xbegin)"
                        r"(?:[wlq]|,p[nt])? +([0-9a-f]+) <(.*)>")
RV_BRANCH = re.compile(r"(?:c\.)?(j|jal|b\w+)\s+(?:.*,)?(?:0x)?([0-9a-f]+)"
                       r" <(.*)>")
REFERENCE = re.compile(r"<(__dtrace_sdt_\w+)(?:@plt)?>")


def sign(value, width):
    """Two's complement."""
    return (value ^ 1 << width - 1) - (1 << width - 1)


class Code:
    """All branches to stubs of a final, and what leads where."""

    def __init__(self, final, stubs, objdump):
        self.final, self.stubs = final, stubs
        self.by_addr = {}
        for name, addr in stubs.items():
            self.by_addr.setdefault(addr, name)
        self.sites, self.hidden, self.targets = set(), [], []
        self.starts = sorted((s.value, s.size, s.name)
                             for s in final.symbols
                             if s.shndx and s.type in (FUNC, NOTYPE) and
                             s.name and not s.name.startswith((".L", "$")))
        self.objdump, self.previous = objdump, None
        self.disassemble(None)

    def disassemble(self, only, *more):
        """Read what objdump prints; with ONLY, but one branch."""
        text = subprocess.run([self.objdump, "-d", "-w", *more,
                               self.final.path], check=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
        read = self.riscv if self.final.machine == EM_RISCV else self.x86
        for line in text.decode("utf-8", "replace").splitlines():
            match = LINE.match(line)
            if not match or not match[3]:
                continue
            addr = int(match[1], 16)
            if only is None and self.is_behind_stub(addr):
                continue
            read(addr, match[2], match[3])
            if only is not None and addr > only:
                break

    def is_behind_stub(self, addr):
        """Bytes that follow a stub, and belong to no function."""
        i = bisect.bisect_right(self.starts, (addr, 1 << 64, "")) - 1
        if i < 0:
            return False
        start, size, name = self.starts[i]
        return is_probe(name) and addr >= start + size

    def decode_behind_stub(self, addr):
        """Disassemble anew from an entry that is there: dead code may be."""
        if self.is_behind_stub(addr):
            self.disassemble(addr, f"--start-address={addr}",
                             f"--stop-address={addr + 8}")

    def branch(self, addr, form, target, label):
        """One branch; is it a site?"""
        self.targets.append((target, addr))
        name = self.by_addr.get(target)
        if name is None and label.endswith("@plt"):
            name = label[:-4]
        if name is not None and is_probe(name):
            self.sites.add((addr, name, form))

    def x86(self, addr, _, insn):
        """One instruction of x86."""
        match = X86_BRANCH.match(insn)
        if match:
            form = {"call": CALL, "jmp": TAIL}.get(match[1], COND)
            self.branch(addr, form, int(match[2], 16), match[3])
        elif REFERENCE.search(insn):
            self.hidden.append(addr)

    def riscv(self, addr, raw, insn):
        """One instruction of RISC-V; auipc and jalr are one branch."""
        word = int(raw.replace(" ", ""), 16)
        previous, self.previous = self.previous, None
        if len(raw) == 8 and word & 0x7f == 0x17:
            self.previous = (addr, word)
            return
        if len(raw) == 8 and word & 0x707f == 0x67 and previous and \
           previous[0] == addr - 4 and \
           previous[1] >> 7 & 31 == word >> 15 & 31:
            target = self.final.wrap(
                previous[0] + sign(previous[1] & 0xfffff000, 32) +
                sign(word >> 20, 12))
            form = CALL if word >> 7 & 31 else TAIL
            label = REFERENCE.search(insn)
            self.branch(addr - 4, form, target, label[1] if label else "")
            return
        match = RV_BRANCH.match(insn)
        if match:
            form = {"jal": CALL, "j": TAIL}.get(match[1], COND)
            self.branch(addr, form, int(match[2], 16), match[3])
        elif REFERENCE.search(insn):
            self.hidden.append(addr)

    def covered(self, addr):
        """Is ADDR in a symbol that has a size?"""
        return any(value <= addr < value + size
                   for value, size, _ in self.starts)

    def dead(self, addr):
        """Is ADDR in bytes that no symbol covers and no branch leads to?"""
        start = 0
        for value, size, name in self.starts:
            if value <= addr < value + size:
                return False
            if value <= addr and not is_probe(name):
                start = max(start, value + size)
        return not any(start <= target <= addr and
                       not start <= source <= addr
                       for target, source in self.targets)


# --- Tables ----------------------------------------------------------------------

class Entry:
    """One entry: address, probe, form; the function, if the table says."""

    def __init__(self, addr, probe, form, owner):
        self.addr, self.probe, self.form, self.owner = addr, probe, form, owner
        self.key = (addr, probe, form)


def check_name(name, prefix, enabled):
    """What the table says of a probe beside its name."""
    if not is_probe(name):
        raise Wrong(f"{name} is no probe")
    if prefix != len(ENABLED if name.startswith(ENABLED) else PREFIX):
        raise Wrong(f"{name} has a prefix of {prefix}")
    if enabled is not None and enabled != name.startswith(ENABLED):
        raise Wrong(f"{name}: is-enabled is {enabled}")


def read_offsets(final):
    """The entries of sdt_table."""
    addrs = final.defined("sdt_table")
    if len(addrs) != 1:
        raise Wrong("no table")
    base = addrs[0]
    head = final.at(base, 32)
    if head is None or struct.unpack_from("<2I", head) != (0x31544453, 1):
        raise Wrong("no table: no magic")
    _, _, size, nsec, nsite, nprobe, nfunc, strings = \
        struct.unpack("<8I", head)
    data = final.at(base, size)
    if data is None:
        raise Wrong("the table does not end")
    rows = [struct.unpack_from("<2I", data, 32 + 8 * i)
            for i in range(nsec + nsite)]

    def relative(at):
        return final.wrap(base + at + struct.unpack_from("<i", data, at)[0])

    def name(at):
        at += strings
        return data[at:data.index(0, at)].decode()

    bases = [(first, relative(32 + 8 * i))
             for i, (_, first) in enumerate(rows[:nsec])]
    at = 32 + 8 * (nsec + nsite)
    probes = []
    for i in range(nprobe):
        _, text, prefix = struct.unpack_from("<3I", data, at + 12 * i)
        check_name(name(text), prefix, None)
        stub = relative(at + 12 * i)
        if final.defined(name(text)) != [stub]:
            raise Wrong(f"{name(text)} is not at {stub:#x}")
        probes.append(name(text))
    at += 12 * nprobe
    owners = [(first, name(text)) for first, text in
              (struct.unpack_from("<2I", data, at + 8 * i)
               for i in range(nfunc))]
    entries = []
    for i, (offset, info) in enumerate(rows[nsec:]):
        start = [b for first, b in bases if first <= i][-1]
        owner = [o for first, o in owners if first <= i][-1]
        if bool(info & 4) != probes[info >> 3].startswith(ENABLED):
            raise Wrong("is-enabled is wrong")
        entries.append(Entry(final.wrap(start + offset), probes[info >> 3],
                             info & 3, owner))
    return entries


def anchored_range(final):
    """From where to where the anchored table reaches."""
    first, last = (final.defined(name + "sdt_sites")
                   for name in ("__start_", "__stop_"))
    if first and last:
        return first[0], last[0]
    for sec in final.sections:
        if sec.name == "sdt_sites":
            return sec.addr, sec.addr + sec.size
    raise Wrong("no table")


def read_anchored(final, has_stubs):
    """The entries between __start_sdt_sites and __stop_sdt_sites."""
    first, last = anchored_range(final)
    entries = []
    if (last - first) % 8:
        raise Wrong("half an entry")
    for at in range(first, last, 8):
        words = final.at(at, 8)
        if words is None:
            raise Wrong("the table is not in the image")
        site, what = struct.unpack("<2i", words)
        what += at + 4
        head = final.at(final.wrap(what & ~7), 12)
        if head is None:
            raise Wrong(f"no descriptor for {at:#x}")
        magic, stub, prefix = struct.unpack("<IiI", head)
        if magic != 0x31504453:
            raise Wrong(f"no descriptor for {at:#x}")
        name = final.string_at(final.wrap((what & ~7) + 12))
        check_name(name, prefix, bool(what & 4))
        stub = final.wrap((what & ~7) + 4 + stub) if stub else None
        if stub is None and has_stubs or \
           stub is not None and final.defined(name) != [stub]:
            raise Wrong(f"{name}: its stub is not at {stub}")
        entries.append(Entry(final.wrap(at + site), name, what & 3, None))
    return entries


# --- Disabled sites -------------------------------------------------------------

NOPS = {
    EM_X86_64: {(CALL, False): "0f1f440000", (TAIL, False): "c3cccccccc",
                (CALL, True): "b800000000"},
    EM_386: {(CALL, False): "3e8d742600", (TAIL, False): "c3cccccccc",
             (CALL, True): "b800000000"},
    EM_RISCV: {(CALL, False): "6f00800013000000",
               (TAIL, False): "6780000013000000",
               (CALL, True): "1305000013000000"},
}


def partial_sites(partial):
    """By function of the partial: offset in it, probe, form; does it relax?
    And the sites in no function, with their section.
    """
    functions, unnamed = {}, []
    for sec in partial.sections:
        if sec.type not in (4, 9) or not \
           partial.sections[sec.info].flags & SHF_EXEC:
            continue
        relocs = partial.relocations(sec)
        text = partial.data(partial.sections[sec.info])
        relaxes = partial.machine == EM_RISCV and \
            any(kind in (43, 51) for _, kind, _ in relocs)
        for offset, _, symndx in sorted(relocs):
            name = partial.symbols[symndx].name
            if not is_probe(name):
                continue
            if partial.machine == EM_RISCV:
                start = offset
                word = struct.unpack_from("<I", text, offset + 4)[0]
                form = CALL if word >> 7 & 31 else TAIL
            elif text[offset - 1] in (0xe8, 0xe9):
                start, form = offset - 1, text[offset - 1] - 0xe8
            else:
                start, form = offset - 2, COND
            for sym in partial.symbols:
                if sym.shndx == sec.info and sym.type == FUNC and \
                   sym.value <= start < sym.value + sym.size:
                    functions.setdefault((sym.name, relaxes), []).append(
                        (start - sym.value, name, form))
                    break
            else:
                unnamed.append((sec.info, relaxes, start, name, form))
    return functions, unnamed


class Disabled:
    """Compares what --nop left with the sites of the partial."""

    def __init__(self, partial, final, code, entries, overridden):
        self.final, self.code, self.entries = final, code, entries
        self.faults, self.seen = [], []
        self.kept = {site[0]: site for site in code.sites}
        functions, unnamed = partial_sites(partial)
        for site in unnamed:
            self.unnamed(partial, *site)
        for (name, relaxes), sites in functions.items():
            if name in overridden:
                for sym in partial.by_name[name]:
                    for offset, probe, form in sites:
                        self.unnamed(partial, sym.shndx, relaxes,
                                     sym.value + offset, probe, form)
                continue
            for sym in final.by_name.get(name, []):
                if sym.shndx and sym.type == FUNC:
                    (self.relaxed if relaxes else self.rigid)(sym, sites)
        keys = [entry.key for entry in entries]
        for key in sorted(set(keys) - set(self.seen)):
            self.faults.append(f"{key[1]} at {key[0]:#x}: there is none")
        for addr, site in sorted(self.kept.items()):
            if site not in self.seen and not code.dead(addr):
                self.faults.append(f"{site[1]} at {addr:#x}: a branch")

    def is_site(self, addr, probe, form):
        """Is it there, as a branch or as what replaces one?"""
        nop = NOPS[self.final.machine].get((form, probe.startswith(ENABLED)))
        if nop is None:
            return self.kept.get(addr) == (addr, probe, form)
        return self.final.at(addr, len(nop) // 2) == bytes.fromhex(nop)

    def unnamed(self, partial, shndx, relaxes, offset, probe, form):
        """A site that is dead, most likely, may have an entry."""
        places = {self.final.wrap(found.value - sym.value + offset)
                  for sym in partial.symbols
                  if sym.shndx == shndx and sym.type == FUNC and sym.bind != 2
                  for found in self.final.by_name.get(sym.name, [])
                  if found.shndx}
        for entry in self.entries:
            if entry.key[1:] == (probe, form) and \
               (relaxes or entry.addr in places) and \
               not self.code.covered(entry.addr) and self.is_site(*entry.key):
                self.seen.append(entry.key)

    def rigid(self, sym, sites):
        """Nothing moved in this function."""
        keys = {entry.key for entry in self.entries}
        for offset, probe, form in sites:
            addr = self.final.wrap(sym.value + offset)
            self.seen.append((addr, probe, form))
            if not self.is_site(addr, probe, form):
                self.faults.append(f"{addr:#x} is no disabled {probe}")
            if (addr, probe, form) not in keys:
                self.faults.append(f"{probe} at {addr:#x} is not in the table")

    def relaxed(self, sym, sites):
        """Things moved, and kept their order."""
        # mold leaves the sizes as they were.
        size = min([sym.size] + [value - sym.value
                                 for value, _, _ in self.code.starts
                                 if value > sym.value])
        found = sorted(entry.key for entry in self.entries
                       if sym.value <= entry.addr < sym.value + size)
        if [key[1:] for key in found] != [site[1:] for site in sites]:
            self.faults.append(f"{sym.name} has not these sites")
        for key in found:
            self.seen.append(key)
            if not self.is_site(*key):
                self.faults.append(f"{key[0]:#x} is no disabled {key[1]}")
        nop = bytes.fromhex(NOPS[EM_RISCV][CALL, False])
        body = self.final.at(sym.value, size) or b""
        calls = sum(1 for i in range(0, len(body) - 7, 2)
                    if body[i:i + 8] == nop)
        if calls != sum(1 for _, probe, form in sites
                        if form == CALL and not probe.startswith(ENABLED)):
            self.faults.append(f"{sym.name} has {calls} disabled calls")


# --- The whole -------------------------------------------------------------------

def check_owners(final, entries, overridden, faults):
    """The function that the table names has to cover the site."""
    for entry in entries:
        if entry.owner and entry.owner not in overridden and not any(
                s.value <= entry.addr < s.value + max(s.size, 1)
                for s in final.by_name.get(entry.owner, []) if s.shndx):
            faults.append(f"{entry.addr:#x} is not in {entry.owner}")


def folded(partial, final, addr, form):
    """How many functions of the partial are where ADDR is in the final: so
    many entries may a site have that is theirs, if they are the same."""
    if form == "offsets":
        return 1
    places = {(sym.shndx, sym.value)
              for found in final.symbols
              if found.shndx and found.type == FUNC and
              found.value <= addr < found.value + max(found.size, 1)
              for sym in partial.by_name.get(found.name, [])
              if sym.shndx and sym.type == FUNC}
    return max(len(places), 1)


def judge(partial_path, final_path, form, objdump, overridden=()):
    """The list of faults; none if the table is right. May raise Unknown.

    OVERRIDDEN names weak functions of the partial that the final has another
    one for.
    """
    partial, final = Elf(partial_path), Elf(final_path)
    if not final.symbols:
        raise Unknown("no symbols")
    faults, stubs = [], {}
    for name in final.by_name:
        if is_probe(name) and final.defined(name):
            addrs = final.defined(name)
            if len(addrs) > 1:
                faults.append(f"{name} is defined {len(addrs)} times")
            stubs[name] = addrs[0]
    if len(set(stubs.values())) != len(stubs):
        faults.append("stubs at one address")
    code = Code(final, stubs, objdump)
    try:
        entries = read_offsets(final) if form == "offsets" else \
            read_anchored(final, form == "inject")
    except Wrong as wrong:
        return faults + [str(wrong)]
    for entry in entries:
        code.decode_behind_stub(entry.addr)
    keys = [entry.key for entry in entries]
    for key in sorted(set(keys)):
        if keys.count(key) > folded(partial, final, key[0], form):
            faults.append(f"{key[0]:#x} has {keys.count(key)} entries")
    if len({key[0] for key in keys}) != len(set(keys)):
        faults.append("a site has entries of two probes")
    check_owners(final, entries, overridden, faults)
    if code.hidden:
        faults.append(f"hidden use of a stub at {code.hidden[0]:#x}")
    if form == "nop":
        return faults + Disabled(partial, final, code, entries,
                                 overridden).faults
    for addr, name, _ in sorted(set(keys) - code.sites):
        faults.append(f"{name} at {addr:#x}: there is none")
    for addr, name, _ in sorted(code.sites - set(keys)):
        if not code.dead(addr):
            faults.append(f"{name} at {addr:#x} is not in the table")
    return faults
