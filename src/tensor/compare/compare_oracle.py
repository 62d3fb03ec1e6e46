"""Compares our comparisons with numpy: the same numbers, total and per channel.

    python compare_oracle.py build/dev/bin/compare_oracle

compare_oracle is the program that prints ours.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

# Relative to the larger of the two; both sides round.
TOLERANCE = 1e-9


def expected(x, y, scale, low, high):
    """numpy's statistics of pairs, in float64; `scale`, `low` and `high` broadcast."""
    error = x - y
    energy, noise = (x * x).sum(), (error * error).sum()
    norms = np.linalg.norm(x) * np.linalg.norm(y)
    return {
        "count": x.size,
        "min": y.min(),
        "max": y.max(),
        "sqnr_db": math.inf if noise == 0 else 10 * np.log10(energy / noise),
        "cosine": (x * y).sum() / norms if norms else float(energy == (y * y).sum()),
        "mse": np.mean(error * error),
        "max_error": np.abs(error).max(),
        "mean_shift": (y.mean() - x.mean()) / x.std(),
        "rmse_steps": np.sqrt(np.mean((error / scale) ** 2)),
        "clip_rate": np.mean((x < low) | (x > high)),
    }


def divergence(x_codes, y_codes, first, count):
    p = np.bincount((x_codes - first).ravel().astype(int), minlength=count) + 0.5
    q = np.bincount((y_codes - first).ravel().astype(int), minlength=count) + 0.5
    return float((p / p.sum() * np.log((p / p.sum()) / (q / q.sum()))).sum())


def differences(ours, theirs):
    for key, value in theirs.items():
        mine, value = ours[key], float(value)
        if mine == value or abs(mine - value) <= TOLERANCE * max(1e-3, abs(mine), abs(value)):
            continue
        yield f"{key}: {mine!r}, numpy has {value!r}"


def cases():
    random = np.random.default_rng(11)
    weights = random.normal(0, 0.05, (24, 16, 3, 3)).astype(np.float32)
    spread = weights * np.logspace(-3, 0, 24, dtype=np.float32).reshape(-1, 1, 1, 1)
    matrix = random.normal(0, 1, (300, 130)).astype(np.float32)
    activations = np.maximum(random.normal(0, 2, (5, 12, 9, 11)), 0).astype(np.float32)
    rows = random.normal(0, 1, (7, 9000)).astype(np.float32)
    # name, reference, dtype, channel axis, scale axis, scale, zero point
    yield "weights", weights, "int8", 0, None, 0.002, 0
    yield "weights by channel", spread, "int8", 0, 0, None, 0
    yield "one scale for unlike channels", spread, "int8", 0, None, 0.002, 0
    yield "columns", matrix, "int8", 1, 1, None, 0
    yield "rows of a matrix that has scales by column", matrix, "int8", 0, 1, None, 0
    yield "activations", activations, "uint8", 1, None, 0.03, 3
    yield "over-clipped activations", activations, "uint8", 1, None, 0.008, 3
    yield "long rows", rows, "int8", 0, 0, None, 0
    yield "long rows of unsigned codes", rows, "uint8", 0, None, 0.035, 131
    yield "dequantized activations", activations, "float32", 1, None, 0.03, 128


def judge(program, folder, name, reference, dtype, channel_axis, scale_axis, scale, zero_point):
    first, last = (-128, 127) if dtype == "int8" else (0, 255)
    if scale_axis is None:
        scales = np.array([scale], np.float32)
        wide = np.float64(scales[0])
    else:
        others = tuple(i for i in range(reference.ndim) if i != scale_axis)
        scales = (np.abs(reference).max(axis=others) / 100).astype(np.float32)
        wide = np.expand_dims(scales.astype(np.float64), others)
    x = reference.astype(np.float64)
    x_codes = np.clip(np.rint(x / wide) + zero_point, first, last)
    # Codes of other references, so that the two sides differ by more than rounding.
    shifted = np.clip(np.rint(x / wide + 0.3) + zero_point, first, last)
    stored = shifted.astype(dtype)
    y = (shifted - zero_point) * wide
    y_codes = shifted
    if dtype == "float32":
        stored = y.astype(np.float32)
        y = stored.astype(np.float64)
        y_codes = np.clip(np.rint(y / wide) + zero_point, first, last)
    files = [folder / part for part in ("reference", "codes", "scales", "zeros")]
    for file, array in zip(
        files, (reference, stored, scales, np.full(scales.size, zero_point, np.int32))
    ):
        file.write_bytes(array.tobytes())
    command = [
        program, str(files[0]), str(files[1]), dtype, ",".join(map(str, reference.shape)),
        str(channel_axis), str(files[2]), str(files[3]),
        "-" if scale_axis is None else str(scale_axis),
    ]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    wide = np.broadcast_to(wide, x.shape)
    low, high = (first - zero_point - 0.5) * wide, (last - zero_point + 0.5) * wide
    found = [
        f"total {d}" for d in differences(answer["total"], expected(x, y, wide, low, high))
    ]
    for channel in range(reference.shape[channel_axis]):
        parts = [np.take(a, channel, channel_axis) for a in (x, y, wide, low, high)]
        ours = answer["channels"][channel]
        found += [f"channel {channel} {d}" for d in differences(ours, expected(*parts))]
    found += differences(answer, {
        "divergence": divergence(x_codes, y_codes, first, 256),
        "used_codes": np.unique(y_codes).size,
    })
    return [f"{name}: {difference}" for difference in found]


def main():
    checked, failed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            failed += judge(sys.argv[1], Path(folder), *case)
            checked += 1
    for line in failed[:40]:
        print(line)
    print(f"numpy {np.__version__}: {checked} comparisons checked, {len(failed)} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
