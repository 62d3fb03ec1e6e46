"""Writes a compression report: cost and gain in text, tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from .. import _engine
from ..aurora import Aurora, aurora

Figures = Mapping[str, Mapping[str, float]]  # By variant, then by metric.


class Report(NamedTuple):
    """A report: `markdown` for the TEXT page, and pictures H x W x 3 by name for the IMAGES page.
    """

    markdown: str
    pictures: dict[str, Any]


def _title(key: str) -> str:
    return _engine.describe_metric(key)["display_name"] or key


def _keys(figures: Figures) -> list[str]:
    everything: dict[str, float] = {}
    for metrics in figures.values():
        everything.update(metrics)
    return _engine.in_log_order(everything)


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    escaped = [[cell.replace("|", "\\|") for cell in cells] for cells in [header, *rows]]
    lines = ["| " + " | ".join(cells) + " |" for cells in escaped]
    return [lines[0], "|" + "---|" * len(header), *lines[1:], ""]


def _sentence(variant: str, ratios: Mapping[str, float], score: Optional[Aurora]) -> str:
    """Returns a sentence such as "int8: 4x smaller, 2x faster, accuracy down by 0.0045; AURORA
    1.52."
    """
    parts = []
    for name, more, less in (("size_ratio", "smaller", "larger"), ("speedup", "faster", "slower")):
        if name in ratios:
            value = ratios[name]
            parts.append(f"{value:.3g}x {more}" if value >= 1 else f"{1 / value:.3g}x {less}")
    if "accuracy_drop" in ratios:
        drop = ratios["accuracy_drop"]
        parts.append(f"accuracy {'down' if drop >= 0 else 'up'} by {abs(drop):.4g}")
    text = f"**{variant}**: {', '.join(parts) or 'nothing to compare'}"
    return text + (f"; AURORA {score.score:.3g}" if score is not None else "")


def make_report(model_name: str, figures: Figures, baseline: str,
                aurora_options: Mapping[str, Any]) -> Report:  # fmt: skip
    """Returns the report of all variants in `figures`, including `baseline`."""
    from .pictures import BASELINE, SERIES, Bar, bar_chart, factor_chart

    left_out = [
        f"- left out for {variant}: {key} is {value}"
        for variant, metrics in figures.items()
        for key, value in metrics.items()
        if not math.isfinite(value)
    ]
    figures = {
        variant: {key: value for key, value in metrics.items() if math.isfinite(value)}
        for variant, metrics in figures.items()
    }
    others = [variant for variant in figures if variant != baseline]
    lines = [f"# {model_name}: {', '.join(others) or 'nothing'} against {baseline}", ""]
    pictures: dict[str, Any] = {}
    ratio_rows: list[list[str]] = []
    for variant in others:
        values, omitted = _engine.ratios(
            figures[baseline], figures[variant], model_name, baseline, variant
        )
        try:
            score: Optional[Aurora] = aurora(
                figures[baseline], figures[variant], **aurora_options
            )
        except ValueError as error:
            score, omitted = None, [*omitted, ("aurora", str(error))]
        ratios = {name: value for name, _, value, _ in values}
        lines += ["- " + _sentence(variant, ratios, score)]
        ratio_rows += [
            [variant, labels["display_name"].partition(", ")[0] or name, f"{value:.6g}"]
            for name, _, value, labels in values
        ]
        left_out += [f"- left out for {variant}: {what}: {reason}" for what, reason in omitted]
        if score is not None:
            factors = {**score.factors, "AURORA": score.score}
            title = f"{model_name}: AURORA of {variant} against {baseline}"
            pictures[f"report_aurora_{variant}"] = factor_chart(title, factors)

    lines += ["", "## Metrics", ""]
    keys = _keys(figures)
    rows = [
        [_title(key)] + [f"{m[key]:.6g}" if key in m else "–" for m in figures.values()]
        for key in keys
    ]
    lines += _table(["metric", *figures], rows)
    lines += ["## Ratios", "", *_table(["variant", "ratio", "value"], ratio_rows)] + left_out

    colors = {v: SERIES[i % len(SERIES)] for i, v in enumerate(others)} | {baseline: BASELINE}
    groups = {
        _title(key): [Bar(v, m[key], colors[v]) for v, m in figures.items() if key in m]
        for key in keys
    }
    pictures["report_metrics"] = bar_chart(f"{model_name}: metrics", groups)
    return Report("\n".join(lines), pictures)
