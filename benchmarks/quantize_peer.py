"""Runs one quantization by one peer, in a separate process: quantize_peer.py TOOL MODEL DATA
OUTPUT.

DATA is an .npz with an array per input whose first dimension counts samples.
"""

import sys

import numpy as np
import onnx


def samples_of(path, model):
    """Yields feeds of one sample each: as many rows of each array as the input's first dimension.
    """
    arrays = np.load(path)
    inputs = {value.name: value.type.tensor_type.shape.dim for value in onnx.load(model).graph.input}
    rows = {name: (inputs[name][0].dim_value or 1) if inputs[name] else 1 for name in arrays.files}
    count = min(len(arrays[name]) // size for name, size in rows.items())
    return [{n: arrays[n][i * size : (i + 1) * size] for n, size in rows.items()} for i in range(count)]


def run_onnxruntime(method, model, samples, output):
    from onnxruntime.quantization import (
        CalibrationDataReader,
        CalibrationMethod,
        QuantFormat,
        QuantType,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.rest = iter(samples)

        def get_next(self):
            return next(self.rest, None)

    prepared = output + ".prepared.onnx"
    if onnx.load(model).opset_import[0].version < 13:  # Scales per channel need opset 13.
        onnx.save(onnx.version_converter.convert_version(onnx.load(model), 13), output + ".13.onnx")
        model = output + ".13.onnx"
    quant_pre_process(model, prepared, skip_symbolic_shape=True)
    quantize_static(
        prepared, output, Reader(), quant_format=QuantFormat.QDQ, per_channel=True,
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        calibrate_method=getattr(CalibrationMethod, method),
    )  # fmt: skip


def run_nncf(model, samples, output):
    import nncf

    quantized = nncf.quantize(onnx.load(model), nncf.Dataset(samples), subset_size=len(samples))
    onnx.save(quantized, output)


def run_onnxsim(model, samples, output):
    import onnxsim

    quantized = onnxsim.quantize_static(onnx.load(model), samples)
    onnx.save(quantized[0] if isinstance(quantized, tuple) else quantized, output)


def run_inc(model, samples, output):
    """Runs Intel Neural Compressor 3.7, which needs onnx 1.17, onnxruntime 1.20, numpy 1 and six.
    """
    from neural_compressor import PostTrainingQuantConfig, quantization

    class Loader:
        batch_size = 1

        def __iter__(self):
            for sample in samples:
                values = list(sample.values())
                yield (values[0] if len(values) == 1 else values), 0

    quantized = quantization.fit(model, PostTrainingQuantConfig(quant_format="QDQ"), calib_dataloader=Loader())
    quantized.save(output)


def main():
    tool, model, data, output = sys.argv[1:]
    samples = samples_of(data, model)
    if tool.startswith("ort-"):
        method = {"minmax": "MinMax", "percentile": "Percentile", "entropy": "Entropy"}[tool[4:]]
        run_onnxruntime(method, model, samples, output)
    elif tool == "nncf":
        run_nncf(model, samples, output)
    elif tool == "inc":
        run_inc(model, samples, output)
    elif tool == "onnxsim":
        run_onnxsim(model, samples, output)
    else:
        sys.exit(f"unknown tool {tool}")


main()
