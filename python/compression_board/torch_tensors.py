"""Reads values of all kinds of PyTorch tensors: element types that numpy does not have, sparse and
quantized tensors, and the tensor classes of torchao.

This module does not import torch: every function receives a tensor, so torch is already loaded.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

# Values of float4_e2m1fn: one sign bit, two bits of exponent, one bit of mantissa.
_FLOAT4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6] + [-0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)

# A quantized tensor in the form that the engine expects: codes, element type, scales, zero points,
# channel axis.
Quantized = tuple[Any, None, list[float], list[int], Optional[int]]


def is_torch(x: Any) -> bool:
    """Returns True for PyTorch tensors, and for objects that behave like PyTorch tensors."""
    return type(x).__module__.partition(".")[0] == "torch" or hasattr(x, "is_quantized")


def _torch() -> Any:
    return sys.modules["torch"]


def _dtype_name(x: Any) -> str:
    return str(x.dtype).rpartition(".")[2]


def check_readable(x: Any) -> None:
    """Raises TypeError for tensors whose values are not in this process."""
    name = type(x).__name__
    if hasattr(x, "full_tensor"):
        # Does not call full_tensor(), because it waits for all processes and might never return.
        raise TypeError(
            f"the {name} contains only the part of the tensor that belongs to this process; "
            "pass x.full_tensor(), called in all processes, or x.to_local()"
        )
    if name == "FakeTensor" or getattr(getattr(x, "device", None), "type", "") == "meta":
        raise TypeError(f"the {name} on device 'meta' has a shape but no values; log it on a real device")


def is_wrapper(x: Any) -> bool:
    """Returns True for classes, such as torchao's, that store codes and scales in other tensors."""
    return hasattr(x, "__tensor_flatten__")


def dense(x: Any) -> Any:
    """Returns the real values of `x` as an ordinary strided tensor on the CPU, detached."""
    check_readable(x)
    x = x.detach()
    if getattr(x, "is_nested", False):
        raise TypeError("nested tensors have no single shape; log their parts: x.unbind()")
    if is_wrapper(x) or getattr(x, "is_quantized", False):
        try:
            x = x.dequantize()
        except (AttributeError, NotImplementedError, RuntimeError) as error:
            raise TypeError(
                f"cannot read the values of {type(x).__name__}: {error}; pass an ordinary tensor"
            ) from None
    if str(getattr(x, "layout", "torch.strided")) != "torch.strided":
        x = x.to_dense()
    return x.cpu()


def _sub_byte(x: Any, name: str) -> Any:
    """Returns the values of torch.int1 … int7 and uint1 … uint7, which are stored one per byte."""
    is_signed = name.startswith("int")
    bits = int(name.lstrip("uint"))
    codes = x.view(_torch().uint8).numpy() & ((1 << bits) - 1)
    if not is_signed:
        return codes
    return np.where(codes >= 1 << (bits - 1), codes.astype(np.int16) - (1 << bits), codes).astype(np.int8)


def to_numpy(x: Any) -> Any:
    """Returns the values of a tensor as a numpy array. Element types that numpy lacks become
    float32 or int8.
    """
    torch = _torch()
    x = dense(x)
    name = _dtype_name(x)
    if name == "bfloat16" or (name.startswith("float8") and hasattr(x, "float")):
        x = x.float()
    elif name == "float4_e2m1fn_x2":  # Two values per byte, the first one in the lower half.
        pairs = x.view(torch.uint8).numpy()
        codes = np.stack([pairs & 15, pairs >> 4], axis=-1)
        return _FLOAT4[codes.reshape(*pairs.shape[:-1], -1)]
    elif name == "complex32":
        x = x.to(torch.complex64)
    elif name[:4] in ("int1", "int2", "int3", "int4", "int5", "int6", "int7") and len(name) == 4:
        return _sub_byte(x, name)
    elif name[:5] in ("uint1", "uint2", "uint3", "uint4", "uint5", "uint6", "uint7") and len(name) == 5:
        return _sub_byte(x, name)
    if getattr(x, "is_conj", bool)():
        x = x.resolve_conj()
    if getattr(x, "is_neg", bool)():
        x = x.resolve_neg()
    return x.numpy()


