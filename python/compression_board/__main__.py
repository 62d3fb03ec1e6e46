"""Runs the program for `python -m compression_board`, like the console script `compression-board`.
"""

from ._program import main

main()
