"""Runs the program in this package, for the console script `compression-board`."""

import os
import sys


def path() -> str:
    return os.path.join(os.path.dirname(__file__), "bin", "compression-board")


def main() -> None:
    os.execv(path(), ["compression-board", *sys.argv[1:]])
