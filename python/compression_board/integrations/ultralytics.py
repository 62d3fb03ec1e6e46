"""Callbacks for Ultralytics' YOLO.

    from compression_board.integrations.ultralytics import add_callbacks

    model = YOLO("yolov8n.yaml")
    add_callbacks(model)
    model.train(data="coco8.yaml")
"""

from __future__ import annotations

from typing import Any, Optional

from ..writer import SummaryWriter
from . import _values


def add_callbacks(model: Any, logdir: Optional[str] = None) -> None:
    """Logs losses, learning rates and validation metrics of every epoch of model.train().

    Logs to `logdir`, or to the directory that Ultralytics chooses for the training. After the last
    epoch, Ultralytics validates the best weights again. The metrics of this validation are logged
    as best/<metric>, because they belong to no epoch.
    """
    writers: list[SummaryWriter] = []
    is_epoch = False  # Whether an epoch was trained since the last validation.

    def on_start(trainer: Any) -> None:
        writers.append(SummaryWriter(logdir or str(trainer.save_dir)))
        writers[-1].add_text("args", f"```yaml\n{_yaml(vars(trainer.args))}\n```")

    def on_train_epoch_end(trainer: Any) -> None:
        nonlocal is_epoch
        is_epoch = True
        losses = trainer.label_loss_items(trainer.tloss, prefix="train")
        for name, number in _values.scalars({**losses, **trainer.lr}):
            writers[-1].add_scalar(name, number, trainer.epoch + 1)

    def on_fit_epoch_end(trainer: Any) -> None:
        nonlocal is_epoch
        prefix, step = ("", trainer.epoch + 1) if is_epoch else ("best/", trainer.epochs)
        for name, number in _values.scalars(trainer.metrics):
            writers[-1].add_scalar(prefix + name, number, step)
        is_epoch = False
        writers[-1].flush()

    def on_train_end(trainer: Any) -> None:
        writers.pop().close()

    for event, function in (
        ("on_pretrain_routine_end", on_start),
        ("on_train_epoch_end", on_train_epoch_end),
        ("on_fit_epoch_end", on_fit_epoch_end),
        ("on_train_end", on_train_end),
    ):
        model.add_callback(event, function)


def _yaml(settings: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in sorted(settings.items()))
