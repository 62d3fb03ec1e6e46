"""No logged event is lost: forks, exits, threads, many processes."""

import re
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


def test_a_child_whose_record_does_not_fit_leaves_nothing_of_it(python, tmp_path, read):
    # A limit on the size of files stands in for a full disk, in the child alone.
    python("""
import multiprocessing as mp, os, resource, signal
from tensorboardX import SummaryWriter
mp.set_start_method("fork")
writer = SummaryWriter("run")
writer.add_scalar("s", 0, 0)
writer.flush()
def work():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    try:
        writer.add_text("t", "x" * 600_000, 0)
    except OSError:
        os._exit(3)
child = mp.Process(target=work)
child.start()
child.join()
assert child.exitcode == 3, child.exitcode
for k in range(1, 3000): writer.add_scalar("s", k, k)
writer.close()
""")
    assert [step for step, _ in read(tmp_path / "run").scalars("s")] == list(range(3000))
    (path,) = (tmp_path / "run").iterdir()
    assert path.stat().st_size < 200_000


def test_a_forked_child_loses_nothing_of_a_sub_run_that_it_opens(python, tmp_path, read):
    python("""
import os
from tensorboardX import SummaryWriter
writer = SummaryWriter("run")
writer.add_scalars("shared", {"a": 1.0}, 1)
child = os.fork()
if child == 0:
    writer.add_scalars("shared", {"a": 2.0}, 2)
    writer.add_scalars("new", {"b": 3.0}, 3)
    writer.add_hparams({"bits": 8}, {"accuracy": 0.5}, name="trial")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
writer.close()
""")
    assert len(list((tmp_path / "run/shared/a").iterdir())) == 1
    assert sorted(read(tmp_path / "run/shared/a").scalars("shared")) == [(1, 1.0), (2, 2.0)]
    assert read(tmp_path / "run/new/b").scalars("new") == [(3, 3.0)]
    assert read(tmp_path / "run/trial").scalars("accuracy") == [(0, 0.5)]


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
    (path,) = tmp_path.iterdir()
    before = path.read_bytes()
    writer.add_serialized_summary(b"", 1)
    assert [path] == list(tmp_path.iterdir()) and path.read_bytes() == before


def test_write_to_disk_false_writes_nothing(tmp_path):
    with SummaryWriter(str(tmp_path / "none"), write_to_disk=False) as writer:
        writer.add_scalar("s", 1.0)
        writer.add_image("i", np.zeros((3, 4, 4)))
        writer.add_scalars("g", {"a": 1.0, "b": 2.0})
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5})
        writer.add_embedding(np.zeros((2, 2)))
        writer.add_histogram("h", np.zeros(3))
        assert set(writer.scalar_dict) == {str(tmp_path / "none/g/a"), str(tmp_path / "none/g/b")}
    assert not (tmp_path / "none").exists()


def test_purge_step_is_announced(tmp_path):
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    with SummaryWriter(str(tmp_path), purge_step=5):
        pass
    (file,) = tmp_path.iterdir()
    assert [event.step for event in EventFileLoader(str(file)).Load()] == [0, 5, 5]


def test_purge_step_is_announced_once_for_each_run(tmp_path, read):
    """A second announcement would delete the points that were logged between the two."""
    writer = SummaryWriter(str(tmp_path), purge_step=5)
    for step in (5, 6):
        writer.add_scalar("s", step, step)
        writer.add_scalars("g", {"k": step}, step)
        writer.close()
    assert read(tmp_path).scalars("s") == [(5, 5.0), (6, 6.0)]
    assert read(tmp_path / "g/k").scalars("g") == [(5, 5.0), (6, 6.0)]


def test_default_directory_has_date_host_and_comment(python, tmp_path):
    python("from tensorboardX import SummaryWriter; SummaryWriter(comment='_lr1').close()")
    (run,) = (tmp_path / "runs").iterdir()
    assert re.fullmatch(r"[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_.+_lr1", run.name)


