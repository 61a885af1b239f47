# SPDX-License-Identifier: GPL-3.0-or-later
"""The branches of an image to its stubs, as objdump prints them, and what
--nop made of sites: a part of the oracle of tests/matrix.py.
"""
import bisect
import re
import subprocess
import tempfile

from matrix_elf import (EM_ARM, EM_PPC64, EM_RISCV, ENABLED, FUNC, NOTYPE,
                        PROGBITS, SHF_EXEC, Broken, is_probe)
from matrix_insns import (CALL, COND, EM_386, EM_LOONGARCH, EM_SPARCV9,
                          EM_X86_64, TAIL, insns_of)

LINE = re.compile(r"^ *([0-9a-f]+):\s+([0-9a-f]+(?: [0-9a-f]+)*) *\t(.*)$")
X86_BRANCH = re.compile(r"(?:(?:bnd|notrack|addr32|addr16|data16|rex\.?\w*|"
                        r"[c-g]s|ss|repz|repnz) )*"
                        r"(call|jmp|j\w+|loop\w*|xbegin)"
                        r"(?:[wlq]|,p[nt])? +([0-9a-f]+) <(.*)>")
RV_BRANCH = re.compile(r"(?:c\.)?(j|jal|b\w+)\s+(?:.*,)?(?:0x)?([0-9a-f]+)"
                       r" <(.*)>")
BRANCH = re.compile(r"([bjc][\w.+-]*(?:,\w+)*|[ct]bn?z)\s+"
                    r"(?:.*[, ])?(?:0x)?(-?[0-9a-f]+) <([^<>]*)>")
REFERENCE = re.compile(r"<(__dtrace_sdt_\w+)(?:@plt)?>")
RELOC = re.compile(r"\b[0-9a-f]+:\s+(R_\w+)(?:\s+(__dtrace_sdt_\w+))?")
# Functions of the program that are not in the partial.
OUTSIDE = {"reader", "outside", "pad_text"}
MAX_HOPS = 12


def sign(value, width):
    """Two's complement."""
    return (value ^ 1 << width - 1) - (1 << width - 1)


class Insn:
    """One instruction, as text."""

    def __init__(self, addr, size, text):
        self.addr, self.size, self.text = addr, size, text


def read_insns(text):
    """Those in what objdump prints."""
    for line in text.splitlines():
        match = LINE.match(line)
        if match and match[3]:
            yield Insn(int(match[1], 16), len(match[2].replace(" ", "")) // 2,
                       re.sub(r"\s+", " ", match[3]))


def run_objdump(*argv):
    """What it prints."""
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL
                          ).stdout.decode("utf-8", "replace")


