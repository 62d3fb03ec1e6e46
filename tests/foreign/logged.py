"""The values that every script of this folder logs, and the values that a page must show."""

import io
import json
import math
import pathlib
import sys

import numpy as np
from PIL import Image

STEPS = [0, 10, 20, 30]
VALUES = 20_000


def distributions(step):
    """Returns six distributions by name; each grows by a tenth over the steps."""
    random = np.random.default_rng(step)
    size = 1 + step / 300
    normal = random.normal(size=VALUES) * size
    return {
        "normal": normal,
        "laplace": random.laplace(size=VALUES) * size,
        "bimodal": np.where(random.random(VALUES) < 0.4, normal * 0.3 - 2, normal * 0.5 + 2),
        "constant": np.full(VALUES, 0.75),
        "relu": np.maximum(normal, 0),
        "int8": np.clip(np.round(normal / 0.03), -128, 127) * 0.03,
    }


def picture():
    """Returns 16 rows of 24 pixels; red increases to the right, green downwards, blue is 51."""
    rows, columns = np.mgrid[0:16, 0:24]
    return np.stack([columns * 10, rows * 15, np.full((16, 24), 51)], axis=-1).astype(np.uint8)


def animation():
    """Returns a GIF of three frames: red, green, blue."""
    frames = [Image.new("RGB", (12, 8), colour) for colour in ("red", "lime", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=100, loop=0)
    return out.getvalue()


SAMPLE_RATE = 8000


def sound():
    """Returns half a second of 440 Hz."""
    return (0.5 * np.sin(2 * math.pi * 440 * np.arange(SAMPLE_RATE // 2) / SAMPLE_RATE)).astype(np.float32)


TEXT = "Kept **fp32** in `conv1`\n\n| layer | bits |\n|---|---|\n| fc | 8 |\n"

VERTICES = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], np.float32)
FACES = np.array([[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]], np.int32)
COLORS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]], np.uint8)

LABELS = np.array([1, 1, 0, 1, 0, 0, 1, 0])
SCORES = np.array([0.95, 0.85, 0.7, 0.65, 0.4, 0.35, 0.3, 0.05])


def embedding():
    random = np.random.default_rng(7)
    return (random.normal(size=(60, 6)) * [8, 4, 2, 1, 0.5, 0.25]).astype(np.float32)


def embedding_labels():
    return [f"point {i}" for i in range(60)]


HPARAMS = {"lr": 0.125, "layers": 3, "optimizer": "adam", "augment": True}
METRICS = {"accuracy": 0.875}

LAYOUT = {"Losses": {"both": ["Multiline", ["loss/train", "loss/val"]]}}


def losses(step):
    return {"loss/train": 1 / (1 + step), "loss/val": 1.5 / (1 + step)}


def truth():
    """Returns expected values for the tests of the page, as JSON."""
    centred = embedding() - embedding().mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False) ** 2
    values = {
        str(step): {name: sorted(float(v) for v in raw) for name, raw in distributions(step).items()}
        for step in STEPS
    }
    return {
        "steps": STEPS,
        "values": values,
        "picture": picture().tolist(),
        "seconds": len(sound()) / SAMPLE_RATE,
        "shares": (spread / spread.sum() * 100)[:3].tolist(),
        "vertices": len(VERTICES[0]),
        "faces": len(FACES[0]),
        "hparams": HPARAMS,
        "metrics": METRICS,
        "losses": {str(step): losses(step) for step in STEPS},
        "curve": {"labels": LABELS.tolist(), "scores": SCORES.tolist()},
    }


def logdir():
    """Returns the directory in the command line, created if it is missing."""
    path = pathlib.Path(sys.argv[1])
    path.mkdir(parents=True, exist_ok=True)
    return path


if __name__ == "__main__":
    json.dump(truth(), sys.stdout)
