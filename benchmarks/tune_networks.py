"""Creates small networks for the benchmarks of `tune`: each has a float model, samples and, if
trained here, labels.

    subject = make("digits_cnn", folder)
    subject.flags        # The flags of `tune` that name samples and metric.

The digits networks learn scikit-learn's file of handwritten digits, which scripts/setup downloads.
They are evaluated on 3,985 samples: each of 797 unseen digits unchanged, and with four shifts and
noise.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/compare/real"))
TRAINED = 1000


@dataclass(frozen=True)
class Subject:
    name: str
    model: Path
    flags: list


def digits():
    rows = np.loadtxt(ROOT / "build/digits/digits.csv.gz", delimiter=",", dtype=np.float32)
    return rows[:, :-1].reshape(-1, 1, 8, 8) / 16, rows[:, -1].astype(np.int64)


def varied(images, labels, seed):
    """Returns the images and four noisy copies of them, each shifted by one pixel."""
    random = np.random.default_rng(seed)
    parts = [images]
    for axis, step in ((2, 1), (2, -1), (3, 1), (3, -1)):
        parts.append(np.roll(images, step, axis) + random.normal(0, 0.15, images.shape))
    return np.concatenate(parts).astype(np.float32), np.tile(labels, len(parts))


def modules():
    """Returns the digits networks: name -> torch module. PyTorch is imported here, because only
    they need it.
    """
    import torch
    from torch import nn

    def conv(inputs, outputs, groups=1, size=3):
        return [nn.Conv2d(inputs, outputs, size, padding=size // 2, groups=groups), nn.BatchNorm2d(outputs)]

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(*conv(1, 16), nn.ReLU())
            self.blocks = nn.ModuleList(
                nn.Sequential(*conv(16, 16), nn.ReLU(), *conv(16, 16)) for _ in range(3)
            )
            self.head = nn.Linear(16, 10)

        def forward(self, x):
            x = self.stem(x)
            for block in self.blocks:
                x = torch.relu(x + block(x))
            return self.head(x.mean((2, 3)))

    class Attention(nn.Module):
        """A network in which rows of the picture are tokens, with two layers of attention."""

        def __init__(self, width=32):
            super().__init__()
            self.embed = nn.Linear(8, width)
            self.place = nn.Parameter(torch.randn(1, 8, width) * 0.1)
            self.layers = nn.ModuleList(
                nn.ModuleDict({
                    "norm1": nn.LayerNorm(width), "q": nn.Linear(width, width),
                    "k": nn.Linear(width, width), "v": nn.Linear(width, width),
                    "out": nn.Linear(width, width), "norm2": nn.LayerNorm(width),
                    "up": nn.Linear(width, 2 * width), "down": nn.Linear(2 * width, width),
                }) for _ in range(2)
            )  # fmt: skip
            self.head = nn.Linear(width, 10)

        def forward(self, x):
            x = self.embed(x.squeeze(1)) + self.place
            for layer in self.layers:
                y = layer["norm1"](x)
                scores = layer["q"](y) @ layer["k"](y).transpose(1, 2) / 32**0.5
                x = x + layer["out"](torch.softmax(scores, -1) @ layer["v"](y))
                x = x + layer["down"](torch.relu(layer["up"](layer["norm2"](x))))
            return self.head(x.mean(1))

    plain = lambda: nn.Sequential(  # noqa: E731
        *conv(1, 8), nn.ReLU(), *conv(8, 16), nn.ReLU(), nn.MaxPool2d(2), *conv(16, 16), nn.ReLU(),
        nn.Flatten(), nn.Linear(256, 10))  # fmt: skip
    depthwise = lambda: nn.Sequential(  # noqa: E731
        *conv(1, 16), nn.ReLU6(), *conv(16, 16, 16), nn.ReLU6(), *conv(16, 24, size=1),
        *conv(24, 24, 24), nn.ReLU6(), nn.MaxPool2d(2), *conv(24, 32, size=1), *conv(32, 32, 32),
        nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))  # fmt: skip
    perceptron = lambda: nn.Sequential(  # noqa: E731
        nn.Flatten(), nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 48),
        nn.ReLU(), nn.Linear(48, 10))  # fmt: skip
    return {"digits_cnn": plain, "digits_outliers": plain, "digits_depthwise": depthwise,
            "digits_residual": Residual, "digits_perceptron": perceptron, "digits_attention": Attention}  # fmt: skip


def add_outliers(module):
    """Multiplies 2 channels by 60 and divides the weights that use them: the float outputs do not
    change, but a single 8-bit scale of the tensor cannot represent both."""
    import torch

    with torch.no_grad():
        for norm, reader in ((module[1], module[3]), (module[4], module[7])):
            norm.weight[:2] *= 60
            norm.bias[:2] *= 60
            reader.weight[:, :2] /= 60


def tensor(array):
    """Returns a copy as a tensor. The copy goes through bytes, because PyTorch may be built for
    another version of NumPy.
    """
    import torch

    kind = {"float32": torch.float32, "int64": torch.int64}[str(array.dtype)]
    return torch.frombuffer(bytearray(array.tobytes()), dtype=kind).reshape(array.shape)


def train_digits(name, folder):
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    module = modules()[name]()
    images, labels = digits()
    learned, classes = varied(images[:TRAINED], labels[:TRAINED], 1)
    train = [tensor(learned), tensor(classes)]
    optimizer = torch.optim.Adam(module.parameters(), 3e-3)
    for _ in range(6):
        for batch in torch.randperm(len(train[0])).split(64):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(module(train[0][batch]), train[1][batch]).backward()
            optimizer.step()
    module.eval()
    if name == "digits_outliers":
        add_outliers(module)
    torch.onnx.export(module, tensor(images[:1]), str(folder / "float.onnx"), input_names=["x"],
                      output_names=["logits"], dynamic_axes={"x": {0: "n"}, "logits": {0: "n"}},
                      opset_version=13)  # fmt: skip
    held, answers = varied(images[TRAINED:], labels[TRAINED:], 2)
    np.savez(folder / "calib.npz", x=learned[::39])
    np.savez(folder / "val.npz", x=held, y=answers)


def make(name, folder):
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "float.onnx"
    if name.startswith("digits_"):
        if not (folder / "val.npz").exists():
            train_digits(name, folder)
        metric = ["--labels", folder / "val.npz:y", "--metric", "top1"]
        return Subject(name, model, ["--data", folder / "calib.npz", *metric])
    import networks as real

    if not (folder / "val.npz").exists():
        network = real.registry()["symbol_counter" if name == "outlier_channels" else name]
        network.prepare(folder)
        if name == "outlier_channels":
            import variants

            model.rename(folder / "plain.onnx")
            variants.outlier_channels(network, folder / "plain.onnx", model, factor=100, channels=[3, 17])
        np.savez(folder / "calib.npz", **network.samples(64, seed=1))
        np.savez(folder / "val.npz", **network.samples(256, seed=2))
    return Subject(name, model, ["--data", folder / "calib.npz", "--eval-data", folder / "val.npz"])


NAMES = ["digits_cnn", "digits_outliers", "digits_depthwise", "digits_residual", "digits_perceptron",
         "digits_attention", "text_lines", "file_types"]  # fmt: skip
