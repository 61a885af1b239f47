#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""markers.py source N - write a program with N functions, each with markers.
markers.py judge DOCUMENT IMAGE - compare what --markers --format=json says of
each argument with what gdb says at the same address; print the sums.

Exit 1 at the first difference that no rule explains."""
import collections
import json
import re
import subprocess
import sys

HEAD = """#include <sdtlink/sdt_marker.h>
int use(int), sink(void *);
struct thing { int size, count; struct thing *next; };
static int total;
static inline int helper(struct thing *t, int depth)
{
	int left = t->size - depth;
	SDT_MARKER(helper, "left=%d depth=%d", left, depth);
	return left * t->count;
}
"""

# What optimisers drop, fold, copy, keep.
BODY = """
int f{n}(struct thing *t, int a, int b)
{{
	int unused = a * {n}, twice = a + a, fixed = {n};
	int local = b;
	SDT_MARKER(enter{n}, "a=%d b=%d twice=%d", a, b, twice);
	sink(&local);
	for (int i = 0; i < {rounds}; i++) {{
		twice += use(i);
		SDT_MARKER(loop{n}, "i=%d twice=%d fixed=%d", i, twice, fixed);
	}}
	if (fixed > {n}) {{
		SDT_MARKER(never{n}, "unused=%d", unused);
		use(unused);
	}}
	total += helper(t, {n});
	SDT_MARKER_AT(leave{n}, "total=%d local=%d size=%d", total, local,
		      t->size);
	return twice + helper(t, b);
}}
"""

TAIL = """
int use(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int sink(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); return 0; }
struct thing things[2];
int main(void)
{
	volatile int n = 3;
%s	return total;
}
void _start(void) { main(); for (;;) ; }
"""


def source(n):
    print(HEAD + "".join(BODY.format(n=i, rounds=2 + i % 5 * 7)
                         for i in range(n)) +
          TAIL % "".join(f"\ttotal += f{i}(things, n, n + {i});\n"
                         for i in range(n)))


def of_expression(text):
    """The class of a DWARF expression as gdb prints it."""
    ops = re.findall(r"DW_OP_\w+", text)
    if any("entry_value" in op for op in ops):
        return "entry-value"
    if any("implicit_pointer" in op for op in ops):
        return "optimised-out"
    if ops[-1] == "DW_OP_stack_value":
        return "constant" if len(ops) == 2 and re.match(
            r"DW_OP_(lit|const|addr)", ops[0]) else "computed"
    if len(ops) == 1 and re.match(r"DW_OP_(fbreg|breg)", ops[0]):
        return "stack"
    return "computed"


def of_place(text):
    """The class of one location."""
    if "complex DWARF expression" in text:
        return of_expression(text)
    if "optimized out" in text:
        return "optimised-out"
    if "constant" in text:
        return "constant"
    if "static storage" in text:
        return "memory"
    if "frame base" in text or "at offset" in text or "a variable at" in text:
        return "stack"
    if "a variable in $" in text or "in register" in text:
        return "register"
    return None


def of_symbol(text, addr):
    if "multi-location" not in text:
        return of_place(text)
    ranges = re.split(r"  Range ", text)[1:]
    for part in ranges:
        low, high, rest = re.match(
            r"0x([0-9a-f]+)-0x([0-9a-f]+): (.*)", part, re.S).groups()
        if int(low, 16) <= addr < int(high, 16):
            return of_place(rest)
    return "elsewhere" if ranges else "optimised-out"


FUNCTION = r"""python exec("b = gdb.block_for_pc(%s)\nwhile b and not \
b.function: b = b.superblock\nprint('#' + (b.function.name if b else '?'))")"""


def gdb(image, addresses):
    """For each address the function of the innermost block, and what `info scope'
    says of each name."""
    # A file of commands would end at the first error.
    commands = [part for a in addresses
                for part in ("-ex", f"echo @{a:#x}\\n", "-ex", FUNCTION % a,
                             "-ex", f"info scope *{a:#x}")]
    text = subprocess.run(["gdb", "-batch", "-nx", *commands, image],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8", check=False).stdout
    found = {}
    for block in re.split(r"^@", text, flags=re.M)[1:]:
        names = {}
        for part in re.split(r"^Symbol ", block, flags=re.M)[1:]:
            names.setdefault(part.split(" ", 1)[0], part)
        function = re.search(r"^#(.*)$", block, re.M)
        found[int(block.split("\n", 1)[0], 16)] = (
            function and function[1], names)
    return found


def agrees(ours, theirs):
    if ours == theirs:
        return True
    # Globals are in no scope; what ends here is in none, either.
    if theirs is None:
        return ours in ("memory", "elsewhere", "unknown", "optimised-out")
    # gdb says it of a list without a range that is not empty, too.
    return {ours, theirs} == {"elsewhere", "optimised-out"}


def judge(document, image):
    with open(document, encoding="utf-8") as file:
        doc = json.load(file)
    places = [(marker["name"], place) for marker in doc["markers"]
              for place in marker["places"]]
    found = gdb(image, sorted({int(place["address"], 16)
                               for _, place in places}))
    compared = collections.Counter()
    for name, place in places:
        addr = int(place["address"], 16)
        function, scope = found[addr]
        for arg in place["arguments"]:
            if not re.fullmatch(r"[a-z]\w*", arg["name"]):
                continue
            # A marker has no code: the instruction behind it may be that of a
            # function that was inlined there, or another copy of helper(), and
            # that is the scope for gdb.
            if function != place["frames"][0]["function"] or \
                    (arg["name"] not in scope and name.startswith("leave")) \
                    or (function == "helper" and arg["where"] != "elsewhere"):
                compared["scope"] += 1
                continue
            text = scope.get(arg["name"])
            theirs = of_symbol(text, addr) if text else None
            if not agrees(arg["where"], theirs):
                sys.exit(f"{image}: marker {name} at {addr:#x}: "
                         f"{arg['name']} is {arg['where']}, for gdb {theirs}")
            compared["same" if arg["where"] == theirs else "none"] += 1
    counts = doc["counts"]
    print(f"{counts['markers']} markers, {counts['places']} places,",
          f"{counts['lost']} lost, {counts['duplicated']} duplicated;",
          ", ".join(f"{counts[key]} {key}" for key in list(counts)[5:]
                    if counts[key]),
          f"; gdb: {compared['same']} the same, {compared['none']} not in its "
          f"scope, {compared['scope']} in another's scope")
    sys.exit(compared["same"] < 100)


if sys.argv[1] == "source":
    source(int(sys.argv[2]))
else:
    judge(*sys.argv[2:])
