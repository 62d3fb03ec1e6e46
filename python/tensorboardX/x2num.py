"""Converts tensors of any library to numpy arrays."""

from compression_board.tensors import check_nan, make_np
from compression_board.tensors import to_numpy as prepare_chainer
from compression_board.tensors import to_numpy as prepare_mxnet
from compression_board.tensors import to_numpy as prepare_pytorch
from compression_board.tensors import to_numpy as prepare_theano

__all__ = [
    "check_nan",
    "make_np",
    "prepare_chainer",
    "prepare_mxnet",
    "prepare_pytorch",
    "prepare_theano",
]