class Veneers:
    """Follows what linkers put between a branch and its target."""

    def __init__(self, final, by_addr, insns, objdump):
        self.final, self.by_addr, self.insns = final, by_addr, insns
        self.objdump, self.row = objdump, insns_of(final)
        self.hops, self.known, self.start = set(), {}, {}
        self.own = set()
        self.uses_toc = False

    def find_toc(self):
        """r2, as the functions of the program compute it, or as their
        descriptors say."""
        if self.final.toc is not None:
            self.start["r2"] = self.final.toc
            return
        for sym in self.final.symbols:
            text = [self.insns[sym.value + i].text for i in (0, 4)
                    if sym.type == FUNC and sym.value + i in self.insns]
            if len(text) < 2:
                continue
            high = re.match(r"(?:addis r2,r12|lis r2),(-?\d+)", text[0])
            low = re.match(r"addi r2,r2,(-?\d+)", text[1])
            if high and low:
                start = sym.value if "r12" in text[0] else 0
                self.start["r2"] = self.final.wrap(
                    start + (int(high[1]) << 16) + int(low[1]))
                return

    def check_toc(self):
        """Do the functions compute what the linker counts from?"""
        if self.uses_toc and self.final.defined(".TOC.") and \
           self.start.get("r2") not in (None, *self.final.defined(".TOC.")):
            raise Broken("r2 is not .TOC.")

    def end(self, target, is_thumb):
        """The name of the stub that code at TARGET goes to, or None."""
        if (target, is_thumb) not in self.known:
            self.known[target, is_thumb] = self.follow(target, is_thumb)
        return self.known[target, is_thumb]

    def follow(self, addr, is_thumb):
        """Do what the instructions say."""
        regs, passed = dict(self.start), []
        for _ in range(MAX_HOPS):
            name = self.final.dynamic.get(addr, self.by_addr.get(addr))
            if isinstance(name, str):
                self.hops.update(passed)
                return name
            if passed and addr in self.own:
                # A function that is nothing but a site.
                return None
            insn = self.fetch(addr, is_thumb)
            match = insn and self.match(insn.text)
            if not match:
                return None
            rule, groups = match
            passed.append(addr)
            if groups.get("a") == "pc" and rule.what == "go":
                # What fills the place behind bx pc is not run.
                passed.append(addr + 2)
            regs["pc"] = addr + (4 if is_thumb else 8) \
                if self.final.machine == EM_ARM else addr
            if is_thumb and rule.what == "load":
                regs["pc"] &= ~3
            value = self.value(rule, groups, regs)
            dest = groups.get("d") or rule.dest
            if rule.what == "load":
                value = self.load(value)
                if isinstance(value, str):
                    regs[dest] = value
                    addr += insn.size
                    continue
            if rule.what == "go" or dest == "pc":
                if isinstance(value, str):
                    self.hops.update(passed)
                    return value
                if value is None:
                    return None
                if not groups.get("t") and self.final.machine == EM_ARM:
                    is_thumb, value = bool(value & 1), value & ~1
                addr = value
                continue
            if dest:
                regs[dest] = value
            addr += insn.size
        return None

    def match(self, text):
        """The rule for an instruction."""
        for rule in self.row.rules:
            match = rule.pattern.match(text)
            if match:
                return rule, match.groupdict()
        return None

    def value(self, rule, groups, regs):
        """The sum, or a name, or None if a part is not known."""
        number = int(groups.get("i") or "0", 0) * rule.scale
        if groups.get("rotate"):
            by = int(groups["rotate"])
            number = (number >> by | number << 32 - by) & 0xffffffff
        if groups.get("t"):
            number += int(groups["t"], 16)
        names = [groups[x] for x in "ab" if groups.get(x)] + list(rule.plus)
        self.uses_toc |= "r2" in names and self.final.machine == EM_PPC64
        for name in names:
            part = regs.get(name, 0 if name == "zero" else None)
            if part is None or isinstance(part, str):
                return part
            if rule.scale == 65536 and "movt" in rule.pattern.pattern:
                part &= 0xffff
            number += part
        return self.final.wrap(number)

    def load(self, addr):
        """What is in a slot: a number, or the name of who will be there."""
        if addr is None or isinstance(addr, str):
            return addr
        if addr in self.final.dynamic:
            value = self.final.dynamic[addr]
            return value if isinstance(value, str) else self.final.wrap(value)
        size = 8 if self.final.is64 else 4
        data = self.final.at(addr, size)
        return data and self.final.unpack("Q" if size == 8 else "I", data)[0]

    def fetch(self, addr, is_thumb):
        """One instruction. gold does not say which set its veneers are of."""
        if self.final.machine != EM_ARM:
            return self.insns.get(addr)
        data = self.final.at(addr, 4) or self.final.at(addr, 2)
        if not data:
            return None
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            more = ["-M", "force-thumb"] if is_thumb else []
            order = [] if self.final.is_code_little else ["-EB"]
            text = run_objdump(self.objdump, "-D", "-b", "binary", "-m",
                               "arm", *order, *more,
                               f"--adjust-vma={addr:#x}", file.name)
        # There are no symbols there, and so no names behind addresses.
        text = re.sub(r"(\tb(?:\.[nw])?\t(?:0x)?[0-9a-f]+)$", r"\1 <>", text,
                      flags=re.M)
        return next(read_insns(text), None)


