"""Every mistake of a program gives a Python exception that says what to do."""

import os
import subprocess
import sys

import numpy as np
import pytest
from compression_board import (
    CompressionWriter,
    HardwareMonitor,
    SummaryWriter,
    TrainingLogger,
    aurora,
)


@pytest.fixture
def writer(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer:
        yield writer


CALLS = {
    "two numbers as a scalar": (lambda w: w.add_scalar("s", [1, 2]), ValueError, r"0D.*\(2,\)"),
    "a text as a scalar": (lambda w: w.add_scalar("s", "text"), TypeError, "str"),
    "no value": (lambda w: w.add_scalar("s"), TypeError, "scalar_value"),
    "an unknown argument": (lambda w: w.add_scalar("s", 1.0, nonsense=1), TypeError, "nonsense"),
    "an argument twice": (lambda w: w.add_scalar("s", 1.0, tag="t"), TypeError, "tag"),
    "too many arguments": (lambda w: w.add_scalar(*range(9)), TypeError, "6"),
    "a tag that is no text": (lambda w: w.add_scalar(5, 1.0), TypeError, "int"),
    "a tag that is no Unicode": (lambda w: w.add_scalar("\ud800", 1.0), UnicodeEncodeError, None),
    "a tag of a megabyte": (lambda w: w.add_scalar("t" * (1 << 20), 1.0), ValueError, "tag"),
    "a step beyond 64 bits": (lambda w: w.add_scalar("s", 1.0, 1 << 80), (OverflowError, TypeError), None),
    "a step that is no number": (lambda w: w.add_scalar("s", 1.0, "one"), ValueError, "one"),
    "a wall time that is no number": (lambda w: w.add_scalar("s", 1.0, 1, "now"), TypeError, None),
    "a batch of unequal lengths": (lambda w: w.add_scalar_batch("s", [1, 2], [1]), ValueError, "2 values"),
    "a batch of texts": (lambda w: w.add_scalar_batch("s", ["a"], [1]), TypeError, "<U1"),
    "a batch of complex numbers": (lambda w: w.add_scalar_batch("s", [1j], [1]), TypeError, "complex"),
    "a batch at dates": (
        lambda w: w.add_scalar_batch("s", [1], np.zeros(1, "M8[s]")), TypeError, "datetime64"),
    "a group that leads out": (lambda w: w.add_scalars("../../out", {"a": 1.0}), ValueError, "out"),
    "a group of nothing": (lambda w: w.add_scalars("g", None), TypeError, None),
    "no values": (lambda w: w.add_histogram("h", []), ValueError, "histogram is empty"),
    "complex values": (lambda w: w.add_histogram("h", np.zeros(3, complex)), TypeError, "complex"),
    "texts": (lambda w: w.add_histogram("h", ["a"]), TypeError, "<U1"),
    "objects": (lambda w: w.add_histogram("h", np.array([object()])), TypeError, "object"),
    "records": (lambda w: w.add_histogram("h", np.zeros(2, "f4,i4")), TypeError, None),
    "dates": (lambda w: w.add_histogram("h", np.zeros(2, "M8[s]")), TypeError, "datetime64"),
    "ragged lists": (lambda w: w.add_histogram("h", [[1, 2], [3]]), (ValueError, TypeError), None),
    "unknown bins": (lambda w: w.add_histogram("h", np.zeros(3), bins="best"), ValueError, "best"),
    "no bins": (lambda w: w.add_histogram("h", np.ones(3), bins=0), ValueError, "1 or more"),
    "falling edges": (lambda w: w.add_histogram("h", np.ones(3), bins=[2.0, 1.0]), ValueError, None),
    "limits without counts": (
        lambda w: w.add_histogram_raw("h", 0, 1, 2, 3, 4, [1], [1, 2]), ValueError, "bucket"),
    "a format of other rank": (
        lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="CH"), ValueError, "format"),
    "a format with a letter twice": (
        lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="CCW"), ValueError, "twice"),
    "an unknown format": (
        lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="XYZ"), ValueError, "XYZ"),
    "seven channels": (lambda w: w.add_image("i", np.zeros((7, 4, 4))), ValueError, "7"),
    "a picture without pixels": (lambda w: w.add_image("i", np.zeros((3, 0, 4))), ValueError, None),
    "boxes of three corners": (
        lambda w: w.add_image_with_boxes("i", np.zeros((3, 4, 4)), [[1, 2, 3]]), ValueError, None),
    "boxes with an unknown argument": (
        lambda w: w.add_image_with_boxes("i", np.zeros((3, 4, 4)), [[1, 2, 3, 4]], colour=1),
        TypeError, "colour"),
    "a video of four dimensions": (
        lambda w: w.add_video("v", np.zeros((2, 3, 4, 4))), ValueError, "format"),
    "a video of no speed": (
        lambda w: w.add_video("v", np.zeros((1, 2, 3, 4, 4)), fps=0), ValueError, None),
    "sound of three dimensions": (lambda w: w.add_audio("a", np.zeros((3, 3, 3))), ValueError, None),
    "sound without a rate": (
        lambda w: w.add_audio("a", np.zeros(10), sample_rate=0), ValueError, None),
    "parameters that cannot be stored": (
        lambda w: w.add_hparams({"optimizer": object()}, {"m": 1.0}), ValueError, "optimizer"),
    "a list of parameters": (lambda w: w.add_hparams({"bits": [4, 8]}, {"m": 1.0}), ValueError, "bits"),
    "parameters that are no dict": (lambda w: w.add_hparams([], {}), TypeError, "dict"),
    "a mesh without a batch": (lambda w: w.add_mesh("m", np.zeros((4, 3))), ValueError, None),
    "a configuration that is no JSON": (
        lambda w: w.add_mesh("m", np.zeros((1, 4, 3)), config_dict={"a": object()}), TypeError, "JSON"),
    "labels of other length": (
        lambda w: w.add_pr_curve("p", np.ones(3), np.ones(4)), ValueError, None),
    "an embedding of one dimension": (lambda w: w.add_embedding(np.zeros(3)), ValueError, "2D"),
    "too few labels": (
        lambda w: w.add_embedding(np.zeros((3, 2)), metadata=["a"]), ValueError, "labels"),
    "a margin chart of two tags": (
        lambda w: w.add_custom_scalars_marginchart(["a", "b"]), ValueError, "three"),
    "a model that is not there": (lambda w: w.add_onnx_graph("none.onnx"), FileNotFoundError, "none"),
    "a graph of no module": (lambda w: w.add_graph("model"), AttributeError, None),
}  # fmt: skip


