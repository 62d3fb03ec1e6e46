"""The quantizers of the exam, with their real options: ONNX Runtime's static, dynamic and 4-bit tools,
and NNCF. A recipe is data (JSON), so that a fix is a recipe with other options:

    {"tool": "static", "per_channel": true, "exclude": ["/head/Concat"]}
"""

import json
import logging
import os
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from networks import sample_rows
from onnxruntime import InferenceSession
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)

TYPES = {
    "uint8": QuantType.QUInt8, "int8": QuantType.QInt8,
    "uint16": QuantType.QUInt16, "int16": QuantType.QInt16,
    "uint4": QuantType.QUInt4, "int4": QuantType.QInt4,
}


class OneThread(onnxruntime.SessionOptions):
    """Disables spinning: threads that wait by spinning cost more than they gain beside other work.
    """

    def __init__(self):
        super().__init__()
        self.intra_op_num_threads = 1


onnxruntime.SessionOptions = OneThread  # The calibrators create their own session.


class Reader(CalibrationDataReader):
    def __init__(self, model, samples):
        session = InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self.rest = iter(sample_rows(session, samples))

    def get_next(self):
        return next(self.rest, None)


def typed_overrides(overrides):
    """Returns {tensor: [{"quant_type": "uint16", …}]} with ONNX Runtime's types instead of names.
    """
    typed = {}
    for tensor, entries in (overrides or {}).items():
        typed[tensor] = [
            {key: TYPES[value] if key == "quant_type" else
             np.array(value, np.float32) if key in ("rmin", "rmax", "scale") else value
             for key, value in entry.items()}
            for entry in entries
        ]
    return typed


def static(model, target, samples, *, method="MinMax", per_channel=False, reduce_range=False,
           activations="uint8", weights="int8", format="QDQ", exclude=(), only=(), op_types=(),
           extra=None, overrides=None):
    options = dict(extra or {})
    if overrides:
        options["TensorQuantOverrides"] = typed_overrides(overrides)
    quantize_static(
        str(model), str(target), Reader(model, samples), quant_format=QuantFormat[format],
        calibrate_method=CalibrationMethod[method], per_channel=per_channel,
        reduce_range=reduce_range, activation_type=TYPES[activations], weight_type=TYPES[weights],
        nodes_to_exclude=list(exclude), nodes_to_quantize=list(only),
        op_types_to_quantize=list(op_types) or None, extra_options=options,
    )


def dynamic(model, target, samples, *, per_channel=False, reduce_range=False, weights="uint8",
            exclude=(), only=(), op_types=(), extra=None):
    quantize_dynamic(
        str(model), str(target), per_channel=per_channel, reduce_range=reduce_range,
        weight_type=TYPES[weights], nodes_to_exclude=list(exclude), nodes_to_quantize=list(only),
        op_types_to_quantize=list(op_types) or None, extra_options=dict(extra or {}),
    )


def blocks(model, target, samples, *, bits=4, block_size=32, symmetric=True, exclude=()):
    """Quantizes to MatMulNBits: weights of 2, 4 or 8 bits in blocks, activations in float."""
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantizer = MatMulNBitsQuantizer(
        onnx.load(str(model)), bits=bits, block_size=block_size, is_symmetric=symmetric,
        nodes_to_exclude=list(exclude),
    )
    quantizer.process()
    quantizer.model.save_model_to_file(str(target))


def nncf(model, target, samples, **options):
    """Runs NNCF in its environment (scripts/setup --with-nncf), because its packages conflict with
    the others.
    """
    python = os.environ.get("CBOARD_NNCF_PYTHON") or str(
        Path(__file__).resolve().parents[3] / "build" / "nncf" / "bin" / "python")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "samples.npz"
        np.savez(data, **samples)
        subprocess.run(
            [python, str(Path(__file__).with_name("nncf_quantize.py")), str(model), str(target),
             str(data), json.dumps(options)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        )


TOOLS = {"static": static, "dynamic": dynamic, "blocks": blocks, "nncf": nncf}


def quantize(recipe, model, target, samples):
    options = dict(recipe)
    tool = TOOLS[options.pop("tool")]
    options.pop("calibration", None)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    tool(model, target, samples, **options)
    assert Path(target).exists(), f"{recipe} wrote nothing"
    return Path(target)

