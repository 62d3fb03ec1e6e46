"""The hooks of TuningLogger as two functions, for programs that cannot store a logger."""

from __future__ import annotations

from typing import Any, Optional

from .logger import TrialReport, TuningLogger

_logger: Optional[TuningLogger] = None


def pre_eval_hook(model: Any, white_list: Any = None, **options: Any) -> Any:
    """Calls TuningLogger().pre_eval_hook(model, white_list, **options), with one logger for all
    calls.
    """
    global _logger
    if _logger is None:
        _logger = TuningLogger()
    return _logger.pre_eval_hook(model, white_list, **options)


def post_eval_hook(model: Any, accuracy: Any = None, input: Any = None) -> TrialReport:
    """Calls post_eval_hook of that logger. Raises RuntimeError if pre_eval_hook was not called."""
    if _logger is None:
        raise RuntimeError("no evaluation is running; call pre_eval_hook before post_eval_hook")
    return _logger.post_eval_hook(model, accuracy, input)
