"""The networks in models/, trained by train.py: two text transformers, a vision transformer and a
small YOLO. Variants change the graph of a network, but not its results."""

import os
from pathlib import Path

import numpy as np
from networks import Network, freeze, same_boxes, same_label
from wheels import ROOT

MODELS = Path(__file__).resolve().parent / "models"
SIDE, SHAPES, PLACES, SYMBOLS, CONTEXT = 64, 3, 20, 12, 32


def letters(count, seed):
    """Returns parts of the license's text, as codes."""
    content = (ROOT / "LICENSE").read_text()
    alphabet = sorted(set(content))
    random = np.random.default_rng(seed)
    starts = random.integers(0, len(content) - CONTEXT, count)
    rows = [[alphabet.index(letter) for letter in content[i : i + CONTEXT]] for i in starts]
    return {"letters": np.array(rows, np.int64)}


def symbols(count, seed, least=6):
    """Returns sequences of symbols, padded, and BERT's mask of 1 and 0."""
    random = np.random.default_rng(seed)
    ids, mask = np.zeros((count, PLACES), np.int64), np.zeros((count, PLACES), np.float32)
    for i in range(count):
        length = random.integers(least, PLACES + 1)
        kinds = random.permutation(np.arange(1, SYMBOLS))[: random.integers(3, 9)]
        ids[i, :length], mask[i, :length] = random.choice(kinds, length), 1
    return {"ids": ids, "mask": mask}


def digits(count, seed):
    """Returns digits that train.py does not use."""
    path = os.environ.get("DIGITS", ROOT / "build" / "digits" / "digits.csv.gz")
    rows = np.loadtxt(path, delimiter=",", dtype=np.float32)[1400:]
    chosen = np.random.default_rng(seed).permutation(len(rows))[:count]
    return {"image": np.ascontiguousarray(rows[chosen, :-1].reshape(-1, 1, 8, 8) / 16)}


def shapes(count, seed, scale=1.0):
    """Returns discs, squares and bars on a noisy background."""
    random = np.random.default_rng(seed)
    made = []
    grid = np.arange(SIDE) + 0.5
    for _ in range(count):
        image = random.random((3, 1, 1)) * 0.5 + 0.1 * random.random((3, SIDE, SIDE))
        for _ in range(random.integers(1, 4)):
            label, size = random.integers(SHAPES), random.uniform(12, 26)
            width, height = (size, size) if label < 2 else (size * 1.4, size * 0.45)
            x = random.uniform(width / 2, SIDE - width / 2)
            y = random.uniform(height / 2, SIDE - height / 2)
            across, down = np.abs(grid[None] - x), np.abs(grid[:, None] - y)
            inside = (across**2 + down**2 < size**2 / 4) if label == 0 else (
                (across < width / 2) & (down < height / 2))
            image = np.where(inside[None], random.random((3, 1, 1)) * 0.4 + 0.6, image)
        made.append(image)
    return {"image": np.array(made, np.float32) * np.float32(scale)}


def shape_boxes(outputs):
    rows = outputs[0][0].T
    corners = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
    return corners, rows[:, 4:]


def plain(name, is_optimized=False):
    return lambda path: freeze(MODELS / f"{name}.onnx", path, is_optimized=is_optimized)


NETWORKS = [
    Network("next_letter", "text transformer trained here (causal mask, RMS norm)",
            plain("next_letter"), letters, same_label(), "equal next letters", is_small=True),
    Network("symbol_counter", "BERT-like encoder trained here (padding mask, layer norm)",
            plain("symbol_counter"), symbols, same_label(), "equal labels", is_small=True),
    Network("digit_patches", "vision transformer trained here",
            plain("digit_patches"), digits, same_label(), "equal labels", is_small=True,
            is_held_out=True),
    Network("shape_detector", "YOLO trained here (boxes and scores in one Concat)",
            plain("shape_detector", True), shapes, same_boxes(shape_boxes), "F1 of detections",
            is_small=True),
]
