#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""rooms.py SOURCE: who uses whom, read from the symbols of the objects of the
library and of the command (nm -P on standard input) and from #include.

Prints what goes against the order of the rooms, what the proof uses of the
generator, files of the library that use each other in a circle, functions that no file but
their own uses, and names that do not say where they are. Exit 1 if there is
any."""
import collections
import pathlib
import re
import sys

# Each uses only those before it: the order of the build's list, which main() reads.
ROOMS = []
# What finds sites for the generator: the proof finds them on its own.
SCANNER = {"sites/" + name for name in
           ("scan", "scan-probes", "attribute", "unnamed", "bound")}


def symbols(lines):
    """Who defines which symbol, and who wants which."""
    defined, wanted = {}, collections.defaultdict(set)
    for line in lines:
        if line.endswith(":\n"):
            where = pathlib.PurePath(line[:-2])
            file = f"{where.parent.name}/{where.stem}"
            wanted[file]
            continue
        name, kind = line.split()[:2]
        if kind == "U":
            wanted[file].add(name)
        elif kind.isupper():
            defined[name] = file
    return defined, wanted


def arrows(defined, wanted):
    """file -> {file that it uses: a symbol of that one}."""
    uses = {file: {} for file in wanted}
    for file, names in wanted.items():
        for name in sorted(names):
            other = defined.get(name, file)
            if other != file:
                uses[file].setdefault(other, name)
    return uses


def wrong(file, other):
    """Why FILE must not use OTHER, or None."""
    room, target = file.split("/")[0], other.split("/")[0]
    if ROOMS.index(target) > ROOMS.index(room):
        return f"{target}/ is above {room}/"
    if room == "drift" and target not in ("base", "arch", "elf", "drift"):
        return "places are found without probes"
    if other == "arch/scan" and room not in ("arch", "sites"):
        return "that is how the generator finds sites"
    if room == "prove" and (target == "make" or other in SCANNER):
        return "the proof shares nothing with the generator"
    return None


def circles(uses):
    """Lists of files that use one another, by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(file):
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in uses[file]:
            if other not in index:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], index[other])
        if low[file] == index[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for file in uses:
        if file not in index:
            visit(file)
    return found


def alone(defined, wanted):
    """What could be static, or is dead; names with two _ are the compiler's.
    Where libdw is not, what calls it is not built, and uses nothing."""
    if "source/without" in defined.values():
        return []
    used = set().union(*wanted.values()) | {"main"}
    return [f"{name}() of {file} is used nowhere else: make it static"
            for name, file in sorted(defined.items()) if name not in used and
            not name.startswith("__")]


def borrowed(wanted):
    """Who calls libelf, though that is the business of elf/."""
    return [f"{file} calls {name}() of libelf: only elf/ does"
            for file, names in wanted.items() for name in sorted(names)
            if re.match("g?elf(32|64)?_", name) and
            not file.startswith(("elf/", "sdtlink/"))]


def includes(source):
    """(file, other) for each #include of one of our headers."""
    for path in sorted(pathlib.Path(source, "lib").glob("*/*.[ch]")):
        room = path.parent.name
        for name in re.findall(r'^#include "(.*)\.h"$', path.read_text(), re.M):
            yield f"{room}/{path.stem}", name if "/" in name else f"{room}/{name}"


def owns(source, file):
    """What the names that FILE exports may begin with: its own name or the first
    word of that, its room, or what a header of the room defines."""
    room, stem = file.split("/")
    words = {stem.replace("-", "_"), stem.split("-")[0], room}
    for header in pathlib.Path(source, "lib", room).glob("*.h"):
        words.update(re.findall(r"^(?:struct|enum) (\w+) {", header.read_text(),
                                re.M))
    return words | {word + "s" for word in words} | \
        {word.removesuffix("s") for word in words}


def strangers(source, defined):
    """Names of the library that do not say where they are. Those of arch/ begin
    with the machine."""
    for name, file in sorted(defined.items()):
        if not file.startswith(("sdtlink/", "arch/")) and \
                not name.startswith("__") and \
                not any(f"{name}_".startswith(word + "_")
                        for word in owns(source, file)):
            yield f"{name}() of {file} has the prefix of another file"


def main():
    sources = pathlib.Path(sys.argv[1], "lib", "local.mk").read_text()
    ROOMS.extend(dict.fromkeys(re.findall(r"^\tlib/(\w+)/", sources, re.M)))
    ROOMS.append("sdtlink")
    defined, wanted = symbols(sys.stdin)
    uses = arrows(defined, wanted)
    if {file.split("/")[0] for file in uses} != set(ROOMS):
        sys.exit("rooms.py: not all rooms were read")
    bad = [f"{file} uses {name}() of {other}: {wrong(file, other)}"
           for file, others in uses.items() for other, name in others.items()
           if wrong(file, other)]
    bad += [f"{file} includes {other}.h: {wrong(file, other)}"
            for file, other in includes(sys.argv[1]) if wrong(file, other)]
    bad += borrowed(wanted) + alone(defined, wanted)
    bad += strangers(sys.argv[1], defined)
    bad += ["use each other in a circle: " + ", ".join(files)
            for files in circles(uses)
            if not files[0].startswith("sdtlink/")]
    print(*bad, sep="\n", end="\n" if bad else "")
    sys.exit(bool(bad))


main()
