"""Converts numbers: numpy, PyTorch, JAX, every object with DLPack or a buffer, lists.

`make_np` returns a numpy array as tensorboardX does. `as_engine` passes the same values to the
engine without a copy; it also supports bfloat16, which numpy does not have, and quantized tensors
as codes and scales.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from . import torch_tensors
from .errors import NotNumbersError, check

logger = logging.getLogger("tensorboardX.x2num")

Array = Any  # numpy.ndarray; its type parameters differ between versions of numpy.

# Element types that the engine reads without conversion.
_ENGINE_KINDS = "fiub"
_AS_THEY_ARE = frozenset("efdbBhHiIlLqQ?")  # By dtype.char.


def _check_interface(x: Any) -> None:
    """Raises ValueError if the array interface of `x` exceeds its buffer.

    numpy does not check this and would read memory beyond the buffer. A raw address cannot be
    checked.
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
            f"the array interface of {type(x).__name__} describes bytes {first} to {last}, but its buffer has {available} bytes"
        )


def _as_native(array: Array) -> Array:
    """Returns `array` with element types of ml_dtypes (float8, float4, int4, …) converted to
    numpy's own.
    """
    if array.dtype.kind != "V" or array.dtype.type.__module__.partition(".")[0] != "ml_dtypes":
        return array
    is_integer = array.dtype.name.startswith(("int", "uint"))
    return array.astype(np.int8 if is_integer else np.float32)


def to_numpy(x: Any) -> Array:
    """Returns the values of `x` as an array of any shape; raises TypeError if it contains no
    numbers.
    """
    if isinstance(x, np.ndarray):
        return x
    if torch_tensors.is_torch(x) and hasattr(x, "detach"):
        return torch_tensors.to_numpy(x)
    if isinstance(x, (list, tuple)):
        x = [to_numpy(item) if torch_tensors.is_torch(item) else item for item in x]
    elif hasattr(x, "asnumpy"):  # For mxnet.
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
        raise ValueError(f"cannot convert an object of type {type(x).__name__} to a NumPy array: {error}") from None


def make_np(x: Any) -> Array:
    """Returns `x` as a numpy array; a single number becomes an array without dimensions."""
    if isinstance(x, (str, bytes)) or x is None:
        raise NotNumbersError(f"Got {type(x)}, but expected numpy array or torch tensor.")
    array = _as_native(to_numpy(x))
    if array.dtype.kind not in "fiubc":
        raise NotNumbersError(f"Got {type(x)}, but expected numpy array or torch tensor.")
    check_nan(array)
    return array


def real_np(x: Any) -> Array:
    """Returns `x` as a numpy array like make_np, but raises TypeError for complex numbers."""
    array = make_np(x)
    if array.dtype.kind == "c":
        raise NotNumbersError(f"expected real numbers, got elements of type {array.dtype}")
    return array


def check_nan(array: Array) -> None:
    """Warns, as tensorboardX does, if a value is NaN or infinite."""
    if array.dtype.kind == "f" and array.size and not np.isfinite(np.sum(array)):
        logger.warning("NaN or Inf found in input tensor.")


def as_engine(x: Any) -> Any:
    """Returns `x` as a tensor argument of the engine; raises TypeError if it contains no numbers.
    """
    if type(x) is np.ndarray and x.dtype.char in _AS_THEY_ARE:
        if x.flags.c_contiguous and x.dtype.isnative:
            return x
    if torch_tensors.is_torch(x) and hasattr(x, "detach"):
        codes = torch_tensors.quantized(x)
        if codes is not None:
            return codes
        if str(x.dtype) == "torch.bfloat16" and not torch_tensors.is_wrapper(x):
            import torch

            bits = torch_tensors.dense(x).contiguous().view(torch.int16).numpy()
            return (bits, "bfloat16")
    array = to_numpy(x)
    if array.dtype.name == "bfloat16":  # The bfloat16 of ml_dtypes, which JAX uses.
        return (np.ascontiguousarray(array).view(np.int16), "bfloat16")
    array = _as_native(array)
    if array.dtype.kind not in _ENGINE_KINDS:
        raise TypeError(
            f"expected numbers, got {type(x).__name__} with elements of type {array.dtype}"
        )
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def to_float(x: Any) -> float:
    """Returns `x` as a float. `x` must be a number or an array with one element."""
    if isinstance(x, (bool, int, float)):
        value = float(x)
    else:
        array = real_np(x).squeeze()
        check(array.ndim == 0, f"scalar should be 0D, but has the shape {array.shape}")
        return float(array)
    if value != value or value in (float("inf"), float("-inf")):
        logger.warning("NaN or Inf found in input tensor.")
    return value
