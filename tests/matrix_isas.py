# SPDX-License-Identifier: GPL-3.0-or-later
"""The instruction sets of tests/matrix.py, and the tools that there are for
each on this machine.
"""
import collections
import functools
import glob
import os
import re
import shutil
import subprocess
import tempfile

from tools import VERSIONS, newest

Tool = collections.namedtuple("Tool", "name family version path cxx")


class Isa:
    """One instruction set.

    gnu      the prefix of its GNU tools
    cc       flags of all compilers; gcc and clang, those of one family
    ld       flags of all links; final, those of the final link
    linkers  families of linkers that can link it
    lld      the first version that can; None if none
    every    all versions of clang and lld; else the last of clang, and the
             first and the last of lld
    few      gcc only: the other byte order has clang, too
    pic      can it be position-independent without a call through a register?
    nop      an instruction that is none of those that --nop writes, as the
             bytes of its most significant digits first
    """

    def __init__(self, name, gnu, cc=(), gcc=(), clang=(), ld=(), final=(),
                 linkers="bfd gold lld", lld=14, every=False, pic=True,
                 few=False, objdump=None, nop=None):
        self.name, self.prefix = name, gnu + "-" if gnu else ""
        self.flags = {"gcc": [*cc, *gcc], "clang": [*clang, *cc]}
        self.ld, self.final = list(ld), list(final)
        self.linkers, self.lld = linkers.split(), lld
        self.every, self.pic, self.few, self.nop = every, pic, few, nop
        self.objdump = objdump or self.prefix + "objdump"


def target(triple, *more):
    """clang's flags."""
    return ["--target=" + triple, *more]


MIPS = ["-mno-abicalls", "-G0"]
FPU = ["-march=armv7-a+fp", "-mfloat-abi=hard"]

ISAS = {isa.name: isa for isa in [
    Isa("x86_64", "", ["-m64", "-fcf-protection=none"], every=True,
        ld=["-m", "elf_x86_64"], linkers="bfd gold lld mold"),
    Isa("i386", "", ["-m32", "-fcf-protection=none"], every=True,
        ld=["-m", "elf_i386"], linkers="bfd gold lld mold"),
    Isa("riscv64", "riscv64-linux-gnu", ["-mabi=lp64d", "-mcmodel=medany"],
        clang=target("riscv64-linux-gnu"), every=True,
        ld=["-m", "elf64lriscv"], linkers="bfd lld mold"),
    Isa("x32", "", ["-fcf-protection=none"], gcc=["-mx32"],
        clang=target("x86_64-linux-gnux32"), ld=["-m", "elf32_x86_64"]),
    Isa("aarch64", "aarch64-linux-gnu", clang=target("aarch64-linux-gnu"),
        linkers="bfd gold lld mold", nop="aa0903e9"),
    Isa("aarch64_be", "aarch64-linux-gnu", gcc=["-mbig-endian"],
        clang=target("aarch64_be-linux-gnu"), lld=16, few=True,
        ld=["-m", "aarch64linuxb"], linkers="bfd lld", nop="aa0903e9"),
    Isa("arm", "arm-linux-gnueabihf", ["-marm", *FPU],
        clang=target("arm-linux-gnueabihf"), linkers="bfd gold lld mold",
        nop="e1a09009"),
    Isa("thumb", "arm-linux-gnueabihf", ["-mthumb", *FPU],
        clang=target("arm-linux-gnueabihf"), linkers="bfd gold lld mold",
        nop="f3af8000"),
    Isa("armeb", "arm-linux-gnueabihf", ["-marm", *FPU], gcc=["-mbig-endian"],
        clang=target("armeb-linux-gnueabihf"), lld=19, ld=["-EB"],
        final=["--be8"], nop="e1a09009"),
    Isa("ppc64le", "powerpc64le-linux-gnu",
        clang=target("powerpc64le-linux-gnu"), nop="7d294b78"),
    Isa("ppc64", "powerpc64-linux-gnu", ["-mabi=elfv2"],
        clang=target("powerpc64-linux-gnu"), nop="7d294b78"),
    Isa("ppc32", "powerpc-linux-gnu", clang=target("powerpc-linux-gnu"),
        nop="7d294b78"),
    Isa("s390x", "s390x-linux-gnu", clang=target("s390x-linux-gnu"),
        linkers="bfd gold lld mold", lld=19, nop="c0040000ffff"),
    Isa("mips", "mips-linux-gnu", MIPS, pic=False, few=True,
        clang=target("mips-linux-gnu", "-march=mips32r2"), nop="00000040"),
    Isa("mipsel", "mipsel-linux-gnu", MIPS, pic=False,
        clang=target("mipsel-linux-gnu", "-march=mips32r2"), nop="00000040"),
    Isa("mips64", "mips64-linux-gnuabi64", MIPS, pic=False, few=True,
        clang=target("mips64-linux-gnuabi64", "-march=mips64r2"),
        nop="00000040"),
    Isa("mips64el", "mips64el-linux-gnuabi64", MIPS, pic=False,
        clang=target("mips64el-linux-gnuabi64", "-march=mips64r2"),
        nop="00000040"),
    Isa("sparc64", "sparc64-linux-gnu", clang=target("sparc64-linux-gnu"),
        linkers="bfd gold mold", lld=None, nop="8610c003"),
    Isa("loongarch64", "none", clang=target("loongarch64-linux-gnu"),
        linkers="lld", lld=19, objdump=newest("llvm-objdump"), nop="00150129"),
    Isa("ppc64v1", "powerpc64-linux-gnu", ["-mabi=elfv1"], linkers="bfd",
        clang=target("powerpc64-linux-gnu"), nop="7d294b78"),
    Isa("mipsn32", "mips64-linux-gnuabi64", ["-mabi=n32", *MIPS], pic=False,
        clang=target("mips64-linux-gnuabi64", "-march=mips64r2"), few=True,
        ld=["-m", "elf32btsmipn32"], linkers="bfd lld", nop="00000040"),
    Isa("mipsn32el", "mips64el-linux-gnuabi64", ["-mabi=n32", *MIPS],
        clang=target("mips64el-linux-gnuabi64", "-march=mips64r2"), pic=False,
        ld=["-m", "elf32ltsmipn32"], linkers="bfd lld", nop="00000040"),
    Isa("riscv32", "riscv64-linux-gnu", ["-mabi=ilp32d", "-mcmodel=medany"],
        gcc=["-march=rv32gc"], clang=target("riscv32-linux-gnu",
                                            "-march=rv32gc"),
        ld=["-m", "elf32lriscv"], linkers="bfd lld mold", lld=16),
]}
NAMES = list(ISAS)


