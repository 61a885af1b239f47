#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws doc/overview.svg, which the README shows: doc/overview.py >FILE."""

STEPS = (
    # what it is called, what stands in the box, who makes the next one of it
    ("object or partial link", ["call udp___receive", "undefined"],
     "sdtlink --inject"),
    ("object with a table", ["call, or NOP", "stub: ret", "sdt_sites: entry"],
     "your linker"),
    ("image", ["text has moved", "so have the entries"],
     "sdtlink --verify"),
    ("proved image", ["every site is in", "the table, and no", "entry too many"],
     "boot"),
    ("running system", ["NOP  \N{LEFT RIGHT ARROW}  call handler",
                        "one site at a time"], None),
)
WIDTH, HEIGHT, GAP, LINE = 168, 112, 44, 18


def box(left, title, lines):
    """A step, with its title above its text."""
    yield (f'<rect x="{left}" y="30" width="{WIDTH}" height="{HEIGHT}" '
           'rx="6"/>')
    yield (f'<text class="title" x="{left + WIDTH / 2}" y="54">'
           f'{title}</text>')
    for i, line in enumerate(lines):
        yield (f'<text x="{left + WIDTH / 2}" y="{80 + i * LINE}">'
               f'{line}</text>')


def arrow(left, label):
    """From one step to the next, with the name of what takes it."""
    middle = 30 + HEIGHT / 2
    yield (f'<path d="M{left + 4} {middle}h{GAP - 14}"/>'
           f'<path class="head" d="M{left + GAP - 4} {middle}l-8 -5v10z"/>')
    yield f'<text class="tool" x="{left + GAP / 2}" y="166">{label}</text>'


def main():
    """Boxes from left to right."""
    width = len(STEPS) * WIDTH + (len(STEPS) - 1) * GAP + 20
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
          f'height="180" viewBox="0 0 {width} 180">')
    print('<style>text{font:13px sans-serif;text-anchor:middle;fill:#222}'
          '.title{font-weight:bold}.tool{font-family:monospace;fill:#06c}'
          'rect{fill:#f6f8fa;stroke:#57606a}path{stroke:#57606a;fill:none}'
          '.head{fill:#57606a}</style>')
    print('<rect style="fill:#fff;stroke:none" width="100%" height="100%"/>')
    for i, (title, lines, tool) in enumerate(STEPS):
        left = 10 + i * (WIDTH + GAP)
        print(*box(left, title, lines), sep="\n")
        if tool:
            print(*arrow(left + WIDTH, tool), sep="\n")
    print("</svg>")


main()
