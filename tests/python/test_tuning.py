"""TuningLogger from arrays, GraphDefs and configurations, read back by stock TensorBoard."""

import logging
import os

import numpy as np
import pytest
from compression_board import TuningLogger, _engine
from compression_board.tuning import hooks
from tensorboard.compat.proto import graph_pb2, types_pb2
from tensorboard.plugins.hparams import plugin_data_pb2

VALUES = np.array([-1.0, 0.5, 2.0], np.float32)
CODES = (np.array([-2, 1, 4], np.int8), None, [0.5], [0], None)  # The same values.


@pytest.fixture
def eval_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs" / "eval"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# Maps (directory style, accuracy) to the directories of a baseline and a trial with that accuracy.
DIRECTORIES = [
    ("tensorflow", 0.776, ["baseline_acc_0.776", "tune_1_acc_0.776"]),
    ("tensorflow", 0.095, ["baseline_acc_0.095", "tune_1_acc_0.095"]),
    ("tensorflow", 1, ["baseline_acc_1.0", "tune_1_acc_1.0"]),
    ("tensorflow", [0.776, 0.91], ["baseline_acc_[0.776, 0.91]", "tune_1_acc_[0.776, 0.91]"]),
    ("tensorflow", float("nan"), ["baseline_acc_nan", "tune_1_acc_nan"]),
    ("tensorflow", None, ["baseline", "tune_1"]),
    ("pytorch", 0.8, ["baseline_acc0.8", "tune_1_acc0.8"]),
    ("pytorch", np.float32(0.5), ["baseline_acc0.5", "tune_1_acc0.5"]),
]


@pytest.mark.parametrize("naming, accuracy, expected", DIRECTORIES, ids=lambda x: str(x))
def test_directories_have_the_names_of_the_tuning_tools(eval_folder, naming, accuracy, expected):
    logger = TuningLogger(naming=naming)
    for name in expected:
        logger.start_trial()
        assert os.path.basename(logger.finish_trial(accuracy).directory) == name
    assert names(eval_folder) == expected


# Maps a logged value to its tag.
TAGS = [
    (lambda log: log.add_output("conv1", VALUES), "conv1/Output/fp32"),
    (lambda log: log._engine.add_output("conv1", CODES, ""), "conv1/Output/int8"),
    (lambda log: log.add_output("layer1.0.conv2", VALUES, "int8"), "layer1.0.conv2/Output/int8"),
    (lambda log: log.add_parameter("conv1", "weight", VALUES), "conv1/weight/fp32"),
    (lambda log: log.add_parameter("conv1", "scale", 0.1), "conv1/scale/fp32"),
    (lambda log: log._engine.add_parameter("fc._packed_params", "weight", CODES, ""),
     "fc/weight/int8"),
    (lambda log: log.add_node_output("v0/cg/conv0/Relu", VALUES), "v0/cg/conv0/Relu_fp32.output"),
    (lambda log: log._engine.add_node_output(
        "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize", CODES),
     "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output"),
]  # fmt: skip


@pytest.mark.parametrize("add, tag", TAGS, ids=[tag for _, tag in TAGS])
def test_tags_are_those_of_the_tuning_tools(eval_folder, read, add, tag):
    logger = TuningLogger()
    logger.start_trial()
    add(logger)
    run = read(logger.finish_trial(0.5).directory)
    assert run.tags("histograms") == {tag}
    (event,) = run.events.Histograms(tag)
    assert event.step == 0
    if "scale" not in tag:
        histogram = event.histogram_value
        assert (histogram.min, histogram.max, histogram.num) == (-1, 2, 3)
        assert histogram.sum == pytest.approx(1.5)


def test_batches_add_up_to_the_histogram_of_all_of_them(eval_folder, read):
    values = np.random.default_rng(1).normal(3, 2, (20, 500)).astype(np.float32)
    logger = TuningLogger()
    logger.start_trial()
    for batch in values:
        logger.add_output("conv1", batch)
    run = read(logger.finish_trial(0.5).directory)
    (event,) = run.events.Histograms("conv1/Output/fp32")
    found = event.histogram_value
    assert (found.min, found.max, found.num) == (values.min(), values.max(), values.size)
    assert found.sum == pytest.approx(values.sum(dtype=np.float64))
    edges = np.array([-np.inf, *found.bucket_limit[:-1], np.inf])
    assert np.histogram(values, edges)[0].tolist() == found.bucket


def test_settings_are_hparams_of_stock_tensorboard(eval_folder, read):
    logger = TuningLogger(settings={"model": "digits", "bits": 8})
    logger.start_trial({"bits": 4, "keep_fp32": ["conv1"], "nothing": None, "qat": True})
    run = read(logger.finish_trial(0.5).directory)
    content = run.events.summary_metadata["_hparams_/session_start_info"].plugin_data.content
    hparams = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info.hparams
    assert {k: getattr(v, v.WhichOneof("kind")) for k, v in hparams.items()} == {
        "model": "digits", "bits": 4.0, "keep_fp32": "['conv1']", "qat": True,
    }  # fmt: skip
    assert run.scalars("accuracy") == [(0, 0.5)]


