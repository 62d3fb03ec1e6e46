"""Adds the tab COMPRESSION to stock TensorBoard: the pages of Compression Board for the same log
directory.

TensorBoard finds the plugin by its entry point. This package is not part of `compression_board`, so
that TensorBoard starts without importing NumPy and the engine.
"""