class Code:
    """All branches to stubs of a final, and what leads where."""

    def __init__(self, final, stubs, objdump, partial=None):
        self.final, self.stubs, self.row = final, stubs, insns_of(final)
        self.by_addr = {}
        for name, addr in stubs.items():
            self.by_addr.setdefault(addr, name)
            for sym in final.by_name[name]:
                # ELFv2: where those enter who share the TOC.
                local = (1 << (sym.other >> 5) >> 2) * 4
                if final.machine == EM_PPC64 and local:
                    self.by_addr.setdefault(addr + local, name)
        self.sites, self.hidden, self.targets = set(), [], []
        self.starts = sorted((s.value, s.size, s.name)
                             for s in final.symbols
                             if s.shndx and s.type in (FUNC, NOTYPE) and
                             s.name and not s.name.startswith((".L", "$")))
        own = OUTSIDE | set(partial.by_name if partial else ())
        self.functions = sorted((s.value, s.value + max(s.size, 1))
                                for s in final.symbols
                                if s.shndx and s.type == FUNC and
                                s.name in own and s.name and
                                not s.name.startswith("$"))
        self.objdump, self.insns, self.previous = objdump, {}, None
        self.veneers = Veneers(final, self.by_addr, self.insns, objdump)
        self.veneers.own = {start for start, _ in self.functions}
        insns = self.disassemble()
        if final.machine == EM_PPC64:
            self.veneers.find_toc()
        self.read_branches(insns, False)
        self.veneers.check_toc()
        hops = self.veneers.hops
        self.sites = {site for site in self.sites if site[0] not in hops}
        self.hidden = [addr for addr in self.hidden if addr not in hops]

    def disassemble(self, *more):
        """All instructions."""
        insns = list(read_insns(run_objdump(self.objdump, "-d", "-w", *more,
                                            self.final.path)))
        self.insns.update((insn.addr, insn) for insn in insns)
        return insns

    def read_branches(self, insns, behind_stubs):
        """The branches among them."""
        read = {EM_386: self.x86, EM_X86_64: self.x86,
                EM_RISCV: self.riscv}.get(self.final.machine, self.word)
        for insn in insns:
            if behind_stubs or not self.is_behind_stub(insn.addr):
                read(insn)

    def behind(self, addr):
        """The function that bytes follow which belong to none, or None."""
        i = bisect.bisect_right(self.starts, (addr, 1 << 64, "")) - 1
        if i < 0:
            return None
        start, size, name = self.starts[i]
        return name if addr >= start + size else None

    def is_behind_stub(self, addr):
        """Do these bytes follow a stub?"""
        return is_probe(self.behind(addr) or "")

    def decode_nameless(self, addr):
        """Disassemble anew from an entry that is there: dead code may be, and
        objdump loses its way in the zeros before it."""
        if self.behind(addr) and \
           addr not in {site[0] for site in self.sites}:
            self.read_branches(self.disassemble(
                f"--start-address={addr}",
                f"--stop-address={addr + 8}")[:2], True)

    def is_own(self, addr):
        """Is there a function of the program?"""
        i = bisect.bisect_right(self.functions, (addr, 1 << 64)) - 1
        return i >= 0 and addr < self.functions[i][1]

    def branch(self, addr, form, target, label, is_thumb=False):
        """One branch; is it a site?"""
        self.targets.append((target, addr))
        name = self.by_addr.get(target)
        if name is None and not self.is_own(target):
            name = self.veneers.end(target, is_thumb)
        if name is None and label.endswith("@plt"):
            name = label[:-4]
        if name is not None and is_probe(name):
            self.sites.add((addr, name, form))

    def x86(self, insn):
        """One instruction of x86."""
        match = X86_BRANCH.match(insn.text)
        if match:
            form = {"call": CALL, "jmp": TAIL}.get(match[1], COND)
            self.branch(insn.addr, form, int(match[2], 16), match[3])
        elif REFERENCE.search(insn.text):
            self.hidden.append(insn.addr)

    def riscv(self, insn):
        """One instruction of RISC-V; auipc and jalr are one branch."""
        word = int.from_bytes(self.final.at(insn.addr, insn.size), "little")
        previous, self.previous = self.previous, None
        if insn.size == 4 and word & 0x7f == 0x17:
            self.previous = (insn.addr, word)
            return
        if insn.size == 4 and word & 0x707f == 0x67 and previous and \
           previous[0] == insn.addr - 4 and \
           previous[1] >> 7 & 31 == word >> 15 & 31:
            target = self.final.wrap(
                previous[0] + sign(previous[1] & 0xfffff000, 32) +
                sign(word >> 20, 12))
            form = CALL if word >> 7 & 31 else TAIL
            label = REFERENCE.search(insn.text)
            self.branch(insn.addr - 4, form, target,
                        label[1] if label else "")
            return
        match = RV_BRANCH.match(insn.text)
        if match:
            form = {"jal": CALL, "j": TAIL}.get(match[1], COND)
            self.branch(insn.addr, form, int(match[2], 16), match[3])
        elif REFERENCE.search(insn.text):
            self.hidden.append(insn.addr)

    def word(self, insn):
        """One instruction of another machine, by the row of it."""
        match = BRANCH.match(insn.text)
        form = match and self.form(insn, match[1])
        if self.final.machine == EM_LOONGARCH:
            self.loongarch(insn, match, form)
        elif form is not None:
            is_thumb = self.row.unit == 2
            if insn.text.startswith("bmi.n") and self.is_fill(insn.addr):
                return
            if match[1].startswith("blx"):
                is_thumb = not is_thumb
            self.branch(insn.addr, form, int(match[2], 16), match[3],
                        is_thumb)
        elif REFERENCE.search(insn.text) and "adrp" not in insn.text and \
                not self.is_distance(insn.addr):
            self.hidden.append(insn.addr)

    def is_distance(self, addr):
        """SPARC: what is added to the program counter, behind the call or the
        instruction that reads that; objdump takes it for an address."""
        call, read = self.insns.get(addr - 4), self.insns.get(addr - 8)
        return call is not None and "<__sparc_get_pc_thunk" in call.text or \
            read is not None and read.text.split()[:2] == ["rd", "%pc,"]

    def is_fill(self, addr):
        """lld's, between sections."""
        return self.final.at(addr, 2) == b"\xd4\xd4" and \
            not self.covered(addr)

    def form(self, insn, mnemonic):
        """Of a branch; None if it is none."""
        for form, names in ((CALL, self.row.call), (TAIL, self.row.tail),
                            (COND, self.row.cond)):
            if names.fullmatch(mnemonic):
                return self.sparc64_form(insn.addr, self.insns) \
                    if form == CALL and self.final.machine == EM_SPARCV9 \
                    else form
        return None

    def loongarch(self, insn, match, form):
        """llvm-objdump prints distances, and knows no pairs."""
        previous, self.previous = self.previous, None
        high = re.match(r"pcaddu18i (\$\w+), (-?\d+)", insn.text)
        low = re.match(r"(?:jirl \$(\w+), |jr )(\$\w+)(?:, (-?\d+))?",
                       insn.text)
        if high:
            self.previous = (high[1], insn.addr + int(high[2]) * (1 << 18))
        elif low and previous and low[2] == previous[0]:
            form = CALL if low[1] and low[1] != "zero" else TAIL
            self.branch(insn.addr - 4, form, self.final.wrap(
                previous[1] + int(low[3] or 0)), "")
        elif form is not None:
            self.branch(insn.addr, form, insn.addr + int(match[2]), match[3])

    @staticmethod
    def sparc64_form(addr, insns):
        """A call that does not come back: its delay slot sees to that."""
        slot = insns.get(addr + 4)
        slot = slot.text if slot else ""
        return TAIL if slot.startswith("restore") or \
            re.match(r"(?:mov|or) %\w+, (?:%g0, )?%o7", slot) else CALL

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


