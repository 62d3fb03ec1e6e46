"""Converts numbers: numpy, PyTorch, JAX, every object with DLPack or a buffer, lists.

`make_np` returns the numpy array that tensorboardX returns. `as_engine` passes the same values to
the engine without a copy. It also passes bfloat16, which numpy does not have, and quantized tensors
as their codes and scales.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .errors import NotNumbersError, check

logger = logging.getLogger("tensorboardX.x2num")

Array = Any  # numpy.ndarray; its type parameters differ between the versions of numpy.

# Element types that the engine reads without conversion.
_ENGINE_KINDS = "fiub"
_AS_THEY_ARE = frozenset("efdbBhHiIlLqQ?")  # By dtype.char.


def _is_torch(x: Any) -> bool:
    return type(x).__module__.partition(".")[0] == "torch" or hasattr(x, "is_quantized")


def _torch_to_np(x: Any) -> Array:
    x = x.detach()
    if x.is_quantized:
        x = x.dequantize()
    x = x.cpu()
    if str(x.dtype) == "torch.bfloat16":
        x = x.float()
    if getattr(x, "is_conj", bool)():
        x = x.resolve_conj()
    return x.numpy()


def _check_interface(x: Any) -> None:
    """ValueError when the array interface of `x` reaches beyond the buffer it names.

    numpy does not check this and would read memory beyond the buffer. An address cannot be checked.
    """
    interface = x.__array_interface__
    data, shape = interface.get("data"), interface.get("shape", ())
    if data is None or isinstance(data, tuple) or not all(size > 0 for size in shape):
        return
    item_bytes = np.dtype(interface["typestr"]).itemsize
    strides = interface.get("strides")
    if strides is None:
        strides = [item_bytes * int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    offset = interface.get("offset", 0)
    reach = [(size - 1) * stride for size, stride in zip(shape, strides)]
    first = offset + sum(step for step in reach if step < 0)
    last = offset + sum(step for step in reach if step > 0) + item_bytes
    available = memoryview(data).nbytes
    if first < 0 or last > available:
        raise ValueError(
            f"the array interface of {type(x).__name__} spans bytes {first} to {last} of a buffer "
            f"of {available}"
        )


def to_numpy(x: Any) -> Array:
    """The values of `x` as an array of any shape; TypeError when it holds no numbers."""
    if isinstance(x, np.ndarray):
        return x
    if _is_torch(x) and hasattr(x, "detach"):
        return _torch_to_np(x)
    if isinstance(x, (list, tuple)):
        x = [to_numpy(item) if _is_torch(item) else item for item in x]
    elif hasattr(x, "asnumpy"):  # mxnet
        x = x.asnumpy()
    elif type(x).__module__.partition(".")[0] in ("chainer", "paddle"):
        x = x.data if hasattr(x, "data") and hasattr(x.data, "shape") else x.numpy()
    elif not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    if isinstance(getattr(x, "__array_interface__", None), dict):
        _check_interface(x)
    try:
        return np.asarray(x)
    except ValueError as error:
        raise ValueError(f"cannot make an array of {type(x).__name__}: {error}") from None


def make_np(x: Any) -> Array:
    """`x` as a numpy array; a single number becomes an array without dimensions."""
    if isinstance(x, (str, bytes)) or x is None:
        raise NotNumbersError(f"Got {type(x)}, but expected numpy array or torch tensor.")
    array = to_numpy(x)
    if array.dtype.kind not in "fiubc":
        raise NotNumbersError(f"Got {type(x)}, but expected numpy array or torch tensor.")
    check_nan(array)
    return array


def real_np(x: Any) -> Array:
    """make_np for kinds that take real numbers only; TypeError for complex ones."""
    array = make_np(x)
    if array.dtype.kind == "c":
        raise NotNumbersError(f"expected real numbers, got elements of type {array.dtype}")
    return array


def check_nan(array: Array) -> None:
    """Warns, as tensorboardX does, when a value is NaN or infinite."""
    if array.dtype.kind == "f" and array.size and not np.isfinite(np.sum(array)):
        logger.warning("NaN or Inf found in input tensor.")


def _quantized(x: Any) -> tuple[Any, ...]:
    codes = np.ascontiguousarray(x.int_repr().cpu().numpy())
    if "per_channel" in str(x.qscheme()):
        scales = x.q_per_channel_scales().cpu().double().numpy()
        zeros = x.q_per_channel_zero_points().cpu().double().numpy()
        axis = x.q_per_channel_axis()
    else:
        scales, zeros, axis = [x.q_scale()], [x.q_zero_point()], None
    return (codes, None, [float(s) for s in scales], [int(z) for z in zeros], axis)


def as_engine(x: Any) -> Any:
    """`x` as a tensor argument of the engine; TypeError when it holds no numbers."""
    if type(x) is np.ndarray and x.dtype.char in _AS_THEY_ARE:
        if x.flags.c_contiguous and x.dtype.isnative:
            return x
    if _is_torch(x) and hasattr(x, "detach"):
        x = x.detach()
        if x.is_quantized:
            integral_zero_points = "float_qparams" not in str(x.qscheme())
            return _quantized(x) if integral_zero_points else as_engine(x.dequantize())
        if str(x.dtype) == "torch.bfloat16":
            import torch

            bits = x.cpu().contiguous().view(torch.int16).numpy()
            return (bits, "bfloat16")
    array = to_numpy(x)
    if array.dtype.name == "bfloat16":  # ml_dtypes, as JAX uses it.
        return (np.ascontiguousarray(array).view(np.int16), "bfloat16")
    if array.dtype.kind not in _ENGINE_KINDS:
        raise TypeError(
            f"expected numbers, got {type(x).__name__} with elements of type {array.dtype}"
        )
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def to_float(x: Any) -> float:
    """`x`, a number or anything that squeezes to one, as a float."""
    if isinstance(x, (bool, int, float)):
        value = float(x)
    else:
        array = real_np(x).squeeze()
        check(array.ndim == 0, f"scalar should be 0D, but has the shape {array.shape}")
        return float(array)
    if value != value or value in (float("inf"), float("-inf")):
        logger.warning("NaN or Inf found in input tensor.")
    return value
