"""Logs every kind that tensorboardX has, with its defaults.

    python write_with_tensorboardx.py LOGDIR
"""

import tempfile

import logged
import numpy as np
import onnx
from tensorboardX import SummaryWriter
from tensorboardX.proto.summary_pb2 import Summary


def model_file(folder):
    node = onnx.helper.make_node("Relu", ["x"], ["y"], name="activation")
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 3]) for name in "xy")
    path = f"{folder}/model.onnx"
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([node], "graph", [x], [y])), path)
    return path


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
    writer.add_audio("sound", logged.sound(), 0, sample_rate=logged.SAMPLE_RATE)
    writer.add_text("note", logged.TEXT, 0)
    writer.add_mesh("scan", logged.VERTICES, colors=logged.COLORS, faces=logged.FACES, global_step=0)
    writer.add_pr_curve("curve", logged.LABELS, logged.SCORES, 0)
    writer.add_embedding(logged.embedding(), metadata=logged.embedding_labels(), tag="points", global_step=0)
    writer.add_custom_scalars(logged.LAYOUT)
    writer.add_hparams(dict(logged.HPARAMS), dict(logged.METRICS), name="trial")
    with tempfile.TemporaryDirectory() as folder:
        writer.add_onnx_graph(model_file(folder))
    writer.close()


if __name__ == "__main__":
    main()