# --- Disabled sites -------------------------------------------------------------

class Site:
    """A site of the partial: section, offset, probe, form, its digits."""

    def __init__(self, shndx, offset, probe, form, digits):
        self.shndx, self.offset, self.probe = shndx, offset, probe
        self.form, self.digits = form, digits

    def at(self, addr):
        """The same at an address."""
        return (addr, self.probe, self.form)


class Partial:
    """The sites of a partial, as objdump prints it with its relocations."""

    def __init__(self, elf, objdump):
        self.elf, self.row = elf, insns_of(elf)
        self.functions, self.unnamed, self.relaxed = {}, [], set()
        self.insns, self.shndx = {}, 0
        insn, probe = None, None
        for line in run_objdump(objdump, "-d", "-r", "-w",
                                elf.path).splitlines():
            if line.startswith("Disassembly of section "):
                self.add(insn, probe)
                insn, probe = None, None
                self.enter(line[len("Disassembly of section "):-1])
                continue
            for found in read_insns(line):
                # The delay slot of the one before is known now.
                self.insns[found.addr] = found
                self.add(insn, probe)
                insn, probe = found, None
            for kind, name in RELOC.findall(line):
                if kind in ("R_RISCV_RELAX", "R_RISCV_ALIGN",
                            "R_LARCH_RELAX", "R_LARCH_ALIGN"):
                    self.relaxed.add(self.shndx)
                probe = name or probe
        self.add(insn, probe)

    def enter(self, name):
        """The next section of that name."""
        self.insns = {}
        self.shndx = next(
            i for i, sec in enumerate(self.elf.sections)
            if i > self.shndx and sec.name == name and sec.size and
            sec.type == PROGBITS and sec.flags & SHF_EXEC)

    def form(self, insn):
        """Of the branch there."""
        if self.elf.machine == EM_RISCV:
            word = int.from_bytes(self.elf.data(
                self.elf.sections[self.shndx])[insn.addr + 4:insn.addr + 8],
                "little")
            return CALL if word >> 7 & 31 else TAIL
        name = insn.text.split()[0]
        if self.elf.machine in (EM_386, EM_X86_64):
            return {"call": CALL, "jmp": TAIL}.get(name, COND)
        if name == "pcaddu18i":
            after = self.elf.data(self.elf.sections[self.shndx])
            word = int.from_bytes(after[insn.addr + 4:insn.addr + 8],
                                  "little")
            return CALL if word & 31 else TAIL
        if self.row.call.fullmatch(name):
            return Code.sparc64_form(insn.addr, self.insns) \
                if self.elf.machine == EM_SPARCV9 else CALL
        return TAIL if self.row.tail.fullmatch(name) else COND

    def add(self, insn, probe):
        """A site, if it is one."""
        if not probe or not is_probe(probe):
            return
        data = self.elf.data(self.elf.sections[self.shndx])
        digits = self.elf.units(data[insn.addr:insn.addr + insn.size],
                                self.row.unit)
        site = Site(self.shndx, insn.addr, probe, self.form(insn), digits)
        for sym in self.elf.symbols:
            if sym.shndx == self.shndx and sym.type == FUNC and \
               sym.value <= insn.addr < sym.value + sym.size:
                site.offset -= sym.value
                key = (sym.name, self.shndx)
                self.functions.setdefault(key, []).append(site)
                return
        self.unnamed.append(site)


