#!/usr/bin/env python3
"""Checks that modules include only the modules that ARCHITECTURE.md's table of layers allows, that
the folders of a module have no include cycles, and that each module has its own namespace.

    tools/check_layers.py [ROOT]

The table is read from ARCHITECTURE.md itself, between the lines ```layers and ```, so that the
document and the rule are the same text. Otherwise prints one line per error, and the exit code is
1.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SUFFIXES = {".h", ".cc"}


def read_layers(page: str) -> dict[str, set[str]]:
    """Returns for each module the modules that its line names."""
    block = re.search(r"^```layers\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if not block:
        sys.exit("ARCHITECTURE.md has no ```layers block")
    layers: dict[str, set[str]] = {}
    for line in block[1].splitlines():
        module, uses, *_ = re.split(r"\s{2,}", line.strip())
        layers[module] = set() if uses == "nothing" else {name.strip() for name in uses.split(",")}
    return layers


def closure(layers: dict[str, set[str]], module: str) -> set[str]:
    """Returns the modules that `module` may include: itself, those in its line, and those that
    these may include.
    """
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
    """Returns the module an include belongs to: cboard/<module>/x.h or <module>/x.h."""
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


def is_test_code(file: Path) -> bool:
    """Returns True for tests: they may use every folder of their module, and only they include
    headers in testing/.
    """
    return "testing" in file.parts or bool(re.search(r"_(test|fuzz|bench|oracle)$", file.stem))


def folder_uses(root: Path, module: str) -> dict[str, dict[str, str]]:
    """Returns for each folder the other folders of its module that it includes, each with one
    example.

    A public header belongs to the folder of its source file. Without a source file it only declares
    types, which every folder may use.
    """
    top = root / "src" / module
    sources = {p for p in top.rglob("*") if p.suffix in SUFFIXES and not is_test_code(p)}
    owners = {p.stem: p.parent for p in sources if p.suffix == ".cc"}
    public = root / "include" / "cboard" / module
    uses: dict[str, dict[str, str]] = {}
    for file in sorted(sources | set(public.rglob("*.h"))):
        own = owners.get(file.stem) if public in file.parents else file.parent
        for include in INCLUDE.findall(file.read_text()) if own else ():
            if include.startswith(f"cboard/{module}/"):
                used = owners.get(Path(include).stem)
            else:
                used = (root / "src" / include).parent if include.startswith(f"{module}/") else None
            if used is None or used == own or "testing" in used.parts:
                continue
            a, b = (str(f.relative_to(root / "src")) for f in (own, used))
            uses.setdefault(a, {}).setdefault(b, f"{file.name} includes {include}")
    return uses


def folder_cycle(uses: dict[str, dict[str, str]]) -> list[str] | None:
    """Returns the folders of one cycle, with the first one again at the end; None if there is no
    cycle.
    """
    done: set[str] = set()

    def walk(folder: str, path: list[str]) -> list[str] | None:
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        for used in uses.get(folder, {}):
            if found := walk(used, path + [folder]):
                return found
        done.add(folder)
        return None

    return next((found for folder in list(uses) if (found := walk(folder, []))), None)


def cycles(root: Path) -> list[str]:
    found = []
    for module in read_layers((root / "ARCHITECTURE.md").read_text()):
        uses = folder_uses(root, module)
        if circle := folder_cycle(uses):
            steps = (f"{a} -> {b} ({uses[a][b]})" for a, b in zip(circle, circle[1:]))
            found.append(f"src/{module}: folders include each other in a circle: " + "; ".join(steps))
    return found


NAMESPACE = re.compile(r"^namespace cboard((?:::\w+)*) \{(.*?)^\}", re.MULTILINE | re.DOTALL)
USING_OR_FORWARD = re.compile(r"\s*(?:using [\w:]+;|class \w+;|struct \w+;|//[^\n]*)")


def namespaces(root: Path) -> list[str]:
    """Checks namespaces: code of a module is in cboard::<module>, that of base in cboard, test
    helpers in cboard::testing.

    Other namespaces may only be opened for using-declarations and forward declarations.
    """
    found = []
    for module in read_layers((root / "ARCHITECTURE.md").read_text()):
        own = "" if module == "base" else f"::{module}"
        for folder in (root / "src" / module, root / "include" / "cboard" / module):
            for file in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES):
                for name, body in NAMESPACE.findall(file.read_text()):
                    is_own = name == own or (own and name.startswith(own + "::")) or name == "::testing"
                    if not is_own and USING_OR_FORWARD.sub("", body).strip():
                        found.append(f"{file.relative_to(root)}: code in cboard{name}, expected cboard{own}")
    return found


if __name__ == "__main__":
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    problems = offences(root) + cycles(root) + namespaces(root)
    print("\n".join(problems) or "layers hold")
    sys.exit(1 if problems else 0)
