#!/usr/bin/env python3
"""Sizes of the house style, measured with universal-ctags: a .c or .java at
most 500 lines, a header 150 lines and 12 functions, a function 70 lines and 6
parameters, a line 80 columns; every public function under a comment.

usage: check_sizes.py ROOT
"""
import json
import pathlib
import subprocess
import sys

C_LINES, H_LINES, H_FUNCTIONS = 500, 150, 12
FUNCTION_LINES, PARAMETERS, COLUMNS = 70, 6, 80
FOLDERS = ["common", "controller", "agent", "load", "target", "targets",
           "tracks", "results", "tests"]

# Functions whose parameters a library prescribes: microhttpd's handler.
PRESCRIBED = {("controller/serve.c", "answer")}


def tags(files):
    out = subprocess.run(
        ["ctags", "--output-format=json", "--kinds-C=fp", "--kinds-Java=m",
         "--fields=+neS", "-f", "-", "-L", "-"], input="\n".join(map(str, files)),
        capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        yield json.loads(line)


def parameters(signature):
    depth, n = 0, 1
    inner = signature.strip()[1:-1].strip()
    if inner in ("", "void"):
        return 0
    for c in inner:
        depth += c in "(["
        depth -= c in ")]"
        n += c == "," and depth == 0
    return n


def undocumented(lines, at):
    """True when no comment stands over the prototype at line index at, or over
    the group of prototypes without a blank line that it belongs to."""
    for i in range(at - 1, -1, -1):
        text = lines[i].strip()
        if text.endswith("*/"):
            return False
        if not text:
            return True
    return True


def main():
    root = pathlib.Path(sys.argv[1])
    files = sorted(p for folder in FOLDERS
                   for kind in ("*.[ch]", "*.java")
                   for p in (root / folder).rglob(kind))
    texts = {str(p): p.read_text().splitlines() for p in files}
    faults, prototypes = [], {}

    for path in files:
        rel, lines = path.relative_to(root), texts[str(path)]
        cap = H_LINES if path.suffix == ".h" else C_LINES
        if len(lines) > cap:
            faults.append(f"{rel}: {len(lines)} lines, at most {cap}")
        for i, line in enumerate(lines, 1):
            if len(line) > COLUMNS:
                faults.append(f"{rel}:{i}: {len(line)} columns")
            if "//" in line.split('"')[0] and line.lstrip().startswith("//"):
                faults.append(f"{rel}:{i}: block comments only")

    for tag in tags(files):
        path, where = tag["path"], f"{tag['path']}:{tag['line']}"
        if tag["kind"] in ("function", "method"):
            length = tag.get("end", tag["line"]) - tag["line"] + 1
            if length > FUNCTION_LINES:
                faults.append(f"{where}: {tag['name']}: {length} lines")
        elif path.endswith(".h"):
            prototypes[path] = prototypes.get(path, 0) + 1
            if undocumented(texts[path], tag["line"] - 1):
                faults.append(f"{where}: {tag['name']}: no comment")
        n = parameters(tag.get("signature", "()"))
        rel = pathlib.Path(path).relative_to(root).as_posix()
        if n > PARAMETERS and (rel, tag["name"]) not in PRESCRIBED:
            faults.append(f"{where}: {tag['name']}: {n} parameters")

    for path, n in prototypes.items():
        if n > H_FUNCTIONS:
            faults.append(f"{path}: {n} functions, at most {H_FUNCTIONS}")
    for fault in faults:
        print(fault.replace(str(root) + "/", ""))
    print(f"{len(files)} files, {len(faults)} faults")
    return 1 if faults or not files else 0


sys.exit(main())
