#!/usr/bin/env python3
"""Compile Java sources into a jar whose bytes depend on them alone, so that
two builds of one source are one target.

usage: make_jar.py JAVAC JAR CLASS_PATH SOURCE..."""
import pathlib
import subprocess
import sys
import tempfile
import zipfile

LONG_AGO = (1980, 1, 1, 0, 0, 0)


def main():
    javac, jar, class_path, *sources = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [javac, "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC",
             "--release", "17", "-encoding", "UTF-8", "-Xlint:all", "-Werror",
             "-cp", class_path, "-d", folder, *sources])
        if done.returncode:
            return 1
        with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as out:
            for path in sorted(pathlib.Path(folder).rglob("*.class")):
                info = zipfile.ZipInfo(str(path.relative_to(folder)), LONG_AGO)
                info.external_attr = 0o644 << 16
                out.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return 0


sys.exit(main())
