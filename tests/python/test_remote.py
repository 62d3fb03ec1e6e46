"""Log directories with a factory, and in S3 and Google Cloud Storage."""

import io

import pytest
from compression_board import SummaryWriter, event_files
from tensorboard.compat.proto.event_pb2 import Event
from tensorboardX import record_writer


class Memory:
    """A factory that keeps files in memory; `files` contains the bytes that were flushed."""

    def __init__(self):
        self.files = {}

    def directory_check(self, path):
        pass

    def open(self, path):
        files = self.files

        class File(io.BytesIO):
            def flush(self):
                files[path] = self.getvalue()

            def close(self):
                self.flush()

        return File()


@pytest.fixture
def memory(monkeypatch):
    factory = Memory()
    monkeypatch.setitem(event_files.REGISTERED_FACTORIES, "memory", factory)
    return factory


def events(memory, run, tmp_path):
    """Returns the events of a run, as TensorBoard reads them."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader

    found = []
    for name, content in memory.files.items():
        if name.rpartition("/")[0] == run:
            copy = tmp_path / "copy"
            copy.write_bytes(content)
            found += [Event.FromString(raw) for raw in RawEventFileLoader(str(copy)).Load()]
    return found


def test_a_remote_run_has_sub_runs_and_hparams(memory, tmp_path):
    with SummaryWriter("memory://bucket/run") as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.add_scalar_batch("loss", [0.25], [2])
        writer.add_histogram("weights", [1.0, 2.0], 1)
        writer.add_scalars("both", {"fp32": 1.0, "int8": 2.0}, 3)
        writer.add_hparams({"bits": 8}, {"accuracy": 0.5}, name="trial")
        assert set(writer.scalar_dict) == {
            "memory://bucket/run/both/fp32",
            "memory://bucket/run/both/int8",
        }
    main = events(memory, "memory://bucket/run", tmp_path)
    assert main[0].file_version == "brain.Event:2"
    assert [event.step for event in main[1:]] == [1, 2, 1]
    (version, point) = events(memory, "memory://bucket/run/both/int8", tmp_path)
    assert (version.file_version, point.step) == ("brain.Event:2", 3)
    assert point.summary.value[0].simple_value == 2.0
    assert len(events(memory, "memory://bucket/run/trial", tmp_path)) == 5


def test_a_remote_run_announces_purge_step(memory, tmp_path):
    with SummaryWriter("memory://bucket/run", purge_step=5):
        pass
    found = events(memory, "memory://bucket/run", tmp_path)
    assert [event.step for event in found] == [0, 5, 5]
    assert found[-1].session_log.status == 1


def test_a_remote_run_goes_on_in_a_new_file_after_close(memory, tmp_path, monkeypatch):
    writer = SummaryWriter("memory://bucket/run", filename_suffix=".first")
    writer.add_scalar("loss", 0.5, 1)
    writer.close()
    writer.add_scalar("loss", 0.25, 2)
    writer.add_scalars("both", {"a": 1.0}, 2)
    writer.close()
    assert len(events(memory, "memory://bucket/run/both/a", tmp_path)) == 2


def test_an_error_of_the_factory_reaches_the_caller(memory):
    def refuse(path):
        raise PermissionError(f"no access to {path}")

    with SummaryWriter("memory://bucket/run") as writer:
        memory.open = refuse
        with pytest.raises(PermissionError, match="both/a"):
            writer.add_scalars("both", {"a": 1.0})
        writer.add_scalar("loss", 0.5, 1)


def test_s3_and_gcs_factories_have_the_names_of_tensorboardx():
    assert isinstance(event_files.REGISTERED_FACTORIES["s3"], record_writer.S3RecordWriterFactory)
    assert isinstance(event_files.REGISTERED_FACTORIES["gs"], record_writer.GCSRecordWriterFactory)
    writer = record_writer.S3RecordWriterFactory().open("s3://bucket/some/key")
    assert isinstance(writer, record_writer.S3RecordWriter)
    assert writer.bucket_and_path() == ("bucket", "some/key")
    writer = record_writer.GCSRecordWriterFactory().open("gs://bucket/key")
    assert isinstance(writer, record_writer.GCSRecordWriter)


def test_s3_works_without_importing_the_drop_in(python, tmp_path):
    done = python(f"""
import os, sys
os.environ |= {{"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": "x", "XDG_STATE_HOME": {str(tmp_path)!r}}}
from compression_board import SummaryWriter
writer = SummaryWriter("s3://bucket/run")  # A store that cannot be reached is no reason to stop a training.
writer.add_scalar("loss", 0.5, 1)
try:
    writer.close()
except OSError as error:
    print(error)
assert "tensorboardX" not in sys.modules
assert not os.path.exists("s3:")
""")
    assert "no answer from '127.0.0.1:1'" in done.stdout and "are kept in" in done.stdout, done.stdout
    (kept,) = tmp_path.rglob("*tfevents*")
    assert b"loss" in kept.read_bytes()


def test_a_factory_for_s3_replaces_the_writer_of_the_engine(memory, monkeypatch):
    monkeypatch.setitem(event_files.REGISTERED_FACTORIES, "s3", memory)
    with SummaryWriter("s3://bucket/run") as writer:
        writer.add_scalar("loss", 0.5, 1)
    assert [name.startswith("s3://bucket/run/events") for name in memory.files] == [True]
