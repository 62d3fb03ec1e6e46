"""NNCF's post-training quantization of an ONNX model, run in a separate environment.

    python nncf_quantize.py MODEL TARGET SAMPLES.npz OPTIONS-AS-JSON
"""

import json
import sys

import nncf
import numpy as np
import onnx


def main(model, target, data, options):
    options = json.loads(options)
    samples = np.load(data)
    count = min(len(samples[name]) for name in samples.files)
    feeds = [{name: samples[name][i : i + 1] for name in samples.files} for i in range(count)]
    ignored = options.get("exclude")
    quantized = nncf.quantize(
        onnx.load(model), nncf.Dataset(feeds),
        preset=nncf.QuantizationPreset(options.get("preset", "performance")),
        subset_size=count,
        ignored_scope=nncf.IgnoredScope(names=ignored) if ignored else None,
        fast_bias_correction=options.get("fast_bias_correction", True),
    )
    onnx.save(quantized, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
