#!/usr/bin/env python3
"""docs/agent.md has a row for every key of the agent's configuration, none for
one that there is not, an example with all of them that the agent takes, and a
row for every feature that an agent may have.

usage: test_agent.py BUILD_DIR SOURCE_DIR
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

AGENT = pathlib.Path(sys.argv[1]) / "agent" / "executor" / "pitwall-agent"
ROOT = pathlib.Path(sys.argv[2])
PAGE = (ROOT / "docs" / "agent.md").read_text()
EXECUTOR = ROOT / "agent" / "executor"
faults = 0


def fault(text):
    global faults
    faults += 1
    print(text)


def keys_of(name, first):
    """The table of keys that has `first` in it."""
    for table in re.findall(r"keys\[\] = \{(.*?)\};",
                            (EXECUTOR / name).read_text(), re.S):
        keys = re.findall(r'"([a-z_]+)"', table)
        if first in keys:
            return set(keys)
    sys.exit(f"{name}: no table of keys with {first}")


known = keys_of("config.c", "version")
known |= {"limits." + key for key in keys_of("limit.c", "memory")}
part = PAGE[PAGE.index("## Configuration"):PAGE.index("## What is changed")]
told = set(re.findall(r"^\| `([a-z_.]+)` \|", part, re.M))
for key in sorted(known - told):
    fault(f"docs/agent.md: no row for the key {key}")
for key in sorted(told - known):
    fault(f"docs/agent.md: a row for {key}, which the agent does not know")

example = re.search(r"```json\n(.*?)```", PAGE, re.S).group(1)
top = {key for key in known if "." not in key}
for key in sorted(top ^ set(json.loads(example))):
    fault(f"docs/agent.md: {key} is in the example or known, not both")
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    file.write(example)
    file.flush()
    done = subprocess.run([AGENT, "--config", file.name, "--check"],
                          capture_output=True, text=True, timeout=60)
if done.returncode or "name=srv1\n" not in done.stdout:
    fault(f"the agent does not take the example: {done.stderr}")

text = (EXECUTOR / "facts.c").read_text()
words = set(re.findall(r'\? ",([a-z]+)"', text))
words |= set(re.findall(r'\[FACTS_[A-Z]+\] = "([a-z]+)"', text))
rows = "".join(re.findall(r"^\| (`.*?) \|", PAGE[PAGE.index("## Without"):],
                          re.M))
for word in sorted(words):
    if f"`{word}`" not in rows:
        fault(f"docs/agent.md: no row for the feature {word}")
assert len(words) >= 10, words
print(f"{len(known)} keys, {len(words)} features, {faults} faults")
sys.exit(1 if faults else 0)
