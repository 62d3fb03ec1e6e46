"""python -m compression_board: the same as the console script `compression-board`."""

from ._program import main

main()
