#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the documentation share.

doc.py run man FILE SECTION             - make the files and run the commands
                                          of its examples, compare the output
doc.py run markdown [build] FILE...     - the same of whole files, in one
                                          place; only sessions that are about
                                          ./build, or only the others
doc.py tags FILE SECTION [SUBSECTION]   - the tags of a man page's lists
doc.py codes SOURCE...                  - the codes of diagnostics in C
doc.py causes FINDING.C                 - the names of causes
doc.py validate SCHEMA DOCUMENT...      - against a JSON schema
doc.py table FILE MEMORY [NM]           - the dump in a man page, as bytes
"""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys


def unroff(text):
    """What a man page shows for TEXT."""
    for escape, shown in (("\\-", "-"), ("\\(dq", '"'), ("\\(aq", "'"),
                          ("\\&", ""), ("\\fI", ""), ("\\fR", ""),
                          ("\\fB", ""), ("\\e", "\\")):
        text = text.replace(escape, shown)
    return text


def section(lines, name, macro=".SH"):
    """The lines of a section of a man page."""
    inside = False
    for line in lines:
        if line.startswith((".SH", macro)):
            inside = line[4:].strip('" ') == name
        elif inside:
            yield line


def man_blocks(path, name):
    """The examples of a man page: what stands between .EX and .EE."""
    lines = pathlib.Path(path).read_text().splitlines()
    text = "\n".join(section(lines, name) if name else lines)
    return [unroff(block)
            for block in re.findall(r"^\.EX\n(.*?)^\.EE", text, re.M | re.S)]


def markdown_blocks(path, about):
    """The fenced blocks of a Markdown file. What is built by bootstrap, in
    build/, is a world of its own."""
    text = pathlib.Path(path).read_text()
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    return [block for block in blocks
            if block[0] != "$" or (" build/" in block) == (about == "build")]


def plain(text):
    """TEXT without what depends on compiler and linker: addresses. With
    $DOC_EXACT, these are those that the documents state."""
    text = text.replace("\\\n", "")
    if "DOC_EXACT" in os.environ:
        text = re.sub(r"(lto_\.\w+\.)[0-9a-f]+", r"\1#", text)
        return re.sub(r"[ \t]+", " ", text).splitlines()
    text = re.sub(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8,16}\b", "#", text)
    text = re.sub(r"\b(e[89])( [0-9a-f]{2}){4}", r"\1 #", text)
    return [line for line in re.sub(r"[ \t]+", " ", text).splitlines()
            if " .text #" not in line]


def commands(block):
    """Each command of a console block, and what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = part.splitlines(keepends=True)
        n = 1
        while lines[n - 1].endswith("\\\n"):
            n += 1
        yield "".join(lines[:n]), "".join(lines[n:])


def run_command(command, wanted):
    """Run COMMAND; its output must be WANTED, and an error must show. A new
    PATH is for the commands behind it, too."""
    if command.startswith("export PATH="):
        command += 'printf %s "$PATH"'
        os.environ["PATH"] = subprocess.check_output(["sh", "-c", command],
                                                     text=True)
        return True
    done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    is_error = ": error: " in wanted or ": drift: " in wanted
    # Each page that shows an error would have it.
    printed = re.sub(r"^Try 'sdtlink --explain=.*\n", "", done.stdout,
                     flags=re.M)
    if plain(printed) != plain(wanted):
        print(f"$ {command}-- printed:\n{done.stdout}-- and not:\n{wanted}")
        return False
    if "echo $?" not in command and (done.returncode != 0) != is_error:
        print(f"$ {command}-- exit status {done.returncode}")
        return False
    return True


def run(kind, *words):
    """A block that begins with a comment is a file, one with $ a session."""
    if kind == "man":
        return run_blocks(words[0], man_blocks(*words))
    about = "build" if words[0] == "build" else ""
    paths = words[1:] if about else words
    return run_blocks(" ".join(paths), [
        block for path in paths for block in markdown_blocks(path, about)])


