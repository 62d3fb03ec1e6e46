"""A small network as torch.onnx exports it, and images for it."""

import warnings

import numpy as np
import pytest
from onnxruntime.quantization import CalibrationDataReader

SAMPLES = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(5).normal(size=(SAMPLES, 1, 8, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def fp32(folder):
    """Returns a small network with a residual connection, as torch.onnx exports it."""
    warnings.simplefilter("ignore")
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
            self.norm = nn.BatchNorm2d(8)
            self.conv2 = nn.Conv2d(8, 8, 3, padding=1, groups=8)
            self.head = nn.Linear(8 * 16, 10)

        def forward(self, image):
            x = torch.relu(self.norm(self.conv1(image)))
            x = torch.relu(x + self.conv2(x))
            x = nn.functional.max_pool2d(x, 2)
            return self.head(x.flatten(1))

    torch.manual_seed(3)
    path = folder / "fp32.onnx"
    torch.onnx.export(
        Net().eval(), torch.zeros(1, 1, 8, 8), str(path), opset_version=13,
        input_names=["image"], output_names=["logits"], dynamic_axes={"image": {0: "batch"}},
    )
    return path


class Reader(CalibrationDataReader):
    def __init__(self, images):
        self.rest = iter([{"image": image[None]} for image in images])

    def get_next(self):
        return next(self.rest, None)


@pytest.fixture(scope="module")
def data(folder, images):
    path = folder / "images.npz"
    np.savez(path, image=images)
    return path