def test_a_fork_in_the_middle_loses_nothing_that_was_logged_before(python, tmp_path, read):
    python("""
import os
from tensorboardX import SummaryWriter
writer = SummaryWriter("run")
for k in range(5000): writer.add_scalar("before", k, k)  # Still in memory.
child = os.fork()
if child == 0:
    for k in range(100): writer.add_scalar("child", k, k)
    os._exit(0)  # Without any clean-up, as multiprocessing ends its children.
for k in range(5000): writer.add_scalar("after", k, k)
assert os.waitpid(child, 0)[1] == 0
""")
    run = read(tmp_path / "run")
    for tag, count in (("before", 5000), ("child", 100), ("after", 5000)):
        assert [step for step, _ in run.scalars(tag)] == list(range(count))


def test_eight_forked_processes_with_writers_of_their_own(python, tmp_path, read):
    python("""
import multiprocessing as mp
from tensorboardX import SummaryWriter
def work(i):
    with SummaryWriter("run") as writer:
        for k in range(200): writer.add_scalar(f"p{i}", k, k)
context = mp.get_context("fork")
mine = SummaryWriter("run")
children = [context.Process(target=work, args=(i,)) for i in range(8)]
for child in children: child.start()
for child in children:
    child.join()
    assert child.exitcode == 0
mine.add_scalar("mine", 1, 1)
""")
    assert len(list((tmp_path / "run").iterdir())) == 9
    run = read(tmp_path / "run")
    assert all(len(run.scalars(f"p{i}")) == 200 for i in range(8))
    assert run.scalars("mine") == [(1, 1.0)]