def output(*argv):
    """What a command prints, or nothing."""
    try:
        return subprocess.run(argv, stdout=subprocess.PIPE, timeout=60,
                              stderr=subprocess.STDOUT, check=False
                              ).stdout.decode("utf-8", "replace")
    except OSError:
        return ""


@functools.lru_cache(maxsize=None)
def version_of(path):
    """The last version number in the first line of --version."""
    line = (output(path, "--version").splitlines() or [""])[0]
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)+", line)
    return (numbers[-1] if "ld" in line and "LLD" not in line else
            numbers[0]) if numbers else None


def major(tool):
    """The version as a number."""
    return int(tool.version.split(".")[0])


def find_all(*patterns):
    """The commands on the path whose names match, each file once."""
    found = {}
    for folder in os.environ["PATH"].split(os.pathsep):
        for pattern in patterns:
            for path in glob.glob(os.path.join(folder, pattern)):
                if re.search(r"(-\d+|[a-z+])$", path) and \
                   os.access(path, os.X_OK):
                    found.setdefault(os.path.realpath(path), path)
    return sorted(found.values())


def llvm(command):
    """The command of each version of LLVM."""
    return [f"{command}-{version}" for version in VERSIONS["llvm"]]


def compiles(path, flags):
    """Does the compiler make code for that?"""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "x.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("int x;\n")
        return subprocess.run([path, *flags, "-fno-pic", "-c", "-o",
                               os.path.join(folder, "x.o"), source],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              check=False).returncode == 0


def sort_tool(tool):
    """GNU first, then by version."""
    order = ["gcc", "clang", "bfd", "gold", "lld", "mold"]
    return order.index(tool.family), major(tool)


def compiler(family, path):
    """What is at PATH, with the C++ compiler of that name beside it."""
    version = version_of(path)
    return Tool(f"{family}-{version.split('.')[0]}", family, version, path,
                re.sub(r"(clang|gcc)(-\d+)?$",
                       lambda m: {"clang": "clang++", "gcc": "g++"}[m[1]] +
                       (m[2] or ""), path))


def find_clangs(isa):
    """The newest first; it alone, where not every one is tried."""
    tools = [compiler("clang", path)
             for path in find_all("clang", *llvm("clang"))]
    found = {}
    for tool in sorted(tools, key=major, reverse=True):
        if tool.name not in found and (isa.every or not found) and \
           compiles(tool.path, isa.flags["clang"]):
            found[tool.name] = tool
    return list(found.values())


def find_compilers(name):
    """gcc, and clang. Few have a g++ for other machines: clang++ takes its
    place."""
    isa = ISAS[name]
    clangs = find_clangs(isa)
    found = {} if isa.few else {tool.name: tool for tool in clangs}
    for path in find_all(isa.prefix + "gcc", isa.prefix + "gcc-[0-9]*"):
        tool = compiler("gcc", path)
        if not os.access(tool.cxx, os.X_OK):
            if not clangs:
                continue
            tool = tool._replace(cxx=clangs[0].cxx)
        if compiles(path, isa.flags["gcc"]):
            found.setdefault(tool.name, tool)
    return sorted(found.values(), key=sort_tool)


def find_linkers(name):
    """GNU ld, gold, lld, mold."""
    isa, found = ISAS[name], {}
    for family, pattern in (("bfd", isa.prefix + "ld.bfd"),
                            ("lld", "ld.lld"),
                            *[("lld", name) for name in llvm("ld.lld")],
                            ("mold", "mold"),
                            ("gold", isa.prefix + "ld.gold")):
        for path in find_all(pattern):
            # lld goes by the name it is called by.
            version = version_of(path)
            if family not in isa.linkers or not version:
                continue
            tool = Tool(f"{family}-{version.split('.')[0]}"
                        if family == "lld" else family, family, version, path,
                        None)
            if family != "lld" or major(tool) >= isa.lld:
                found.setdefault(tool.name, tool)
    tools = sorted(found.values(), key=sort_tool)
    llds = [tool for tool in tools if tool.family == "lld"]
    return [tool for tool in tools if isa.every or tool not in llds[1:-1]]


def find_objdump(name):
    """One that disassembles it."""
    if ISAS[name].prefix:
        return shutil.which(ISAS[name].objdump)
    return shutil.which("objdump") if "elf64-x86-64" in \
        output("objdump", "-i") else shutil.which("x86_64-linux-gnu-objdump")
