#!/usr/bin/env python3
"""Make a C file of the page's assets: each as bytes with its length and its
SHA-256 in base64, as a Content-Security-Policy names an inline script or style.

usage: embed.py OUT.c NAME=FILE...
"""
import base64
import hashlib
import sys

out, pairs = sys.argv[1], [arg.split("=", 1) for arg in sys.argv[2:]]
with open(out, "w") as c:
    c.write('#include "results/page_assets.h"\n')
    for name, path in pairs:
        data = open(path, "rb").read()
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        c.write(f"\nstatic const char {name}_text[] = {{\n")
        for at in range(0, len(data), 24):
            numbers = (str(b if b < 128 else b - 256)
                       for b in data[at:at + 24])
            c.write(" " + ",".join(numbers) + ",\n")
        c.write("};\n")
        c.write(f"const struct page_asset page_{name} = "
                f'{{{name}_text, sizeof {name}_text, "{digest}"}};\n')