class Disabled:
    """Compares what --nop left with the sites of the partial."""

    def __init__(self, partial, final, code, entries, overridden, objdump):
        self.final, self.code, self.entries = final, code, entries
        self.faults, self.seen = [], []
        self.kept = {site[0]: site for site in code.sites}
        self.partial = Partial(partial, objdump)
        for site in self.partial.unnamed:
            self.unnamed(site, site.offset)
        for (name, shndx), sites in self.partial.functions.items():
            if name in overridden:
                for sym in partial.by_name[name]:
                    for site in sites:
                        self.unnamed(site, sym.value + site.offset)
                continue
            for sym in final.by_name.get(name, []):
                if sym.shndx and sym.type == FUNC:
                    if shndx in self.partial.relaxed:
                        self.relaxed(sym, sites)
                    else:
                        self.rigid(sym, sites)
        keys = [entry.key for entry in entries]
        for key in sorted(set(keys) - set(self.seen)):
            self.faults.append(f"{key[1]} at {key[0]:#x}: there is none")
        self.check_owners(overridden)
        for addr, site in sorted(self.kept.items()):
            if site not in self.seen and not code.dead(addr):
                self.faults.append(f"{site[1]} at {addr:#x}: a branch")

    def check_owners(self, overridden):
        """No function without a site became one with an entry."""
        probed = {name for name, _ in self.partial.functions}
        probed.update(overridden)
        own = [sym for sym in self.final.symbols if sym.type == FUNC and
               sym.shndx and sym.name in self.partial.elf.by_name]
        starts = {max((sym.value for sym in own if sym.value <= entry.addr),
                      default=None) for entry in self.entries}
        self.faults += [f"{sym.name} has no site of its own" for sym in own
                        if sym.value in starts and sym.name not in probed]

    def is_site(self, addr, site):
        """Is it there, as a branch or as what replaces one?"""
        row = self.code.row
        nop = row.disabled.get((site.form, site.probe.startswith(ENABLED)))
        kept = self.kept.get(addr) == site.at(addr)
        if nop is None or kept and row.may_stay:
            return kept
        if callable(nop):
            nop = nop(site.digits)
        return any(re.fullmatch(form, self.final.units(
            self.final.at(addr, len(re.sub(r"\[.*?\]", ".", form)) // 2) or
            b"", row.unit)) for form in nop.split("|"))

    def unnamed(self, site, offset):
        """A site that is dead, most likely, may have an entry."""
        places = {self.final.code(found.value - sym.value + offset)
                  for sym in self.partial.elf.symbols
                  if sym.shndx == site.shndx and sym.type == FUNC and
                  sym.bind != 2
                  for found in self.final.by_name.get(sym.name, [])
                  if found.shndx}
        relaxes = site.shndx in self.partial.relaxed
        for entry in self.entries:
            if entry.key[1:] == (site.probe, site.form) and \
               (relaxes or entry.addr in places) and \
               not self.code.covered(entry.addr) and \
               self.is_site(entry.addr, site):
                self.seen.append(entry.key)

    def rigid(self, sym, sites):
        """Nothing moved in this function."""
        keys = {entry.key for entry in self.entries}
        for site in sites:
            addr = self.final.code(sym.value + site.offset)
            self.seen.append(site.at(addr))
            if not self.is_site(addr, site):
                self.faults.append(f"{addr:#x} is no disabled {site.probe}")
            if site.at(addr) not in keys:
                self.faults.append(
                    f"{site.probe} at {addr:#x} is not in the table")

    def relaxed(self, sym, sites):
        """Things moved, and kept their order."""
        # mold leaves the sizes as they were.
        size = min([sym.size] + [value - sym.value
                                 for value, _, _ in self.code.starts
                                 if value > sym.value])
        # Folded functions have an entry each: judge() counts those.
        found = sorted({entry.key for entry in self.entries
                        if sym.value <= entry.addr < sym.value + size})
        if [key[1:] for key in found] != [(s.probe, s.form) for s in sites]:
            self.faults.append(f"{sym.name} has not these sites")
            return
        for key, site in zip(found, sites):
            self.seen.append(key)
            if not self.is_site(key[0], site):
                self.faults.append(f"{key[0]:#x} is no disabled {key[1]}")
        if self.final.machine == EM_RISCV:
            self.count_nops(sym, size, sites)

    def count_nops(self, sym, size, sites):
        """Two instructions that no compiler writes: as many as calls."""
        nop = bytes.fromhex("6f00800013000000")
        body = self.final.at(sym.value, size) or b""
        calls = sum(1 for i in range(0, len(body) - 7, 2)
                    if body[i:i + 8] == nop)
        if calls != sum(1 for site in sites if site.form == CALL and
                        not site.probe.startswith(ENABLED)):
            self.faults.append(f"{sym.name} has {calls} disabled calls")


