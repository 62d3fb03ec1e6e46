"""Processes model files and weights with other packages; prints the cost like bench_model.

    model_peer.py list    --file model.onnx|model.safetensors --count N
    model_peer.py compare --data x.f32 --codes y.i8 --count N --way float32|float64|einsum|blocks
    model_peer.py models  --file model.safetensors --variant model.gguf --count N
    model_peer.py buckets --data x.f32 --count N --type f4|f8
"""

import argparse
import json
import os
import resource
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # Read when numpy is imported.
import inputs  # noqa: E402
import numpy  # noqa: E402

SCALE = numpy.float32(0.002)


def list_onnx(path):
    import onnx

    return lambda: [(t.name, list(t.dims)) for t in onnx.load(path).graph.initializer]


def list_safetensors(path):
    import safetensors

    def work():
        with safetensors.safe_open(path, framework="numpy") as file:
            return [(name, file.get_slice(name).get_shape()) for name in file.keys()]

    return work


# The functions below all return extremes, sums and squares of both sides, their product, the
# squared and the largest error, from which cosine, SQNR, MSE and mean shift are computed.


def whole_arrays(x, codes, sum_type):
    y = codes.astype(numpy.float32) * SCALE
    error = x - y
    sums = [
        x.sum(dtype=sum_type), y.sum(dtype=sum_type),
        (x * x).sum(dtype=sum_type), (y * y).sum(dtype=sum_type), (x * y).sum(dtype=sum_type),
        (error * error).sum(dtype=sum_type), numpy.abs(error).max(),
    ]  # fmt: skip
    return sums, [x.min(), x.max(), y.min(), y.max()]


def in_float32(x, codes):
    """Computes in float32, as people usually write it. Its cosine is wrong in the sixth digit."""
    return whole_arrays(x, codes, numpy.float32)


def summed_in_float64(x, codes):
    """Like the function above, but with a cosine that is right to 1e-9."""
    return whole_arrays(x, codes, numpy.float64)


def with_einsum(x, codes):
    """The fastest function that processes whole arrays and is accurate. numpy.dot of float32 would
    be a third faster, with a cosine that is wrong in the fourth digit."""
    y = codes * SCALE
    error = x - y

    def product(a, b):
        return numpy.einsum("i,i->", a, b, dtype=numpy.float64)

    sums = [
        x.sum(dtype=numpy.float64), y.sum(dtype=numpy.float64), product(x, x), product(y, y),
        product(x, y), product(error, error), max(error.max(), -error.min()),
    ]  # fmt: skip
    return sums, [x.min(), x.max(), y.min(), y.max()]


def in_blocks(x, codes):
    """Computes in float64 in blocks that stay in the cache, as a user does who needs more speed."""
    sums = numpy.zeros(7)
    extremes = [numpy.inf, -numpy.inf, numpy.inf, -numpy.inf]
    block = 1 << 16
    for begin in range(0, len(x), block):
        a = x[begin : begin + block].astype(numpy.float64)
        b = codes[begin : begin + block] * numpy.float64(SCALE)
        error = a - b
        extremes = [
            min(extremes[0], a.min()), max(extremes[1], a.max()),
            min(extremes[2], b.min()), max(extremes[3], b.max()),
        ]  # fmt: skip
        largest = max(sums[6], numpy.abs(error).max())
        sums[:6] += a.sum(), b.sum(), a.dot(a), b.dot(b), a.dot(b), error.dot(error)
        sums[6] = largest
    return sums, extremes


WAYS = {
    "float32": in_float32,
    "float64": summed_in_float64,
    "einsum": with_einsum,
    "blocks": in_blocks,
}


def compare_models(path, variant):
    """Compares row by row, with the packages of both formats. Layers are paired by order, so this
    program need not search for pairs."""
    import gguf
    import safetensors

    def work():
        weights, squares, errors, worst = 0, 0.0, 0.0, numpy.inf
        with safetensors.safe_open(path, framework="numpy") as file:
            for name, other in zip(sorted(file.keys()), gguf.GGUFReader(variant).tensors):
                x = file.get_tensor(name).astype(numpy.float32)
                y = gguf.quants.dequantize(other.data, other.tensor_type)
                signal = numpy.einsum("ij,ij->i", x, x, dtype=numpy.float64)
                error = x - y
                noise = numpy.einsum("ij,ij->i", error, error, dtype=numpy.float64)
                worst = min(worst, (signal / noise).min())
                weights, squares, errors = weights + x.size, squares + signal.sum(), errors + noise.sum()
        return weights, 10 * numpy.log10(squares / errors)

    return work


def buckets(x):
    """Runs numpy.histogram with the limits of TensorBoard's writers."""
    limits = inputs.tensorboard_limits()
    return lambda: numpy.histogram(x, bins=limits)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", choices=["list", "compare", "models", "buckets"])
    parser.add_argument("--file")
    parser.add_argument("--variant")
    parser.add_argument("--data")
    parser.add_argument("--codes")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--type", default="f4", help="what the values are when numpy gets them")
    flags = parser.parse_args()
    pieces = flags.count
    if flags.work == "list":
        work = (list_onnx if flags.file.endswith(".onnx") else list_safetensors)(flags.file)
    elif flags.work == "models":
        work = compare_models(flags.file, flags.variant)
    elif flags.work == "buckets":
        x = numpy.fromfile(flags.data, "f4").astype(flags.type)
        pieces *= len(x)
        work = buckets(x)
    else:
        x, codes = numpy.fromfile(flags.data, "f4"), numpy.fromfile(flags.codes, "i1")
        pieces *= len(x)
        work = lambda: WAYS[flags.way](x, codes)  # noqa: E731
    if flags.work in ("list", "compare"):
        # Warms up imports and the page cache for every program. Memory that a virtual machine has
        # not used before is two to three times as slow, and gigabytes are needed here.
        work()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(flags.count):
        result = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if flags.work == "compare":
        sums = result[0]
        print(f"cosine {sums[4] / numpy.sqrt(sums[2] * sums[3]):.12f}", file=sys.stderr)
    if flags.work == "models":
        pieces *= result[0]
        print(f"sqnr {result[1]:.9f}", file=sys.stderr)
    if flags.work == "buckets":
        counts, limits = result
        filled = [[limits[i + 1], int(counts[i])] for i in numpy.flatnonzero(counts)]
        print(json.dumps(filled), file=sys.stderr)
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"count": pieces, "bytes": 0, "wall_seconds": wall, "cpu_seconds": cpu,
                      "peak_rss_bytes": rss}))  # fmt: skip


if __name__ == "__main__":
    main()
