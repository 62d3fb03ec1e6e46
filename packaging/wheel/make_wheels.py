#!/usr/bin/env python3
"""Makes a wheel for each engine that CMake has built for another Python version.

    packaging/wheel/make_wheels.py WHEEL ENGINES OUTPUT

WHEEL is the one of the Python that runs, as pip has built it. Only the engine differs: each file in the
folder ENGINES takes its place, and the tags say for which Python it is. Prints the names.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def tag_of(engine):
    """_engine.cpython-39-x86_64-linux-gnu.so -> cp39-cp39"""
    (digits,) = re.findall(r"\.cpython-(\d+)-", engine.name)
    return f"cp{digits}-cp{digits}"


def main():
    wheel, engines, output = map(pathlib.Path, sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    for engine in sorted(engines.glob("_engine.*.so")):
        with tempfile.TemporaryDirectory() as scratch:
            run = [sys.executable, "-m", "wheel"]
            subprocess.run([*run, "unpack", "--dest", scratch, wheel], check=True, stdout=subprocess.DEVNULL)
            (folder,) = pathlib.Path(scratch).iterdir()
            (replaced,) = folder.glob("compression_board/_engine.*.so")
            replaced.unlink()
            subprocess.run(["strip", "-o", replaced.with_name(engine.name), engine], check=True)
            (about,) = folder.glob("*.dist-info/WHEEL")
            text = re.sub(r"^Tag: cp\d+-cp\d+-", f"Tag: {tag_of(engine)}-", about.read_text(), flags=re.M)
            about.write_text(text)
            subprocess.run([*run, "pack", "--dest-dir", output, folder], check=True)


if __name__ == "__main__":
    main()
