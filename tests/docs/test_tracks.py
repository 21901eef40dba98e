#!/usr/bin/env python3
"""docs/tracks.md names every key that the reader of tracks accepts, every type
of operation, and the verdicts that the unit test of the shapes holds.

usage: test_tracks.py SOURCE_DIR [--write]     --write: put the verdicts in
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = ROOT / "docs" / "tracks.md"
SHAPES = ROOT / "tests" / "data" / "rally-shapes" / "expected.tsv"
READERS = ["assertion.c", "bulk_render.c", "declared.c", "operation.c",
           "operation_admin.c",
           "operation_index.c", "operation_load.c", "operation_template.c",
           "render.c", "render_corpora.c", "render_task.c", "track.c"]


def verdicts():
    yield "| track | challenge | |"
    yield "| --- | --- | --- |"
    for line in SHAPES.read_text().splitlines():
        track, challenge, verdict = line.split("\t")
        if verdict != "loads":
            verdict = "refused: `" + verdict + "`"
        yield f"| {track} | {challenge} | {verdict} |"


def accepted_keys():
    """Strings of the tables of keys, and first strings of rows of types."""
    for name in READERS:
        text = (ROOT / "tracks" / name).read_text()
        for table in re.findall(r"keys\[\] = \{(.*?)\};", text, re.S):
            yield from re.findall(r'"([a-z0-9-]+)"', table)
        for table in re.findall(r"operations_\w+\[\] = \{(.*?)\n    \{\.word",
                                text, re.S):
            yield from re.findall(r'"([a-z0-9-]+)"', table)


text = PAGE.read_text()
head, rest = text.split("<!-- challenges -->\n", 1)
shown, tail = rest.split("<!-- end -->", 1)
table = "\n".join(verdicts()) + "\n"
if sys.argv[2:] == ["--write"]:
    PAGE.write_text(head + "<!-- challenges -->\n" + table + "<!-- end -->"
                    + tail)
    sys.exit(0)
faults = 0
if shown != table:
    print(f"{PAGE}: the published challenges are not those of {SHAPES}: run "
          "tests/docs/test_tracks.py . --write")
    faults += 1
keys = sorted(set(accepted_keys()))
assert len(keys) > 80, "the tables of keys were not found"
for key in keys:
    if f"`{key}`" not in text and key not in ("path", "stream", "tasks"):
        print(f"{PAGE}: does not say `{key}`")
        faults += 1
print(f"{len(keys)} keys, {len(table.splitlines()) - 2} challenges, "
      f"{faults} faults")
sys.exit(1 if faults else 0)
