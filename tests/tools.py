# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of tools that tests/tools names."""
import os
import re
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "tools"), encoding="ascii") as tools_file:
    VERSIONS = {match[1]: match[2].split() for match in
                re.finditer(r"^(\w+)='?([^'\n]*)", tools_file.read(), re.M)}


def newest(command):
    """The command of the newest LLVM that is here; else of the newest known."""
    names = [f"{command}-{version}" for version in
             reversed(VERSIONS["llvm"])]
    return next(filter(shutil.which, names), names[0])
