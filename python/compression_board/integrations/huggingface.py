"""A callback for the Trainer of Hugging Face's transformers.

    from compression_board.integrations.huggingface import CompressionBoardCallback

    Trainer(model, args, callbacks=[CompressionBoardCallback()], ...)

or, once per process, `register()`, and then TrainingArguments(report_to="compression_board").
"""

from __future__ import annotations

import os
from typing import Any, Optional

from transformers import TrainerCallback

from ..writer import SummaryWriter
from . import _values

NAME = "compression_board"


def _tag(name: str) -> str:
    """Returns the tag that the Trainer's TensorBoard callback uses: eval/loss, test/loss,
    train/loss.
    """
    for prefix in ("eval", "test"):
        if name.startswith(prefix + "_"):
            return f"{prefix}/{name[len(prefix) + 1:]}"
    return f"train/{name}"


class CompressionBoardCallback(TrainerCallback):
    """Logs everything that the Trainer logs: loss, learning rate, evaluation metrics, and its
    settings.

    Logs to `logdir`, or to the Trainer's `logging_dir`, or to `<output_dir>/runs`. If `writer` is
    given, it is used instead of a directory, and is not closed at the end. In a distributed
    training, only the main process logs.
    """

    def __init__(self, logdir: Optional[str] = None, writer: Optional[SummaryWriter] = None) -> None:
        self._logdir = logdir
        self._writer = writer
        self._owns_writer = writer is None
        self._settings: dict[str, Any] = {}

    def _directory(self, args: Any) -> str:
        return self._logdir or getattr(args, "logging_dir", None) or os.path.join(args.output_dir, "runs")

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not state.is_world_process_zero:
            return
        if self._writer is None:
            self._writer = SummaryWriter(self._directory(args))
        self._writer.add_text("args", f"```json\n{args.to_json_string()}\n```")
        model = kwargs.get("model")
        if getattr(model, "config", None) is not None:
            self._writer.add_text("model_config", f"```json\n{model.config.to_json_string()}\n```")

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if not state.is_world_process_zero or not logs:
            return
        if self._writer is None:  # evaluate() was called without train().
            self._writer = SummaryWriter(self._directory(args))
        for name, number in _values.scalars(logs):
            self._writer.add_scalar(_tag(name), number, state.global_step)
        self._writer.flush()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._writer is not None and self._owns_writer:
            self._writer.close()
            self._writer = None


def register() -> None:
    """Registers the callback for TrainingArguments(report_to="compression_board") in this process.
    """
    from transformers.integrations import integration_utils

    integration_utils.INTEGRATION_TO_CALLBACK[NAME] = CompressionBoardCallback
