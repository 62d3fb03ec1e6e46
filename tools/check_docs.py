#!/usr/bin/env python3
"""Checks that the documents agree with the source tree.

    tools/check_docs.py [ROOT]

Every relative link and every path in backticks must exist, every `make` target and preset that a
document names must exist, and every C++ block that begins with an #include must be identical to a
file in examples/ (which the tests build and run). Otherwise prints one line per error, and the exit
code is 1.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
# A path starts with one of the repository's folders; texts with <, * or … are patterns, not paths.
PATH = re.compile(r"^(?:src|include|docs|tools|scripts|tests|examples|benchmarks|cmake|data|ui)/[\w./-]+$")
MADE_BY_A_COMMAND = ("build/", "runs/")
CPP = re.compile(r"^```cpp\n(#include.*?)^```", re.MULTILINE | re.DOTALL)
MAKE = re.compile(r"\bmake ([a-z][a-z-]+)")


def pages(root: Path) -> list[Path]:
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.md"], capture_output=True, text=True)
    names = listed.stdout.split() or [str(p.relative_to(root)) for p in root.glob("*.md")]
    return [root / name for name in names]


def offences(root: Path) -> list[str]:
    found = []
    makefile = (root / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    examples = {p.read_text() for p in (root / "examples").glob("*.cc")}
    for page in pages(root):
        text, name = page.read_text(), page.relative_to(root)
        for link in LINK.findall(text):
            if not (page.parent / link).exists():
                found.append(f"{name}: link to {link}, which is not there")
        for code in CODE.findall(text):
            if PATH.match(code) and not code.startswith(MADE_BY_A_COMMAND):
                if not (root / code).exists():
                    found.append(f"{name}: names {code}, which is not there")
        for block in CPP.findall(text):
            if "int main" in block and block not in examples:
                found.append(f"{name}: a C++ program that is not a file in examples/")
        for code in re.findall(r"^(make [^\n]*)$", text, re.MULTILINE) + CODE.findall(text):
            for target in MAKE.findall(code) if code.startswith("make ") else []:
                if target not in targets:
                    found.append(f"{name}: make {target}, which the Makefile does not have")
    return found


if __name__ == "__main__":
    problems = offences(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent))
    print("\n".join(problems) or "the documents agree with the tree")
    sys.exit(1 if problems else 0)
