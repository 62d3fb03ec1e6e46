"""Logs what the summary writers of TensorFlow 2 write: tensors with the metadata of their plugin.

    python write_with_tensorflow.py LOGDIR

TensorFlow itself is not needed. TensorBoard has the same functions without it (`histogram_pb` and
the like); images, sounds and curves, for which it has none, are put together here as tf.summary
does it: strings [width, height, PNG …], [[WAV, label] …] and rows of counts. `values1` holds
histograms of TensorFlow 1, whose outermost limits are the ends of the number range.
"""

import io

import logged
import numpy as np
import soundfile
from PIL import Image
from tensorboard.compat.proto import event_pb2, graph_pb2, summary_pb2
from tensorboard.plugins.audio import metadata as audio
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import metadata as custom_scalar
from tensorboard.plugins.histogram import summary_v2 as histogram
from tensorboard.plugins.hparams import api_pb2 as hparams_pb2
from tensorboard.plugins.hparams import metadata as hparams_metadata
from tensorboard.plugins.hparams import plugin_data_pb2 as hparams_data
from tensorboard.plugins.hparams import summary_v2 as hparams
from tensorboard.plugins.image import metadata as image
from tensorboard.plugins.mesh import metadata as mesh
from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData
from tensorboard.plugins.pr_curve import metadata as pr_curve
from tensorboard.plugins.projector import projector_config_pb2
from tensorboard.plugins.scalar import summary_v2 as scalar
from tensorboard.plugins.text import summary_v2 as text
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

KINDS = summary_pb2.DataClass


def tensor_summary(tag, value, metadata, data_class, dtype=None):
    metadata.data_class = data_class
    tensor = tensor_util.make_tensor_proto(value, dtype=dtype)
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, tensor=tensor, metadata=metadata)])


def png(pixels):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def image_summary(tag, encoded, width, height):
    metadata = image.create_summary_metadata(display_name=None, description=None)
    strings = np.array([str(width).encode(), str(height).encode(), *encoded], dtype=object)
    return tensor_summary(tag, strings, metadata, KINDS.DATA_CLASS_BLOB_SEQUENCE)


def audio_summary(tag, samples, rate):
    out = io.BytesIO()
    soundfile.write(out, samples, rate, format="WAV", subtype="PCM_16")
    metadata = audio.create_summary_metadata(
        display_name=None, description=None, encoding=audio.Encoding.Value("WAV"), converted_to_tensor=False
    )
    strings = np.array([[out.getvalue(), b""]], dtype=object)
    return tensor_summary(tag, strings, metadata, KINDS.DATA_CLASS_BLOB_SEQUENCE)


def pr_curve_summary(tag, labels, scores, thresholds=127):
    limits = np.arange(thresholds) / (thresholds - 1)
    above = scores[None] >= limits[:, None]
    true, false = (above & (labels == 1)).sum(1), (above & (labels == 0)).sum(1)
    positives, negatives = (labels == 1).sum(), (labels == 0).sum()
    precision = true / np.maximum(1e-7, true + false)
    rows = np.stack([true, false, negatives - false, positives - true, precision, true / positives])
    metadata = pr_curve.create_summary_metadata(display_name=None, description=None, num_thresholds=thresholds)
    return tensor_summary(tag, rows.astype(np.float32), metadata, KINDS.DATA_CLASS_TENSOR)


def mesh_summary(name, parts):
    types = {part: MeshPluginData.ContentType.Value(part) for part in parts}
    components = mesh.get_components_bitmask(list(types.values()))
    summary = summary_pb2.Summary()
    for part, numbers in parts.items():
        metadata = mesh.create_summary_metadata(
            name, None, types[part], components, numbers.shape, None, json_config="{}"
        )
        tag = mesh.get_instance_name(name, types[part])
        summary.value.add(tag=tag, tensor=tensor_util.make_tensor_proto(numbers), metadata=metadata)
    return summary


def layout_summary(layout):
    categories = [
        layout_pb2.Category(
            title=title,
            chart=[
                layout_pb2.Chart(title=name, multiline=layout_pb2.MultilineChartContent(tag=tags))
                for name, (_, tags) in charts.items()
            ],
        )
        for title, charts in layout.items()
    ]
    encoded = layout_pb2.Layout(category=categories).SerializeToString()
    return tensor_summary(
        custom_scalar.CONFIG_SUMMARY_TAG, np.array(encoded, dtype=object),
        custom_scalar.create_summary_metadata(), KINDS.DATA_CLASS_TENSOR,
    )  # fmt: skip