def run_blocks(path, blocks):
    """Make the files and run the sessions of BLOCKS, which PATH has."""
    nfiles = ncommands = nright = 0
    for block in blocks:
        named = re.match(r"(?:/\*|#|//) (Makefile|[\w.-]+\.\w+)\b", block)
        if named:
            pathlib.Path(named[1]).write_text(block)
            nfiles += 1
        elif block.startswith("$ "):
            for command, wanted in commands(block):
                nright += run_command(command, wanted)
                ncommands += 1
    print(f"{path}: {nfiles} files, {ncommands} commands")
    if not ncommands:
        sys.exit(f"{path}: no examples found")
    if nright != ncommands:
        sys.exit(f"{path}: {ncommands - nright} commands do something else")


def tags(path, name, subsection=None):
    """Print the tag lines of .TP lists as a reader sees them."""
    lines = section(pathlib.Path(path).read_text().splitlines(), name)
    if subsection:
        lines = section(lines, subsection, ".SS")
    is_tag = False
    for line in lines:
        if is_tag:
            if line.startswith("."):
                words = re.findall(r'"[^"]*"|\S+', re.sub(r"^\.\w+ ", "", line))
                line = "".join(word.strip('"') for word in words)
            print(unroff(line))
        is_tag = line.startswith(".TP")


def arguments(text, at):
    """The arguments of the call whose parenthesis opens before AT."""
    depth, begin, found = 1, at, []
    for token in re.finditer(r'"(?:\\.|[^"\\])*"|[(){},]', text[at:]):
        where = at + token.start()
        if token[0] in "({":
            depth += 1
        elif token[0] in ")}":
            depth -= 1
        if depth == 0 or (depth == 1 and token[0] == ","):
            found.append(text[begin:where].strip())
            begin = where + 1
        if depth == 0:
            break
    return found


def codes(*paths):
    """Print each code: a lone word in the call of a function that reports."""
    for path in paths:
        text = pathlib.Path(path).read_text()
        for call in re.finditer(r"\b(?:diag_report|diag_file|refuse)\(", text):
            for argument in arguments(text, call.end()):
                if re.fullmatch(r'"[a-z]+(-[a-z]+)*"', argument):
                    print(argument.strip('"'))


def causes(path):
    """Print the names in the table of causes."""
    text = pathlib.Path(path).read_text()
    print("\n".join(re.findall(r'\[CAUSE_\w+\] = { "([a-z-]+)"', text)))


TYPES = {"object": dict, "array": list, "string": str, "null": type(None),
         "integer": int, "boolean": bool}


class Validator:
    """JSON Schema 2020-12, as much of it as ours uses. If it is strict, a key
    that the schema does not describe is an error, too."""

    KNOWN = {"$ref", "oneOf", "not", "type", "const", "enum", "pattern", "minimum",
             "required", "properties", "items", "description", "$schema",
             "$comment", "$defs", "title"}

    def __init__(self, root, is_strict):
        self.root = root
        self.is_strict = is_strict

    def fits(self, schema, value):
        """Would other validators, which are not strict, take it?"""
        return not any(Validator(self.root, False).errors(schema, value))

    def errors(self, schema, value, path="$"):
        """All that is wrong with VALUE."""
        if set(schema) - self.KNOWN:
            yield f"{path}: the validator knows no {set(schema) - self.KNOWN}"
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            yield from self.errors(self.root["$defs"][name], value, path)
        if "oneOf" in schema:
            fitting = [s for s in schema["oneOf"] if self.fits(s, value)]
            tried = [list(self.errors(s, value, path))
                     for s in fitting or schema["oneOf"]]
            yield from min(tried, key=len)
            if len(fitting) != 1:
                yield f"{path}: {len(fitting)} of oneOf fit"
        if "not" in schema and self.fits(schema["not"], value):
            yield f"{path}: fits what it must not"
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(isinstance(value, TYPES[t]) and
                             isinstance(value, bool) == (t == "boolean")
                             for t in types):
            yield f"{path}: {value!r} is no {types}"
            return
        if "const" in schema and value != schema["const"]:
            yield f"{path}: {value!r}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{path}: {value!r} is none of {schema['enum']}"
        if "pattern" in schema and isinstance(value, str) and \
                not re.search(schema["pattern"], value):
            yield f"{path}: {value!r} is not {schema['pattern']}"
        if "minimum" in schema and value < schema["minimum"]:
            yield f"{path}: {value!r} is too small"
        if isinstance(value, dict):
            yield from self.object_errors(schema, value, path)
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                yield from self.errors(schema["items"], item, f"{path}[{i}]")

    def object_errors(self, schema, value, path):
        """What is wrong with an object's keys."""
        for key in schema.get("required", []):
            if key not in value:
                yield f"{path}: no {key}"
        for key, item in value.items():
            described = schema.get("properties", {})
            if key in described:
                yield from self.errors(described[key], item, f"{path}.{key}")
            elif described and self.is_strict:
                yield f"{path}: {key} is not in the schema"


