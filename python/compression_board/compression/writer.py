"""CompressionWriter: logs FP32 against INT8, or any variants against any baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from .. import _engine
from ..aurora import engine_options, not_numbers, numeric
from ..errors import check_mapping, check_model_name
from ..types import ArrayLike, Derived, Metrics, Omissions, PathLike
from ..writer import SummaryWriter
from .report import make_report


class CompressionWriter(SummaryWriter):
    """A SummaryWriter that knows metrics, ratios and tags of model compression.

        writer = CompressionWriter('runs/my_experiment')
        writer.log_compression_comparison('alexnet', fp32_metrics, int8_metrics)
        writer.log_compression_ratios('alexnet', fp32_metrics, int8_metrics)

    Every method logs all values that the metrics allow, and returns the omitted ones as (what,
    reason) pairs. `tag_for` creates every tag; override it to use other tags.

    `tag_scheme` is "groups" (alexnet/accuracy with a run per variant, which stock TensorBoard draws
    in one chart), "flat" (alexnet/metrics/accuracy/int8) or "both".
    """

    def __init__(self, logdir: Optional[PathLike] = None, *args: Any, tag_scheme: str = "both",
                 aurora_options: Optional[Mapping[str, Any]] = None,
                 **kwargs: Any) -> None:  # fmt: skip
        if tag_scheme not in ("both", "groups", "flat"):
            raise ValueError(f"tag_scheme must be both, groups or flat, not '{tag_scheme}'")
        super().__init__(logdir, *args, **kwargs)
        self.tag_scheme = tag_scheme
        self.aurora_options: dict[str, Any] = dict(aurora_options or {})

    def tag_for(self, kind: str, model_name: str, name: str, variant: str, baseline: str) -> str:
        """Returns the tag of one value. `kind` is metric, group, ratio, latency_distribution or
        metadata.
        """
        return _engine.default_tag(kind, model_name, name, variant, baseline)

    # Any variants ----------------------------------------------------------------------------

    def log_variants(self, model_name: str, variants: Mapping[str, Metrics], baseline: str = "fp32",
                     step: int = 0, *, derived: Derived = {}) -> Omissions:  # fmt: skip
        """Logs comparison, ratios, energy and AURORA of any number of variants with any names.

        `derived` metrics were computed from others, such as a latency from a throughput. The log
        marks them as derived, and AURORA does not use them, because their sources are already used.
        """
        omitted = self._comparison(model_name, variants, baseline, step, derived)
        omitted += self._ratios(model_name, variants, baseline, step, derived)
        omitted += self._energy(model_name, variants, baseline, step, derived)
        omitted += self._aurora(model_name, variants, baseline, step, derived)
        return omitted

    # Methods for FP32 and INT8, as in the guide ----------------------------------------------

    def log_compression_comparison(self, model_name: str, fp32_metrics: Metrics,
                                   int8_metrics: Metrics, step: int = 0) -> Omissions:  # fmt: skip
        """Logs every metric of both variants, except power, because log_energy_comparison logs
        power.
        """
        pair = {"fp32": fp32_metrics, "int8": int8_metrics}
        return self._comparison(model_name, pair, "fp32", step)

    def log_compression_ratios(self, model_name: str, fp32_metrics: Metrics, int8_metrics: Metrics,
                               step: int = 0) -> Omissions:  # fmt: skip
        """Logs the size ratio, speedup, accuracy drop and other ratios that the metrics allow."""
        pair = {"fp32": fp32_metrics, "int8": int8_metrics}
        omitted = self._ratios(model_name, pair, "fp32", step)
        named = {"size_ratio": "model_size_mb", "speedup": "latency_mean_ms",
                 "accuracy_drop": "accuracy"}  # fmt: skip
        return omitted + _in_neither(named, pair)

    def log_energy_comparison(self, model_name: str, fp32_metrics: Metrics, int8_metrics: Metrics,
                              step: int = 0) -> Omissions:  # fmt: skip
        """Logs energy_consumption_mw of both variants, their difference and ratio."""
        pair = {"fp32": fp32_metrics, "int8": int8_metrics}
        omitted = self._energy(model_name, pair, "fp32", step)
        return omitted + _in_neither({"energy_consumption_mw": "energy_consumption_mw"}, pair)

    def log_aurora(self, model_name: str, fp32_metrics: Metrics, int8_metrics: Metrics,
                   step: int = 0) -> Omissions:  # fmt: skip
        """Logs the AURORA score with its factors, and the plain mean of the ratios."""
        pair = {"fp32": fp32_metrics, "int8": int8_metrics}
        return self._aurora(model_name, pair, "fp32", step)

    def log_latency_distribution(self, model_name: str, fp32_latencies: ArrayLike,
                                 int8_latencies: ArrayLike,
                                 step: int = 0) -> Omissions:  # fmt: skip
        """Logs a histogram of each variant, with bins for latencies. Non-finite samples are left
        out.
        """
        import numpy as np

        from ..tensors import real_np

        check_model_name(model_name)
        omitted: Omissions = []
        for variant, samples in (("fp32", fp32_latencies), ("int8", int8_latencies)):
            values = real_np(samples).astype(np.float64).ravel()
            finite = values[np.isfinite(values)]
            if len(finite) < len(values):
                dropped = f"samples that are not finite: {len(values) - len(finite)}"
                omitted.append((f"latency_distribution/{variant}", dropped))
            if len(finite):
                tag = self.tag_for("latency_distribution", model_name, "", variant, "fp32")
                edges = _engine.latency_edges(finite.tolist())
                self.add_histogram(tag, finite, step, bins=edges)
        return omitted

    def log_model_metadata(
        self, model_name: str, model_info: Mapping[str, Any], step: int = 0
    ) -> Omissions:
        """Logs facts about the model as a text; numbers and the input's dimensions also as scalars.
        """
        check_model_name(model_name)
        check_mapping(model_info, "model_info")
        titles = {"library": "Library", "category": "Category", "description": "Description",
                  "input_shape": "Input Shape"}  # fmt: skip
        lines = [f"**Model:** {model_name}"]
        for key, value in model_info.items():
            lines.append(f"**{titles.get(key, key)}:** {value}")
        self.add_text(self._metadata_tag(model_name, "info"), "  \n".join(lines), step)
        shape = model_info.get("input_shape")
        if isinstance(shape, (list, tuple)):
            for name, size in zip(("input_channels", "input_height", "input_width"), shape):
                self.add_scalar(self._metadata_tag(model_name, name), size, step)
        for key, value in numeric(model_info).items():
            self.add_scalar(self._metadata_tag(model_name, key), value, step)
        return []

    def log_report(self, model_name: str, fp32_metrics: Metrics, int8_metrics: Metrics,
                   step: int = 0) -> str:  # fmt: skip
        """Logs a report inside the event file, so that stock TensorBoard shows it; returns its
        Markdown.

        The text `<model>/metadata/report` has a sentence and tables. The pictures
        `<model>/metadata/report_metrics` and `report_aurora_int8` show the same values as charts.
        """
        pair = {"fp32": fp32_metrics, "int8": int8_metrics}
        return self.log_variants_report(model_name, pair, "fp32", step)

    def log_variants_report(self, model_name: str, variants: Mapping[str, Metrics],
                            baseline: str = "fp32", step: int = 0) -> str:  # fmt: skip
        """Logs the report of log_report for any number of variants with any names."""
        figures = {variant: metrics for variant, metrics, _ in self._checked(model_name, variants)}
        if baseline not in figures:
            raise ValueError(f"model '{model_name}' has no variant '{baseline}', which is named as its baseline; log this variant or name another baseline")
        report = make_report(model_name, figures, baseline, self.aurora_options)
        self.add_text(self._metadata_tag(model_name, "report"), report.markdown, step)
        for name, picture in report.pictures.items():
            tag = self._metadata_tag(model_name, name)
            self.add_image(tag, picture, step, dataformats="HWC")
        return report.markdown

    # How -------------------------------------------------------------------------------------

    def _metadata_tag(self, model_name: str, name: str) -> str:
        return self.tag_for("metadata", model_name, name, "", "fp32")

    def _add(self, tag: str, value: float, step: int, labels: dict[str, Any]) -> None:
        """Logs one scalar with its labels. If a subclass overrides add_scalar, calls it."""
        if type(self).add_scalar is not SummaryWriter.add_scalar:
            self.add_scalar(tag, value, step)
        else:
            self.add_labelled_scalar(tag, value, step, **labels)

    @staticmethod
    def _checked(
        model_name: str, variants: Mapping[str, Metrics], derived: Derived = {}
    ) -> list[tuple[str, dict[str, float], list[str]]]:
        """Returns the numeric metrics of each variant, and which of them are derived."""
        check_model_name(model_name)
        check_mapping(variants, "variants")
        for variant, metrics in variants.items():
            check_mapping(metrics, f"metrics of '{variant}'")
        return [
            (variant, numeric(metrics), list(derived.get(variant, ())))
            for variant, metrics in variants.items()
        ]

    def _log(self, plan: _engine.Plan, model_name: str, baseline: str,
             step: int) -> Omissions:  # fmt: skip
        """Logs the values of the engine's plan; returns the values that the plan omits."""
        values, omitted = plan
        for kind, name, variant, value, labels in values:
            tag = self.tag_for(kind, model_name, name, variant, baseline)
            if kind == "group":
                self.add_scalars(tag, value, step)
            else:
                self._add(tag, value, step, labels)
        return omitted

    def _comparison(self, model_name: str, variants: Mapping[str, Metrics], baseline: str,
                    step: int, derived: Derived = {}) -> Omissions:  # fmt: skip
        figures = self._checked(model_name, variants, derived)
        plan = _engine.plan_comparison(model_name, figures, baseline, self.tag_scheme)
        omitted = _explained(self._log(plan, model_name, baseline, step), variants)
        # The engine ignores a metric if its value is not a number in any of the variants.
        return omitted + [found for found in _non_finite_metrics(variants) if found not in omitted]

    def _ratios(self, model_name: str, variants: Mapping[str, Metrics], baseline: str,
                step: int, derived: Derived = {}) -> Omissions:  # fmt: skip
        figures = self._checked(model_name, variants, derived)
        plan = _engine.plan_ratios(model_name, figures, baseline)
        return _explained(self._log(plan, model_name, baseline, step), variants)

    def _energy(self, model_name: str, variants: Mapping[str, Metrics], baseline: str,
                step: int, derived: Derived = {}) -> Omissions:  # fmt: skip
        figures = self._checked(model_name, variants, derived)
        plan = _engine.plan_energy(model_name, figures, baseline, self.tag_scheme)
        return _explained(self._log(plan, model_name, baseline, step), variants)

    def _aurora(self, model_name: str, variants: Mapping[str, Metrics], baseline: str,
                step: int, derived: Derived = {}) -> Omissions:  # fmt: skip
        options = engine_options(**self.aurora_options)
        figures = self._checked(model_name, variants, derived)
        plan = _engine.plan_aurora(model_name, figures, baseline, *options)
        return _explained(self._log(plan, model_name, baseline, step), variants)


def _non_finite_metrics(variants: Mapping[str, Metrics]) -> Omissions:
    """Returns the metrics whose value is not a number, as omissions."""
    return [
        found
        for variant, metrics in variants.items()
        for found in not_numbers(metrics, f"'{variant}'").items()
    ]


def _explained(omitted: Omissions, variants: Mapping[str, Metrics]) -> Omissions:
    """Returns `omitted` with separate reasons for missing values and for values that are not
    numbers.

    The engine receives neither missing values nor values that are not numbers.
    """
    reasons = {
        f"{key} of '{variant}' is missing": text
        for variant, metrics in variants.items()
        for key, text in not_numbers(metrics, f"'{variant}'").items()
    }
    return [(what, reasons.get(reason, reason)) for what, reason in omitted]


def _in_neither(named: Mapping[str, str], pair: Mapping[str, Metrics]) -> Omissions:
    """Returns the metrics that a method needs and no variant has, as omissions."""
    return [
        (figure, f"neither 'fp32' nor 'int8' has {metric}")
        for figure, metric in named.items()
        if not any(metric in metrics for metrics in pair.values())
    ]