@pytest.mark.parametrize("call, error, words", CALLS.values(), ids=CALLS.keys())
def test_misuse_is_a_python_exception(writer, call, error, words):
    with pytest.raises(error, match=words):
        call(writer)
    writer.add_scalar("still", 1.0, 1)  # The writer still works.


TAGGED = {
    "scalar": lambda w, tag: w.add_scalar(tag, 1.0),
    "scalar with a name": lambda w, tag: w.add_scalar(tag, 1.0, display_name="n"),
    "batch": lambda w, tag: w.add_scalar_batch(tag, [1.0], [1]),
    "scalars": lambda w, tag: w.add_scalars(tag, {"a": 1.0}),
    "histogram": lambda w, tag: w.add_histogram(tag, [1.0]),
    "raw histogram": lambda w, tag: w.add_histogram_raw(tag, 0, 1, 1, 1, 1, [1.0], [1.0]),
    "image": lambda w, tag: w.add_image(tag, np.zeros((3, 4, 4))),
    "images": lambda w, tag: w.add_images(tag, np.zeros((1, 3, 4, 4))),
    "boxes": lambda w, tag: w.add_image_with_boxes(tag, np.zeros((3, 4, 4)), [[0, 0, 1, 1]]),
    "video": lambda w, tag: w.add_video(tag, np.zeros((1, 2, 3, 4, 4))),
    "audio": lambda w, tag: w.add_audio(tag, np.zeros(10)),
    "text": lambda w, tag: w.add_text(tag, "text"),
    "PR curve": lambda w, tag: w.add_pr_curve(tag, np.ones(3), np.ones(3)),
    "raw PR curve": lambda w, tag: w.add_pr_curve_raw(tag, *[np.ones(2)] * 6, num_thresholds=2),
    "mesh": lambda w, tag: w.add_mesh(tag, np.zeros((1, 4, 3))),
    "embedding": lambda w, tag: w.add_embedding(np.zeros((3, 2)), tag=tag),
    "metric": lambda w, tag: w.add_hparams({"bits": 8}, {tag: 1.0}),
}


