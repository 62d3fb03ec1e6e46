"""PyTorch models to observe, eager and FX, float and quantized, and the values that an evaluation
has logged.
"""

import copy
import warnings

import pytest
import torch
from torch import nn
from torch.ao import quantization
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

warnings.simplefilter("ignore")
torch.backends.quantized.engine = "qnnpack"
IMAGES = torch.randn(6, 1, 8, 8, generator=torch.Generator().manual_seed(1))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant = quantization.QuantStub()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu1 = nn.ReLU(inplace=True)
        self.block = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.ReLU())
        self.add = nn.quantized.FloatFunctional()
        self.fc = nn.Linear(144, 10)
        self.dequant = quantization.DeQuantStub()

    def forward(self, x):
        x = self.relu1(self.bn1(self.conv1(self.quant(x))))
        x = self.add.add(x, self.block(x))
        return self.dequant(self.fc(torch.flatten(x, 1)))


GROUPS = [["conv1", "bn1", "relu1"], ["block.0", "block.1"]]


def seeded(model=Net):
    torch.manual_seed(3)
    return model().eval()


def fused():
    return quantization.fuse_modules(seeded(), GROUPS)


def quantized():
    model = fused()
    model.qconfig = quantization.get_default_qconfig("qnnpack")
    prepared = quantization.prepare(model)
    prepared(IMAGES)
    return quantization.convert(prepared)


class Simple(nn.Module):
    """A model that torch.fx can trace."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu1 = nn.ReLU(inplace=True)
        self.fc = nn.Linear(144, 10)

    def forward(self, x):
        return self.fc(torch.flatten(self.relu1(self.bn1(self.conv1(x))), 1))


def fx_quantized(model, keep_fp32=()):
    mapping = quantization.get_default_qconfig_mapping("qnnpack")
    for name in keep_fp32:
        mapping.set_module_name(name, None)
    prepared = prepare_fx(copy.deepcopy(model), mapping, (IMAGES,))
    prepared(IMAGES)
    return convert_fx(prepared)


def evaluate(logger, model, accuracy=0.5, **options):
    with logger.evaluation(model, **options) as trial:
        trial.model(IMAGES)
        trial.accuracy, trial.input = accuracy, IMAGES[:1]
    return trial.report


def histograms(read, report):
    """Returns {tag: (min, max, num, sum)}."""
    run = read(report.directory)
    found = {}
    for tag in run.tags("histograms"):
        (event,) = run.events.Histograms(tag)
        value = event.histogram_value
        found[tag] = (value.min, value.max, value.num, value.sum)
    return found


def figures(tensor):
    tensor = (tensor.dequantize() if tensor.is_quantized else tensor).detach().double()
    values = (tensor.min().item(), tensor.max().item(), tensor.numel(), tensor.sum().item())
    return pytest.approx(values, rel=1e-5, abs=1e-4)  # PyTorch dequantizes in single precision.
