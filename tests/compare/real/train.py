"""Trains the small networks in models/ (a minute or two each on two cores) with Debian's PyTorch.

    python3 train.py [NAME …]

The files are part of the repository, so that every machine gives the same exam.
"""

import gzip
import os
import random
import sys
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[3]
MODELS = Path(__file__).resolve().parent / "models"
TEXT = (ROOT / "LICENSE").read_text()
LETTERS = sorted(set(TEXT))
CONTEXT = 32


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, mask):
        words, width = x.shape[1], x.shape[2]

        def split(y):
            return y.reshape(-1, words, self.heads, self.size).transpose(1, 2)

        scores = split(self.query(x)) @ split(self.key(x)).transpose(2, 3) * self.size**-0.5
        if mask is not None:
            scores = scores + mask
        mixed = torch.softmax(scores, -1) @ split(self.value(x))
        return self.out(mixed.transpose(1, 2).reshape(-1, words, width))


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Block(nn.Module):
    def __init__(self, width, heads, norm):
        super().__init__()
        self.norm1, self.norm2 = norm(width), norm(width)
        self.attention = Attention(width, heads)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.narrow(functional.gelu(self.wide(self.norm2(x))))


class Reader(nn.Module):
    """Predicts the next letter of the license's text: causal attention, RMS norms."""

    def __init__(self, width=48):
        super().__init__()
        self.letters, self.places = nn.Embedding(len(LETTERS), width), nn.Embedding(CONTEXT, width)
        self.blocks = nn.ModuleList([Block(width, 4, RmsNorm) for _ in range(2)])
        self.norm, self.head = RmsNorm(width), nn.Linear(width, len(LETTERS), bias=False)
        self.register_buffer("mask", torch.full((CONTEXT, CONTEXT), -10000.0).triu(1))

    def forward(self, letters):
        x = self.letters(letters) + self.places.weight
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.norm(x))


PLACES, SYMBOLS = 20, 12