@pytest.mark.parametrize("add", TAGGED.values(), ids=TAGGED.keys())
def test_every_kind_refuses_the_same_tags(tmp_path, writer, add):
    with pytest.raises(UnicodeEncodeError, match="surrogates; replace them with tag.encode"):
        add(writer, "layer\udc80")
    with pytest.raises(ValueError, match="shorten it to at most 65,536"):
        add(writer, "t" * (1 << 20))
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 10_000


def test_texts_with_surrogates_are_stored_as_unicode(tmp_path, read):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_text("t", "caf\udce9 \ud800")
        writer.add_scalar("s", 1.0, 1, display_name="\udcff")
        writer.add_hparams({"file": "\udcff.onnx"}, {"m": 1.0}, name="trial")
    (text,) = read(tmp_path).events.Tensors("t/text_summary")
    assert text.tensor_proto.string_val[0].decode().startswith("caf\ufffd")
    assert read(tmp_path).scalars("s") == [(1, 1.0)]


def test_a_log_directory_need_not_be_unicode(tmp_path, read):
    logdir = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")  # Latin-1 on a disk with UTF-8.
    with SummaryWriter(logdir) as writer:
        writer.add_scalar("s", 1.0, 1)
        writer.add_scalars("g", {"a": 1.0}, 1)
        assert writer.logdir == logdir
    assert len(os.listdir(os.fsencode(tmp_path) + b"/caf\xe9")) == 2


def test_what_was_logged_around_a_mistake_arrives(tmp_path, read):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("s", 1.0, 1)
        with pytest.raises(TypeError):
            writer.add_histogram("h", "text")
        writer.add_scalar("s", 2.0, 2)
    assert read(tmp_path).scalars("s") == [(1, 1.0), (2, 2.0)]


def test_what_tensorboardx_raises_is_raised_too(writer):
    with pytest.raises(AssertionError, match="0D"):
        writer.add_scalar("s", [1, 2])
    with pytest.raises(NotImplementedError, match="str"):
        writer.add_scalar("s", "text")


def test_mistakes_are_found_by_an_optimising_interpreter_too(tmp_path):
    program = f"""
from compression_board import SummaryWriter
writer = SummaryWriter({str(tmp_path)!r})
try:
    writer.add_custom_scalars_marginchart(["a", "b"])
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-O", "-c", program], capture_output=True, text=True)
    assert "three tags" in done.stdout, done.stderr


class Array:
    """Has an array interface of whatever content."""

    def __init__(self, **interface):
        self.__array_interface__ = {"version": 3, **interface}


class Dlpack:
    """An object with any value in place of a DLPack capsule."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


class Tensor:
    """An object that looks like a tensor of PyTorch and is not one."""

    is_quantized = True
    dtype = "torch.qint8"

    def detach(self):
        return self

    def int_repr(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.zeros((2, 2), np.int8)

    def qscheme(self):
        return "per_channel_affine"

    def q_per_channel_scales(self):
        return self

    q_per_channel_zero_points = q_per_channel_scales

    def double(self):
        return self

    def q_per_channel_axis(self):
        return 7


class Sized:
    """An object with a length and no items."""

    def __len__(self):
        return 5

    def __getitem__(self, index):
        raise RuntimeError("no items")


LIARS = {
    "an address of nothing": Array(shape=(10,), typestr="<f4", data=(0, False)),
    "less data than its shape": Array(shape=(10,), typestr="<f4", data=b"1234"),
    "a negative shape": Array(shape=(-3,), typestr="<f4", data=b"1234"),
    "a type of its own": Array(shape=(1,), typestr="<q9", data=b"1234"),
    "an interface without a shape": Array(typestr="<f4", data=b"1234"),
    "strides beyond the data": Array(shape=(4,), typestr="<f4", data=b"1" * 16, strides=(400,)),
    "a capsule that is a text": Dlpack("capsule"),
    "a capsule that is not made": Dlpack(BufferError("on another device")),
    "a tensor with an axis too many": Tensor(),
    "a length without items": Sized(),
    "a view of other layout": memoryview(b"12345678").cast("c"),
    "a class": np.ndarray,
}


@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS.keys())
@pytest.mark.parametrize("method", ["add_histogram", "add_image", "add_audio", "add_embedding"])
def test_objects_that_lie_about_their_content(writer, liar, method):
    with pytest.raises((TypeError, ValueError, BufferError, RuntimeError, AttributeError)):
        getattr(writer, method)(*(("x", liar) if method != "add_embedding" else (liar,)))


