"""Exceptions for arguments that cannot be logged.

They are subclasses of ValueError and TypeError, like the errors of Python's own functions. They are
also subclasses of AssertionError and NotImplementedError, because programs written for tensorboardX
catch AssertionError and NotImplementedError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ArgumentError(ValueError, AssertionError):
    """A shape, length or name is invalid."""


class NotNumbersError(TypeError, NotImplementedError):
    """A value does not contain numbers."""


def check(condition: bool, message: str) -> None:
    """Raises ArgumentError if `condition` is false, also under `python -O`."""
    if not condition:
        raise ArgumentError(message)


def check_model_name(model_name: str) -> None:
    """Raises ValueError for an empty model name, because tags begin with it."""
    if not model_name:
        raise ValueError("the model name is empty, but its tags must begin with a name; give a model name")


def check_format(shape: tuple[int, ...], dataformats: str) -> None:
    """Raises ArgumentError unless `dataformats` has one letter for each dimension of `shape`."""
    if not isinstance(dataformats, str):
        raise TypeError(f"dataformats should be a str, not a {type(dataformats).__name__}")
    check(
        len(set(dataformats)) == len(dataformats),
        f"You can not use the same dimension shorthand twice. \t\tinput_format: {dataformats}",
    )
    check(
        len(shape) == len(dataformats),
        f"size of input tensor and input format are different. \t\t"
        f"tensor shape: {shape}, input_format: {dataformats}",
    )


def check_mapping(value: Any, what: str) -> None:
    """Raises TypeError unless `value` is a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} should be a dict, not a {type(value).__name__}")
