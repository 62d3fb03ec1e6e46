"""Every kind that can be logged reaches stock TensorBoard."""

import numpy as np
import pytest
from tensorboardX import SummaryWriter

STEP = 3


@pytest.fixture
def written(tmp_path, read):
    """Calls `log` with a writer and reads the run back."""

    def write(log):
        with SummaryWriter(str(tmp_path / "run")) as writer:
            log(writer)
        return read(tmp_path / "run")

    return write


@pytest.mark.parametrize(
    "value",
    [
        2,
        2.0,
        True + 1,
        np.float32(2),
        np.float64(2),
        np.int64(2),
        np.array(2),
        np.array([[2.0]]),
        [2],
    ],
    ids=lambda value: type(value).__name__,
)
def test_scalars_of_every_type(written, value):
    run = written(lambda w: w.add_scalar("s", value, STEP))
    assert run.scalars("s") == [(STEP, 2.0)]


def test_arguments_by_position_and_by_name_are_the_same(written):
    def log(w):
        w.add_scalar("a", 1.5, 7, 100.0)
        w.add_scalar(tag="a", scalar_value=1.5, global_step=7, walltime=100.0)
        w.add_scalar("a", walltime=100.0, scalar_value=1.5, **{"".join(["global", "_step"]): 7})

    first, second, third = written(log).events.Scalars("a")
    assert first == second == third


def test_labels_of_a_scalar_are_metadata(written):
    run = written(
        lambda w: w.add_scalar("s", 1.0, 1, display_name="Name", summary_description="Why")
    )
    metadata = run.events.SummaryMetadata("s")
    assert (metadata.display_name, metadata.summary_description) == ("Name", "Why")


def test_tags_are_cleaned_on_both_paths(written):
    def log(w):
        w.add_scalar("/a b:ü", 1.0, 1)
        w.add_scalar("/a b:ü", np.float32(2), 2)

    assert written(log).scalars("a_b_ü") == [(1, 1.0), (2, 2.0)]


def test_a_batch_of_points_is_one_call(written):
    run = written(lambda w: w.add_scalar_batch("s", np.arange(5) / 2, np.arange(5)))
    assert run.scalars("s") == [(i, i / 2) for i in range(5)]
    with pytest.raises(ValueError, match="5 values"):
        written(lambda w: w.add_scalar_batch("s", np.arange(5), np.arange(4)))


def test_scalars_of_a_group_are_runs_of_their_own(tmp_path, read):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalars("m/loss", {"train": 1.0, "val": np.float32(2)}, STEP)
        assert len(writer.scalar_dict) == 2
        writer.export_scalars_to_json(tmp_path / "all.json")
        assert writer.scalar_dict == {}
    assert read(tmp_path / "m/loss/val").scalars("m/loss") == [(STEP, 2.0)]


@pytest.mark.parametrize("bins", ["tensorflow", "auto", "fd", 10, [-1.0, 0.0, 1.0]])
def test_histograms_count_as_numpy(written, bins):
    values = np.random.default_rng(1).uniform(-1, 1, 1000).astype(np.float32)
    histogram = written(lambda w: w.add_histogram("h", values, STEP, bins)).events.Histograms("h")[
        0
    ]
    assert histogram.step == STEP
    assert histogram.histogram_value.num == sum(histogram.histogram_value.bucket) == 1000
    assert histogram.histogram_value.max == values.max()


@pytest.mark.parametrize("values", [
    np.arange(12.0).reshape(3, 4).T,                      # not contiguous
    np.arange(12, dtype=">f4"),                            # foreign byte order
    np.arange(24, dtype=np.float64)[::2],                  # strided
    np.frombuffer(b"\1\2\3", dtype=np.uint8),              # read-only
    np.arange(4, dtype=np.longdouble), [1, 2, 3], (1.5, 2.5), np.array([True, False]),
    np.arange(5, dtype=np.float16),
], ids=range(9))  # fmt: skip
def test_arrays_of_every_kind_are_taken(written, values):
    histogram = written(lambda w: w.add_histogram("h", values)).events.Histograms("h")[0]
    flat = np.asarray(values, dtype=np.float64).ravel()
    assert histogram.histogram_value.num == len(flat)
    assert histogram.histogram_value.sum == flat.sum()


def test_pictures_videos_and_sounds(written):
    def log(w):
        w.add_image("chw", np.random.rand(3, 8, 10), STEP)
        w.add_image("hw", np.zeros((8, 10), np.uint8), STEP, dataformats="HW")
        w.add_images("grid", np.random.rand(4, 3, 8, 10), STEP)
        w.add_images("list", [np.zeros((3, 8, 10))] * 2, STEP, dataformats="CHW")
        w.add_image_with_boxes(
            "boxes", np.zeros((3, 30, 30)), np.array([[1, 1, 20, 20]]), labels="x"
        )
        w.add_video("video", np.random.rand(1, 4, 3, 8, 10), STEP)
        w.add_audio("sound", np.sin(np.arange(1000) / 10), STEP)

    run = written(log)
    assert run.tags("images") == {"chw", "hw", "grid", "list", "boxes", "video"}
    image = run.events.Images("grid")[0]
    assert (image.width, image.height) == (40, 8)
    assert image.encoded_image_string.startswith(b"\x89PNG")
    assert run.events.Images("video")[0].encoded_image_string.startswith(b"GIF8")
    assert run.events.Audio("sound")[0].length_frames == 1000