def test_a_configuration_turns_logging_on_and_gives_the_settings(eval_folder, tmp_path, read):
    config = tmp_path / "inception_v3.yaml"
    config.write_text(
        "quantization:\n"
        "  op_wise: {'v0/cg/conv0/conv2d/Conv2D': {'activation': {'dtype': ['fp32']}}}\n"
        "tuning:\n  tensorboard: true\n  exit_policy: {max_trials: 5}\n"
    )
    logger = TuningLogger.from_config(config)
    assert logger.enabled
    logger.start_trial()
    run = read(logger.finish_trial(0.5).directory)
    content = run.events.summary_metadata["_hparams_/session_start_info"].plugin_data.content
    hparams = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info.hparams
    op = "quantization.op_wise.v0/cg/conv0/conv2d/Conv2D.activation.dtype"
    assert hparams[op].string_value == "[fp32]"
    assert hparams["tuning.exit_policy.max_trials"].number_value == 5


def test_without_tensorboard_in_the_configuration_nothing_is_written(eval_folder, tmp_path):
    config = tmp_path / "quiet.yaml"
    config.write_text("tuning: {tensorboard: false}\n")
    logger = TuningLogger.from_config(config)
    logger.start_trial()
    logger.add_output("conv1", VALUES)
    assert logger.finish_trial(0.5).tags == []
    assert not eval_folder.exists()


def test_a_configuration_that_is_wrong_says_where(tmp_path):
    config = tmp_path / "wrong.yaml"
    config.write_text("tuning:\n  tensorboard: perhaps\n")
    with pytest.raises(ValueError, match=r"wrong.yaml.*line 2.*'perhaps'.*true or false"):
        TuningLogger.from_config(config)
    with pytest.raises(FileNotFoundError):
        TuningLogger.from_config(tmp_path / "missing.yaml")


def graph(*nodes):
    """Returns a GraphDef of (name, op, inputs, constant)."""
    definition = graph_pb2.GraphDef()
    for name, op, inputs, value in nodes:
        node = definition.node.add(name=name, op=op, input=inputs)
        if value is not None:
            proto = node.attr["value"].tensor
            quantized = value.dtype == np.int8
            proto.dtype = types_pb2.DT_QINT8 if quantized else types_pb2.DT_FLOAT
            for size in value.shape:
                proto.tensor_shape.dim.add(size=size)
            proto.tensor_content = value.tobytes()
            node.attr["dtype"].type = proto.dtype
    return definition


def test_a_frozen_graph_is_read_without_tensorflow(eval_folder, tmp_path, read):
    kernel = np.random.default_rng(2).normal(size=(3, 3, 3, 32)).astype(np.float32)
    (tmp_path / "fp32.pb").write_bytes(
        graph(
            ("input", "Placeholder", [], None),
            ("v0/cg/conv0/conv2d/kernel", "Const", [], kernel),
            ("v0/cg/conv0/conv2d/Conv2D", "Conv2D", ["input", "v0/cg/conv0/conv2d/kernel"], None),
            ("v0/cg/conv0/Relu", "Relu", ["v0/cg/conv0/conv2d/Conv2D"], None),
        ).SerializeToString()
    )
    logger = TuningLogger()
    logger.start_trial()
    logger.add_tensorflow_graph(tmp_path / "fp32.pb")
    logger.add_node_output("v0/cg/conv0/Relu", VALUES)
    run = read(logger.finish_trial(0.776).directory)
    assert run.tags("histograms") == {"v0/cg/conv0/conv2d/kernel", "v0/cg/conv0/Relu_fp32.output"}
    found = run.events.Histograms("v0/cg/conv0/conv2d/kernel")[0].histogram_value
    assert [0, *np.histogram(kernel, 1000)[0]] == found.bucket
    nodes = {node.name: node for node in run.events.Graph().node}
    assert list(nodes) == ["input", "v0/cg/conv0/conv2d/kernel", "v0/cg/conv0/conv2d/Conv2D",
                           "v0/cg/conv0/Relu"]  # fmt: skip
    assert "value" not in nodes["v0/cg/conv0/conv2d/kernel"].attr


