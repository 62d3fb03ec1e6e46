"""TensorBoard's own loader reads our event files with the values that were logged."""

import io

import numpy as np
import pytest
from every_kind import TEXTS, WALL_TIME, canvas, images, ramp, sounds, vertices
from google.protobuf import text_format
from PIL import Image
from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.plugins.custom_scalar.layout_pb2 import Layout
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.util import tensor_util


@pytest.fixture(scope="module")
def run(logdir):
    """Returns the main run, with every value kept."""
    return load(logdir / "every_kind")


def load(directory) -> EventAccumulator:
    accumulator = EventAccumulator(str(directory), size_guidance={"tensors": 0})
    accumulator.Reload()
    return accumulator


def tensors(run, tag):
    """Returns {step: array} of a tag, after TensorBoard has converted it to a tensor."""
    return {event.step: tensor_util.make_ndarray(event.tensor_proto) for event in run.Tensors(tag)}


def picture(run, tag):
    width, height, encoded = tensors(run, tag)[1][:3]
    image = Image.open(io.BytesIO(encoded))
    assert (int(width), int(height)) == image.size
    return image


def test_scalars(run):
    events = run.Tensors("loss")
    assert [event.step for event in events] == list(range(10))
    assert [event.wall_time for event in events] == [WALL_TIME + step for step in range(10)]
    values = [float(value) for value in tensors(run, "loss").values()]
    assert values == [np.float32(1 / (step + 1)) for step in range(10)]


def test_scalars_that_are_not_finite(run):
    values = [float(value) for value in tensors(run, "odd").values()]
    assert np.isnan(values[0])
    assert values[1:] == [np.inf, -np.inf]


def test_tags_are_cleaned_and_labels_kept(run):
    assert float(tensors(run, "größe_in__")[3]) == -2.5
    metadata = run.SummaryMetadata("labelled")
    assert metadata.display_name == "Latency"
    assert metadata.summary_description == "milliseconds per **image**"
    assert metadata.plugin_data.plugin_name == "scalars"


@pytest.mark.parametrize("key, value", [("fp32", 0.75), ("int8", 0.5)])
def test_scalars_that_share_a_chart_are_runs(logdir, key, value):
    run = load(logdir / "every_kind" / "pair" / key)
    assert {step: float(v) for step, v in tensors(run, "pair").items()} == {5: value}


def test_histograms(run):
    for step in range(3):
        values = ramp(1000, 1000, 0.01, -5.0 + step)
        buckets = tensors(run, "weights")[step]
        assert buckets[:, 2].sum() == 1000
        assert buckets[0, 0] == np.float32(values.min())
        assert buckets[-1, 1] == np.float32(values.max())
        for left, right, count in buckets[1:-1]:
            # Limits are read back as float32, so a value at a limit may be on either side.
            inside = np.count_nonzero((values > left) & (values < right))
            assert abs(inside - count) <= 2


def test_histograms_that_were_counted_elsewhere(run):
    np.testing.assert_array_equal(
        tensors(run, "weights/raw as is")[2], [[-1, 0, 1], [0, 1, 2], [1, 3, 3]]
    )


@pytest.mark.parametrize("tag", ["image", "image/rgba", "image/figure"])
def test_images(run, tag):
    pixels, order = images()[tag]
    expected = pixels if order == "HWC" else pixels.transpose(1, 2, 0)
    np.testing.assert_array_equal(np.asarray(picture(run, tag)), expected)


def test_gray_images(run):
    pixels = (images()["image/gray"][0] * 255).astype(np.uint8)
    np.testing.assert_array_equal(
        np.asarray(picture(run, "image/gray").convert("RGB")), np.stack([pixels] * 3, axis=2)
    )


def test_a_batch_of_images_is_a_grid_of_eight_columns(run):
    batch = images()["image/batch"][0]
    grid = np.asarray(picture(run, "image/batch"))
    assert grid.shape == (8, 32, 3)
    for i, image in enumerate(batch):
        row, column = divmod(i, 8)
        tile = grid[row * 4 : row * 4 + 4, column * 4 : column * 4 + 4]
        np.testing.assert_array_equal(tile, image.transpose(1, 2, 0))
    assert not grid[4:, 8:].any()


def test_boxes_are_red_and_leave_the_rest_alone(run):
    drawn = np.asarray(picture(run, "image/boxes"))
    assert drawn[5, 10].tolist() == [255, 0, 0]
    changed = (drawn != canvas().transpose(1, 2, 0)).any(axis=2)
    assert changed.any()
    assert not changed[:3].any() and not changed[28:].any() and not changed[10:20, 8:17].any()


def test_videos_are_animations(run):
    video = picture(run, "image/video")
    assert video.format == "GIF"
    assert video.n_frames == 3


@pytest.mark.parametrize("tag", ["sound", "sound/stereo"])
def test_audio(run, tag):
    soundfile = pytest.importorskip("soundfile")
    samples, rate = sounds()[tag]
    encoded = tensors(run, tag)[1].reshape(-1)[0]
    decoded, decoded_rate = soundfile.read(io.BytesIO(encoded))
    assert decoded_rate == rate
    np.testing.assert_allclose(decoded, samples, atol=1.01 / 32768)


