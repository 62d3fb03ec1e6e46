"""SummaryWriter("s3://…") has stored everything after flush(), loses and duplicates nothing, and
other readers can read it.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from conftest import FaultyProxy, run, wait_until

WRITER = os.environ["BUCKET_WRITER"]


def start(environment, address, first, count, flush_every, *more):
    return subprocess.Popen([WRITER, address, str(first), str(count), str(flush_every), *more], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip


def write(environment, address, first=0, count=100, flush_every=10, *more):
    done = start(environment, address, first, count, flush_every, *more)
    out, err = done.communicate(timeout=300)
    return done.returncode, out, err


def steps_in(store, prefix, tmp_path):
    """Returns the steps of every object below the prefix, as TensorBoard's own reader reads them.
    """
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    steps = Counter()
    for key in store.keys(prefix):
        copy = tmp_path / "object"
        copy.write_bytes(store.get(key))
        events = [Event.FromString(raw) for raw in RawEventFileLoader(str(copy)).Load()]
        assert events[0].file_version == "brain.Event:2", key
        steps.update(event.step for event in events[1:])
    return steps


def unsent(tmp_path):
    return sorted((tmp_path / ".local/state/compression-board/unsent").glob("*"))


def test_closed_means_stored_and_nothing_is_left_here(tmp_path, store, environment):
    code, out, err = write(environment, "s3://logs/team/run", count=1000, flush_every=100)
    assert code == 0 and out.endswith("closed\n"), err
    assert steps_in(store, "team/run/", tmp_path) == Counter(range(1000))
    assert unsent(tmp_path) == []
    keys = store.keys("team/run/")
    assert len(keys) == 1 and re.fullmatch(r"team/run/events\.out\.tfevents\.\d{10}\..*\.00000", keys[0]), keys
    inspected = run(environment, "inspect", "--logdir", "s3://logs/team", "--json")
    assert inspected.returncode == 0 and '"run"' in inspected.stdout, inspected.stderr


def test_files_are_numbered_in_the_order_of_their_names(tmp_path, store, environment):
    code, _, err = write(environment, "s3://logs/run", count=40_000, flush_every=500)
    assert code == 0, err
    keys = store.keys("run/")
    assert len(keys) >= 4 and [key[-6:] for key in keys] == [f".{i:05}" for i in range(len(keys))], keys
    assert steps_in(store, "run/", tmp_path) == Counter(range(40_000))
    # No event of a file may precede the events of the previous file.
    from tensorboard.backend.event_processing.directory_watcher import DirectoryWatcher
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    for key in keys:
        (tmp_path / "copy").mkdir(exist_ok=True)
        (tmp_path / "copy" / key.rpartition("/")[2]).write_bytes(store.get(key))
    watcher = DirectoryWatcher(str(tmp_path / "copy"), LegacyEventFileLoader)
    assert [event.step for event in watcher.Load() if event.HasField("summary")] == list(range(40_000))


def test_stock_tensorboard_reads_the_bucket_itself(store, environment):
    code, _, err = write(environment, "s3://logs/tb/run", count=3000, flush_every=50)
    assert code == 0, err
    program = """
