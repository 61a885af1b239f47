#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""jump_oracle.py [-n COUNT] [--seed N] [--min COUNT] FILE... - decide anew, with
objdump and readelf, where a jump may go in x86 objects, or in finals that keep
relocations, and compare with sdtlink.

Asked for: the entry of each function, COUNT (500) places of each file, chosen
at random from where objdump begins an instruction, and some where it does not.
A yes of sdtlink that is a no here is a failure; the other way round it is
counted, by sdtlink's rule.
"""
import argparse
import bisect
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SDTLINK = os.environ.get("SDTLINK", "sdtlink/sdtlink")
JUMP = 5
# What no copy can do; all else that objdump prints is taken to be movable.
STAYS = re.compile(
    r"^(?:(?:bnd|notrack|rep|repz|repnz|lock|data16|addr32|cs|ds|es|ss|fs|gs|"
    r"rex\S*|xacquire|xrelease) )*"
    r"(?:call|lcall|ret|lret|iret|jmp|ljmp|j[a-z]+|loop|xbegin|xabort|int|int3|"
    r"into|int1|icebp|ud[012]|hlt|sys|endbr|\(bad\)|\.byte|rsm|vmcall|vmmcall|"
    r"vmlaunch|vmresume|vmxoff|vmrun|vmfunc|bound|sti\b)")
DIRECT = re.compile(r"(?:^|\s)(?:jmp|call|j[a-z]+|loop\S*|xbegin)(?:,p[nt])?\s+"
                    r"(?:0x)?([0-9a-f]+)(?:\s|$)")
# Sections whose words are about instructions that somebody changes or leaves.
TABLES = {"__ex_table", "__jump_table", "__bug_table", "__mcount_loc",
          ".static_call_sites", "__patchable_function_entries", ".smp_locks",
          ".retpoline_sites", ".return_sites", ".call_sites", ".cfi_sites",
          ".ibt_endbr_seal", ".kcfi_traps", ".altinstructions",
          ".parainstructions"}
DESCRIBE = {".eh_frame", ".orc_unwind_ip", ".orc_unwind", "__kprobe_blacklist"}
TEXT = ""  # all text of a final, which has one row of addresses


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True,
                          errors="replace").stdout


class Object:
    """What binutils say of one object."""

    def __init__(self, path):
        self.path = path
        self.sections = {}   # index -> name
        self.ends = {}
        self.base = {}       # section -> its address, 0 in an object
        self.text = set()
        self.alloc = set()
        self.read_sections()
        self.functions = collections.defaultdict(list)
        self.symbols = collections.defaultdict(set)
        self.values = {}
        self.blacklist = set()
        self.read_symbols()
        self.has_ibt = "IBT" in output("readelf", "-nW", path)
        self.insns = {}      # section -> {offset: (length, text, relocations)}
        self.read_code()
        self.entered = collections.defaultdict(set)  # by branches
        self.formed = collections.defaultdict(set)
        self.marks = collections.defaultdict(list)   # (start, end)
        self.unknown = set()  # families with jumps to who knows where
        self.follow()
        self.read_data()

    def read_sections(self):
        for line in output("readelf", "-SW", self.path).splitlines():
            found = re.match(r"\s*\[\s*(\d+)\] (\S*)\s+(\S+)\s+(\S+) \S+ (\S+) "
                             r"\S+\s+(\S*)\s+\d+\s+\d+\s+\d+$", line)
            if not found:
                continue
            index, name, kind, addr, size, flags = found.groups()
            self.sections[int(index)] = name
            self.base[name] = int(addr, 16)
            self.ends[name] = int(addr, 16) + int(size, 16)
            if "A" in flags and kind != "NOBITS":
                self.alloc.add(name)
                if "X" in flags:
                    self.text.add(name)

    def key(self, section):
        """Of the rows of offsets that SECTION has."""
        return section

    def read_symbols(self):
        for line in output("readelf", "-sW", self.path).splitlines():
            words = line.split()
            if len(words) < 7 or not words[0].endswith(":") or \
                    not words[6].isdigit():
                continue
            section = self.key(self.sections.get(int(words[6])))
            value, size = int(words[1], 16), int(words[2], 0)
            name = words[7] if len(words) > 7 else ""
            if words[3] == "SECTION":
                name = section
            self.values.setdefault(name, (section, value))
            if words[3] in ("SECTION", "FILE"):
                continue
            self.symbols[section].add(value)
            if section in self.rows() and size and \
                    words[3] in ("FUNC", "NOTYPE"):
                self.functions[section].append((value, value + size, name))
        self.furthest = {}  # section -> the end of all functions so far
        for section, functions in self.functions.items():
            functions.sort(key=lambda f: (f[0], -f[1]))
            self.furthest[section] = list(
                itertools.accumulate((f[1] for f in functions), max))

    def rows(self):
        return self.text

    def functions_at(self, section, at):
        functions = self.functions[section]
        i = bisect.bisect_right(functions, at, key=lambda f: f[0])
        while i > 0 and self.furthest[section][i - 1] > at:
            i -= 1
            if functions[i][1] > at:
                yield functions[i]

    def read_code(self):
        section, last, end = None, None, 0
        for line in output("objdump", "-dwr", "-z", "--no-show-raw-insn",
                           self.path).splitlines():
            found = re.match(r"Disassembly of section (.*):$", line)
            if found:
                section, last, end = self.key(found[1]), None, self.ends[found[1]]
                self.insns.setdefault(section, {})
                continue
            found = re.match(r"\s*([0-9a-f]+):\t(.*)$", line)
            if found and "R_" not in found[2].split(" ")[0]:
                parts = found[2].split("\t")
                at = int(found[1], 16)
                if last is not None:
                    before = self.insns[section][last]
                    before[0] = at - last
                last = at
                self.insns[section][at] = [end - at, parts[0].strip(), []]
                self.add_relocs(section, at, " ".join(parts[1:]))
            elif section and last is not None:
                self.add_relocs(section, last, line)

    def add_relocs(self, section, at, text):
        for found in re.finditer(r"([0-9a-f]+): (R_\w+)\s+(\S+)", text):
            self.insns[section][at][2].append(
                (int(found[1], 16), found[2], found[3]))

    def resolve(self, symbol):
        """SYMBOL+0xN of objdump as (section or None, offset)."""
        found = re.match(r"(.*?)(?:([+-])0x([0-9a-f]+))?$", symbol)
        addend = int(found[3], 16) if found[3] else 0
        section, value = self.values.get(found[1], (None, 0))
        return section, value + (-addend if found[2] == "-" else addend)

    def family(self, section, at):
        return {f[2].split(".cold")[0]
                for f in self.functions_at(section, at)}

    def is_known(self, body, before):
        """By a table, or to where it has to find an endbr."""
        if self.has_ibt and "notrack" not in body:
            return True
        if re.search(r"\*-?0x[0-9a-f]+\(,%\w+,[48]\)", body):
            return True
        reg = re.search(r"jmp\s+\*(%\w+)", body)
        add = re.match(r"add\s+(%\w+),(%\w+)$", before[1])
        load = re.match(r"(?:movslq|mov)\s+\S*\((%\w+),%\w+,4\),(%\w+)$",
                        before[0])
        return bool(reg and add and load and
                    add[2] == reg[1] == load[2] and add[1] == load[1])

    def follow(self):
        """Where instructions lead, and what addresses they have."""
        for section, insns in self.insns.items():
            before = ["", ""]
            for at, (length, text, relocs) in insns.items():
                body = text.split("#")[0].strip()
                indirect = re.search(r"\bjmp\s+\*", body) and \
                    not self.is_known(body, before)
                before = [before[1], body]
                for where, kind, symbol in relocs:
                    other, value = self.resolve(symbol)
                    if "indirect_thunk" in symbol and \
                            re.search(r"\bjmp", body):
                        indirect = True
                    if other not in self.rows():
                        continue
                    if "PC32" in kind or "PLT32" in kind or "PC16" in kind:
                        if kind.startswith("R_X86_64"):
                            value += at + length - where
                        else:
                            value = self.rel_target(section, where, value)
                        if DIRECT.search(body):
                            self.entered[other].add(value)
                        else:
                            self.formed[other].add(value)
                    else:
                        if kind.startswith("R_386"):
                            value += self.word(section, where)
                        self.formed[other].add(value)
                found = DIRECT.search(body)
                if found and not relocs:
                    self.entered[section].add(int(found[1], 16))
                elif found is None and not relocs:
                    found = re.search(r"# ([0-9a-f]+) <", text)
                    if found and "(%rip)" in body:
                        self.formed[section].add(int(found[1], 16))
                if body.startswith("call") and not relocs and found and \
                        int(found[1], 16) == at + length:
                    self.formed[section].add(at + length)
                if indirect and not text.startswith("call"):
                    self.unknown |= self.family(section, at)

    def bytes_of(self, section):
        if not hasattr(self, "contents"):
            self.contents = {}
        if section not in self.contents:
            with tempfile.NamedTemporaryFile() as file:
                subprocess.run(["objcopy", "-O", "binary", "-j", section,
                                "--set-section-flags", section + "=alloc",
                                self.path, file.name], check=True,
                               stderr=subprocess.DEVNULL)
                self.contents[section] = file.read()
        return self.contents[section]

    def word(self, section, at):
        at -= self.base[section]
        return int.from_bytes(self.bytes_of(section)[at:at + 4], "little",
                              signed=True)

    def rel_target(self, section, where, value):
        """What a PC-relative field of REL means: behind its end."""
        return value + self.word(section, where) + 4

    def data_relocs(self):
        """(section, offset, type, symbol) of each, of whatever section."""
        section = None
        for line in output("objdump", "-rw", self.path).splitlines():
            found = re.match(r"RELOCATION RECORDS FOR \[(.*)\]:", line)
            if found:
                section = found[1]
                continue
            words = line.split()
            if len(words) == 3 and re.match(r"[0-9a-f]+$", words[0]):
                yield section, int(words[0], 16), words[1], words[2]

    def is_table(self, section, where):
        del where
        return section in TABLES

    def read_data(self):
        """References from tables and from other data."""
        pairs = collections.defaultdict(dict)
        for section, where, kind, symbol in self.data_relocs():
            if section not in self.alloc or section in self.text or \
                    section in DESCRIBE:
                continue
            other, value = self.resolve(symbol)
            if kind.startswith("R_386") and other is not None:
                value += self.word(section, where)
            if other not in self.rows():
                continue
            pairs[section][where] = other, value
            if self.is_table(section, where):
                length = 1
                if section == ".parainstructions":
                    word = 8 if kind.startswith("R_X86_64") else 4
                    length = self.bytes_of(section)[
                        where - self.base[section] + word + 1]
                if section != ".altinstructions":
                    self.marks[other].append((value, value + length))
            else:
                self.formed[other].add(value)
        self.read_alternatives(pairs[".altinstructions"])

    def read_alternatives(self, refs):
        """Distances at 0 and 4, and lengths at the end, of each entry."""
        starts = sorted(where for where in refs if where - 4 not in refs)
        if not starts:
            return
        data = self.bytes_of(".altinstructions")
        size = starts[1] - starts[0] if len(starts) > 1 else len(data)
        for where in starts:
            section, value = refs[where]
            length = data[where - self.base[".altinstructions"] +
                          (12 if size == 14 else 10)]
            self.marks[section].append((value, value + length))

    def finish(self):
        self.sorted_entered = {s: sorted(v) for s, v in self.entered.items()}
        self.sorted_formed = {s: sorted(v) for s, v in self.formed.items()}
        for marks in self.marks.values():
            marks.sort()
        self.unsafe = set()
        for section, functions in self.functions.items():
            formed = self.sorted_formed.get(section, [])
            for start, end, name in functions:
                i = bisect.bisect_right(formed, start)
                if i < len(formed) and formed[i] < end:
                    self.unsafe.add(name.split(".cold")[0])
        self.unsafe &= self.unknown

    def decide(self, section, at):
        """None for yes, or why not."""
        insns = self.insns.get(section, {})
        if at not in insns:
            return "boundary"
        functions = list(self.functions_at(section, at))
        if not functions:
            return "no function"
        end = max(f[1] for f in functions)
        length = 0
        while length < JUMP:
            if at + length not in insns or at + length >= end:
                return "too short"
            size, text, _ = insns[at + length]
            if STAYS.match(text):
                return f"stays: {text}"
            if re.match(r"f[a-z]", text) and not text.startswith("fs"):
                return f"x87: {text}"
            length += size
        if at + length > end:
            return "too short"
        for what, places in (("branch", self.sorted_entered),
                             ("address", self.sorted_formed)):
            places = places.get(section, [])
            i = bisect.bisect_right(places, at)
            if i < len(places) and places[i] < at + length:
                return f"{what} to +{places[i] - at}"
        marks = self.marks[section]
        i = bisect.bisect_left(marks, (at + length,))
        # None is longer than a byte says.
        while i > 0 and marks[i - 1][0] > at - 256:
            i -= 1
            if marks[i][1] > at:
                return "table"
        if self.family(section, at) & self.unsafe:
            return "indirect"
        return None


class Final(Object):
    """The same of a final that keeps relocations (--emit-relocs), of 64 bits."""

    def __init__(self, path):
        self.relocs = []  # (section, address, type, symbol)
        super().__init__(path)

    def key(self, section):
        return TEXT if section in self.text else section

    def rows(self):
        return {TEXT}

    def read_code(self):
        super().read_code()
        section = None
        insns = self.insns[TEXT]
        starts = sorted(insns)
        for line in output("readelf", "-rW", self.path).splitlines():
            found = re.match(r"Relocation section '\.rela(.*)' at", line)
            if found:
                section = found[1]
                continue
            found = re.match(r"([0-9a-f]+)\s+[0-9a-f]+ (R_\w+)\s+([0-9a-f]+) "
                             r"(\S+) ([+-]) ([0-9a-f]+)$", line)
            if not found:
                continue
            where, kind, value, name, sign, addend = found.groups()
            where = int(where, 16)
            value = int(value, 16) + int(sign + addend, 16)
            symbol = f"{name} {value:x}"
            if section not in self.text:
                self.relocs.append((section, where, kind, symbol))
                continue
            at = starts[bisect.bisect_right(starts, where) - 1]
            insns[at][2].append((where, kind, symbol))

    def add_relocs(self, section, at, text):
        pass

    def resolve(self, symbol):
        value = int(symbol.split()[1], 16)
        for section in self.text:
            if self.base[section] <= value < self.ends[section]:
                return TEXT, value
        return None, value

    def data_relocs(self):
        return self.relocs

    def is_table(self, section, where):
        if section in TABLES:
            return True
        if not hasattr(self, "tables"):
            self.tables = []
            for name, (_, start) in self.values.items():
                found = re.match(r"__start_(?:__)?(mcount_loc|jump_table|"
                                 r"static_call_sites|ex_table|bug_table)$",
                                 name)
                if found:
                    stop = name.replace("start", "stop", 1)
                    self.tables.append((start, self.values[stop][1]))
        return any(start <= where < stop for start, stop in self.tables)


def name_of(place):
    section, at = place
    return f"{at:#x}" if section == TEXT else f"{section}+{at:#x}"


def is_final(path):
    return "REL (" not in output("readelf", "-hW", path)


def compare(path, count, dice):
    """(asked, both yes, wrong yes, Counter of what sdtlink alone refuses)."""
    final = is_final(path)
    obj = Final(path) if final else Object(path)
    obj.finish()
    places = {(s, f[0]) for s, fs in obj.functions.items() for f in fs}
    nentries = len(places)
    every = [(s, at) for s, insns in obj.insns.items() for at in insns]
    dice.shuffle(every)
    places |= set(every[:count])
    places |= {(s, at + dice.randrange(1, 4)) for s, at in every[:count // 10]}
    names = collections.Counter(obj.sections.values())
    places = sorted(p for p in places if final or names[p[0]] == 1)
    if not places:
        return 0, 0, 0, [], collections.Counter()
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(map(name_of, places)))
        file.flush()
        run = subprocess.run([SDTLINK, "--check-jump", "--format=json", path,
                              "@" + file.name], stdout=subprocess.PIPE,
                             check=False)
    answer = json.loads(run.stdout)
    if "places" not in answer:
        sys.exit(f"{path}: exit status {run.returncode}: {answer}")
    wrong, strict, yes = [], collections.Counter(), 0
    for place, told in zip(places, answer["places"], strict=True):
        why = obj.decide(*place)
        where = told["address" if final else "offset"]
        if where is None:  # behind the end
            wrong += [f"{place}: yes to nothing"] * told["jump"]
        elif (TEXT if final else told["section"], int(where, 16)) != place:
            wrong.append(f"{place} is answered by {told['place']}")
        elif told["jump"] and why:
            wrong.append(f"{path}: {name_of(place)}: {why}")
        elif told["jump"]:
            yes += 1
        elif not why:
            strict[told["rule"]] += 1
            if os.environ.get("VERBOSE"):
                print(path, told["place"], told["rule"], told["text"])
    return len(places), nentries, yes, wrong, strict


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--min", type=int, default=0)
    parser.add_argument("objects", nargs="+")
    args = parser.parse_args()
    dice = random.Random(args.seed)
    asked = entries = yes = 0
    wrong, strict = [], collections.Counter()
    for path in args.objects:
        one = compare(path, args.n, dice)
        asked, entries, yes = asked + one[0], entries + one[1], yes + one[2]
        wrong += one[3]
        strict += one[4]
    print(f"{len(args.objects)} files, {asked} places, of which {entries} "
          f"are functions: {yes} yes by both, {len(wrong)} wrong yes, "
          f"{sum(strict.values())} no by sdtlink alone {dict(strict)}")
    print(*wrong[:20], sep="\n")
    if asked < args.min or yes * 20 < asked and args.min:
        sys.exit("too few to have tested anything")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
