"""A network trained on handwritten digits, quantized by ONNX Runtime's tools, and functions that
damage it.
"""

import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

LAYERS = ["conv1", "conv2", "conv3", "head"]


def train(csv: Path, path: Path, normalized=False):
    """Writes the network as ONNX; returns images and labels that were not used for training. If it
    is `normalized`, a BatchNormalization follows each convolution, also in the file."""
    warnings.simplefilter("ignore")
    import torch
    from torch import nn

    class Digits(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
            self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
            self.conv3 = nn.Conv2d(16, 16, 3, padding=1)
            self.head = nn.Linear(16 * 16, 10)
            norm = nn.BatchNorm2d if normalized else (lambda channels: nn.Identity())
            self.norm1, self.norm2, self.norm3 = norm(8), norm(16), norm(16)

        def forward(self, image):
            x = torch.relu(self.norm1(self.conv1(image)))
            x = torch.relu(self.norm2(self.conv2(x)))
            x = torch.relu(self.norm3(self.conv3(nn.functional.max_pool2d(x, 2))))
            return self.head(x.flatten(1))

    rows = np.loadtxt(csv, delimiter=",", dtype=np.float32)
    images, labels = rows[:, :-1].reshape(-1, 1, 8, 8) / 16, rows[:, -1].astype(int)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    network = Digits()
    # Converts to lists, because Debian's PyTorch was built for another version of numpy.
    x, y = torch.tensor(images[:1400].tolist()), torch.tensor(labels[:1400].tolist())
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for _ in range(12):
        for batch in torch.randperm(1400).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(x[batch]), y[batch]).backward()
            optimizer.step()
    torch.onnx.export(
        network.eval(), torch.zeros(1, 1, 8, 8), str(path), opset_version=13,
        input_names=["image"], output_names=["logits"], dynamic_axes={"image": {0: "batch"}},
        # Otherwise the export folds the normalization.
        training=torch.onnx.TrainingMode.PRESERVE if normalized else torch.onnx.TrainingMode.EVAL,
    )
    return images[1400:], labels[1400:]


class Reader(CalibrationDataReader):
    def __init__(self, images):
        self.rest = iter([{"image": image[None]} for image in images])

    def get_next(self):
        return next(self.rest, None)


def quantize(fp32: Path, int8: Path, images, per_channel=False, weight_bits=8, saturates=True):
    """Quantizes the model. Without `saturates`, weights are uint8: their products with uint8 do not
    saturate on any processor. Products of int8 saturate without VNNI, and an undamaged model loses
    about 10 dB."""
    quantize_static(
        str(fp32), str(int8), Reader(images), quant_format=QuantFormat.QDQ,
        per_channel=per_channel, activation_type=QuantType.QUInt8,
        weight_type={8: QuantType.QInt8 if saturates else QuantType.QUInt8, 4: QuantType.QInt4}[weight_bits],
    )


class Editor:
    """A model whose constants may be replaced."""

    def __init__(self, path):
        self.model = onnx.load(str(path))
        self.constants = {tensor.name: tensor for tensor in self.model.graph.initializer}

    def get(self, name) -> np.ndarray:
        return numpy_helper.to_array(self.constants[name]).copy()

    def set(self, name, values):
        """Stores `values` in the type of the constant."""
        values = np.asarray(values).astype(self.get(name).dtype)
        self.constants[name].CopyFrom(numpy_helper.from_array(values, name))

    def save(self, path) -> Path:
        onnx.save(self.model, str(path))
        return Path(path)