from tensorboard.compat import tf  # The stub of TensorBoard, with its own S3 file system.
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
multiplexer = EventMultiplexer(size_guidance={"scalars": 0, "tensors": 0})
multiplexer.AddRunsFromDirectory("s3://logs/tb")
multiplexer.Reload()
print([e.step for e in multiplexer.Tensors("run", "loss")] == list(range(3000)))
"""
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True,
                          env=environment | {"S3_ENDPOINT": store.endpoint, "AWS_DEFAULT_REGION": "us-east-1",
                                             "PYTHONPATH": os.environ["OBJECT_STORE"] + "/python"})  # fmt: skip
    assert done.stdout.strip().endswith("True"), done.stdout + done.stderr


@pytest.mark.parametrize("seed", range(50))
def test_a_killed_writer_loses_nothing_that_was_flushed(seed, tmp_path, store_of_module, environment_of_module):
    """kill -9 at a random moment, then a writer that is not killed."""
    store, environment = store_of_module, environment_of_module | {"HOME": str(tmp_path)}
    rng = random.Random(seed)
    address = f"s3://logs/killed/{seed}"
    first = start(environment, address, 0, 1_000_000, rng.choice([1, 7, 100, 2000]))
    time.sleep(rng.uniform(0, 0.6))
    first.send_signal(signal.SIGKILL)
    out = first.communicate()[0]
    flushed = [int(line) for line in out.split("\n")[:-1]]
    stored = steps_in(store, f"killed/{seed}/", tmp_path)
    if flushed:
        # Stored in the bucket before any restart.
        assert set(range(flushed[-1] + 1)) <= set(stored)
    code, _, err = write(environment, address, first=2_000_000, count=10)
    assert code == 0, err
    steps = steps_in(store, f"killed/{seed}/", tmp_path)
    assert max(steps.values()) == 1, "an event is stored twice"
    old = sorted(step for step in steps if step < 2_000_000)
    assert old == list(range(len(old))) and len(old) >= len(stored)
    assert [step for step in steps if step >= 2_000_000] == list(range(2_000_000, 2_000_010))
    assert unsent(tmp_path) == []


def test_forked_children_that_end_without_closing_lose_nothing(tmp_path, store, environment):
    code, _, err = write(environment, "s3://logs/run", 0, 1000, 100, "fork")
    assert code == 0, err
    assert steps_in(store, "run/", tmp_path) == Counter([*range(1000), *range(5_000_000, 5_000_050)])
    assert unsent(tmp_path) == []


def test_events_wait_here_while_the_store_is_away(tmp_path, store, environment):
    away = environment | {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    code, out, err = write(away, "s3://logs/run", count=50, flush_every=50)
    assert code == 1 and "no answer from '127.0.0.1:1'" in err and "are kept in" in err, err
    (folder,) = unsent(tmp_path)
    # Another endpoint is another store, and these events belong to the first one.
    assert write(environment, "s3://logs/other", count=1)[0] == 0
    assert unsent(tmp_path) == [folder]
    target = (folder / "target").read_text().replace("http://127.0.0.1:1", store.endpoint)
    (folder / "target").write_text(target)  # Simulates that the store is available again.
    assert write(environment, "s3://logs/other", first=1, count=1)[0] == 0
    assert steps_in(store, "run/", tmp_path) == Counter(range(50))
    assert unsent(tmp_path) == []


@pytest.mark.parametrize("changed, address, expected", [
    ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "s3://logs/run", "the secret key is not that of the access key 'AKIDTEST'"),
    ({}, "s3://nothing-here/run", "there is no bucket 'nothing-here'"),
    ({"AWS_ACCESS_KEY_ID": ""}, "s3://logs/run", "no keys were found; set AWS_ACCESS_KEY_ID"),
    ({"HOME": ""}, "s3://logs/run", "set HOME or XDG_STATE_HOME"),
])  # fmt: skip
def test_a_bucket_that_cannot_be_written_is_told_at_once(tmp_path, environment, changed, address, expected):
    code, out, err = write(environment | changed, address, count=5)
    assert code == 1 and out == "" and expected in err and err.count("\n") == 1, err
    assert unsent(tmp_path) == []


def test_all_events_arrive_though_a_third_of_the_requests_fail(tmp_path, store, environment):
    proxy = FaultyProxy(store.port, share=0.3, seed=3)
    try:
        code, out, err = write(environment | {"AWS_ENDPOINT_URL": proxy.endpoint}, "s3://logs/run", count=2000, flush_every=50)
    finally:
        proxy.close()
    assert code == 0, err
    assert proxy.counts["refused"] > 0 and proxy.counts["cut"] > 0
    assert steps_in(store, "run/", tmp_path) == Counter(range(2000))


def test_a_board_shows_what_another_host_writes(environment, serve):
    board = serve("--logdir", "s3://logs/live").loaded()
    assert write(environment, "s3://logs/live/run", count=100)[0] == 0
    wait_until(lambda: board.get("runs")["event_counts"] == [101], "the events")
