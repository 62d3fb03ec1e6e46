"""The console script `compression-board`: becomes the program that is inside this package."""

import os
import sys


def path() -> str:
    return os.path.join(os.path.dirname(__file__), "bin", "compression-board")


def main() -> None:
    os.execv(path(), ["compression-board", *sys.argv[1:]])
