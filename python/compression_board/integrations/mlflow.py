"""Exports benchmark results to MLflow and imports them.

    from compression_board.integrations.mlflow import export_benchmark, import_runs

    export_benchmark("results/models_benchmark_results.json", experiment="compression")
    json.dump(import_runs("compression"), open("results.json", "w"))   # then: compression-board import
"""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import mlflow

from . import _benchmark


def export_benchmark(results: Union[str, os.PathLike, _benchmark.Results],
                     experiment: Optional[str] = None) -> list[str]:  # fmt: skip
    """Creates a parent run per model and a child run per variant with its metrics; returns the run
    ids.

    The tags `model` and `variant` identify a run for import_runs.
    """
    if experiment is not None:
        mlflow.set_experiment(experiment)
    results = _benchmark.read(results)
    runs = []
    rows = list(_benchmark.variants(results))
    for model in dict.fromkeys(row[0] for row in rows):
        with mlflow.start_run(run_name=model, tags={"model": model}):
            info = results[model].get("model_info")
            if isinstance(info, dict):
                mlflow.log_params({key: str(value)[:500] for key, value in info.items()})
            for _, variant, metrics in (row for row in rows if row[0] == model):
                tags = {"model": model, "variant": variant}
                with mlflow.start_run(run_name=f"{model}/{variant}", nested=True, tags=tags) as run:
                    mlflow.log_metrics(metrics)
                    runs.append(run.info.run_id)
    return runs


def import_runs(experiment: str, model_tag: str = "model",
                variant_tag: str = "variant") -> dict[str, dict[str, Any]]:  # fmt: skip
    """Returns the last metrics of an experiment's runs as benchmark results.

    Runs need the tags that `model_tag` and `variant_tag` name. Raises ValueError if the experiment
    does not exist, or if none of its runs has both tags.
    """
    found = mlflow.get_experiment_by_name(experiment)
    if found is None:
        raise ValueError(f"MLflow has no experiment '{experiment}' at {mlflow.get_tracking_uri()}")
    runs = mlflow.search_runs([found.experiment_id], output_format="list")
    rows = [
        (run.data.tags[model_tag], run.data.tags[variant_tag], dict(run.data.metrics))
        for run in reversed(runs)  # Newest first.
        if model_tag in run.data.tags and variant_tag in run.data.tags
    ]
    if not rows:
        raise ValueError(
            f"none of the {len(runs)} runs of '{experiment}' has the tags '{model_tag}' and "
            f"'{variant_tag}'; set them with mlflow.set_tags"
        )
    return _benchmark.joined(rows)
