"""Tunes a small network: the first trial fails, the second one is good. docs/tuning.md explains it.

    python examples/tune_digits.py digits.csv.gz --logdir runs/eval

The data is scikit-learn's file of handwritten digits: 8 x 8 pixels and a label per line. The first trial
uses a faulty observer for the first convolution; the second trial keeps this convolution in FP32. Needs
PyTorch.
"""

import argparse
import copy
import warnings

import numpy as np
import torch
from compression_board.tuning import TuningLogger, fused_modules
from torch import nn
from torch.ao.quantization import (
    HistogramObserver,
    QConfig,
    default_weight_observer,
    get_default_qconfig_mapping,
)
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.relu2 = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.conv3 = nn.Conv2d(16, 16, 3, padding=1)
        self.relu3 = nn.ReLU()
        self.fc = nn.Linear(16 * 16, 10)

    def forward(self, x):
        x = self.relu2(self.conv2(self.relu1(self.conv1(x))))
        x = self.relu3(self.conv3(self.pool(x)))
        return self.fc(torch.flatten(x, 1))


class FaultyObserver(HistogramObserver):
    """Finds a range that is fifty times too small, so that nearly every value is clipped."""

    def calculate_qparams(self):
        scale, zero_point = super().calculate_qparams()
        return scale / 50, zero_point


def train(images, labels):
    torch.manual_seed(1)
    model = Digits()
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(10):
        for batch in torch.randperm(len(images)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()
    return model.eval()


def quantize(model, images, faulty=(), keep_fp32=()):
    """Static quantization, calibrated with `images`."""
    mapping = get_default_qconfig_mapping("qnnpack")
    for name in faulty:
        mapping.set_module_name(name, QConfig(FaultyObserver, default_weight_observer))
    for name in keep_fp32:
        mapping.set_module_name(name, None)
    prepared = prepare_fx(copy.deepcopy(model), mapping, (images[:1],))
    prepared(images)
    return convert_fx(prepared)


def accuracy(model, images, labels):
    right = 0
    for batch in torch.arange(len(images)).split(50):
        right += int((model(images[batch]).argmax(1) == labels[batch]).sum())
    return round(right / len(images), 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="digits.csv.gz")
    parser.add_argument("--logdir", default="runs/eval")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"  # Runs on every processor.

    rows = torch.from_numpy(np.loadtxt(arguments.data, delimiter=",", dtype=np.float32))
    images, labels = rows[:, :-1].reshape(-1, 1, 8, 8) / 16, rows[:, -1].long()
    model = train(images[:1400], labels[:1400])
    test = images[1400:], labels[1400:]

    def evaluate(candidate, **options):
        with logger.evaluation(candidate, **options) as trial:
            trial.accuracy = accuracy(trial.model, *test)
            trial.input = images[:1]
        print(trial.report.directory)

    with TuningLogger(arguments.logdir) as logger:
        evaluate(model, fused=fused_modules(model))
        first = quantize(model, images[:200], faulty=["conv1"])
        evaluate(first, settings={"keep_fp32": "nothing"})
        second = quantize(model, images[:200], keep_fp32=["conv1"])
        evaluate(second, settings={"keep_fp32": "conv1"})


if __name__ == "__main__":
    main()