@pytest.mark.parametrize("end", [
    "raise SystemExit(3)",
    "raise ValueError('training failed')",
    "import threading; threading.Thread(target=lambda: writer.add_scalar('s', 1, 1000)).start()",
    "import atexit; atexit.register(lambda: None); del SummaryWriter",
    "import gc; writer.me = writer; del writer; gc.collect()",
], ids=["exit", "exception", "thread", "atexit", "cycle"])  # fmt: skip
def test_however_a_program_ends_nothing_is_lost(python, tmp_path, read, end):
    done = python(
        "from tensorboardX import SummaryWriter\nwriter = SummaryWriter('run')\n"
        f"for i in range(1000): writer.add_scalar('s', i, i)\n{end}",
        check=False,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    run = read(tmp_path / "run")
    assert [step for step, _ in run.scalars("s")][:1000] == list(range(1000))


def test_daemon_threads_that_log_while_the_interpreter_ends_do_no_harm(python, tmp_path, read):
    done = python("""
import threading
from tensorboardX import SummaryWriter
writer = SummaryWriter("run")
started = threading.Event()
def forever():
    step = 0
    while True:
        writer.add_scalar("s", step, step)
        if step % 100 == 0: writer.add_text("t", "x", step)
        step += 1
        started.set()
for _ in range(3): threading.Thread(target=forever, daemon=True).start()
started.wait()
""")
    assert done.stderr == ""
    assert read(tmp_path / "run").scalars("s")[0] == (0, 0.0)


def test_an_import_in_a_subinterpreter_fails_and_leaves_the_writer_alone(python, tmp_path, read):
    done = python("""
try:
    import _interpreters as interpreters  # Since Python 3.13.
    new = lambda: interpreters.create("legacy")
    run = lambda code: interpreters.exec(interpreter, code)
except ImportError:
    import _xxsubinterpreters as interpreters
    new = lambda: interpreters.create(isolated=False)
    run = lambda code: interpreters.run_string(interpreter, code)
from compression_board import SummaryWriter
writer = SummaryWriter("run")
for step in range(100): writer.add_scalar("s", step, step)
for _ in range(3):
    interpreter = new()
    run('''
try:
    import compression_board._engine
    print("imported")
except ImportError as error:
    print(error)
''')
    interpreters.destroy(interpreter)
for step in range(100, 200): writer.add_scalar("s", step, global_step=step)
writer.add_text("t", "text")
writer.close()
with SummaryWriter("second") as writer: writer.add_histogram("h", [1.0])
""")
    assert done.stdout.count("works in the main interpreter only") == 3, done.stdout
    run = read(tmp_path / "run")
    assert run.scalars("s") == [(step, step) for step in range(200)]
    assert read(tmp_path / "second").tags("histograms") == {"h"}


def test_a_durable_writer_has_its_events_on_the_disk(python, tmp_path, read):
    """A copy of a mounted image has only the blocks that reached the disk, as after a power failure."""
    image = tmp_path / "image"
    with open(image, "wb") as file:
        file.truncate(48 << 20)

    def mount(image, place):
        place.mkdir()
        command = ["mount", "-o", "loop,commit=300", str(image), str(place)]
        return subprocess.run(command, capture_output=True).returncode == 0

    made = subprocess.run(["mkfs.ext4", "-q", str(image)], capture_output=True)
    if made.returncode != 0 or not mount(image, tmp_path / "disk"):
        pytest.skip("cannot mount a disk of our own")
    try:
        for durable in (False, True):
            python(f"""
import os, shutil
from compression_board import SummaryWriter
writer = SummaryWriter("disk/{durable}", durable={durable})
for step in range(1000): writer.add_scalar("s", step, step)
writer.add_scalars("group", {{"a": 1.0}}, 1)
writer.flush()
shutil.copyfile("image", "copy-{durable}")
os._exit(0)
""")
        assert mount(tmp_path / "copy-False", tmp_path / "lost")
        assert mount(tmp_path / "copy-True", tmp_path / "kept")
        assert not list((tmp_path / "lost").rglob("*tfevents*"))
        kept = tmp_path / "kept" / "True"
        assert [step for step, _ in read(kept).scalars("s")] == list(range(1000))
        assert read(kept / "group" / "a").scalars("group") == [(1, 1.0)]
    finally:
        for place in ("disk", "lost", "kept"):
            subprocess.run(["umount", "--lazy", str(tmp_path / place)], capture_output=True)


def test_a_directory_behind_a_factory_cannot_be_durable(monkeypatch):
    monkeypatch.delenv("GS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(ValueError, match="works for local directories and buckets only"):
        SummaryWriter("gs://bucket/run", durable=True)


def test_threads_share_a_writer(tmp_path, read):
    import threading

    with SummaryWriter(str(tmp_path)) as writer:

        def work(name):
            for step in range(2000):
                writer.add_scalar(name, step, step)
                if step % 500 == 0:
                    writer.add_histogram("h/" + name, np.arange(100.0), step)

        threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    run = read(tmp_path)
    for i in range(6):
        assert [step for step, _ in run.scalars(f"t{i}")] == list(range(2000))
        assert len(run.events.Histograms(f"h/t{i}")) == 4


def test_a_killed_program_keeps_what_it_flushed(python, tmp_path, read):
    done = python(
        "import os\nfrom tensorboardX import SummaryWriter\nwriter = SummaryWriter('run')\n"
        "for i in range(1000): writer.add_scalar('s', i, i)\nwriter.flush()\nos.kill(os.getpid(), 9)",
        check=False,
    )
    assert done.returncode == -9
    assert len(read(tmp_path / "run").scalars("s")) == 1000


def test_a_full_disk_is_an_oserror_and_not_the_end(python):
    """A file may not grow beyond a limit here, which the writer meets as it would a full disk."""
    done = python("""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from tensorboardX import SummaryWriter
writer = SummaryWriter("run")
writer.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
for i in range(10_000): writer.add_scalar("s", i, i)
try:
    writer.flush()
    print("no error")
except OSError as error:
    print("OSError", error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.close()
""")
    assert done.stdout.startswith("OSError"), done.stdout
