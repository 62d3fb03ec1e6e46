#!/usr/bin/env python3
"""Converts benchmark JSON to runs: scripts/visualize_benchmark.py results.json [--logdir DIR]."""

import sys

try:
    from compression_board.visualize_benchmark import main
except ImportError:
    sys.exit("visualize_benchmark: the Python package is not installed; run: pip install .")

if __name__ == "__main__":
    sys.exit(main())
