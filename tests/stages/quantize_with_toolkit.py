"""Quantizes a small network with the Model Compression Toolkit, which logs into the given folder."""

import sys
import types


class Anything(types.ModuleType):
    """Replaces torchvision, which Debian does not have; the toolkit imports it for functions that
    are not used here.
    """

    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


for name in ("torchvision", "torchvision.transforms", "torchvision.transforms.transforms",
             "torchvision.ops", "torchvision.models"):  # fmt: skip
    sys.modules[name] = Anything(name)

import matplotlib  # noqa: E402

matplotlib.use("Agg")

import model_compression_toolkit as mct  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = torch.nn.BatchNorm2d(8)
        self.relu1 = torch.nn.ReLU()
        self.conv2 = torch.nn.Conv2d(8, 16, 3, stride=2)
        self.relu2 = torch.nn.ReLU()
        self.fc = torch.nn.Linear(16 * 7 * 7, 10)

    def forward(self, x):
        x = self.relu1(self.bn1(self.conv1(x)))
        return self.fc(torch.flatten(self.relu2(self.conv2(x)), 1))


def data():
    random = np.random.default_rng(1)
    for _ in range(22):
        yield [random.standard_normal((1, 3, 16, 16), dtype=np.float32)]


torch.manual_seed(0)
mct.set_log_folder(sys.argv[1])
config = mct.core.CoreConfig(debug_config=mct.core.DebugConfig(analyze_similarity=True))
mct.ptq.pytorch_post_training_quantization(Net().eval(), data, core_config=config)
