#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""jump_oracle.py [-n COUNT] [--seed N] [--min COUNT] OBJECT... - decide anew, with
objdump and readelf, where a jump may go in x86 objects, and compare with sdtlink.

Asked for: the entry of each function, COUNT (500) places of each object, chosen
at random from where objdump begins an instruction, and some where it does not.
A yes of sdtlink that is a no here is a failure; the other way round it is
counted, by sdtlink's rule.
"""
import argparse
import bisect
import collections
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


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True,
                          errors="replace").stdout


class Object:
    """What binutils say of one object."""

    def __init__(self, path):
        self.path = path
        self.sections = {}   # index -> name
        self.sizes = {}
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
            found = re.match(r"\s*\[\s*(\d+)\] (\S*)\s+(\S+)\s+\S+ (\S+) (\S+) "
                             r"\S+\s+(\S*)\s+\d+\s+\d+\s+\d+$", line)
            if not found:
                continue
            index, name, kind, _, size, flags = found.groups()
            self.sections[int(index)] = name
            self.sizes[name] = int(size, 16)
            if "A" in flags and kind != "NOBITS":
                self.alloc.add(name)
                if "X" in flags:
                    self.text.add(name)

    def read_symbols(self):
        for line in output("readelf", "-sW", self.path).splitlines():
            words = line.split()
            if len(words) < 7 or not words[0].endswith(":") or \
                    not words[6].isdigit():
                continue
            section = self.sections.get(int(words[6]))
            value, size = int(words[1], 16), int(words[2], 0)
            name = words[7] if len(words) > 7 else ""
            if words[3] == "SECTION":
                name = section
            self.values.setdefault(name, (section, value))
            if words[3] in ("SECTION", "FILE"):
                continue
            self.symbols[section].add(value)
            if section in self.text and size and words[3] in ("FUNC", "NOTYPE"):
                self.functions[section].append((value, value + size, name))
        for section, functions in self.functions.items():
            functions.sort(key=lambda f: (f[0], -f[1]))

    def read_code(self):
        section, last = None, None
        for line in output("objdump", "-dwr", "-z", "--no-show-raw-insn",
                           self.path).splitlines():
            found = re.match(r"Disassembly of section (.*):$", line)
            if found:
                section, last = found[1], None
                self.insns[section] = {}
                continue
            found = re.match(r"\s*([0-9a-f]+):\t(.*)$", line)
            if found and "R_" not in found[2].split(" ")[0]:
                parts = found[2].split("\t")
                at = int(found[1], 16)
                if last is not None:
                    before = self.insns[section][last]
                    before[0] = at - last
                last = at
                self.insns[section][at] = [self.sizes[section] - at,
                                           parts[0].strip(), []]
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
        names = [f[2] for f in self.functions[section] if f[0] <= at < f[1]]
        return {name.split(".cold")[0] for name in names}

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
                    if other not in self.text:
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
        return int.from_bytes(self.bytes_of(section)[at:at + 4], "little",
                              signed=True)

    def rel_target(self, section, where, value):
        """What a PC-relative field of REL means: behind its end."""
        return value + self.word(section, where) + 4

    def read_data(self):
        """References from tables and from other data."""
        section = None
        pairs = collections.defaultdict(dict)
        for line in output("objdump", "-rw", self.path).splitlines():
            found = re.match(r"RELOCATION RECORDS FOR \[(.*)\]:", line)
            if found:
                section = found[1]
                continue
            words = line.split()
            if len(words) != 3 or section not in self.alloc or \
                    section in self.text or section in DESCRIBE or \
                    not re.match(r"[0-9a-f]+$", words[0]):
                continue
            other, value = self.resolve(words[2])
            where = int(words[0], 16)
            if words[1].startswith("R_386") and other is not None:
                value += self.word(section, where)
            if other not in self.text:
                continue
            pairs[section][where] = other, value
            if section in TABLES:
                length = 1
                if section == ".parainstructions":
                    word = 8 if words[1].startswith("R_X86_64") else 4
                    length = self.bytes_of(section)[where + word + 1]
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
            length = data[where + (12 if size == 14 else 10)]
            self.marks[section].append((value, value + length))

    def finish(self):
        self.sorted_entered = {s: sorted(v) for s, v in self.entered.items()}
        self.sorted_formed = {s: sorted(v) for s, v in self.formed.items()}
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
        functions = [f for f in self.functions[section] if f[0] <= at < f[1]]
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
        for start, stop in self.marks[section]:
            if start < at + length and stop > at:
                return "table"
        if self.family(section, at) & self.unsafe:
            return "indirect"
        return None


def compare(path, count, dice):
    """(asked, both yes, wrong yes, Counter of what sdtlink alone refuses)."""
    obj = Object(path)
    obj.finish()
    places = {(s, f[0]) for s, fs in obj.functions.items() for f in fs}
    nentries = len(places)
    every = [(s, at) for s, insns in obj.insns.items() for at in insns]
    dice.shuffle(every)
    places |= set(every[:count])
    places |= {(s, at + dice.randrange(1, 4)) for s, at in every[:count // 10]}
    names = list(obj.sections.values())
    places = sorted(p for p in places if names.count(p[0]) == 1)
    if not places:
        return 0, 0, 0, [], collections.Counter()
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(f"{s}+{at:#x}" for s, at in places))
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
        if told["offset"] is None:  # behind the end
            wrong += [f"{place}: yes to nothing"] * told["jump"]
        elif (told["section"], int(told["offset"], 16)) != place:
            wrong.append(f"{place} is answered by {told['place']}")
        elif told["jump"] and why:
            wrong.append(f"{path}: {place[0]}+{place[1]:#x}: {why}")
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
    print(f"{len(args.objects)} objects, {asked} places, of which {entries} "
          f"are functions: {yes} yes by both, {len(wrong)} wrong yes, "
          f"{sum(strict.values())} no by sdtlink alone {dict(strict)}")
    print(*wrong[:20], sep="\n")
    if asked < args.min or yes * 20 < asked and args.min:
        sys.exit("too few to have tested anything")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
