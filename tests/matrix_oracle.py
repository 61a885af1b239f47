# SPDX-License-Identifier: GPL-3.0-or-later
"""Is the site table of a final true? The second opinion of tests/matrix.py.

It shares nothing with sdtlink: an ELF reader of its own, the branches as
objdump prints them, and the tables as sdt_table(5) describes them.
"""
from matrix_code import Code, Disabled
from matrix_elf import (ENABLED, FUNC, PREFIX, Broken, Elf, Unknown, Wrong,
                        is_probe)

# --- Tables ----------------------------------------------------------------------

class Entry:
    """One entry: address, probe, form; the function, if the table says."""

    def __init__(self, addr, probe, form, owner, target=None):
        self.addr, self.probe, self.form, self.owner = addr, probe, form, owner
        self.target = target  # of the jump of the branch form
        self.key = (addr, probe, form)


def check_name(name, prefix, enabled):
    """What the table says of a probe beside its name."""
    if not is_probe(name):
        raise Wrong(f"{name} is no probe")
    if prefix != len(ENABLED if name.startswith(ENABLED) else PREFIX):
        raise Wrong(f"{name} has a prefix of {prefix}")
    if enabled is not None and enabled != name.startswith(ENABLED):
        raise Wrong(f"{name}: is-enabled is {enabled}")


def check_loader(final, start, end):
    """No word of the table is the loader's."""
    if any(start <= slot < end for slot in final.dynamic):
        raise Wrong("the loader changes the table")


def read_offsets(final):
    """The entries of sdt_table."""
    addrs = final.defined("sdt_table")
    if len(addrs) != 1:
        raise Wrong("no table")
    base = addrs[0]
    head = final.at(base, 32)
    if head is None or final.unpack("2I", head) != (0x31544453, 1):
        raise Wrong("no table: no magic")
    _, _, size, nsec, nsite, nprobe, nfunc, strings = \
        final.unpack("8I", head)
    data = final.at(base, size)
    if data is None:
        raise Wrong("the table does not end")
    check_loader(final, base, base + size)
    rows = [final.unpack("2I", data, 32 + 8 * i)
            for i in range(nsec + nsite)]

    def relative(at):
        return final.code(base + at + final.unpack("i", data, at)[0])

    def name(at):
        at += strings
        return data[at:data.index(0, at)].decode()

    bases = [(first, final.wrap(base + 32 + 8 * i + final.unpack(
        "i", data, 32 + 8 * i)[0]))
             for i, (_, first) in enumerate(rows[:nsec])]
    at = 32 + 8 * (nsec + nsite)
    probes = []
    for i in range(nprobe):
        _, text, prefix = final.unpack("3I", data, at + 12 * i)
        check_name(name(text), prefix, None)
        stub = relative(at + 12 * i)
        if final.defined(name(text)) != [stub]:
            raise Wrong(f"{name(text)} is not at {stub:#x}")
        probes.append(name(text))
    at += 12 * nprobe
    owners = [(first, name(text)) for first, text in
              (final.unpack("2I", data, at + 8 * i)
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
    check_loader(final, first, last)
    if (last - first) % 8:
        raise Wrong("half an entry")
    for at in range(first, last, 8):
        words = final.at(at, 8)
        if words is None:
            raise Wrong("the table is not in the image")
        site, what = final.unpack("2i", words)
        what += at + 4
        said, target = what & ~7, None
        if what & 3 == 3:
            jump = final.at(final.wrap(said), 8)
            if jump is None:
                raise Wrong(f"no jump for {at:#x}")
            by, descriptor = final.unpack("2i", jump)
            target = final.wrap(said + by)
            said += 4 + descriptor
        head = final.at(final.wrap(said), 12)
        if head is None:
            raise Wrong(f"no descriptor for {at:#x}")
        magic, stub, prefix = final.unpack("IiI", head)
        if magic != 0x31504453:
            raise Wrong(f"no descriptor for {at:#x}")
        name = final.string_at(final.wrap(said + 12))
        check_name(name, prefix, bool(what & 4))
        stub = final.code(said + 4 + stub) if stub else None
        if stub is None and has_stubs or \
           stub is not None and final.defined(name) != [stub]:
            raise Wrong(f"{name}: its stub is not at {stub}")
        entries.append(Entry(final.wrap(at + site), name, what & 3, None,
                             target))
    return entries


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
    def code(sym):
        data = partial.data(partial.sections[sym.shndx])
        return data[sym.value:sym.value + sym.size]

    there = [sym for found in final.symbols
             if found.shndx and found.type == FUNC and
             found.value <= addr < found.value + max(found.size, 1)
             for sym in partial.by_name.get(found.name, [])
             if sym.shndx and sym.type == FUNC]
    # mold 3 drops the names of what it folds.
    codes = {code(sym) for sym in there}
    there += [sym for sym in partial.symbols
              if sym.shndx and sym.type == FUNC and
              sym.name not in final.by_name and code(sym) in codes]
    places = {(sym.shndx, sym.value) for sym in there}
    return max(len(places), 1)


def judge(partial_path, final_path, form, objdump, overridden=()):
    """The list of faults; none if the table is right. May raise Unknown.

    OVERRIDDEN names weak functions of the partial that the final has another
    one for.
    """
    partial, final = Elf(partial_path), Elf(final_path)
    # Veneers are of the other one.
    final.is_thumb = partial.is_thumb
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
    code = Code(final, stubs, objdump, partial)
    try:
        entries = read_offsets(final) if form == "offsets" else \
            read_anchored(final, form == "inject")
    except Wrong as wrong:
        return faults + [str(wrong)]
    for entry in entries:
        code.decode_nameless(entry.addr)
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
                                 overridden, objdump).faults
    for addr, name, _ in sorted(set(keys) - code.sites):
        faults.append(f"{name} at {addr:#x}: there is none")
    for addr, name, _ in sorted(code.sites - set(keys)):
        if not code.dead(addr):
            faults.append(f"{name} at {addr:#x} is not in the table")
    return faults