def validate(schema, *documents):
    """Validate each document, by the common implementation, too, if it is
    there: others will use that."""
    root = json.loads(pathlib.Path(schema).read_text())
    common = None
    if importlib.util.find_spec("jsonschema"):
        import jsonschema
        common = jsonschema.Draft202012Validator(root)
        common.check_schema(root)
    for path in documents:
        document = json.loads(pathlib.Path(path).read_text())
        for error in Validator(root, True).errors(root, document):
            sys.exit(f"{path}: {error}")
        for error in common.iter_errors(document) if common else ():
            sys.exit(f"{path}: {error}")
    print("validated", "with" if common else "without", "python3-jsonschema")


def sum_is_right(line, at, word):
    """Is the sum behind a self-relative word that of its row?"""
    shown = re.search(r"(0x\w+) ([-+]) (0x\w+) = (0x\w+)"
                      r"(?: \+ (\d))?", line)
    if not shown:
        return True
    base, step, result = (int(shown[i], 16) for i in (1, 3, 4))
    step = -step if shown[2] == "-" else step
    result += int(shown[5] or 0)
    return base == at and step == word and base + step == result


def table(path, memory, symbols=None):
    """Compare the rows of the dump with MEMORY, the bytes of the table. With
    NM, the output of nm, that says where the stubs lie, which depends on the
    compiler."""
    lines = pathlib.Path(path).read_text().splitlines()
    data = pathlib.Path(memory).read_bytes()
    stubs = [int(line.split()[0], 16) for line in
             (pathlib.Path(symbols).read_text() if symbols else "").splitlines()
             if " __dtrace_sdt_" in line]
    first = end = None
    for line in map(unroff, lines):
        row = re.match(r'([0-9a-f]{4})  (?:"(.*)"|((?:[0-9a-f]{2} )+) )', line)
        if not row:
            continue
        at = int(row[1], 16)
        first = at if first is None else first
        wanted = bytes.fromhex(row[3]) if row[3] else \
            row[2].encode() + b"\0"
        found = data[at - first:at - first + len(wanted)]
        if end not in (None, at):
            sys.exit(f"a gap before: {line}")
        end = at + len(wanted)
        if symbols and " stub: " in line:
            target = at + int.from_bytes(found, "little", signed=True)
            if target not in stubs:
                sys.exit(f"{target:#x} is no stub: {line}")
        elif found != wanted:
            sys.exit(f"the table has {found.hex(' ')}: {line}")
        if not sum_is_right(line, at, int.from_bytes(wanted[:4], "little",
                                                     signed=True)):
            sys.exit(f"the sum is wrong: {line}")
    if first is None or end - first != len(data):
        sys.exit(f"the dump has {end} - {first} and not {len(data)} bytes")


if __name__ == "__main__":
    {"run": run, "tags": tags, "codes": codes, "causes": causes,
     "validate": validate, "table": table}[sys.argv[1]](*sys.argv[2:])
