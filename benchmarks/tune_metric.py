"""The metric of benchmarks/tune_bench.py: the share of positions whose class is the label.

    tune_metric.py MODEL VAL

VAL is an .npz with the samples under the names of the model's inputs, and the labels as `y`: one row
for each sample, one class for each position. Prints the share as the last line, as `tune --eval` reads it.
"""

import sys

import numpy as np
import onnxruntime


def samples_of(path, session):
    """Feeds of one sample each, and the labels of each sample."""
    arrays = dict(np.load(path))
    labels = arrays.pop("y", None)
    sizes = {value.name: value.shape[0] if value.shape and isinstance(value.shape[0], int) else 1
             for value in session.get_inputs()}  # fmt: skip
    count = min(len(arrays[name]) // size for name, size in sizes.items())
    feeds = [{n: arrays[n][i * k : (i + 1) * k] for n, k in sizes.items()} for i in range(count)]
    return feeds, labels


def open_session(model):
    """A session with one thread; `model` is a path or the bytes of a model."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def shares(session, feeds, labels):
    """The share of right classes of each sample."""
    found = (session.run(None, feed)[0].argmax(-1) for feed in feeds)
    return [float(np.mean(classes.reshape(-1) == label)) for classes, label in zip(found, labels)]


if __name__ == "__main__":
    model = open_session(sys.argv[1])
    feeds, labels = samples_of(sys.argv[2], model)
    print(np.mean(shares(model, feeds, labels.reshape(len(feeds), -1))))
