#!/usr/bin/env python3
"""Adds missing libraries to a wheel that auditwheel has repaired, in place.

    tools/bundle_libraries.py build/wheel/compression_board-….whl

auditwheel omits libraries that every desktop has: X11, zlib and some others. Servers and containers
may not have them.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Libraries of every Linux with a C++ runtime.
RUNTIME = re.compile(
    r"(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux-[\w-]+|linux-vdso)\.so(\.\d+)?$"
)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_elf(path):
    return path.is_file() and path.open("rb").read(4) == b"\x7fELF"


def complete(folder):
    """Copies the libraries that the files in `folder` need and no other package provides, and those
    that the copies need.
    """
    (libraries,) = folder.glob("*.libs")
    known = {path.name for path in libraries.iterdir()}
    waiting = [path for path in folder.rglob("*") if is_elf(path)]
    while waiting:
        user = waiting.pop()
        missing = [
            name
            for name in output_of("patchelf", "--print-needed", user).split()
            if name not in known and not RUNTIME.match(name)
        ]
        if user.parent == libraries:
            output_of("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", user)
        if not missing:
            continue
        found = dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", user), re.M))
        for name in missing:
            if name in known:
                continue
            print(f"bundled {name} from {found[name]}")
            shutil.copy(found[name], libraries / name)
            known.add(name)
            waiting.append(libraries / name)


def main():
    wheel = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        output_of(sys.executable, "-m", "wheel", "unpack", "--dest", scratch, wheel)
        (folder,) = pathlib.Path(scratch).iterdir()
        complete(folder)
        output_of(sys.executable, "-m", "wheel", "pack", "--dest-dir", wheel.parent, folder)


if __name__ == "__main__":
    main()
