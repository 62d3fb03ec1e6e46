"""The log of write_every_kind.cc, computed and logged again with numpy and tensorboardX."""

from pathlib import Path

import numpy as np
from tensorboardX import SummaryWriter

WALL_TIME = 1.7e9  # Wall time of step 0; later steps are one second apart.

TEXTS = {1: "**int8** passes", 2: "| größe | → |\n|---|---|\n| 1 | <b>2</b> |"}

MESH_CONFIG = {"camera": {"cls": "PerspectiveCamera", "fov": 75}}
FACES = np.array([[[0, 1, 2], [0, 2, 3]]])

LAYOUT = {
    "quality": {
        "curves": ["Multiline", ["loss", "pair"]],
        "band": ["Margin", ["loss", "odd", "labelled"]],
    }
}

TRIALS = {
    "trial_1": ({"lr": 0.125}, {"hparam/accuracy": 0.75}, 1),
    "trial_2": (
        {"lr": 0.25, "bits": 8.0, "symmetric": True, "observer": "minmax"},
        {"hparam/accuracy": 0.5, "hparam/size": 12.5},
        2,
    ),
}

RAW_CURVE = [
    [75, 64, 21, 5, 0],
    [150, 105, 18, 0, 0],
    [0, 45, 132, 150, 150],
    [0, 11, 54, 70, 75],
    [0.25, 0.375, 0.5, 1, 0],
    [1, 0.875, 0.25, 0.0625, 0],
]

EMBEDDING_ROWS = [["cat", "0"], ["dog", "1"], ["größe", "2"], ["fox", "3"]]


def ramp(shape, wrap, factor=1.0, offset=0.0, dtype=np.float64):
    """Returns 0, 1, 2, … times `factor`, wrapped at `wrap`, like Ramp in write_every_kind.cc."""
    count = int(np.prod(shape))
    values = (np.arange(count) % wrap).astype(np.float64) * factor + offset
    if np.dtype(dtype).kind in "iu":
        values = values.astype(np.int64)  # Integer arithmetic, so that bytes wrap around.
    return values.astype(dtype).reshape(shape)


def images():
    """Maps tags to (pixels, the names of their dimensions)."""
    return {
        "image": (ramp((3, 8, 6), 251, dtype=np.uint8), "CHW"),
        "image/gray": (ramp((8, 6), 48, 1 / 64, dtype=np.float32), "HW"),
        "image/rgba": (ramp((5, 4, 4), 256, 3, dtype=np.uint8), "HWC"),
        "image/batch": (ramp((10, 3, 4, 4), 253, dtype=np.uint8), "NCHW"),
        "image/figure": (ramp((8, 6, 3), 251, dtype=np.uint8), "HWC"),
    }


def canvas():
    """Returns the picture on which image/boxes draws."""
    return ramp((3, 32, 32), 7, dtype=np.uint8)


def sounds():
    """Maps tags to (samples, sample rate)."""
    return {
        "sound": (ramp(1000, 101, 0.02, -1, np.float32), 8000),
        "sound/stereo": (ramp((1000, 2), 201, 0.01, -1), 16000),
    }


def vertices():
    return ramp((1, 4, 3), 5, 0.5, dtype=np.float32)


def colors():
    return ramp((1, 4, 3), 256, 20, dtype=np.uint8)


def matrix():
    return ramp(12, 12, 0.1, dtype=np.float32)


def sprites():
    return ramp((4, 3, 2, 2), 48, 1 / 64, dtype=np.float32)


def write_with_tensorboardx(logdir: Path) -> None:
    """Makes the calls of write_every_kind.cc in order, except those that need torch or moviepy."""
    writer = SummaryWriter(str(logdir / "every_kind"))

    def at(step):
        return {"global_step": step, "walltime": WALL_TIME + step}

    for step in range(10):
        writer.add_scalar("loss", 1.0 / (step + 1), **at(step))
    for step, value in enumerate([np.nan, np.inf, -np.inf]):
        writer.add_scalar("odd", value, **at(step))
    writer.add_scalar("/größe in %", -2.5, **at(3))
    writer.add_scalar(
        "labelled",
        12.5,
        **at(4),
        display_name="Latency",
        summary_description="milliseconds per **image**",
    )
    writer.add_scalars("pair", {"fp32": 0.75, "int8": 0.5}, **at(5))

    for step in range(3):
        writer.add_histogram("weights", ramp(1000, 1000, 0.01, -5.0 + step), **at(step))
    counts = ramp(1024, 1024, dtype=np.int32)
    writer.add_histogram("weights/fd", counts, **at(0), bins="fd")
    writer.add_histogram("weights/seven", counts, **at(0), bins=7)
    writer.add_histogram("weights/thin", counts, **at(0), bins=64, max_bins=5)
    writer.add_histogram("weights/edges", counts, **at(0), bins=[0, 1, 10, 100, 1000, 10000])
    writer.add_histogram_raw(
        "weights/raw as is", -1, 3, 6, 4.5, 9.25, [0, 1, 3], [1, 2, 3], **at(2)
    )

    pictures = images()
    for tag in ("image", "image/gray", "image/rgba"):
        writer.add_image(tag, pictures[tag][0], **at(1), dataformats=pictures[tag][1])
    writer.add_images("image/batch", pictures["image/batch"][0], **at(1))
    writer.add_image_with_boxes("image/boxes", canvas(), np.array([[4, 5, 20, 25]]), **at(1))
    writer.add_image("image/figure", pictures["image/figure"][0], **at(1), dataformats="HWC")

    for tag, (samples, rate) in sounds().items():
        writer.add_audio(tag, samples, **at(1), sample_rate=rate)
    for step, text in TEXTS.items():
        writer.add_text("notes", text, **at(step))

    labels = ramp(300, 2, dtype=np.int64)
    predictions = ramp(300, 300, 1 / 299, dtype=np.float32)
    weights = ramp(300, 7, 0.1, 0.1)
    writer.add_pr_curve("pr", labels, predictions, **at(1))
    writer.add_pr_curve(
        "pr/weighted", labels, predictions, **at(1), num_thresholds=11, weights=weights
    )
    writer.add_pr_curve_raw("pr/raw", *RAW_CURVE, **at(1), num_thresholds=5)

    writer.add_mesh("mesh", vertices(), colors(), FACES, MESH_CONFIG, **at(1))
    writer.add_mesh("points", vertices(), **at(2))

    writer.add_custom_scalars(LAYOUT)
    for name, (hparams, metrics, step) in TRIALS.items():
        writer.add_hparams(hparams, metrics, name=name, global_step=step)

    writer.add_embedding(
        matrix().reshape(4, 3),
        metadata=EMBEDDING_ROWS,
        label_img=sprites(),
        global_step=7,
        tag="net/out",
        metadata_header=["name", "class"],
    )
    writer.add_embedding(matrix().reshape(6, 2))
    writer.add_scalar("written", 1, **at(0))
    writer.close()