def _of_torch(x: Any) -> Optional[Quantized]:
    """Returns codes and scales of a tensor that torch itself quantized."""
    if "float_qparams" in str(x.qscheme()):  # Zero points are not integers.
        return None
    codes = np.ascontiguousarray(x.int_repr().cpu().numpy())
    if "per_channel" in str(x.qscheme()):
        scales = x.q_per_channel_scales().cpu().double().numpy()
        zeros = x.q_per_channel_zero_points().cpu().double().numpy()
        axis = x.q_per_channel_axis()
    else:
        scales, zeros, axis = [x.q_scale()], [x.q_zero_point()], None
    return (codes, None, [float(s) for s in scales], [int(z) for z in zeros], axis)


def _of_wrapper(x: Any) -> Optional[Quantized]:
    """Returns codes and scales of torchao's tensors with one byte per code and one scale per row or
    tensor.

    Returns None for other layouts (4 bits in packed words, scales per block), which are dequantized
    instead.
    """
    codes = getattr(x, "qdata", None)
    scale = getattr(x, "scale", None)
    if codes is None or scale is None or tuple(codes.shape) != tuple(x.shape):
        return None
    codes = codes.detach().cpu()
    if _dtype_name(codes) not in ("int8", "uint8"):
        return None
    scales = scale.detach().cpu().double().reshape(-1)
    zero_point = getattr(x, "zero_point", None)
    zeros = None if zero_point is None else zero_point.detach().cpu().double().reshape(-1)
    if zeros is not None and not bool((zeros == zeros.round()).all()):
        return None
    if scales.numel() == 1:
        axis = None
    elif codes.dim() >= 1 and scales.numel() == codes.shape[0]:
        axis = 0
    else:
        return None
    zero_list = [0] * scales.numel() if zeros is None else [int(z) for z in zeros]
    if len(zero_list) != scales.numel():
        return None
    quantized = (np.ascontiguousarray(codes.numpy()), None, scales.tolist(), zero_list, axis)
    return quantized if _matches(x, quantized) else None


def _matches(x: Any, quantized: Quantized) -> bool:
    """Returns True if codes and scales give the same values as the tensor's own dequantize().

    Classes define scales differently, so this is tested instead of assumed.
    """
    codes, _, scales, zeros, axis = quantized
    shape = [-1] + [1] * (codes.ndim - 1) if axis == 0 else [1] * codes.ndim
    values = (codes.astype(np.float64) - np.reshape(zeros, shape)) * np.reshape(scales, shape)
    own = dense(x).double().numpy()
    step = np.max(np.abs(scales))
    return own.shape == values.shape and bool(np.all(np.abs(own - values) <= 0.02 * np.abs(own) + 0.01 * step))


def quantized(x: Any) -> Optional[Quantized]:
    """Returns codes and scales of a quantized tensor; None if the engine cannot use them."""
    if getattr(x, "is_quantized", False):
        return _of_torch(x.detach())
    return _of_wrapper(x) if is_wrapper(x) else None


def precision_of(x: Any) -> str:
    """Returns the element type of a compressed tensor as it is written in tags; "" for other
    tensors. `x` may also be a result of `quantized`.
    """
    if isinstance(x, tuple):
        return "int8"
    if not is_compressed(x):
        return ""
    if getattr(x, "is_quantized", False):
        return "int8"
    stored = next((getattr(x, name) for name in ("qdata", "int_data") if hasattr(x, name)), None)
    name = str(getattr(x, "target_dtype", None) or getattr(stored, "dtype", "")).rpartition(".")[2]
    if name.startswith("float8"):
        return "fp8"
    return {"int4": "int4", "uint4": "int4", "int2": "int2", "uint2": "int2"}.get(name, "int8")


def is_compressed(x: Any) -> bool:
    """Returns True for tensors whose values were quantized."""
    return bool(getattr(x, "is_quantized", False)) or (is_wrapper(x) and hasattr(x, "dequantize"))