class Counter(nn.Module):
    """Classifies for each symbol of a padded sequence how often it occurs (1, 2, 3 or more):
    attention with a padding mask, layer norms. Inputs are like BERT's: ids and a mask of 1 and
    0."""

    def __init__(self, width=40):
        super().__init__()
        self.symbols, self.places = nn.Embedding(SYMBOLS, width), nn.Embedding(PLACES, width)
        self.blocks = nn.ModuleList([Block(width, 4, nn.LayerNorm) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 3)

    def forward(self, ids, mask):
        x = self.symbols(ids) + self.places.weight
        mask = (1.0 - mask[:, None, None, :]) * -10000.0
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


class Patches(nn.Module):
    """A vision transformer for 8 x 8 digits: 16 patches of 2 x 2."""

    def __init__(self, width=32):
        super().__init__()
        self.patch, self.places = nn.Conv2d(1, width, 2, 2), nn.Parameter(torch.randn(16, width) * 0.1)
        self.blocks = nn.ModuleList([Block(width, 4, nn.LayerNorm) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2) + self.places
        for block in self.blocks:
            x = block(x, None)
        return self.head(self.norm(x).mean(1))


SIDE, CELL, SHAPES = 64, 8, 3


class Conv(nn.Module):
    def __init__(self, into, out, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(into, out, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(out)

    def forward(self, x):
        return functional.silu(self.norm(self.conv(x)))


class Detector(nn.Module):
    """Finds discs, squares and bars: a small YOLO with a neck (Resize, Concat) and an output of
    boxes in pixels and scores, joined by the last Concat."""

    def __init__(self):
        super().__init__()
        self.stem, self.down1 = Conv(3, 8, 2), Conv(8, 16, 2)
        self.down2, self.down3 = Conv(16, 24, 2), Conv(24, 32, 2)
        self.neck = Conv(56, 24)
        self.box_branch, self.score_branch = Conv(24, 16), Conv(24, 16)
        self.box, self.score = nn.Conv2d(16, 4, 1), nn.Conv2d(16, SHAPES, 1)
        side = SIDE // CELL
        grid = torch.arange(side).float() + 0.5
        y, x = grid.repeat_interleave(side), grid.repeat(side)
        self.register_buffer("cells", torch.stack([x, y])[None])

    def forward(self, image):
        x = self.down2(self.down1(self.stem(image)))
        wide = functional.interpolate(self.down3(x), scale_factor=2.0, mode="nearest")
        x = self.neck(torch.cat([x, wide], 1))
        box = self.box(self.box_branch(x)).flatten(2)
        center = (self.cells + 2 * (torch.sigmoid(box[:, :2]) - 0.5)) * CELL
        size = torch.sigmoid(box[:, 2:]) * SIDE
        return torch.cat([center, size, torch.sigmoid(self.score(self.score_branch(x)).flatten(2))], 1)


class Separable(nn.Module):
    """A depthwise and a pointwise convolution with ReLU6, as in MobileNet."""

    def __init__(self, into, out, stride=1):
        super().__init__()
        self.depthwise = nn.Conv2d(into, into, 3, stride, 1, groups=into, bias=False)
        self.norm1 = nn.BatchNorm2d(into)
        self.pointwise = nn.Conv2d(into, out, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out)

    def forward(self, x):
        x = functional.relu6(self.norm1(self.depthwise(x)))
        return functional.relu6(self.norm2(self.pointwise(x)))


class Mobile(nn.Module):
    """A MobileNet for 8 x 8 digits. The gains behind its depthwise convolutions start, and stay, as
    unequal as those of MobileNets that were trained for long."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.body = nn.Sequential(Separable(16, 24), Separable(24, 32, 2), Separable(32, 32),
                                  Separable(32, 48, 2), Separable(48, 48))
        self.head = nn.Linear(48, 10)
        for part in self.body:
            nn.init.normal_(part.norm1.weight.data.log_(), 0, 1.5).exp_()

    def forward(self, image):
        x = self.body(functional.relu6(self.norm(self.stem(image))))
        return self.head(x.mean((2, 3)))


class Cleaner(nn.Module):
    """Removes noise from pictures: a U-Net with transposed convolutions. It predicts the noise and
    subtracts it."""

    def __init__(self):
        super().__init__()
        self.stem, self.down = Conv(3, 12), Conv(12, 20, 2)
        self.deep, self.middle = Conv(20, 28, 2), Separable(28, 28)
        self.up1 = nn.ConvTranspose2d(28, 20, 2, 2)
        self.mix1 = Conv(40, 20)
        self.up2 = nn.ConvTranspose2d(20, 12, 2, 2)
        self.mix2, self.noise = Conv(24, 12), nn.Conv2d(12, 3, 3, 1, 1)

    def forward(self, image):
        x = self.stem(image)
        y = self.down(x)
        z = functional.relu(self.up1(self.middle(self.deep(y))))
        z = functional.relu(self.up2(self.mix1(torch.cat([y, z], 1))))
        return image - self.noise(self.mix2(torch.cat([x, z], 1)))


def draw_shapes(rng):
    """Returns a picture as nested lists and its boxes (center, size, label)."""
    image = torch.rand(3, 1, 1) * 0.5 + 0.1 * torch.rand(3, SIDE, SIDE)
    boxes, taken = [], set()
    grid = torch.arange(SIDE).float() + 0.5
    for _ in range(rng.randint(1, 3)):
        label, size = rng.randrange(SHAPES), rng.uniform(12, 26)
        width, height = (size, size) if label < 2 else (size * 1.4, size * 0.45)
        x, y = rng.uniform(width / 2, SIDE - width / 2), rng.uniform(height / 2, SIDE - height / 2)
        cell = (int(x // CELL), int(y // CELL))
        if any(abs(cell[0] - a) + abs(cell[1] - b) < 3 for a, b in taken):
            continue
        taken.add(cell)
        across, down = (grid[None, :] - x).abs(), (grid[:, None] - y).abs()
        inside = (across**2 + down**2 < size**2 / 4) if label == 0 else (
            (across < width / 2) & (down < height / 2))
        color = torch.rand(3, 1, 1) * 0.4 + 0.6
        image = torch.where(inside[None], color.expand(3, SIDE, SIDE), image)
        boxes.append((x, y, width, height, label, cell))
    return image, boxes


def train_detector(network):
    rng = random.Random(4)
    pictures = [draw_shapes(rng) for _ in range(1500)]
    side = SIDE // CELL
    images = torch.stack([image for image, _ in pictures])
    scores, targets = torch.zeros(1500, SHAPES, side * side), torch.zeros(1500, 4, side * side)
    for i, (_, boxes) in enumerate(pictures):
        for x, y, width, height, label, cell in boxes:
            place = cell[1] * side + cell[0]
            scores[i, label, place] = 1
            targets[i, :, place] = torch.tensor([x, y, width, height])

    def loss(batch):
        out = network(images[batch])
        has = scores[batch].sum(1, keepdim=True) > 0
        wrong = functional.binary_cross_entropy(out[:, 4:], scores[batch], reduction="none")
        far = (out[:, :4] - targets[batch]).abs() / 8 * has
        return (wrong * (1 + 5 * scores[batch])).sum(1).mean() * 4 + far.sum() / has.sum()

    return 1500, loss, 14, 4e-3


def train_cleaner(network):
    rng = random.Random(6)
    clean = functional.avg_pool2d(torch.stack([draw_shapes(rng)[0] for _ in range(600)]), 2)

    def loss(batch):
        noisy = clean[batch] + 0.15 * torch.randn(len(batch), 3, SIDE // 2, SIDE // 2)
        return (network(noisy) - clean[batch]).abs().mean()

    return 600, loss, 14, 8e-3


def train_reader(network):
    codes = torch.tensor([LETTERS.index(letter) for letter in TEXT])
    starts = torch.arange(len(codes) - CONTEXT - 1)

    def loss(batch):
        places = starts[batch][:, None] + torch.arange(CONTEXT + 1)
        rows = codes[places]
        return functional.cross_entropy(network(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())

    return len(starts), loss, 2, 4e-3


def draw_symbols(rng):
    length = rng.randint(6, PLACES)
    kinds = rng.sample(range(1, SYMBOLS), rng.randint(3, 8))
    ids = [rng.choice(kinds) for _ in range(length)]
    counts = [min(ids.count(symbol), 3) - 1 for symbol in ids]
    rest = PLACES - length
    return ids + [0] * rest, [1.0] * length + [0.0] * rest, counts + [-1] * rest


def train_counter(network):
    rng = random.Random(5)
    rows = [draw_symbols(rng) for _ in range(6000)]
    ids, mask, counts = (torch.tensor([row[i] for row in rows]) for i in range(3))

    def loss(batch):
        out = network(ids[batch], mask[batch])
        return functional.cross_entropy(out.flatten(0, 1), counts[batch].flatten(), ignore_index=-1)

    return 6000, loss, 9, 4e-3


def digits():
    with gzip.open(os.environ.get("DIGITS", ROOT / "build/digits/digits.csv.gz"), "rt") as lines:
        rows = [[float(x) for x in line.split(",")] for line in lines]
    images = torch.tensor([row[:-1] for row in rows]).reshape(-1, 1, 8, 8) / 16
    return images, torch.tensor([int(row[-1]) for row in rows])


def train_patches(network):
    images, labels = digits()
    return 1400, lambda batch: functional.cross_entropy(network(images[batch]), labels[batch]), 14, 3e-3


def train_mobile(network):
    images, labels = digits()
    return 1400, lambda batch: functional.cross_entropy(network(images[batch]), labels[batch]), 14, 1e-2


NETWORKS = {
    "next_letter": (Reader, train_reader, ["letters"]),
    "symbol_counter": (Counter, train_counter, ["ids", "mask"]),
    "digit_patches": (Patches, train_patches, ["image"]),
    "shape_detector": (Detector, train_detector, ["image"]),
    "digit_mobile": (Mobile, train_mobile, ["image"]),
    "picture_cleaner": (Cleaner, train_cleaner, ["image"]),
}
EXAMPLES = {
    "next_letter": (torch.zeros(1, CONTEXT, dtype=torch.long),),
    "symbol_counter": (torch.zeros(1, PLACES, dtype=torch.long), torch.ones(1, PLACES)),
    "digit_patches": (torch.zeros(1, 1, 8, 8),),
    "shape_detector": (torch.zeros(1, 3, SIDE, SIDE),),
    "digit_mobile": (torch.zeros(1, 1, 8, 8),),
    "picture_cleaner": (torch.zeros(1, 3, SIDE // 2, SIDE // 2),),
}


def main(names):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    MODELS.mkdir(exist_ok=True)
    for name in names or NETWORKS:
        make, prepare, inputs = NETWORKS[name]
        torch.manual_seed(3)
        network = make()
        count, loss, epochs, rate = prepare(network)
        optimizer = torch.optim.Adam(network.parameters(), rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, rate, total_steps=epochs * len(torch.arange(count).split(64)))
        for epoch in range(epochs):
            total = 0.0
            for batch in torch.randperm(count).split(64):
                optimizer.zero_grad()
                value = loss(batch)
                value.backward()
                optimizer.step()
                schedule.step()
                total += value.item() * len(batch)
            print(f"{name}: epoch {epoch + 1} of {epochs}, loss {total / count:.4f}", flush=True)
        torch.onnx.export(
            network.eval(), EXAMPLES[name], str(MODELS / f"{name}.onnx"), opset_version=13,
            input_names=inputs, output_names=["output"],
        )


if __name__ == "__main__":
    main(sys.argv[1:])
