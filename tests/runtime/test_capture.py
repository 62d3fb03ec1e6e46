"""ONNX Runtime's Python package and our capture give the same tensors for every node of real
models.

Models are exported by PyTorch and quantized by ONNX Runtime's own tools. The oracle adds outputs
with the onnx package, as its users do.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import SAMPLES, Reader
from onnxruntime.quantization import (
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)

def capture(model, data, folder, *tensors):
    """Returns our tensors by name, for each sample."""
    out = Path(folder) / f"out_{Path(model).stem}"
    out.mkdir(exist_ok=True)
    command = [os.environ["CAPTURE_DUMP"], str(model), str(data), str(out), *tensors]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    samples = [
        {
            t["name"]: np.frombuffer((out / t["file"]).read_bytes(), t["dtype"]).reshape(t["shape"])
            for t in sample
        }
        for sample in answer["samples"]
    ]
    return answer, samples


def judged(model, inputs):
    """Returns tensors of every node for each of `inputs`, from the Python package."""
    proto = onnx.load(str(model))
    known = {output.name for output in proto.graph.output}
    for node in proto.graph.node:
        for name in node.output:
            if name and name not in known and node.op_type != "Constant":
                known.add(name)
                proto.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return [dict(zip(names, session.run(names, feed))) for feed in inputs]


def assert_same(ours, theirs):
    assert len(ours) == len(theirs)
    compared = 0
    for our, their in zip(ours, theirs):
        assert set(their) <= set(our)
        for name, expected in their.items():
            assert our[name].dtype == expected.dtype, name
            np.testing.assert_array_equal(our[name], expected, err_msg=name)
            compared += 1
    return compared


def feeds(images):
    return [{"image": image[None]} for image in images]


def test_every_node_of_an_exported_model(folder, fp32, images, data):
    answer, ours = capture(fp32, data, folder)
    assert not answer["generated"] and answer["source"] == "images.npz"
    assert assert_same(ours, judged(fp32, feeds(images))) >= SAMPLES * 8


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("form", [QuantFormat.QDQ, QuantFormat.QOperator])
def test_every_node_of_a_quantized_model(folder, fp32, images, data, form, per_channel):
    model = folder / f"{form.name}_{per_channel}.onnx"
    quantize_static(
        str(fp32), str(model), Reader(images), quant_format=form, per_channel=per_channel,
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
    )
    _, ours = capture(model, data, folder)
    theirs = judged(model, feeds(images))
    assert assert_same(ours, theirs) >= SAMPLES * 8
    assert any(value.dtype in (np.int8, np.uint8) for value in theirs[0].values())


def test_every_node_of_a_dynamically_quantized_model(folder, fp32, images, data):
    model = folder / "dynamic.onnx"
    quantize_dynamic(str(fp32), str(model), weight_type=QuantType.QUInt8)
    _, ours = capture(model, data, folder)
    assert_same(ours, judged(model, feeds(images)))


def test_weights_in_a_file_of_their_own(folder, fp32, images, data):
    model = folder / "external" / "model.onnx"
    model.parent.mkdir()
    onnx.save(
        onnx.load(str(fp32)), str(model), save_as_external_data=True, location="weights.bin",
        size_threshold=0,
    )
    before = sorted(path.name for path in model.parent.iterdir())
    assert before == ["model.onnx", "weights.bin"]
    _, ours = capture(model, data, folder)
    assert_same(ours, judged(fp32, feeds(images)))
    assert sorted(path.name for path in model.parent.iterdir()) == before


def test_chosen_tensors(folder, fp32, data):
    name = onnx.load(str(fp32)).graph.node[0].output[0]
    _, ours = capture(fp32, data, folder, name)
    assert set(ours[0]) == {"image", name}


@pytest.mark.parametrize("kind", ["npy", "compressed", "float64", "fortran", "unnamed"])
def test_every_way_numpy_saves_arrays(folder, fp32, images, kind):
    path = folder / f"{kind}.{'npy' if kind in ('npy', 'fortran') else 'npz'}"
    if kind == "npy":
        np.save(path, images)
    elif kind == "fortran":
        np.save(path, np.asfortranarray(images))
    elif kind == "compressed":
        np.savez_compressed(path, image=images, labels=np.arange(SAMPLES))
    elif kind == "float64":
        np.savez(path, image=images.astype(np.float64))
    else:
        np.savez(path, images)
    _, ours = capture(fp32, path, folder)
    for sample, image in zip(ours, images, strict=True):
        np.testing.assert_array_equal(sample["image"], image[None])


def test_generated_samples_are_said_to_be(folder, fp32):
    answer, ours = capture(fp32, "", folder)
    assert answer["generated"] and answer["source"] == "generated, seed 0"
    inputs = [{"image": sample["image"]} for sample in ours]
    assert_same(ours, judged(fp32, inputs))
    assert not np.array_equal(ours[0]["image"], ours[1]["image"])
