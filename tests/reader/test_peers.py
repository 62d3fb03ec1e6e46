"""Logs of other programs are read completely, with the same values as in TensorBoard."""

import os

import numpy as np
import pytest
from exported import check_run, export
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter


def summary_event(step, wall_time, *values):
    return event_pb2.Event(step=step, wall_time=wall_time, summary=summary_pb2.Summary(value=values))


def session_start(step):
    return event_pb2.Event(
        step=step, wall_time=5, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START))


def scalar(tag, value):
    return summary_pb2.Summary.Value(tag=tag, simple_value=value)


def tensor_scalar(tag, dtype, content):
    value = summary_pb2.Summary.Value(tag=tag)
    value.metadata.plugin_data.plugin_name = "scalars"
    value.tensor.CopyFrom(tensor_pb2.TensorProto(dtype=dtype, tensor_content=content))
    return value


def write(directory, *events):
    writer = EventFileWriter(str(directory))
    for event in events:
        writer.add_event(event)
    writer.close()


def check(logdir):
    kinds = set()
    runs = export(logdir)
    assert set(runs) == {str(path.parent.relative_to(logdir)) for path in logdir.rglob("*tfevents*")}
    for run, tags in runs.items():
        kinds |= check_run(tags, logdir / run)
    return kinds


def test_stock_writer(tmp_path):
    random = np.random.default_rng(1)
    write(
        tmp_path / "run",
        *(summary_event(step, 1e9 + random.random(),
                        scalar("loss", random.normal()), scalar(f"tag {step % 3}", step * 1e30))
          for step in range(500)),
        *(summary_event(step, 2e9, tensor_scalar("double", 2, np.float64(0.1 * step).tobytes()),
                        tensor_scalar("int64", 9, np.int64(-step).tobytes()),
                        tensor_scalar("half", 19, np.float16(step % 100 / 3).tobytes()))
          for step in (5, 3, 2**40, -7)),
        summary_event(1, 1, scalar("odd", float("nan")), scalar("odder", float("-inf"))),
    )
    assert check(tmp_path) == {"scalar"}


def test_several_files_of_a_run(tmp_path):
    for part in range(3):
        write(tmp_path / "run", *(summary_event(step, step, scalar("loss", step))
                                  for step in range(part * 10, part * 10 + 10)))
    (run,) = export(tmp_path).values()
    assert run["loss"]["steps"] == list(range(30))
    check(tmp_path)


@pytest.mark.parametrize("starts", [(0, 5), (5,), (0, 5, 3), (7, 7, 0)])
def test_restarts_make_the_same_points_void(tmp_path, starts):
    for start in starts:
        write(tmp_path / "run", session_start(start),
              *(summary_event(step, step, scalar("loss", step + start / 100), scalar("acc", step))
                for step in range(start, start + 8)))
    check(tmp_path)


def test_steps_that_go_back_in_files_without_a_version(tmp_path):
    from tensorboard.summary.writer.record_writer import RecordWriter

    (tmp_path / "run").mkdir()
    with open(tmp_path / "run" / "events.out.tfevents.1", "wb") as file:
        writer = RecordWriter(file)
        # TensorBoard's two loaders differ for steps that rise again below an earlier step; these
        # logs avoid that.
        for step in (1, 2, 3, 4, 2, 3, 9, 4):
            values = [scalar("a", step)] + ([scalar("b", step)] if step % 2 else [])
            writer.write(summary_event(step, step, *values).SerializeToString())
    check(tmp_path)


def log_histogram(writer, tag, values, step):
    """Logs a histogram as the writer does, or with buckets counted here: older PyTorch's own
    counting does not work with NumPy 2."""
    try:
        writer.add_histogram(tag, values, step)
    except TypeError:
        counts, limits = np.histogram(values, 30)
        writer.add_histogram_raw(tag, values.min(), values.max(), values.size, values.sum(),
                                 (values**2).sum(), limits[1:].tolist(), counts.tolist(), step)


def log_everything(writer, vertices):
    """Common parts of tensorboardX and PyTorch."""
    random = np.random.default_rng(2)
    for step in range(20):
        writer.add_scalar("loss", 1 / (step + 1), step, walltime=1e9 + step)
        writer.add_scalars("group", {"fp32": step, "int8": -step}, step, walltime=1e9 + step)
        log_histogram(writer, "weights", random.normal(size=1000), step)
    writer.add_image("image", random.random((3, 8, 8)), 1)
    writer.add_images("images", random.random((4, 3, 8, 8)), 2)
    writer.add_text("notes", "größe **bold**", 3)
    writer.add_pr_curve("pr", random.integers(2, size=100), random.random(100), 4)
    writer.add_mesh("mesh", vertices=vertices)
    writer.add_custom_scalars({"quality": {"loss": ["Multiline", ["loss", "group"]]}})
    writer.add_hparams({"lr": 0.1, "bits": 8, "observer": "minmax"}, {"accuracy": 0.9})


EVERYTHING = {"scalar", "histogram", "image", "text", "pr_curve", "mesh", "custom_scalars", "hparams"}


def test_tensorboardx(tmp_path):
    tensorboardx = pytest.importorskip("tensorboardX")
    with tensorboardx.SummaryWriter(str(tmp_path / "run")) as writer:
        log_everything(writer, np.random.default_rng(3).random((1, 4, 3)).astype(np.float32))
    assert check(tmp_path) == EVERYTHING


def test_pytorch(tmp_path):
    torch = pytest.importorskip("torch")
    tensorboard = pytest.importorskip("torch.utils.tensorboard")
    with tensorboard.SummaryWriter(str(tmp_path / "run")) as writer:
        log_everything(writer, torch.rand(1, 4, 3))
        writer.add_graph(torch.nn.Linear(3, 2), torch.rand(1, 3))
    assert check(tmp_path) >= EVERYTHING | {"graph"}


def test_tensorflow(tmp_path):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = pytest.importorskip("tensorflow")
    with tf.summary.create_file_writer(str(tmp_path / "run")).as_default():
        for step in range(10):
            tf.summary.scalar("loss", 0.5**step, step=step)
            tf.summary.histogram("weights", tf.random.normal([100]), step=step)
        tf.summary.image("image", tf.random.uniform([2, 8, 8, 3]), step=1)
        tf.summary.text("notes", "hello", step=1)
    assert check(tmp_path) == {"scalar", "histogram", "image", "text"}
