"""Nothing that was logged is lost: forks, exits, many processes; and misuse is told in Python."""

import subprocess
import sys

import numpy as np
import pytest
from tensorboardX import FileWriter, GlobalSummaryWriter, SummaryWriter


def test_a_program_that_never_closes_loses_nothing(python, tmp_path, read):
    python("from tensorboardX import SummaryWriter\nw = SummaryWriter('run')\n"
           "for i in range(1000): w.add_scalar('s', i, i)")  # fmt: skip
    assert len(read(tmp_path / "run").scalars("s")) == 1000


def test_children_of_a_fork_write_to_the_same_file(python, tmp_path, read):
    python("""
import multiprocessing as mp
from tensorboardX import SummaryWriter
mp.set_start_method("fork")
writer = SummaryWriter("run")
writer.add_scalar("s", 0, 0)
def work(i):
    for k in range(100):
        writer.add_scalar("s", i, 100 * i + k)
        if k % 50 == 0: writer.add_text("t", "child", i)
children = [mp.Process(target=work, args=(i,)) for i in range(1, 5)]
for child in children: child.start()
for k in range(100): writer.add_scalar("parent", k, k)
for child in children: child.join()
writer.close()
""")
    assert len(list((tmp_path / "run").iterdir())) == 1
    run = read(tmp_path / "run")
    assert sorted(step for step, _ in run.scalars("s")) == [0, *range(100, 500)]
    assert len(run.scalars("parent")) == 100
    assert len(run.events.Tensors("t/text_summary")) == 8


def test_eight_processes_share_a_directory(tmp_path, read):
    code = ("import sys; from tensorboardX import SummaryWriter; w = SummaryWriter('run');\n"
            "for k in range(50): w.add_scalar('p' + sys.argv[1], k, k)")  # fmt: skip
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(i)], cwd=tmp_path) for i in range(8)
    ]
    assert [process.wait() for process in running] == [0] * 8
    run = read(tmp_path / "run")
    assert all(len(run.scalars(f"p{i}")) == 50 for i in range(8))


def test_global_writer_counts_steps_across_processes(tmp_path, read):
    import multiprocessing

    writer = GlobalSummaryWriter(str(tmp_path))
    fork = multiprocessing.get_context("fork")
    children = [
        fork.Process(target=lambda: [writer.add_scalar("s", 1.0) for _ in range(10)])
        for _ in range(3)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    writer.add_scalar("s", 2.0)
    writer.close()
    assert sorted(step for step, _ in read(tmp_path).scalars("s")) == list(range(31))


def test_a_closed_summary_writer_goes_on_in_a_new_file(tmp_path, read):
    writer = SummaryWriter(str(tmp_path))
    writer.add_scalar("s", 1.0, 1)
    writer.close()
    writer.close()
    assert writer.file_writer is None
    writer.add_scalar("s", 2.0, 2)
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2
    assert read(tmp_path).scalars("s") == [(1, 1.0), (2, 2.0)]


def test_a_closed_file_writer_drops_silently(tmp_path):
    writer = FileWriter(str(tmp_path))
    writer.close()
    writer.add_serialized_summary(b"", 1)


def test_write_to_disk_false_writes_nothing(tmp_path):
    with SummaryWriter(str(tmp_path / "none"), write_to_disk=False) as writer:
        writer.add_scalar("s", 1.0)
        writer.add_image("i", np.zeros((3, 4, 4)))
        writer.add_scalars("g", {"a": 1.0, "b": 2.0})
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5})
    assert not (tmp_path / "none").exists()


def test_purge_step_is_announced(tmp_path):
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    with SummaryWriter(str(tmp_path), purge_step=5):
        pass
    (file,) = tmp_path.iterdir()
    assert [event.step for event in EventFileLoader(str(file)).Load()] == [0, 5, 5]


def test_default_directory_has_date_host_and_comment(python, tmp_path):
    python("from tensorboardX import SummaryWriter; SummaryWriter(comment='_lr1').close()")
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.endswith("_lr1")


class LyingBuffer:
    __array_interface__ = {"shape": (10,), "typestr": "<f4", "data": (0, False), "version": 3}


@pytest.mark.parametrize("call, error", [
    (lambda w: w.add_scalar("s", [1, 2]), AssertionError),
    (lambda w: w.add_scalar("s", "text"), NotImplementedError),
    (lambda w: w.add_scalar("s"), TypeError),
    (lambda w: w.add_scalar("s", 1.0, nonsense=1), TypeError),
    (lambda w: w.add_scalar("s", 1.0, tag="t"), TypeError),
    (lambda w: w.add_scalar(5, 1.0), TypeError),
    (lambda w: w.add_scalar("s", 1.0, 1 << 80), (OverflowError, TypeError)),
    (lambda w: w.add_histogram("h", []), ValueError),
    (lambda w: w.add_histogram("h", np.zeros(3, dtype=complex)), TypeError),
    (lambda w: w.add_histogram("h", ["a"]), TypeError),
    (lambda w: w.add_histogram("h", np.zeros(3), bins="best"), ValueError),
    (lambda w: w.add_histogram("h", LyingBuffer()), Exception),
    (lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="CH"), AssertionError),
    (lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="CCW"), AssertionError),
    (lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="XYZ"), ValueError),
    (lambda w: w.add_image("i", np.zeros((7, 4, 4))), ValueError),
    (lambda w: w.add_audio("a", np.zeros((3, 3, 3))), ValueError),
    (lambda w: w.add_hparams({"a": object()}, {"m": 1.0}), ValueError),
    (lambda w: w.add_hparams([], {}), TypeError),
    (lambda w: w.add_mesh("m", np.zeros((4, 3))), ValueError),
    (lambda w: w.add_scalars("../../out", {"a": 1.0}), ValueError),
    (lambda w: w.add_onnx_graph("none.onnx"), FileNotFoundError),
    (lambda w: w.add_histogram_raw("h", 0, 1, 2, 3, 4, [1], [1, 2]), ValueError),
    (lambda w: w.add_embedding(np.zeros(3)), AssertionError),
], ids=range(24))  # fmt: skip
def test_misuse_is_a_python_exception(tmp_path, call, error):
    with SummaryWriter(str(tmp_path)) as writer, pytest.raises(error):
        call(writer)


def test_a_directory_that_cannot_be_made_is_an_oserror(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        SummaryWriter(str(tmp_path / "file" / "run"))
