#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""stack.py NAME=FILE.ci[,FILE.ci...]... - the bytes of stack that each public
function of the runtime takes, with all that it calls of the runtime, as a
table with a column for each NAME. The files are what gcc writes for
-fcallgraph-info=su. What a host or a visitor takes is not in it."""
import pathlib
import re
import sys

NODE = re.compile(r'node: { title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: { sourcename: "([^"]+)" targetname: "([^"]+)"')




def read(paths):
    """The frames of functions, and whom each calls."""
    frames, calls = {}, {}
    for path in paths:
        text = pathlib.Path(path).read_text()
        for title, label in NODE.findall(text):
            size = re.search(r"(\d+) bytes \((static|dynamic[^)]*)\)", label)
            if not size:
                continue
            if size[2] != "static":
                sys.exit(f"{title}: its stack has no fixed size")
            frames[title] = int(size[1])
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    return frames, calls


def depth(function, frames, calls, above=()):
    """The deepest way down from FUNCTION."""
    if function in above:
        sys.exit(f"{function}: calls itself")
    return frames.get(function, 0) + max(
        (depth(callee, frames, calls, (*above, function))
         for callee in calls.get(function, ())), default=0)


def main():
    """A line for each public function that all columns have."""
    columns = {}
    for argument in sys.argv[1:]:
        name, paths = argument.split("=")
        frames, calls = read(paths.split(","))
        columns[name] = {f: depth(f, frames, calls) for f in frames
                         if re.fullmatch(r"sdt_(?!isa_)\w+", f)}
    shared = set.intersection(*(set(c) for c in columns.values()))
    print(f"{'':<26}" + "".join(f"{name:>10}" for name in columns))
    for function in sorted(shared):
        if function not in ("sdt_patch_same", "sdt_patch_step",
                            "sdt_patch_write"):
            print(f"{function:<26}" +
                  "".join(f"{c[function]:>10}" for c in columns.values()))


main()
