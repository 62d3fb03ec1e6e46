"""Comet: scalars are mirrored to an experiment when `comet_config={"disabled": False, …}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional


class CometLogger:
    def __init__(self, comet_config: Mapping[str, Any]) -> None:
        self.disabled = comet_config["disabled"]
        self._experiment: Any = None
        if not self.disabled:
            try:
                import comet_ml
            except ImportError:
                raise ImportError(
                    "comet_config enables Comet; install it: pip install comet_ml"
                ) from None
            settings = {key: value for key, value in comet_config.items() if key != "disabled"}
            self._experiment = comet_ml.start(**settings)

    def log_metric(
        self, tag: str, display_name: Optional[str], value: Any, step: Optional[int] = None
    ) -> None:
        if self._experiment is not None:
            self._experiment.log_metric(display_name or tag, value, step)

    def end(self) -> None:
        if self._experiment is not None:
            self._experiment.end()
