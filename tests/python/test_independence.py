"""compression_board is independent: it needs neither the drop-in nor the original tensorboardX."""

BLOCK_TENSORBOARDX = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tensorboardX":
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
"""


def test_every_module_imports_without_tensorboardx(python):
    done = python(BLOCK_TENSORBOARDX + """
import importlib, pkgutil
import compression_board
for module in pkgutil.walk_packages(compression_board.__path__, "compression_board."):
    is_framework = ".integrations." in module.name  # These import their framework.
    if not module.name.endswith("__main__") and not is_framework:
        importlib.import_module(module.name)
        print(module.name)
""")
    assert "compression_board.tuning.logger" in done.stdout.split()


def test_logs_through_messages_without_tensorboardx(python, tmp_path, read):
    python(BLOCK_TENSORBOARDX + """
from compression_board import SummaryWriter, summary
with SummaryWriter("run", purge_step=1) as writer:
    writer.add_scalar("loss", 0.5, 1)
    with writer.use_metadata(global_step=7):
        writer.add_scalar("loss", 0.25)
    writer.file_writer.add_summary(summary.scalar("loss", 0.125), 8)
    writer.add_hparams({"bits": 8}, {"accuracy": 0.5}, name="trial")
    writer.add_scalars("both", {"a": 1.0})
""")
    assert read(tmp_path / "run").scalars("loss") == [(1, 0.5), (7, 0.25), (8, 0.125)]
    assert read(tmp_path / "run/trial").scalars("accuracy") == [(0, 0.5)]


def test_graph_of_a_module_without_tensorboardx(python, tmp_path, read):
    import pytest

    pytest.importorskip("torch")
    python(BLOCK_TENSORBOARDX + """
import torch
from compression_board import SummaryWriter
with SummaryWriter("run") as writer:
    writer.add_graph(torch.nn.Linear(2, 1), torch.zeros(1, 2))
""")
    assert read(tmp_path / "run").events.Graph().node


def test_messages_of_the_same_name_may_exist_in_the_process(python, tmp_path, read):
    """The original tensorboardX registers its own definition of these files."""
    python("""
from google.protobuf import descriptor_pb2, descriptor_pool
other = descriptor_pb2.FileDescriptorProto(
    name="tensorboardX/proto/event.proto", package="tensorboardX")
other.message_type.add(name="Event").field.add(name="other", number=1, type=9, label=1)
descriptor_pool.Default().AddSerializedFile(other.SerializeToString())
from compression_board import FileWriter, summary
with_messages = FileWriter("run")
with_messages.add_summary(summary.scalar("loss", 0.5), 1)
with_messages.close()
""")
    assert read(tmp_path / "run").scalars("loss") == [(1, 0.5)]


def test_the_drop_in_has_the_messages_of_the_package():
    from compression_board import _protos
    from tensorboardX.proto import event_pb2, summary_pb2

    assert event_pb2.Event is _protos.Event
    assert summary_pb2.Summary is _protos.Summary