def old_histogram(tag, values):
    """Encodes a histogram like the C++ code of TensorFlow 1: empty bins are joined, up to the ends
    of the number range.
    """
    limits = [1e-12]
    while limits[-1] < 1e20:
        limits.append(limits[-1] * 1.1)
    largest = np.finfo(np.float64).max
    limits = [-largest, *(-limit for limit in reversed(limits)), 0, *limits, largest]
    counts = np.bincount(np.searchsorted(limits, values, side="right"), minlength=len(limits))
    proto = summary_pb2.HistogramProto(
        min=values.min(), max=values.max(), num=len(values), sum=values.sum(), sum_squares=values @ values
    )
    i = 0
    while i < len(limits):
        limit, count = limits[i], counts[i]
        i += 1
        while count == 0 and i < len(limits) and counts[i] == 0:
            limit = limits[i]
            i += 1
        proto.bucket_limit.append(limit)
        proto.bucket.append(count)
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, histo=proto)])


def graph():
    result = graph_pb2.GraphDef()
    for name, op, inputs in [("x", "Placeholder", []), ("w", "Const", []), ("product", "MatMul", ["x", "w"]), ("out", "Relu", ["product"])]:
        result.node.add(name=name, op=op, input=inputs)
    return result


def write_embedding(folder):
    """Writes the configuration of a projector and its files; checkpoints are not read here."""
    np.savetxt(folder / "tensors.tsv", logged.embedding(), delimiter="\t", fmt="%.9g")
    (folder / "metadata.tsv").write_text("\n".join(logged.embedding_labels()) + "\n")
    info = projector_config_pb2.EmbeddingInfo(
        tensor_name="points", tensor_path="tensors.tsv", metadata_path="metadata.tsv"
    )
    config = projector_config_pb2.ProjectorConfig(embeddings=[info])
    (folder / "projector_config.pbtxt").write_text(str(config))


def main():
    folder = logged.logdir()
    writer = EventFileWriter(str(folder))

    def write(summary, step=0):
        writer.add_event(event_pb2.Event(step=step, wall_time=1_700_000_000 + step, summary=summary))

    for step in logged.STEPS:
        for name, values in logged.distributions(step).items():
            write(histogram.histogram_pb(f"values/{name}", values), step)
            write(old_histogram(f"values1/{name}", values), step)
        for tag, value in logged.losses(step).items():
            write(scalar.scalar_pb(tag, value), step)
    pixels = logged.picture()
    write(image_summary("picture", [png(pixels)], 24, 16))
    write(image_summary("batch", [png(pixels)] * 3, 24, 16))
    write(image_summary("video", [logged.animation()], 12, 8))
    write(audio_summary("sound", logged.sound(), logged.SAMPLE_RATE))
    write(text.text_pb("note", logged.TEXT))
    write(mesh_summary("scan", {"VERTEX": logged.VERTICES, "FACE": logged.FACES, "COLOR": logged.COLORS}))
    write(pr_curve_summary("curve", logged.LABELS, logged.SCORES))
    write(layout_summary(logged.LAYOUT))
    writer.add_event(event_pb2.Event(wall_time=1_700_000_000, graph_def=graph().SerializeToString()))
    writer.close()
    write_embedding(folder)

    trial = EventFileWriter(str(folder / "trial"))
    start = hparams.hparams_pb(dict(logged.HPARAMS), trial_id="trial")
    trial.add_event(event_pb2.Event(wall_time=1_700_000_000, summary=start))
    for tag, value in logged.METRICS.items():
        trial.add_event(event_pb2.Event(wall_time=1_700_000_001, summary=scalar.scalar_pb(tag, value)))
    end = hparams_data.HParamsPluginData(
        session_end_info=hparams_data.SessionEndInfo(status=hparams_pb2.Status.Value("STATUS_SUCCESS"))
    )
    finished = hparams._summary_pb(hparams_metadata.SESSION_END_INFO_TAG, end)
    trial.add_event(event_pb2.Event(wall_time=1_700_000_002, summary=finished))
    trial.close()


if __name__ == "__main__":
    main()
