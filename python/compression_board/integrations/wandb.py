"""Exports benchmark results to Weights & Biases and imports them.

    from compression_board.integrations.wandb import export_benchmark, import_runs

    export_benchmark("results/models_benchmark_results.json", project="compression")
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Optional, Union

import wandb

from . import _benchmark


def export_benchmark(results: Union[str, os.PathLike, _benchmark.Results], project: str,
                     **init_options: Any) -> list[str]:  # fmt: skip
    """Creates a run per variant; the runs are grouped by model. The metrics of a variant are the
    summary of its run. Returns the run ids.
    """
    runs = []
    for model, variant, metrics in _benchmark.variants(_benchmark.read(results)):
        config = {"model": model, "variant": variant}
        run = wandb.init(project=project, group=model, name=f"{model}/{variant}", config=config,
                         reinit=True, **init_options)  # fmt: skip
        run.summary.update(metrics)
        runs.append(run.id)
        run.finish()
    return runs


def import_runs(project: str, runs: Optional[Iterable[Any]] = None) -> dict[str, dict[str, Any]]:
    """Returns the summaries of a project's runs as benchmark results; settings contain `model` and
    `variant`.

    `runs` are by default all runs of wandb.Api().runs(project).
    """
    found = list(wandb.Api().runs(project) if runs is None else runs)
    rows = []
    for run in found:
        model, variant = run.config.get("model"), run.config.get("variant")
        if model is None or variant is None:
            continue
        summary = {
            name: float(value)
            for name, value in dict(run.summary).items()
            if not name.startswith("_") and isinstance(value, (int, float))
        }
        rows.append((str(model), str(variant), summary))
    if not rows:
        raise ValueError(
            f"none of the {len(found)} runs of '{project}' has the settings 'model' and 'variant'; "
            "export them with export_benchmark"
        )
    return _benchmark.joined(rows)
