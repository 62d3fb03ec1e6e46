"""Lets numpy judge our histograms and statistics: same edges, same counts, same sums.

    python numpy_oracle.py build/dev/bin/numpy_oracle

numpy_oracle is the program that prints ours. numpy's are made the way tensorboardX makes them.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ESTIMATORS = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")


def tensorboard_edges():
    edges, edge = [], 1e-12
    while edge < 1e20:
        edges.append(edge)
        edge *= 1.1
    return np.array([-e for e in reversed(edges)] + [0.0] + edges)


def numpy_bins(values, bins):
    if bins == "tensorflow":
        return tensorboard_edges()
    if bins == "auto":
        # The rule before NumPy 2.3, in any NumPy: the narrower width is the larger count.
        return max(len(np.histogram_bin_edges(values, name)) - 1 for name in ("fd", "sturges"))
    return int(bins) if bins.isdigit() else bins


def numpy_histogram(values, bins, max_bins):
    """Counts and right limits of tensorboardX's make_histogram; ValueError as there."""
    counts, limits = np.histogram(values, bins=numpy_bins(values, bins))
    if max_bins and len(counts) > max_bins:
        step = len(counts) // max_bins
        counts = np.pad(counts, (0, -len(counts) % step)).reshape(-1, step).sum(axis=-1)
        limits = np.concatenate([limits[:-1:step], limits[-1:]])
    occupied = np.flatnonzero(counts)
    if occupied.size == 0:
        raise ValueError("empty")
    first, last = occupied[0], occupied[-1]
    return np.concatenate([[0], counts[first : last + 1]]), limits[first : last + 2]


def same(ours, numpys, tolerance=0.0):
    if math.isnan(numpys) or math.isnan(ours):
        return math.isnan(numpys) and math.isnan(ours)
    return ours == numpys or abs(ours - numpys) <= tolerance


def differences(answer, values, bins, max_bins):
    finite = values[np.isfinite(values)]
    # Either side rounds a sum; it may be off by some ulps of the magnitudes that went into it.
    tolerances = {
        "sum": 1e-13 * float(np.abs(finite).sum()),
        "sum_squares": 1e-13 * float(finite.dot(finite)),
    }

    def compare(what, ours, numpys):
        for key, value in numpys.items():
            if not same(ours[key], float(value), tolerances.get(key, 0.0)):
                yield f"{what} {key}: {ours[key]!r}, numpy has {float(value)!r}"

    nothing = float("nan")
    yield from compare("statistics", answer["statistics"], {
        "count": values.size,
        "nan": np.isnan(values).sum(),
        "positive_infinity": np.isposinf(values).sum(),
        "negative_infinity": np.isneginf(values).sum(),
        "min": finite.min() if finite.size else nothing,
        "max": finite.max() if finite.size else nothing,
        "sum": math.fsum(finite) if finite.size else nothing,
        "sum_squares": finite.dot(finite) if finite.size else nothing,
    })
    try:
        counts, limits = numpy_histogram(values, bins, max_bins)
    except (ValueError, MemoryError) as error:
        if "error" not in answer:
            yield f"numpy fails ({error}), ours does not"
        return
    if "error" in answer:
        yield f"ours fails: {answer['error']}"
        return
    histogram = answer["histogram"]
    with np.errstate(invalid="ignore"):
        yield from compare("histogram", histogram, {
            "num": values.size,
            "min": values.min(),
            "max": values.max(),
            "sum": values.sum(),
            "sum_squares": values.dot(values),
        })
    if histogram["limits"] != limits.tolist():
        yield f"{len(histogram['limits'])} limits differ from numpy's {len(limits)}"
    if histogram["counts"] != counts.tolist():
        yield "counts differ"


def arrays():
    random = np.random.default_rng(20240229)
    edges = tensorboard_edges()
    near = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
    weights = random.normal(0, 0.05, 100_003)
    yield "every edge and its neighbours", near
    narrow = edges.astype(np.float32)
    yield "every edge and its neighbours, float32", np.concatenate(
        [narrow, np.nextafter(narrow, np.float32(-np.inf)), np.nextafter(narrow, np.float32(np.inf))]
    )
    yield "weights", weights
    yield "weights, float32", weights.astype(np.float32)
    yield "weights, float16", weights.astype(np.float16)
    yield "sparse weights", np.where(random.random(50_001) < 0.9, 0, weights[:50_001])
    yield "activations", np.maximum(random.normal(0, 3, 70_000), 0).astype(np.float32)
    yield "heavy tails", random.standard_t(2, 20_000)
    yield "skewed", random.lognormal(0, 2, 20_000)
    yield "two humps", np.concatenate([random.normal(-5, 1, 3000), random.normal(5, 0.1, 500)])
    yield "far from zero", random.normal(1e6, 1e-3, 5000)
    yield "counting", np.arange(1024)
    yield "one value", np.array([3.5])
    yield "two values", np.array([1.0, 2.0])
    yield "constant", np.full(100, -0.1, np.float32)
    yield "negative zeros", np.array([-0.0, 0.0, -0.0])
    yield "subnormals", np.array([5e-324, -5e-324, 1e-40])
    yield "NaN among weights", np.append(weights[:1000], [np.nan, np.inf])
    yield "infinities", np.array([1.0, np.inf, -np.inf], np.float32)
    yield "nothing finite", np.array([np.nan, np.inf])
    yield "huge", np.array([1e200, -1e200, 9.920775621859783e19, 1e19])
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        limits = np.iinfo(dtype)
        yield f"codes, {dtype}", random.integers(
            limits.min, limits.max, 4097, dtype=dtype, endpoint=True
        )
    yield "bool", random.random(999) < 0.25


def main():
    program = sys.argv[1]
    checked, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "array"
        for name, array in arrays():
            file.write_bytes(array.tobytes())
            values = array.astype(np.float64)
            for bins in ("tensorflow", "1", "10", "333", *ESTIMATORS):
                for max_bins in (0, 7):
                    command = [program, str(file), str(array.dtype), bins, str(max_bins)]
                    output = subprocess.run(command, check=True, capture_output=True).stdout
                    checked += 1
                    for difference in differences(json.loads(output), values, bins, max_bins):
                        failed += 1
                        print(f"{name}, bins={bins}, max_bins={max_bins}: {difference}")
    print(f"numpy {np.__version__}: {checked} histograms compared, {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
