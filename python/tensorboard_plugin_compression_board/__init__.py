"""The tab COMPRESSION of stock TensorBoard: the pages of Compression Board for the same log directory.

TensorBoard finds the plugin by its entry point. This package is not part of `compression_board`, so
that a start of TensorBoard imports neither NumPy nor the engine.
"""
