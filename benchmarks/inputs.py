"""The data that all contestants log: created once from a fixed seed, and read from files."""

import json

import numpy

SIDE = 256


def weights(path, count):
    """Returns typical weights of a layer: N(0, 0.05), float32."""
    values = numpy.random.default_rng(count).normal(0, 0.05, count).astype(numpy.float32)
    values.tofile(path)
    return path


def tensorboard_limits():
    """Returns the bucket limits of TensorBoard's histograms."""
    limits, value = [], 1e-12
    while value < 1e20:
        limits.append(value)
        value *= 1.1
    return numpy.array([-limit for limit in reversed(limits)] + [0.0] + limits)


def noise_image(path):
    """Returns noise, which cannot be compressed."""
    numpy.random.default_rng(1).integers(0, 256, (3, SIDE, SIDE), dtype=numpy.uint8).tofile(path)
    return path


def smooth_image(path):
    """Returns waves of light with some sensor noise, which compress about as well as a photograph.
    """
    y, x = numpy.mgrid[0:SIDE, 0:SIDE] / SIDE
    noise = numpy.random.default_rng(2).normal(0, 2, (3, SIDE, SIDE))
    waves = [numpy.sin(6 * x + 4 * y), numpy.cos(5 * y - 2 * x), numpy.sin(9 * x * y)]
    pixels = 127 + 100 * numpy.stack(waves) + noise
    pixels.clip(0, 255).astype(numpy.uint8).tofile(path)
    return path


def _variant(random, scale):
    return {
        "accuracy": round(0.7 + 0.25 * random.random(), 6),
        "f1_score": round(0.7 + 0.25 * random.random(), 6),
        "latency_mean_ms": round(scale * (5 + 200 * random.random()), 4),
        "model_size_mb": round(scale * (2 + 400 * random.random()), 4),
        "memory_usage_mb": round(scale * (50 + 900 * random.random()), 4),
        "energy_consumption_mw": round(scale * (100 + 4000 * random.random()), 3),
    }


def benchmark_json(path, count):
    """Returns results of `count` models in the form that compression engines write."""
    random = numpy.random.default_rng(3)
    models = {
        f"model_{number:05}": {
            "fp32": _variant(random, 1.0),
            "int8": _variant(random, 0.4),
            "model_info": {
                "library": "torchvision",
                "category": "classification",
                "description": f"measured model number {number}",
                "input_shape": [3, 224, 224],
            },
        }
        for number in range(count)
    }
    path.write_text(json.dumps(models))
    return path