def test_codes_of_a_quantized_graph_become_real_values(eval_folder, tmp_path, read):
    conv = "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize"
    codes = np.arange(-100, 116, dtype=np.int8).reshape(3, 3, 1, 24)
    ranges = [("min", -1), ("max", 1), ("fmin", -0.5), ("fmax", 0.5), ("omin", 0), ("omax", 6)]
    (tmp_path / "int8.pb").write_bytes(
        graph(
            ("input", "Placeholder", [], None),
            ("v0/cg/conv0/conv2d/kernel_qint8_const", "Const", [], codes),
            ("bias", "Const", [], np.zeros(24, np.float32)),
            *((name, "Const", [], np.array(value, np.float32)) for name, value in ranges),
            (conv, "QuantizedConv2DWithBiasAndReluAndRequantize",
             ["input", "v0/cg/conv0/conv2d/kernel_qint8_const", "bias", *dict(ranges)], None),
        ).SerializeToString()
    )  # fmt: skip
    logger = TuningLogger()
    logger.start_trial()
    logger.add_tensorflow_graph(tmp_path / "int8.pb")
    logger.add_node_output(conv, np.array([0, 51, 255], np.uint8))
    logger.add_node_output("v0/cg/pool0/MaxPool", VALUES)  # A float value in an int8 graph.
    run = read(logger.finish_trial(0.095).directory)
    output = run.events.Histograms(conv + "_int8.output")[0].histogram_value
    assert (output.min, output.max) == (0, pytest.approx(6))
    assert output.sum == pytest.approx(6 + 6 * 51 / 255)
    weight = run.events.Histograms("v0/cg/conv0/conv2d/kernel_qint8_const")[0].histogram_value
    assert (weight.min, weight.max) == (pytest.approx(-50 / 127), pytest.approx(57.5 / 127))
    assert "v0/cg/pool0/MaxPool_int8.output" in run.tags("histograms")


def test_a_file_that_is_no_graph_is_refused(eval_folder, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing of that kind")
    logger = TuningLogger()
    logger.start_trial()
    with pytest.raises((ValueError, OSError), match="notes.txt"):
        logger.add_tensorflow_graph(tmp_path / "notes.txt")
    with pytest.raises(FileNotFoundError):
        logger.add_tensorflow_graph(tmp_path / "missing.pb")


def test_a_folder_that_cannot_be_written_is_told_before_the_evaluation(tmp_path):
    (tmp_path / "file").write_text("")
    logger = TuningLogger(tmp_path / "file" / "eval")
    with pytest.raises(OSError, match="file"):
        logger.start_trial()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_told_before_the_evaluation(tmp_path):
    (tmp_path / "eval").mkdir(mode=0o500)
    with pytest.raises(PermissionError):
        TuningLogger(tmp_path / "eval").start_trial()


def test_two_tunings_do_not_mix(eval_folder):
    first, second = TuningLogger(), TuningLogger()
    first.start_trial()
    with pytest.raises(OSError, match="another tuning"):
        second.start_trial()


def test_trials_of_an_earlier_tuning_are_moved_aside_or_continued_or_refused(eval_folder):
    def tune(**options):
        logger = TuningLogger(**options)
        logger.start_trial()
        return os.path.basename(logger.finish_trial(0.5).directory)

    assert tune() == tune() == "baseline_acc_0.5"
    assert names(eval_folder.parent) == ["eval", "eval_earlier"]
    assert tune(earlier="continue") == "tune_1_acc_0.5"
    with pytest.raises(FileExistsError, match="tune_1_acc_0.5"):
        tune(earlier="refuse")
    with pytest.raises(ValueError, match="'continue'"):
        tune(earlier="delete")
    with pytest.raises(ValueError, match="'pytorch'"):
        tune(naming="jax")


def test_values_that_are_not_finite_are_counted_and_told(eval_folder, read, caplog):
    logger = TuningLogger()
    logger.start_trial()
    logger.add_output("conv1", [1.0, float("nan"), float("inf"), 2.0])
    with caplog.at_level(logging.WARNING):
        report = logger.finish_trial(0.5)
    assert "1 NaN and 1 infinite of 4 values" in caplog.text
    assert report.omitted[0][0] == "conv1/Output/fp32"
    run = read(report.directory)
    assert run.scalars("conv1/Output/fp32/not_finite") == [(0, 2)]
    assert run.events.Histograms("conv1/Output/fp32")[0].histogram_value.num == 2


def test_calls_out_of_turn_say_what_to_do(eval_folder, monkeypatch):
    logger = TuningLogger()
    with pytest.raises(RuntimeError, match="StartTrial"):
        logger.add_output("conv1", VALUES)
    with pytest.raises(RuntimeError):
        logger.finish_trial(0.5)
    monkeypatch.setattr(hooks, "_logger", None)
    with pytest.raises(RuntimeError, match="pre_eval_hook"):
        hooks.post_eval_hook(object(), accuracy=0.5)


def test_the_engine_refuses_what_is_no_tensor(eval_folder):
    logger = _engine.TuningLogger("runs/eval", True, "tensorflow", "refuse")
    logger.start_trial([], [])
    with pytest.raises(TypeError):
        logger.add_output("conv1", "text", "")
    with pytest.raises(TypeError):
        TuningLogger("runs/other").add_output("conv1", ["text"])
