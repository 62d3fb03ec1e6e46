"""Writes graphs in the format of ONNX, without the onnx package. Only the engine reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
          "bool": 9, "float16": 10, "float64": 11}  # fmt: skip
_INT4, _FLOAT_ATTRIBUTE, _INT_ATTRIBUTE, _INTS_ATTRIBUTE = 22, 1, 2, 7
MAX_BYTES = 2**31 - 1  # The limit of a protobuf message.


@dataclass
class Node:
    """One operation of a graph."""

    name: str
    op: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = ""


@dataclass
class Constant:
    """A constant that is stored in the file. `bits` is 4 if two codes are packed into one byte."""

    name: str
    values: Any
    bits: int = 0


@dataclass
class Value:
    """An input or output of the graph. A size of -1 is unknown."""

    name: str
    shape: Sequence[int]
    dtype: str = "float32"


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(key: int, value: int) -> bytes:
    return _varint(key << 3) + _varint(int(value))


def _bytes(key: int, value: Union[bytes, str]) -> bytes:
    encoded = value.encode() if isinstance(value, str) else value
    return _varint(key << 3 | 2) + _varint(len(encoded)) + encoded


def _attribute(name: str, value: Any) -> bytes:
    encoded = _bytes(1, name)
    if isinstance(value, float):
        return encoded + b"\x15" + np.float32(value).tobytes() + _number(20, _FLOAT_ATTRIBUTE)
    if isinstance(value, int):
        return encoded + _number(3, value) + _number(20, _INT_ATTRIBUTE)
    return encoded + b"".join(_number(8, entry) for entry in value) + _number(20, _INTS_ATTRIBUTE)


def _node(node: Node) -> bytes:
    parts = [_bytes(1, name) for name in node.inputs] + [_bytes(2, name) for name in node.outputs]
    parts += [_bytes(3, node.name), _bytes(4, node.op)]
    parts += [_bytes(5, _attribute(name, value)) for name, value in node.attributes.items()]
    return b"".join(parts) + (_bytes(7, node.domain) if node.domain else b"")


def _constant(constant: Constant) -> bytes:
    values = np.ascontiguousarray(constant.values)
    dims = b"".join(_number(1, size) for size in np.shape(constant.values))
    if constant.bits == 4:
        codes = (values.reshape(-1).astype(np.int16) & 15).astype(np.uint8)
        codes = np.append(codes, np.zeros(codes.size % 2, np.uint8))
        return (
            dims
            + _number(2, _INT4)
            + _bytes(8, constant.name)
            + _bytes(9, (codes[::2] | codes[1::2] << 4).tobytes())
        )
    kind = _TYPES.get(values.dtype.name)
    if kind is None:
        raise TypeError(f"constant '{constant.name}' has the type {values.dtype}, which cannot be stored in ONNX")
    return dims + _number(2, kind) + _bytes(8, constant.name) + _bytes(9, values.tobytes())


def _value(value: Value) -> bytes:
    shape = b"".join(_bytes(1, b"" if size < 0 else _number(1, size)) for size in value.shape)
    tensor = _number(1, _TYPES[value.dtype]) + _bytes(2, shape)
    return _bytes(1, value.name) + _bytes(2, _bytes(1, tensor))


def model(nodes: Iterable[Node], constants: Iterable[Constant], inputs: Iterable[Value],
          outputs: Iterable[Value]) -> bytes:  # fmt: skip
    """Returns the bytes of a model file. Raises ValueError if it would exceed the format's limit of
    2 GiB.
    """
    graph = [_bytes(1, _node(node)) for node in nodes] + [_bytes(2, "graph")]
    graph += [_bytes(5, _constant(constant)) for constant in constants]
    graph += [_bytes(11, _value(value)) for value in inputs] + [
        _bytes(12, _value(value)) for value in outputs
    ]
    size = sum(len(part) for part in graph)
    if size > MAX_BYTES - 1024:
        raise ValueError(
            f"the weights of the module take {size / 2**30:.1f} GiB, but modules of at most 2 GiB can be compared; export both models to ONNX and compare the files"
        )
    opset = _bytes(8, _bytes(1, "") + _number(2, 21))
    return _number(1, 10) + _bytes(2, "compression-board") + opset + _bytes(7, b"".join(graph))
