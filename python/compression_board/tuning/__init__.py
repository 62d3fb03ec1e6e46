"""Logs an accuracy-driven tuning: first the float model, then every quantized trial.

    from compression_board import TuningLogger

    logger = TuningLogger()                       # runs/eval
    model = logger.pre_eval_hook(model)
    accuracy = evaluate(model)
    logger.post_eval_hook(model, accuracy=accuracy, input=images)
"""

from .hooks import post_eval_hook, pre_eval_hook
from .logger import Evaluation, TrialReport, TuningLogger
from .torch_models import fused_modules

__all__ = [
    "Evaluation",
    "TrialReport",
    "TuningLogger",
    "fused_modules",
    "post_eval_hook",
    "pre_eval_hook",
]