def test_text(run):
    texts = {step: value[0].decode() for step, value in tensors(run, "notes/text_summary").items()}
    assert texts == TEXTS


def test_pr_curves(run):
    labels = ramp(300, 2)
    predictions = ramp(300, 300, 1 / 299, dtype=np.float32)
    curve = tensors(run, "pr")[1]
    assert curve.shape == (6, 127)
    for i in range(127):
        chosen = np.floor(predictions * np.float32(126)) >= i
        assert curve[0, i] == np.count_nonzero(chosen & (labels == 1))
        assert curve[1, i] == np.count_nonzero(chosen & (labels == 0))
    assert tensors(run, "pr/weighted")[1].shape == (6, 11)
    assert tensors(run, "pr/raw")[1][0].tolist() == [75, 64, 21, 5, 0]


def test_meshes(run):
    np.testing.assert_array_equal(tensors(run, "mesh_1")[1], vertices())
    assert tensors(run, "mesh_2")[1].tolist() == [[[0, 1, 2], [0, 2, 3]]]
    assert tensors(run, "mesh_3")[1].shape == (1, 4, 3)
    assert list(tensors(run, "points_1")) == [2]


def test_custom_scalar_layouts(run):
    layout = Layout.FromString(tensors(run, "custom_scalars__config__")[0].item())
    (category,) = layout.category
    assert category.title == "quality"
    assert list(category.chart[0].multiline.tag) == ["loss", "pair"]
    series = category.chart[1].margin.series[0]
    assert (series.value, series.lower, series.upper) == ("loss", "odd", "labelled")


def test_hparams(logdir):
    run = load(logdir / "every_kind" / "trial_2")

    def plugin_data(name):
        metadata = run.SummaryMetadata(f"_hparams_/{name}")
        return HParamsPluginData.FromString(metadata.plugin_data.content)

    chosen = plugin_data("session_start_info").session_start_info.hparams
    assert chosen["bits"].number_value == 8
    assert chosen["symmetric"].bool_value is True
    assert chosen["observer"].string_value == "minmax"
    assert plugin_data("session_end_info").session_end_info.status == 1
    infos = plugin_data("experiment").experiment
    assert [info.name for info in infos.hparam_infos] == ["lr", "bits", "symmetric", "observer"]
    assert [info.name.tag for info in infos.metric_infos] == ["hparam/accuracy", "hparam/size"]
    assert float(tensors(run, "hparam/size")[2]) == 12.5


def test_graphs(run):
    graph = GraphDef.FromString(tensors(run, "__run_graph__")[0][0])
    assert [node.name for node in graph.node] == ["net/x", "net/conv"]
    conv = graph.node[1]
    assert (conv.op, list(conv.input), conv.device) == ("Conv", ["net/x"], "/device:CPU:0")
    assert list(conv.attr["strides"].list.i) == [1, 1]
    assert conv.attr["precision"].s == b"int8"
    assert [dim.size for dim in graph.node[0].attr["shape"].shape.dim] == [1, 3, 8, 8]
    assert graph.versions.producer == 22


def test_run_metadata(run):
    metadata = RunMetadata.FromString(tensors(run, "memory")[1][0])
    (device,) = metadata.step_stats.dev_stats
    (stats,) = device.node_stats
    assert stats.node_name == "net/conv"
    assert stats.memory[0].total_bytes == 4096
    assert [dim.size for dim in stats.output[0].tensor_description.shape.dim] == [1, 4, 8, 8]


def test_names_that_are_not_utf8_spoil_nothing(logdir):
    run = load(logdir / "hostile")
    bad = "bad\ufffd\ufffd"
    assert set(run.Tags()["tensors"]) == {
        "bad__",
        "bad__/histogram",
        f"{bad}/raw",
        "bad__/image",
        f"{bad}/boxes",
        f"{bad}/sound",
        f"{bad}/text/text_summary",
        f"{bad}/pr",
        f"{bad}/mesh_1",
        f"{bad}/metadata",
        "custom_scalars__config__",
        "written",
    }
    assert tensors(run, f"{bad}/text/text_summary")[0][0].decode() == bad
    assert run.SummaryMetadata("bad__").display_name == bad
    trial = load(logdir / "hostile" / "trial")
    start = trial.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    hparams = HParamsPluginData.FromString(start).session_start_info.hparams
    assert hparams[bad].string_value == bad


def test_an_embedding_cannot_add_fields_by_its_name(logdir):
    text = (logdir / "hostile" / "projector_config.pbtxt").read_text()
    (embedding,) = text_format.Parse(text, ProjectorConfig()).embeddings
    assert embedding.tensor_name == 'x"\n}\nembeddings {\ntensor_path: "/etc/passwd:00000'
    assert (logdir / "hostile" / embedding.tensor_path).read_text() == "0.0\n0.5\n1.0\n"
    metadata = (logdir / "hostile" / embedding.metadata_path).read_text()
    assert metadata == "tab here\nline break\nbad\ufffd\ufffd\n"
