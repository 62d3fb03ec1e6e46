"""Mirrors everything that is logged to a Comet experiment: `comet_config={"disabled": False, …}`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any, Optional


class CometLogger:
    """Sends values to a Comet experiment. Every method does nothing when Comet is disabled."""

    def __init__(self, comet_config: Mapping[str, Any] = {"disabled": True}) -> None:
        self.disabled = comet_config["disabled"]
        self._experiment: Any = None
        if not self.disabled:
            try:
                import comet_ml
            except ImportError:
                raise ImportError(
                    "comet_config needs the package comet_ml, which is not installed; install it with 'pip install comet_ml'"
                ) from None
            settings = {key: value for key, value in comet_config.items() if key != "disabled"}
            self._experiment = comet_ml.start(**settings)

    def _call(self, method: str, *args: Any, **kwargs: Any) -> None:
        if self._experiment is not None:
            getattr(self._experiment, method)(*args, **kwargs)

    def end(self) -> None:
        """Ends the experiment."""
        self._call("end")

    def log_metric(self, tag: str, display_name: Optional[str], value: Any,
                   step: Optional[int] = None) -> None:  # fmt: skip
        self._call("log_metric", display_name or tag, value, step)

    def log_metrics(self, dic: Mapping[str, Any], prefix: Optional[str] = None,
                    step: Optional[int] = None) -> None:  # fmt: skip
        self._call("log_metrics", dict(dic), prefix, step)

    def log_parameters(self, parameters: Mapping[str, Any], prefix: Optional[str] = None,
                       step: Optional[int] = None) -> None:  # fmt: skip
        self._call("log_parameters", dict(parameters), prefix, step)

    def log_audio(self, audio_data: Any, sample_rate: Optional[int] = None,
                  file_name: Optional[str] = None, step: Optional[int] = None) -> None:  # fmt: skip
        self._call("log_audio", audio_data, sample_rate, file_name, step=step)

    def log_text(self, text: str, step: Optional[int] = None) -> None:
        self._call("log_text", text, step)

    def log_histogram(self, values: Any, name: Optional[str] = None,
                      step: Optional[int] = None) -> None:  # fmt: skip
        self._call("log_histogram_3d", values, name, step)

    def log_image_encoded(self, encoded_image_string: bytes, tag: str,
                          step: Optional[int] = None) -> None:  # fmt: skip
        """Logs a PNG or GIF file."""
        self._call("log_image", io.BytesIO(encoded_image_string), tag, step=step)

    def log_curve(self, name: str, x: Any, y: Any, step: Optional[int] = None) -> None:
        self._call("log_curve", name, list(x), list(y), step=step)

    def log_asset(self, file_data: Any, file_name: Optional[str] = None,
                  step: Optional[int] = None) -> None:  # fmt: skip
        """Logs a file, given by its path."""
        self._call("log_asset", file_data, file_name, step=step)

    def log_asset_data(self, data: Any, name: Optional[str] = None,
                       step: Optional[int] = None) -> None:  # fmt: skip
        """Logs values that are stored as a JSON file."""
        self._call("log_asset_data", json.dumps(data), name=name, step=step)

    def log_embedding(self, vectors: Any, labels: Any, image_data: Any = None,
                      title: str = "default") -> None:  # fmt: skip
        self._call("log_embedding", vectors, labels, image_data=image_data, title=title)
