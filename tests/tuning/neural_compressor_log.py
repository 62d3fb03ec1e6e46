"""Tunes a small network with neural-compressor 1.13 and its own logging, in the current directory.

Run by the Python of the environment that test_neural_compressor.py makes.
"""

import sys
import types
import warnings

# Replaces a company's client, which one strategy imports: neural-compressor imports all of its
# strategies.
sys.modules["sigopt"] = types.ModuleType("sigopt")
sys.modules["sigopt"].Connection = object
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from neural_compressor.experimental import Quantization, common  # noqa: E402
from torch import nn  # noqa: E402
from torch.ao import quantization  # noqa: E402

CONFIG = """
model: {name: net, framework: pytorch}
quantization: {approach: post_training_static_quant, calibration: {sampling_size: 8}}
tuning:
  accuracy_criterion: {relative: 0.5}
  exit_policy: {timeout: 0, max_trials: 2}
  tensorboard: true
"""


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant = quantization.QuantStub()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.relu2 = nn.ReLU()
        self.fc = nn.Linear(8 * 64, 10)
        self.dequant = quantization.DeQuantStub()

    def forward(self, x):
        x = self.relu1(self.conv1(self.quant(x)))
        x = self.relu2(self.conv2(x))
        return self.dequant(self.fc(torch.flatten(x, 1)))


class Accuracy:
    def __init__(self, *_, **__):
        self.reset()

    def reset(self):
        self.right = self.all = 0

    def update(self, predictions, labels):
        self.right += int((np.asarray(predictions).argmax(1) == np.asarray(labels)).sum())
        self.all += len(predictions)

    def result(self):
        return self.right / self.all


class Data:
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], int(self.labels[i])


def main():
    torch.manual_seed(0)
    model = quantization.fuse_modules(Net().eval(), [["conv1", "relu1"], ["conv2", "relu2"]])
    images = torch.randn(32, 1, 8, 8)
    loader = common.DataLoader(Data(images, model(images).argmax(1)), batch_size=8)
    with open("config.yaml", "w") as config:
        config.write(CONFIG)
    quantizer = Quantization("config.yaml")
    quantizer.model = common.Model(model)
    quantizer.calib_dataloader = quantizer.eval_dataloader = loader
    quantizer.metric = common.Metric(Accuracy, "accuracy")
    quantizer.fit()


if __name__ == "__main__":
    main()
