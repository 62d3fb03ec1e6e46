"""Quantizes a float ONNX model after training.

report = quantize("model.onnx", "samples.npz", output="model_int8.onnx")
report["quality"]["heads"][0]["sqnr_db"]    # on samples that calibration did not use
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from . import _engine
from .types import ArrayLike, PathLike


def quantize(
    model: PathLike,
    data: Union[PathLike, Iterable[Mapping[str, ArrayLike]], None] = None,
    *,
    output: PathLike,
    bits: str = "w8a8",
    ranges: str = "auto",
    target: str = "this-machine",
    per_channel: bool = True,
    bias_correction: bool = True,
    equalize: bool = True,
    smooth: bool = True,
    repair: bool = True,
    gptq: bool = False,
    block_size: int = 32,
    keep_float: Sequence[str] = (),
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    max_samples: int = 128,
    threads: int = 0,
    statistics: Optional[PathLike] = None,
    explain: bool = False,
    logdir: Optional[PathLike] = None,
) -> dict[str, Any]:
    """Writes the quantized model to `output` and returns the report, which is the output of
    `compression-board quantize --json`. docs/quantize.md explains the settings.

    `data` is a file or folder, as for `compare`, or an iterable of samples: each a dict with one
    array per input, in the shape that the model expects. An iterable is read once and stored in a
    temporary file, so memory use does not depend on its length. Without data, random samples are
    used.

    `statistics` is a file of calibration results: read if it exists, else written. `explain` adds
    the key `comparison`, the output of `compare --json`. `logdir` logs the stages of the
    quantization and the comparison.

    Raises FileNotFoundError if a file or ONNX Runtime is missing; ValueError if the model is
    already quantized, or a setting or the data is not valid for the model.
    """
    if max_samples < 1:
        raise ValueError(f"max_samples is {max_samples}; give at least 1")
    with tempfile.TemporaryDirectory(prefix="compression-board-") as folder:
        if data is None:
            path = ""
        elif isinstance(data, (str, os.PathLike)):
            path = os.fspath(data)
        else:
            path = _store(data, Path(folder), max_samples)
        report = _engine.quantize_model(
            os.fspath(model),
            os.fspath(output),
            path,
            {name: [int(size) for size in shape] for name, shape in (shapes or {}).items()},
            max_samples,
            bits,
            ranges,
            target,
            per_channel,
            bias_correction,
            equalize,
            smooth,
            repair,
            gptq,
            block_size,
            list(keep_float),
            threads,
            "" if statistics is None else os.fspath(statistics),
            explain,
            "" if logdir is None else os.fspath(logdir),
        )
    return dict(json.loads(report))


def _store(samples: Iterable[Mapping[str, ArrayLike]], folder: Path, max_samples: int) -> str:
    """Writes samples to an .npz file, one at a time."""
    import numpy as np

    shapes: dict[str, tuple[int, ...]] = {}
    types: dict[str, Any] = {}
    files: dict[str, Any] = {}
    count = 0
    for sample in samples:
        if count == max_samples:
            break
        if count > 0 and set(sample) != set(shapes):
            raise ValueError(f"sample {count} has the inputs {sorted(sample)}, but sample 0 has {sorted(shapes)}; give all samples the same inputs")
        for name, value in sample.items():
            array = np.ascontiguousarray(value)
            if count == 0:
                shapes[name], types[name] = array.shape, array.dtype
                files[name] = open(folder / f"{len(files)}.raw", "wb")
            if array.shape != shapes[name] or array.dtype != types[name]:
                raise ValueError(
                    f"input '{name}' of sample {count} is {array.dtype} {array.shape}, but that of "
                    f"sample 0 is {types[name]} {shapes[name]}; give all samples the same shape and type"
                )
            files[name].write(array.tobytes())
        count += 1
    if count == 0:
        raise ValueError("the data contains no sample; give at least one sample")
    path = folder / "samples.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, file in files.items():
            file.close()
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                header = {
                    "descr": np.lib.format.dtype_to_descr(types[name]),
                    "fortran_order": False,
                    "shape": (count, *shapes[name]),
                }
                np.lib.format.write_array_header_1_0(entry, header)
                with open(file.name, "rb") as raw:
                    while chunk := raw.read(1 << 20):
                        entry.write(chunk)
    return str(path)
