"""Any method with any arguments works or raises, and the writer still works."""

import contextlib
import inspect
import io
import random

import numpy as np
import pytest
from compression_board import CompressionWriter


class Liar:
    """An object that claims to be an array."""

    shape, dtype, ndim = (2, 3), np.float32, 2

    def __len__(self):
        return 1 << 30

    def __array__(self, *args, **kwargs):
        return "no"


READ_ONLY = np.arange(6.0)
READ_ONLY.flags.writeable = False

THINGS = [
    None, 0, 1, -1, 1 << 70, 0.5, float("nan"), float("inf"), True, "", "a", "a/b", "\ud800", "x" * 100_000,
    b"abc", [], [1], [1, 2, 3], [[1, 2], [3]], (), (1, 2), {}, {"a": 1}, {"a": object()}, {1: 2},
    (np.zeros(3, np.int8), "float32"), (np.zeros((2, 2), np.int8), None, [1.0, 0.0], [0, 9], 5),
    {"a": {"b": ["Multiline", ["x"]]}}, {"a": {"b": ["Margin"]}}, {"fp32": {"accuracy": 1.0}},
    object(), Liar(), lambda: 0, int, ..., range(5), {1}, iter([1]), memoryview(b"abcd"), bytearray(b"ab"),
    np.zeros(0), np.zeros((0, 3)), np.zeros((3, 4, 4)), np.zeros((4, 4, 3), np.uint8), np.zeros((1,) * 20),
    np.zeros((1, 2, 3, 4, 4)), np.zeros((1, 4, 3)), np.zeros((2, 2), complex), np.array([object()]),
    np.array(["a"]), np.zeros(3, "M8[s]"), np.full((3, 5), np.nan), np.full(7, np.inf), READ_ONLY,
    READ_ONLY[::-2], np.asfortranarray(np.ones((3, 4))), np.zeros(5, ">f4"), np.float16([1, 2]),
    np.longdouble([1, 2]), np.int64(3), np.float32(2), "CHW", "NCHW", "NTCHW", "auto", "both", 10, 1 << 40,
]  # fmt: skip

METHODS = [
    name
    for name in dir(CompressionWriter)
    if name.startswith(("add_", "log_")) and name not in ("add_graph", "add_figure")
]


@pytest.mark.filterwarnings("error", "ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", range(4))
def test_anything_is_taken_or_refused_in_python(tmp_path, read, seed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    with CompressionWriter(tmp_path / "run") as writer:
        for step in range(1000):
            method = getattr(writer, chance.choice(METHODS))
            parameters = [
                parameter
                for parameter in inspect.signature(method).parameters.values()
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ]
            needed = sum(parameter.default is parameter.empty for parameter in parameters)
            arguments = [
                chance.choice(THINGS) for _ in range(chance.randint(needed, len(parameters)))
            ]
            if chance.random() < 0.7:
                arguments[0] = "tag"
            with contextlib.suppress(TypeError, ValueError, OSError, OverflowError):
                with contextlib.redirect_stdout(io.StringIO()):
                    method(*arguments)
            writer.add_scalar("still", step, step)
    assert len(read(tmp_path / "run").scalars("still")) == 1000