def test_a_buffer_may_change_once_it_was_read(writer):
    values = bytearray(np.arange(4, dtype=np.uint8).tobytes())
    writer.add_histogram("h", values)
    values.extend(b"12345")  # Raises BufferError while a view exists.


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_a_tuple_is_numbers_and_not_the_engines_own_argument(tmp_path, read, size):
    values = tuple(float(i) for i in range(size))
    with SummaryWriter(str(tmp_path)) as writer:
        if size == 0:
            with pytest.raises(ValueError):
                writer.add_histogram("h", values)
            return
        writer.add_histogram("h", values)
    assert read(tmp_path).events.Histograms("h")[0].histogram_value.num == size


@pytest.mark.parametrize("values", [
    np.arange(12.0).reshape(3, 4)[:, ::-1], np.arange(12.0)[::-3], np.asfortranarray(np.ones((3, 4))),
    np.broadcast_to(np.float32(2), (5, 5)), memoryview(b"abc"), bytearray(b"abc"),
    np.frombuffer(b"\0\0\x80\x3f", np.float32), np.array(3.5), np.ma.masked_array([1.0, 2.0], [0, 1]),
], ids=range(9))  # fmt: skip
def test_strided_broadcast_and_read_only_arrays_are_taken(tmp_path, read, values):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_histogram("h", values)
    found = read(tmp_path).events.Histograms("h")[0].histogram_value
    assert found.num == np.asarray(values).size
    assert found.sum == np.asarray(values, dtype=np.float64).sum()


def test_a_directory_that_cannot_be_made_is_an_oserror(tmp_path):
    (tmp_path / "file").write_text("")
    for make in (SummaryWriter, CompressionWriter, HardwareMonitor):
        with pytest.raises(OSError, match="file"):
            make(str(tmp_path / "file" / "run"))


def test_compression_says_what_it_was_given(tmp_path):
    with pytest.raises(ValueError, match="both, groups or flat"):
        CompressionWriter(str(tmp_path), tag_scheme="nested")
    with CompressionWriter(str(tmp_path)) as writer:
        with pytest.raises(TypeError, match="'int8' should be a dict, not a list"):
            writer.log_compression_ratios("m", {}, [])
        with pytest.raises((TypeError, ValueError)):
            writer.log_latency_distribution("m", ["slow"], [1.0])
        high = "accuracy of 'fp32' is 'high', which is not a number"
        assert writer.log_compression_comparison("m", {"accuracy": "high"}, {}) == [
            ("accuracy", high)
        ]
        omitted = writer.log_compression_ratios("m", {"accuracy": "high"}, {"accuracy": 0.5})
        assert ("accuracy_drop", high) in omitted
        with pytest.raises(ValueError, match="accuracy of the variant is 'high', which is not a num"):
            aurora({"accuracy": 0.5}, {"accuracy": "high"})
        for log in (writer.log_variants, writer.log_variants_report):
            with pytest.raises(ValueError, match="model name is empty"):
                log("", {"fp32": {"accuracy": 0.5}, "int8": {"accuracy": 0.5}})
        with pytest.raises(ValueError, match="model name is empty"):
            writer.log_model_metadata("", {"library": "torch"})
        with pytest.raises(ValueError, match="model name is empty"):
            writer.log_latency_distribution("", [1.0], [1.0])
    with TrainingLogger("m", logdir=str(tmp_path / "t")) as logger:
        with pytest.raises((TypeError, AttributeError)):
            logger.log_epoch(0, "high", 1, 1, 1, 1, 1)


def test_a_writer_that_is_closed_twice_or_never_opened(tmp_path):
    writer = SummaryWriter(str(tmp_path))
    writer.close()
    writer.close()
    writer.flush()
    unopened = SummaryWriter.__new__(SummaryWriter)
    with pytest.raises(AttributeError):
        unopened.add_scalar("s", 1.0)