def test_texts_curves_meshes_and_layouts(written):
    def log(w):
        w.add_text("text", "**bold**", STEP)
        w.add_pr_curve("pr", np.array([0, 1, 1]), np.array([0.1, 0.5, 0.9]), STEP)
        w.add_mesh("mesh", np.zeros((1, 4, 3)), config_dict={"camera": 1})
        w.add_custom_scalars({"category": {"chart": ["Multiline", ["a", "b"]]}})
        w.add_custom_scalars_marginchart(["a", "b", "c"])

    run = written(log)
    expected = {"text/text_summary", "pr", "mesh_1", "custom_scalars__config__"}
    assert run.tags("tensors") == expected
    text = run.events.Tensors("text/text_summary")[0].tensor_proto
    assert list(text.string_val) == [b"**bold**"]


def test_hparams_are_a_run_of_their_own(tmp_path, read):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_hparams(
            {"lr": 0.1, "bits": 8, "fused": True, "op": "adam"}, {"acc": 0.5}, name="t"
        )
    run = read(tmp_path / "t")
    assert run.scalars("acc") == [(0, 0.5)]
    names = run.events.PluginTagToContent("hparams")
    assert set(names) == {
        f"_hparams_/{n}" for n in ("experiment", "session_start_info", "session_end_info")
    }


def test_embeddings_are_the_projectors_files(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_embedding(np.eye(4), ["a", "b", "c", "d"], np.zeros((4, 3, 8, 8)), 1, "points")
    assert (tmp_path / "00001/points/tensors.tsv").read_text().count("\n") == 4
    assert (tmp_path / "00001/points/sprite.png").read_bytes().startswith(b"\x89PNG")
    assert 'tensor_name: "points:00001"' in (tmp_path / "projector_config.pbtxt").read_text()


def test_messages_of_tensorboardx_and_of_tensorboard_live_together():
    import tensorboard.compat.proto.summary_pb2 as theirs
    from tensorboardX import summary
    from tensorboardX.proto import event_pb2, plugin_hparams_pb2, summary_pb2

    message = summary.histogram("h", np.arange(10.0), "auto")
    assert isinstance(message, summary_pb2.Summary)
    assert theirs.Summary.FromString(message.SerializeToString()).value[0].histo.num == 10
    assert event_pb2.SessionLog.START == 1
    data = plugin_hparams_pb2.HParamsPluginData()
    data.session_start_info.hparams["lr"].number_value = 0.1
    assert data.SerializeToString().startswith(b"\x1a\x11\n\x0f\n\x02lr")


def test_a_replaced_add_event_sees_every_event(tmp_path):
    from unittest import mock

    with mock.patch("tensorboardX.event_file_writer.EventFileWriter.add_event") as seen:
        with SummaryWriter(str(tmp_path)) as writer:
            writer.add_scalar("s", 1.0, 5, 9.0)
            writer.add_text("t", "x", 6)
            with writer.use_metadata(global_step=7, walltime=8.0):
                writer.add_scalar("s", 1.0)
    steps = [(call.args[0].step, call.args[0].wall_time) for call in seen.call_args_list]
    assert steps[0] == (5, 9.0) and steps[1][0] == 6 and steps[2] == (7, 8.0)


def test_add_event_may_be_replaced_and_restored_at_any_time(tmp_path, read):
    from unittest import mock

    with SummaryWriter(str(tmp_path)) as writer:
        for round in range(3):
            writer.add_scalar("direct", round, 2 * round)
            with mock.patch("tensorboardX.event_file_writer.EventFileWriter.add_event") as seen:
                writer.add_scalar("seen", round, round)
            assert [call.args[0].step for call in seen.call_args_list] == [round]
            writer.add_scalar("direct", round, 2 * round + 1)
    run = read(tmp_path)
    assert run.tags() == {"direct"}
    assert [step for step, _ in run.scalars("direct")] == list(range(6))


def test_add_scalar_may_be_replaced_on_a_class_and_on_an_object(tmp_path, monkeypatch):
    seen = []
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("s", 1.0, 1)
        monkeypatch.setattr(SummaryWriter, "add_scalar", lambda self, *args: seen.append(args))
        writer.add_scalar("class", 1.0, 2)
        writer.add_scalar = lambda *args: seen.append(args)
        writer.add_scalar("object", 1.0, 3)
    assert [args[0] for args in seen] == ["class", "object"]
