"""Logs what is rare but happens: names of 120 characters, steps of 1e12, constants, NaN, one point.

    python write_odd.py LOGDIR
"""

import logged
import numpy as np
from tensorboardX import SummaryWriter

LONG_RUN = "resnet50-imagenet1k-bs1024-lr0.1-cosine-warmup5-mixup0.2-labelsmooth0.1-ema0.9999-seed42-gpu8xA100"
LONG_TAG = (
    "backbone.stages.3.blocks.17.attention.self.query_key_value_projection.weight_fake_quant."
    "activation_post_process.observer.running_average.scale"
)
RUNS = ["实验/基线-été", f"{LONG_RUN}/rank0", f"{LONG_RUN}/rank1", "lightning_logs/version_0", "lightning_logs/version_1"]


def scalars(writer, offset):
    for step in range(200):
        loss = 2 * np.exp(-step / 60) + 0.1 * offset
        values = {
            f"{LONG_TAG}/loss": loss,
            "odd/nan": float("nan"),
            "odd/some_nan": float("inf") if step == 50 else float("nan") if step % 13 == 0 else loss,
            "odd/constant": 0.75,
            "odd/tiny": 1e-30 * (step + 1),
            "odd/nearly_constant": 1e6 + 0.1 * np.sin(step),
        }
        for tag, value in values.items():
            writer.add_scalar(tag, value, step)
        writer.add_scalar("odd/large_steps", loss, 10**12 + 1000 * step)
        writer.add_scalar("odd/negative_steps", loss, step - 100)
    writer.add_scalar("odd/one_point", offset, 10**12)


def histograms(writer):
    random = np.random.default_rng(5)
    for step in (0, 1000, 10_000_000):
        writer.add_histogram("constant", np.full(1000, 0.3), step)
        writer.add_histogram("huge", random.normal(size=1000) * 1e30, step, bins="auto")
        writer.add_histogram(f"{LONG_TAG}/weight", random.normal(size=1000), step)


def channels(writer):
    """Logs what stage logs have: the step is a channel."""
    random = np.random.default_rng(6)
    for channel in range(5):
        writer.add_histogram("conv1", random.normal(size=500) * (channel + 1), channel)


def hyperparameters(folder):
    for trial in range(6):
        writer = SummaryWriter(str(folder / "hparams" / f"trial_{trial}"))
        settings = {"dropout": 0.1 * trial, "optimizer": "adam"}
        if trial % 2:
            settings["warmup_steps_before_quantization_aware_training"] = trial
        # One accuracy is missing, and one is NaN.
        metrics = {1: {}, 2: {"accuracy": float("nan")}}.get(trial, {"accuracy": 0.9 - 0.01 * trial})
        writer.add_hparams(settings, metrics, name="trial")
        writer.close()


def models(folder):
    # Names that differ only in their middle, a quality that is NaN, and one that is missing.
    names = [f"vit_base_patch16_224_{library}_imagenet1k_v{version}" for library in ("timm", "torchvision") for version in (1, 2)]
    for i, name in enumerate([*names, "m" * 120, "模型"]):
        writer = SummaryWriter(str(folder / "models" / name))
        for variant, size in (("fp32", 100), ("int8", 25)):
            broken = i == 1 and variant == "int8"
            if i != 2 or variant == "fp32":
                writer.add_scalar(f"{name}/metrics/accuracy/{variant}", float("nan") if broken else 0.8 - 0.001 * i, 0)
            writer.add_scalar(f"{name}/performance/model_size_mb/{variant}", size, 0)
            writer.add_scalar(f"{name}/performance/latency_mean_ms/{variant}", size / 2 + i, 0)
        writer.close()


def images(writer):
    for tag, height, width in (("wide", 20, 4000), ("tall", 3000, 20), ("single", 1, 1)):
        rows, columns = np.mgrid[0:height, 0:width]
        writer.add_image(tag, ((rows + columns) % 256).astype(np.uint8), 0, dataformats="HW")


def main():
    folder = logged.logdir()
    for offset, run in enumerate(RUNS):
        writer = SummaryWriter(str(folder / run))
        scalars(writer, offset)
        writer.close()
    writer = SummaryWriter(str(folder / "kinds"))
    histograms(writer)
    images(writer)
    writer.add_text("long", "word" * 120 + "\n\n" + "| a | b |\n|---|---|\n| " + "x" * 200 + " | y |\n", 0)
    writer.close()
    writer = SummaryWriter(str(folder / "kinds" / "histogram_per_channel"))
    channels(writer)
    writer.close()
    hyperparameters(folder)
    models(folder)


if __name__ == "__main__":
    main()
