#!/usr/bin/env python3
"""Checks that modules include only what ARCHITECTURE.md's table of layers allows.

    tools/check_layers.py [ROOT]

The table is read from ARCHITECTURE.md itself, between the lines ```layers and ```, so that the
picture and the rule are the same text. Exit code 1 and one line per offence otherwise.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SUFFIXES = {".h", ".cc"}


def read_layers(page: str) -> dict[str, set[str]]:
    """Module -> the modules its line names."""
    block = re.search(r"^```layers\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if not block:
        sys.exit("ARCHITECTURE.md has no ```layers block")
    layers: dict[str, set[str]] = {}
    for line in block[1].splitlines():
        module, uses, *_ = re.split(r"\s{2,}", line.strip())
        layers[module] = set() if uses == "nothing" else {name.strip() for name in uses.split(",")}
    return layers


def closure(layers: dict[str, set[str]], module: str) -> set[str]:
    """What `module` may include: itself, what its line names, and what those use."""
    if "everything" in layers[module]:
        return set(layers)
    allowed, todo = {module}, list(layers[module])
    while todo:
        used = todo.pop()
        if used not in layers:
            sys.exit(f"ARCHITECTURE.md: {module} uses {used}, which has no line of its own")
        if used not in allowed:
            allowed.add(used)
            todo.extend(layers[used])
    return allowed


def module_of(path: str, modules: set[str]) -> str | None:
    """The module an include belongs to: cboard/<module>/x.h or <module>/x.h."""
    first, *rest = path.removeprefix("cboard/").split("/")
    return first if rest and first in modules else None


def offences(root: Path) -> list[str]:
    layers = read_layers((root / "ARCHITECTURE.md").read_text())
    found, checked = [], 0
    for module in layers:
        allowed = closure(layers, module)
        for folder in (root / "src" / module, root / "include" / "cboard" / module):
            for file in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES):
                checked += 1
                for include in INCLUDE.findall(file.read_text()):
                    used = module_of(include, set(layers))
                    if used is not None and used not in allowed:
                        found.append(f"{file.relative_to(root)}: {module} may not use {used} ({include})")
                    if folder.parent.name == "cboard" and not include.startswith("cboard/"):
                        found.append(f"{file.relative_to(root)}: a public header includes a private one ({include})")
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and folder.name not in layers and folder.name != "testing":
            found.append(f"src/{folder.name}: has no line in ARCHITECTURE.md's layers")
    if checked == 0:
        found.append("no source file was checked")
    return found


if __name__ == "__main__":
    problems = offences(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent))
    print("\n".join(problems) or "layers hold")
    sys.exit(1 if problems else 0)
