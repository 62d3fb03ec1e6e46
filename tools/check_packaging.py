#!/usr/bin/env python3
"""Checks that every package file names the version and commands of the program.

    tools/check_packaging.py ROOT
"""

import json
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])

    def read(path):
        return (root / path).read_text()

    (version,) = re.findall(r"^project\(CompressionBoard VERSION (\S+)", read("CMakeLists.txt"), re.M)
    found = {
        "pyproject.toml": re.findall(r'^version = "(.+)"', read("pyproject.toml"), re.M),
        "packaging/conda/meta.yaml": re.findall(r'^  version: "(.+)"', read("packaging/conda/meta.yaml"), re.M),
        "packaging/conan/conanfile.py": re.findall(r'^    version = "(.+)"', read("packaging/conan/conanfile.py"), re.M),
        "packaging/homebrew/compression-board.rb": re.findall(
            r"compression-board-([\d.]+)\.tar", read("packaging/homebrew/compression-board.rb")),
        "packaging/vcpkg/compression-board/vcpkg.json": [
            json.loads(read("packaging/vcpkg/compression-board/vcpkg.json"))["version"]],
    }  # fmt: skip
    problems = [
        f"{path} has version {', '.join(versions) or 'nothing'}, CMakeLists.txt has {version}"
        for path, versions in found.items()
        if versions != [version]
    ]
    commands = {path.stem.removeprefix("command_") for path in (root / "src/cli/commands").glob("command_*.cc")}
    for path in (".pre-commit-hooks.yaml", "packaging/github-action/action.yml", "packaging/docker/Dockerfile"):
        used = re.findall(r"(?:entry|run): compression-board (\w+)|^CMD \[\"(\w+)\"", read(path), re.M)
        for command in filter(None, (name for pair in used for name in pair)):
            if command not in commands:
                problems.append(f"{path} runs 'compression-board {command}', which does not exist")
    print("\n".join(problems) or f"{len(found)} package files have version {version}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
