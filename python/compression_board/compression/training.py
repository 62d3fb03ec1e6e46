"""Logs a training, epoch by epoch.

with TrainingLogger('alexnet', logdir='runs/training') as logger:
    for epoch in range(epochs):
        ...
        logger.log_epoch(epoch, train_loss, train_acc, train_f1, val_loss, val_acc, val_f1)
"""

from __future__ import annotations

import os
from typing import Any, Optional

from ..tensors import to_float
from ..writer import SummaryWriter


class TrainingLogger:
    """Logs to `writer` if it is given, otherwise to the directory `logdir` or, by default,
    runs/training/<model_name>.
    """

    def __init__(self, model_name: str, writer: Optional[SummaryWriter] = None,
                 logdir: Optional[str] = None) -> None:  # fmt: skip
        self.model_name = model_name
        self.writer = writer or SummaryWriter(
            logdir or os.path.join("runs", "training", model_name)
        )
        self.best_val_f1 = 0.0
        self.best_epoch = 0

    def tag_for(self, rest: str) -> str:
        """Returns the tag of one value. Override this method to use other tags."""
        return f"{self.model_name}/{rest}"

    def _scalar(self, rest: str, value: Any, step: int) -> None:
        if value is not None:
            self.writer.add_scalar(self.tag_for(rest), value, step)

    def log_epoch(self, epoch: int, train_loss: float, train_acc: float, train_f1: float,
                  val_loss: float, val_acc: float, val_f1: float,
                  train_sensitivity: Optional[float] = None,
                  train_specificity: Optional[float] = None,
                  val_sensitivity: Optional[float] = None,
                  val_specificity: Optional[float] = None,
                  learning_rate: Optional[float] = None) -> None:  # fmt: skip
        """Logs all metrics of one epoch and keeps the best validation F1 score with its epoch."""
        for name, train, val in (
            ("loss", train_loss, val_loss),
            ("accuracy", train_acc, val_acc),
            ("f1_score", train_f1, val_f1),
        ):
            self._scalar(f"training/{name}", train, epoch)
            self._scalar(f"validation/{name}", val, epoch)
            self.writer.add_scalars(self.tag_for(name), {"train": train, "val": val}, epoch)
        self._scalar("training/sensitivity", train_sensitivity, epoch)
        self._scalar("training/specificity", train_specificity, epoch)
        self._scalar("validation/sensitivity", val_sensitivity, epoch)
        self._scalar("validation/specificity", val_specificity, epoch)
        self._scalar("training/learning_rate", learning_rate, epoch)
        if to_float(val_f1) > self.best_val_f1:
            self.best_val_f1, self.best_epoch = to_float(val_f1), epoch

    def log_early_stopping(
        self, epoch: int, patience: int, min_delta: float, stopped: bool
    ) -> None:
        """Logs the settings of early stopping, whether training has stopped, and the best epoch so
        far.
        """
        self._scalar("training/early_stopping_patience", patience, epoch)
        self._scalar("training/early_stopping_min_delta", min_delta, epoch)
        self._scalar("training/early_stopped", 1 if stopped else 0, epoch)
        self._scalar("training/best_epoch", self.best_epoch, epoch)
        self._scalar("training/best_val_f1", self.best_val_f1, epoch)

    def log_training_summary(self, total_epochs: int, final_train_loss: float,
                             final_train_acc: float, final_train_f1: float, final_val_loss: float,
                             final_val_acc: float, final_val_f1: float,
                             early_stopped: bool = False) -> None:  # fmt: skip
        """Logs the final metrics: a text at step `total_epochs`, scalars at the step after it."""
        train = (final_train_loss, final_train_acc, final_train_f1)
        val = (final_val_loss, final_val_acc, final_val_f1)
        lines = [f"# Training Summary: {self.model_name}", "",
                 f"- **Total Epochs:** {total_epochs}",
                 f"- **Early Stopped:** {'Yes' if early_stopped else 'No'}",
                 f"- **Best Epoch:** {self.best_epoch}",
                 f"- **Best Val F1:** {self.best_val_f1:.4f}", ""]  # fmt: skip
        for title, figures in (("Final Training", train), ("Final Validation", val)):
            names = zip(("Loss", "Accuracy", "F1 Score"), figures)
            lines += [f"## {title}", *(f"- **{n}:** {to_float(v):.4f}" for n, v in names), ""]
        self.writer.add_text(self.tag_for("training/summary"), "\n".join(lines), total_epochs)
        for name, of_train, of_val in zip(("loss", "acc", "f1"), train, val):
            self._scalar(f"training/final_train_{name}", of_train, total_epochs + 1)
            self._scalar(f"validation/final_val_{name}", of_val, total_epochs + 1)

    def close(self) -> None:
        """Flushes and closes the writer."""
        self.writer.close()

    def __enter__(self) -> "TrainingLogger":
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


def create_training_logger(model_name: str, logdir: Optional[str] = None) -> TrainingLogger:
    """Returns TrainingLogger(model_name, logdir=logdir)."""
    return TrainingLogger(model_name, logdir=logdir)
