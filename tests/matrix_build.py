# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the cells of tests/matrix.py."""
import hashlib
import json
import os
import re
import shutil
import subprocess

import matrix_oracle as oracle
from matrix_damage import patch
from matrix_isas import ISAS, major
from matrix_variants import START, Outcome, pick

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "testdata", "matrix")
SDTLINK = os.environ.get("SDTLINK", "sdtlink")
if "/" in SDTLINK:
    SDTLINK = os.path.abspath(SDTLINK)
# How compilers say that they have no such option.
NO_OPTION = re.compile(r"unrecognized|unsupported|not supported|unknown arg|"
                       r"unknown target|invalid|incompatible|is not valid|"
                       r"requires|cannot be used|localentry expression")


def split_stubs(path):
    """Let -ffunction-sections have each stub, and make all alike."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("__section__(SDT_STUB_SECTION)", "__unused__")
    text = re.sub(r"__asm__ __volatile__\(\"/\* \d+ \*/\"\);", "", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Failed(Exception):
    """A command failed."""


class NoSuchCell(Exception):
    """The compiler or the linker has no such thing."""


def run(argv, cwd):
    """Run a command; Failed has what it printed."""
    try:
        done = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              timeout=120)
    except subprocess.TimeoutExpired as slow:
        raise Failed("timeout: " + argv[0]) from slow
    if done.returncode:
        raise Failed(done.stdout.decode("utf-8", "replace"))


class Build:
    """Builds one cell in a folder, of objects that cells share."""

    def __init__(self, cell, root, objdump):
        self.cell, self.root, self.objdump = cell, root, objdump
        self.isa = ISAS[cell.arch]
        self.variant = cell.variant
        self.is_gcc = cell.cc.family == "gcc"
        self.form = cell.form
        self.structures = []
        self.dir = os.path.join(
            root, "-".join((cell.arch, self.variant.name, cell.cc.name,
                            cell.ld.name, cell.form)))
        self.expand = {"data": os.path.abspath(DATA),
                       "start": START, "root": root,
                       "merge": os.path.join(root, "merge.lds")}

    def words(self, flags, family):
        """Flags for this cell, or NoSuchCell."""
        flags = pick(flags, family)
        if flags is None:
            raise NoSuchCell()
        return [flag.format(**self.expand) if "{" in flag else flag
                for flag in flags]

    def common(self, family=None):
        """Flags of all objects."""
        family = family or self.cell.cc.family
        return self.isa.flags[family] + [
            "-ffreestanding", "-fno-stack-protector", "-fno-pic", "-O2"
        ] + self.words(self.variant.cc, family)

    def compiler(self, source, body):
        """The compiler of a source, and its flags."""
        cc = self.cell.cc
        if not source.endswith(".cc"):
            return cc.path, self.common() + body
        if self.is_gcc and "clang" in os.path.basename(cc.cxx):
            return cc.cxx, self.common("clang") + [
                flag for flag in body
                if not re.match("-flto|-ffat|-mtls-dialect", flag)
            ] + ["-fno-exceptions", "-fno-rtti", "-Wno-everything"]
        return cc.cxx, self.common() + body + ["-fno-exceptions", "-fno-rtti"]

    def compile(self, source, defines=(), body=None):
        """Compile a file of the program, once for all cells."""
        path, flags = self.compiler(source, list(defines) + (body or []))
        if not os.path.isabs(source):
            source = os.path.join(self.expand["data"], source)
            key = [self.cell.arch, self.cell.cc.name,
                   os.path.basename(source)] + flags
            # The flags are too many for a file's name.
            name = hashlib.sha1("@".join(key).encode()).hexdigest()
            out = os.path.join(self.root, "objects", f"{name}.o")
            if os.path.exists(out):
                return out
        else:
            out = os.path.join(self.dir, os.path.basename(source) + ".o")
        temporary = f"{out}.{os.getpid()}"
        try:
            run([path, *flags, "-c", "-o", temporary, source], self.dir)
        except Failed as failed:
            if NO_OPTION.search(str(failed)):
                raise NoSuchCell() from failed
            raise
        # Another process may have been faster, and its object be in use.
        try:
            os.link(temporary, out)
        except FileExistsError:
            pass
        os.remove(temporary)
        return out

    def objects(self, body=None):
        """The objects of the partial: two halves, which share a COMDAT."""
        if body is None:
            body = self.words(self.variant.body, self.cell.cc.family)
        first = [self.compile(s, (), body) for s in ("core.c", "net.c")]
        second = []
        if self.variant.how == "weak":
            first.append(self.compile("weak.c", (), body))
        if self.variant.more:
            first.append(self.compile(self.variant.more, (), body))
        for copy, half in (("copy_one", first), ("copy_two", second)):
            half.append(self.compile("inline.cc", ["-DCOPY=" + copy], body))
        return first, second

    def link_partial(self, out, objects):
        """ld -r; for LTO the compiler calls it."""
        cell, how = self.cell, self.variant.how
        if how in ("lto", "lto-slim") and self.is_gcc:
            if cell.ld.family == "lld":
                raise NoSuchCell()
            if cell.ld.family == "mold" and self.isa.prefix:
                raise NoSuchCell()
            more = ["-flinker-output=nolto-rel"] if how == "lto" else []
            run([cell.cc.path, *self.common(), "-flto", "-r", "-nostdlib",
                 "-fuse-ld=" + cell.ld.family, *more, "-o", out, *objects],
                self.dir)
            return
        # Nor does clang record ELFv2 in bytecode.
        if how == "lto" and (
                cell.arch.startswith(("ppc64v", "mipsn32")) or
                cell.arch == "ppc64" or
                cell.ld.family != "lld" or major(cell.ld) < major(cell.cc)):
            raise NoSuchCell()
        run([cell.ld.path, *self.isa.ld, "-r", "-o", out,
             *self.words(self.variant.part, cell.ld.family), *objects],
            self.dir)

    def sdtlink(self, *argv):
        """Run it; the document it prints."""
        done = subprocess.run([SDTLINK, "--format=json", *argv], cwd=self.dir,
                              stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.DEVNULL, timeout=120)
        if done.returncode < 0 or done.returncode > 2:
            raise Failed(f"sdtlink crashed: {done.returncode}")
        return done.returncode, json.loads(done.stdout)

    def generate(self, partial, stem):
        """Stubs and table: the objects to link in place of PARTIAL."""
        if self.form == "offsets":
            more = ["--table=linker-set"] if self.variant.how == "linker-set" \
                else []
            source = os.path.join(self.dir, stem + ".c")
            status, doc = self.sdtlink(*more, "-o", source, partial)
            if status:
                raise Refused(doc)
            if more:
                # The structures that the records of a linker set point to.
                path = os.path.join(self.dir, "structures.c")
                with open(path, "w", encoding="ascii") as file:
                    for probe in doc["probes"]:
                        name = probe["symbol"][len("__dtrace_"):]
                        file.write(f"int {name} = 1;\n")
                self.structures = [self.compile(path)]
            body = ["-fno-lto"] + self.words(self.variant.stubs,
                                             self.cell.arch)
            if self.variant.how == "split-stubs":
                split_stubs(source)
                body.append("-ffunction-sections")
            return [partial, self.compile(source, (), body)]
        out = os.path.join(self.dir, stem + "-injected.o")
        status, doc = self.sdtlink("--inject", *self.variant.inject,
                                   *(["--nop"] * (self.form == "nop")),
                                   "-o", out, partial)
        if status:
            raise Refused(doc)
        return [out]

    def rest(self):
        """What is not in the partial."""
        how = self.variant.how
        rest = []
        form = "OFFSETS" if self.form == "offsets" else "ANCHORED"
        if how in ("no-reader", "linker-set"):
            form = "NO_TABLE"
        rest.append(self.compile("reader.c", ["-D" + form]))
        if how == "weak-final":
            rest.append(self.compile("weak.c", ["-DPROBELESS"]))
        if how == "outside":
            rest.append(self.compile("outside.c"))
        return rest

    def link_final(self, objects):
        """The final link."""
        cell = self.cell
        run([cell.ld.path, *self.isa.ld, *self.isa.final, "-e", "start",
             "-o", "final", *self.words(self.variant.ld, cell.ld.family),
             *self.structures, *objects], self.dir)

    def make(self):
        """Build the final; the name of the partial to compare it with."""
        how = self.variant.how
        first, second = self.objects()
        part = os.path.join(self.dir, "part.o")
        if how in ("two-partials", "half"):
            halves = [os.path.join(self.dir, n) for n in ("a.o", "b.o")]
            self.link_partial(halves[0], first)
            self.link_partial(halves[1], second)
            self.link_partial(part, halves)
            objects = [o for i, half in enumerate(halves)
                       for o in self.generate(half, f"probes{i}")]
            self.link_final(objects + self.rest())
            return halves[0] if how == "half" else part
        if how == "lto-relink":
            return self.make_lto_relink(first + second, part)
        if how in ("other-table", "rigid-table"):
            return self.make_other_table(first + second, part)
        self.link_partial(part, first + second)
        objects, rest = self.generate(part, "probes"), self.rest()
        if how == "relink":
            run([self.cell.ld.path, *self.isa.ld, "-r", "-o", "whole.o",
                 *objects], self.dir)
            objects = ["whole.o"]
        if how == "stubs-first":
            objects = [self.compile("pad.c")] + rest + objects[::-1]
        elif how in ("comdat", "comdat-bare"):
            other = self.compile("inline.cc", ["-DCOPY=copy_three"] +
                                 ["-DOTHER"] * (how == "comdat"))
            objects = [other] + objects + rest
        else:
            objects += rest
        self.link_final(objects)
        if how and how.startswith("patch"):
            if not patch(self, part):
                raise NoSuchCell()
        if how == "other-partial":
            first, second = self.objects(["-Os", "-fno-inline"])
            part = os.path.join(self.dir, "other.o")
            self.link_partial(part, first + second)
        return part

    def make_lto_relink(self, objects, part):
        """The partial from plain objects, the final from bytecode."""
        if self.is_gcc:
            if self.cell.ld.family not in ("bfd", "gold") or \
               self.isa.prefix:
                raise NoSuchCell()
        elif self.cell.ld.name != self.cell.cc.name.replace("clang", "lld"):
            raise NoSuchCell()
        plain = [o for half in self.objects(["-fno-lto"]) for o in half]
        self.link_partial(part, plain)
        _, probes = self.generate(part, "probes")
        if not self.is_gcc:
            self.link_final([*objects, probes, *self.rest()])
            return part
        run([self.cell.cc.path, *self.common(), "-flto", "-nostdlib",
             "-static", "-Wl,-e,start", "-fuse-ld=" + self.cell.ld.family,
             "-o", "final", *objects, probes, *self.rest()], self.dir)
        return part

    def make_other_table(self, objects, part):
        """Stubs and table are those of a build with other flags."""
        other = os.path.join(self.dir, "other.o")
        first, second = self.objects(
            ["-mno-relax"] if self.variant.how == "rigid-table" else
            ["-Os", "-fno-inline"])
        self.link_partial(other, first + second)
        _, probes = self.generate(other, "probes")
        self.link_partial(part, objects)
        self.link_final([part, probes] + self.rest())
        return part

    def verify(self, partial):
        """What sdtlink says, and what is true."""
        more = []
        if self.variant.how == "linker-set":
            more = ["--table=linker-set"]
        _, doc = self.sdtlink("--verify", *more, partial, "final")
        state = doc.get("verdict", "trouble")
        causes = [f["cause"] for f in doc.get("findings", [])] + \
            [d["code"] for d in doc.get("diagnostics", [])
             if d["severity"] == "error"]
        # The first one is to be the true one.
        causes = causes[:1] + sorted(set(causes[1:]) - set(causes[:1]))
        if state == "partly-proved":
            # What names could settle is no cause.
            causes = [d["code"] for d in doc["diagnostics"]
                      if d["severity"] == "error"]
        if state in ("refused", "partly-proved"):
            state = "refused-verify"
        text = "; ".join(f["text"] for f in doc.get("findings", []) +
                         doc.get("diagnostics", []))
        faults = None
        try:
            if self.variant.how == "linker-set":
                faults = ["the linker set counts from elsewhere"]
            else:
                faults = oracle.judge(
                    os.path.join(self.dir, partial),
                    os.path.join(self.dir, "final"), self.form, self.objdump,
                    ["weak_function"] * (self.variant.how == "weak-final"))
        except oracle.Unknown:
            pass
        except oracle.Broken as broken:
            # A site that is a NOP goes nowhere.
            if state != "proved" or self.form == "nop":
                raise Failed(str(broken)) from broken
            faults = [str(broken)]
        _, sites = self.sdtlink("--verify", "--text=sites", *more, partial,
                                "final")
        return Outcome(state, causes, faults, text,
                       sites.get("verdict") in ("proved", "sites-proved"))


class Refused(Exception):
    """sdtlink did not make a table."""

    def __init__(self, doc):
        super().__init__()
        errors = [d for d in doc.get("diagnostics", [])
                  if d["severity"] == "error"]
        self.codes = sorted({d["code"] for d in errors})
        self.text = "; ".join(d["text"] for d in errors[:3])


def do_cell(job):
    """Build and judge one cell, in a process of the pool."""
    cell, root, objdump, keep = job
    build = Build(cell, root, objdump)
    os.makedirs(build.dir, exist_ok=True)
    try:
        outcome = build.verify(build.make())
    except NoSuchCell:
        outcome = Outcome("none", [], None, "")
    except Refused as refused:
        outcome = Outcome("refused", refused.codes, None, refused.text)
    except Failed as failed:
        outcome = Outcome("link", [], None, str(failed))
    except Exception as error:  # whatever it is, the cell is to name it
        outcome = Outcome("broken", [], None, repr(error))
    if not keep:
        shutil.rmtree(build.dir)
    return cell, outcome


