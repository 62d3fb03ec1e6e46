"""Logs every kind that torch.utils.tensorboard has, with its defaults.

    python write_with_torch.py LOGDIR
"""

import importlib.util
import pathlib
import sys

# A distribution's PyTorch needs the NumPy that it was built with, which is installed beside it.
beside = str(pathlib.Path(importlib.util.find_spec("torch").origin).parent.parent)
sys.path.insert(0, beside)
import numpy as np  # noqa: E402

sys.path.remove(beside)

import logged  # noqa: E402
import torch  # noqa: E402
from tensorboard.compat.proto.summary_pb2 import Summary  # noqa: E402
from torch.utils.tensorboard import SummaryWriter, summary  # noqa: E402


class WithoutDtype:
    """Provides NumPy for PyTorch 1.13, whose call np.greater(…, dtype=int32) newer NumPys refuse.
    """

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def greater(a, b, dtype=None):
        return np.greater(a, b)


summary.np = WithoutDtype()


def main():
    writer = SummaryWriter(str(logged.logdir()))
    for step in logged.STEPS:
        for name, values in logged.distributions(step).items():
            writer.add_histogram(f"values/{name}", values, step)
        for tag, value in logged.losses(step).items():
            writer.add_scalar(tag, value, step)
    writer.add_image("picture", logged.picture(), 0, dataformats="HWC")
    writer.add_images("batch", np.stack([logged.picture()] * 3), 0, dataformats="NHWC")
    # add_video needs moviepy, and only prints this message.
    image = Summary.Image(height=8, width=12, colorspace=3, encoded_image_string=logged.animation())
    writer.file_writer.add_summary(Summary(value=[Summary.Value(tag="video", image=image)]), 0)
    writer.add_audio("sound", torch.from_numpy(logged.sound())[None], 0, sample_rate=logged.SAMPLE_RATE)
    writer.add_text("note", logged.TEXT, 0)
    writer.add_mesh(
        "scan", torch.from_numpy(logged.VERTICES), torch.from_numpy(logged.COLORS), torch.from_numpy(logged.FACES),
        global_step=0,
    )  # fmt: skip
    writer.add_pr_curve("curve", logged.LABELS, logged.SCORES, 0)
    writer.add_embedding(
        torch.from_numpy(logged.embedding()), metadata=logged.embedding_labels(), tag="points", global_step=0
    )
    writer.add_custom_scalars(logged.LAYOUT)
    writer.add_hparams(dict(logged.HPARAMS), dict(logged.METRICS), run_name="trial")
    writer.add_graph(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), torch.zeros(1, 3))
    writer.close()


if __name__ == "__main__":
    main()
