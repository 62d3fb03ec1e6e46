"""Numbers from anywhere as numpy arrays."""

from compression_board.tensors import check_nan, make_np

__all__ = ["check_nan", "make_np"]
