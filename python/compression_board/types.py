"""Types of the arguments of this package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

#: A number: int, float, bool, a numpy number, or an array or tensor with one element.
Number = Any

#: Numbers in any arrangement: numpy arrays, tensors of PyTorch (with gradients, on any device,
#: bfloat16, quantized) and JAX, anything with DLPack or a buffer, nested lists.
ArrayLike = Any

#: A directory or a file.
PathLike = Union[str, "os.PathLike[str]"]

#: The bins of a histogram: "tensorflow" (TensorBoard's 1,548 buckets), an estimator of numpy's
#: ("auto", "fd", …), a number of equal bins, or their edges.
Bins = Union[str, int, Sequence[float], Any]

#: Metrics with the keys of benchmark JSON: accuracy, latency_mean_ms, model_size_mb, …
Metrics = Mapping[str, Any]

#: Names of derived metrics (computed from other metrics), by variant: {"int8":
#: ["latency_mean_ms"]}.
Derived = Mapping[str, Sequence[str]]

#: Values that could not be logged, as pairs (what, reason).
Omissions = list[tuple[str, str]]
