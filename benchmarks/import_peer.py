"""Converts benchmark JSON to event files in Python, with tensorboardX.

Writes one run per model, like common converters: a scalar per metric and variant, groups that put
variants into one chart, the ratios, facts about the model, and its row of the HParams page.
`compression-board import` writes the same, with descriptions beside every value and the AURORA
score in addition.
"""

import json
import pathlib

METRICS = {
    "accuracy": "metrics/accuracy",
    "f1_score": "metrics/f1_score",
    "latency_mean_ms": "performance/latency_ms",
    "model_size_mb": "performance/model_size_mb",
    "memory_usage_mb": "performance/memory_usage_mb",
    "energy_consumption_mw": "performance/energy_mw",
}
GROUPS = {"accuracy": "accuracy", "latency_mean_ms": "latency", "model_size_mb": "model_size"}


def ratios(fp32, int8):
    return {
        "size_ratio": fp32["model_size_mb"] / int8["model_size_mb"],
        "size_reduction_pct": (1 - int8["model_size_mb"] / fp32["model_size_mb"]) * 100,
        "speedup": fp32["latency_mean_ms"] / int8["latency_mean_ms"],
        "memory_reduction_mb": fp32["memory_usage_mb"] - int8["memory_usage_mb"],
        "accuracy_drop": fp32["accuracy"] - int8["accuracy"],
        "accuracy_retention_pct": int8["accuracy"] / fp32["accuracy"] * 100,
        "energy_reduction_mw": fp32["energy_consumption_mw"] - int8["energy_consumption_mw"],
        "energy_ratio": fp32["energy_consumption_mw"] / int8["energy_consumption_mw"],
    }


def write_model(writer, model, entry):
    fp32, int8 = entry["fp32"], entry["int8"]
    for key, path in METRICS.items():
        writer.add_scalar(f"{model}/{path}/fp32", fp32[key], 0)
        writer.add_scalar(f"{model}/{path}/int8", int8[key], 0)
        if key in GROUPS:
            writer.add_scalars(f"{model}/{GROUPS[key]}", {"fp32": fp32[key], "int8": int8[key]}, 0)
    for name, value in ratios(fp32, int8).items():
        writer.add_scalar(f"{model}/compression/{name}", value, 0)
    info = entry["model_info"]
    for name, size in zip(("input_channels", "input_height", "input_width"), info["input_shape"]):
        writer.add_scalar(f"{model}/metadata/{name}", size, 0)
    lines = [f"Model: {model}"] + [f"{key.title()}: {value}" for key, value in info.items()]
    writer.add_text(f"{model}/metadata/info", "\n".join(lines), 0)


def write_row(writer, model, entry):
    fp32, int8, info = entry["fp32"], entry["int8"], entry["model_info"]
    columns = {"accuracy_fp32": fp32["accuracy"], "accuracy_int8": int8["accuracy"]}
    shown = ("accuracy_drop", "size_ratio", "speedup", "memory_reduction_mb", "energy_reduction_mw")
    columns.update({name: ratios(fp32, int8)[name] for name in shown})
    writer.add_hparams(
        {"model_name": model, "library": info["library"], "category": info["category"]},
        {f"hparam/{name}": value for name, value in columns.items()},
        name=model,
        global_step=0,
    )


def convert(make_writer, path, logdir):
    """Returns the number of models."""
    models = json.loads(pathlib.Path(path).read_text())
    rows = make_writer(f"{logdir}_hparams")
    for model, entry in models.items():
        writer = make_writer(f"{logdir}/{model}")
        write_model(writer, model, entry)
        writer.close()
        write_row(rows, model, entry)
    rows.close()
    return len(models)
