#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""matrix.py [OPTION]... - links testdata/matrix in every way, and compares
what sdtlink --verify says of each final with the truth (matrix_oracle.py).

  --all            every cell of x86-64, i386 and RISC-V
  --others         every cell of the other instruction sets; without either, a
                   subset of all that takes a minute
  --shuffle        not the matrix: eight objects, each injected by itself,
                   linked in twenty orders by each linker; with --others,
                   those of the other instruction sets
  --write FILE     write the table of outcomes as Markdown
  --only TEXT      only cells whose name, ARCH/VARIANT/COMPILER/LINKER/FORM,
                   contains TEXT; may be given more than once, all must match
  --resume FILE    keep outcomes in FILE, and do only what is not there yet
  --keep DIR       build there, and leave the files
  -j N             so many processes
  -v               print each cell

The environment says where things are: SDTLINK the command, srcdir the source
tree. Exit status: 0 all as it should be, 1 not, 77 no tool to test with.
"""
import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from matrix_build import SDTLINK, do_cell  # noqa: E402
from matrix_document import count_lines, document  # noqa: E402
from matrix_isas import (ISAS, NAMES, find_compilers,  # noqa: E402
                         find_linkers, find_objdump)
from matrix_judge import classify, explain, is_right  # noqa: E402
from matrix_shuffle import shuffle  # noqa: E402
from matrix_variants import (FORMS, VARIANTS, Cell, Outcome,  # noqa: E402
                             cell_key)

os.environ["LC_ALL"] = "C"

# Of that subset, one in so many; fewer, where a sample is enough.
EVERY = 3 if os.environ.get("SDTLINK_STRIDE", "1") == "1" else 25


def make_cells(args):
    """What there is to do on this machine; and which tools there are."""
    cells, tools = [], {}
    for arch in NAMES:
        compilers, linkers = find_compilers(arch), find_linkers(arch)
        objdump = find_objdump(arch)
        if not compilers or not linkers or not objdump:
            print(f"{arch}: no compiler, linker or objdump here")
            continue
        tools[arch] = (compilers, linkers, objdump)
        for variant in VARIANTS:
            if arch not in variant.arches:
                continue
            for cc in compilers:
                for ld in linkers:
                    cells += [Cell(arch, variant, cc, ld, form)
                              for form in variant.forms]
    return [cell for cell in cells if wanted(cell, args, tools)], tools


def name_of(cell):
    """ARCH/VARIANT/COMPILER/LINKER/FORM."""
    return "/".join((cell.arch, cell.variant.name, cell.cc.name, cell.ld.name,
                     cell.form))


def wanted(cell, args, tools):
    """Is the cell to be built?"""
    if args.only:
        return all(text in name_of(cell) for text in args.only)
    if args.all or args.others:
        return args.all if ISAS[cell.arch].every else args.others
    compilers, linkers, _ = tools[cell.arch]
    if not ISAS[cell.arch].every:
        i = NAMES.index(cell.arch)
        return cell.variant.name == "gc" and cell.form == FORMS[1 + i % 2] \
            and cell.cc == compilers[i // 2 % len(compilers)] \
            and cell.ld == linkers[i % len(linkers)]
    if not cell.variant.quick:
        return False
    c, n = compilers.index(cell.cc), linkers.index(cell.ld)
    # Each linker with one compiler, and each form with one linker.
    k = [v.name for v in VARIANTS].index(cell.variant.name)
    return cell.cc in (compilers[0], compilers[-1]) and \
        (c + n + k + FORMS.index(cell.form)) % EVERY == 0


def read_outcomes(path):
    """Those of an earlier run."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {tuple(key): Outcome(*outcome)
                for key, outcome in map(json.loads, file)}


def run_all(cells, tools, root, args):
    """The outcome of each cell."""
    os.makedirs(os.path.join(root, "objects"), exist_ok=True)
    subprocess.run([SDTLINK, "--merge-script", "-o",
                    os.path.join(root, "merge.lds")], check=True)
    for name, prefix in (("order.txt", ""), ("sections.txt", ".text.")):
        with open(os.path.join(root, name), "w", encoding="ascii") as file:
            for function in ("sched_wake_up", "net_send", "aligned",
                             "vm_fault", "net_receive", "start"):
                file.write(prefix + function + "\n")
    outcomes = read_outcomes(args.resume)
    jobs = [(cell, root, tools[cell.arch][2], bool(args.keep))
            for cell in cells if cell_key(cell) not in outcomes]
    with multiprocessing.Pool(args.j) as pool:
        for cell, outcome in pool.imap_unordered(do_cell, jobs, 4):
            outcomes[cell_key(cell)] = outcome
            if args.resume:
                with open(args.resume, "a", encoding="utf-8") as file:
                    print(json.dumps([cell_key(cell), outcome]), file=file)
            kind = classify(cell, outcome)
            if args.v or outcome.sites and not is_right(cell, outcome) or \
               kind in ("false-accept", "wrong-cause", "broken") or \
               kind in ("false-reject", "link") and \
               not explain(cell, outcome, kind):
                print(kind, name_of(cell), outcome.state,
                      ",".join(outcome.causes),
                      (outcome.faults or [""])[0], "|", outcome.text[:300],
                      flush=True)
    return outcomes


def main():
    """Run."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--only", action="append")
    parser.add_argument("--resume")
    parser.add_argument("--keep")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    if args.shuffle:
        return shuffle(args.others)
    cells, tools = make_cells(args)
    if not cells:
        print("skipped: no compiler and linker to test with")
        return 77
    root = os.path.abspath(args.keep) if args.keep else tempfile.mkdtemp()
    try:
        outcomes = run_all(cells, tools, root, args)
    finally:
        if not args.keep:
            shutil.rmtree(root)
    rows, bad = count_lines(cells, outcomes)
    for name, number in rows:
        print(f"{number:6d} {name.strip('*')}")
    if args.write:
        with open(args.write, "w", encoding="utf-8") as file:
            file.write(document(cells, outcomes, tools, args))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
