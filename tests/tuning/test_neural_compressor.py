"""Reads logs of neural-compressor: a real one, and the peculiarities of every version, as its code
writes them.
"""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from compression_board import SummaryWriter, TuningLogger

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE.parents[1] / "build" / "neural-compressor"
# The last version but one with this form of logging, and its imports. It does not declare them:
# numpy.bool was removed in 1.24, and tuning a PyTorch model does not need its other requirements.
REQUIREMENTS = [
    "numpy==1.23.5", "tensorboard==2.21.0", "protobuf==7.36.2", "schema", "py-cpuinfo", "psutil",
    "prettytable", "deprecated", "pyyaml", "setuptools<70", "pandas<2.1", "scikit-learn<1.4",
    "opencv-python-headless<4.8", "hyperopt", "pycocotools<2.0.8", "contextlib2", "requests",
]  # fmt: skip


@pytest.fixture(scope="module")
def environment():
    """Returns the Python of an environment with neural-compressor; skips the test if it cannot be
    installed.
    """
    python = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / ".ready"
    if not ready.exists():
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", ENVIRONMENT],
                       check=True)  # fmt: skip
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for packages in (REQUIREMENTS, ["--no-deps", "neural-compressor==1.13"]):
            done = subprocess.run([*pip, *packages], capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"neural-compressor does not install: {done.stderr[-300:]}")
        ready.write_text("")
    return python


@pytest.fixture(scope="module")
def real_log(environment, tmp_path_factory):
    folder = tmp_path_factory.mktemp("neural_compressor")
    script = HERE / "neural_compressor_log.py"
    done = subprocess.run([environment, script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "runs"


def test_a_log_by_neural_compressor_opens(real_log, board):
    names = sorted(os.listdir(real_log / "eval"))
    assert [name[:12] for name in names] == ["baseline_acc", "tune_1_acc0."]  # One underscore.
    answers = board("--logdir", real_log)
    (timeline,) = answers.ask("compression/tuning")["timelines"]
    assert timeline["numbers"] == [0, 1]
    assert timeline["accuracies"] == [float(name.rpartition("acc")[2]) for name in names]


def test_layers_that_neural_compressor_misnames_have_their_names_back(real_log, board):
    layers = board("--logdir", real_log).layers("baseline", "tune_1")
    outputs = {layer["names"]: (layer["a_tags"], layer["b_tags"])
               for layer in layers if layer["roles"] == "output"}  # fmt: skip
    assert outputs["conv1"] == ("1/Output/fp32", "1/Output/int8")
    assert outputs["conv2"] == ("2/Output/fp32", "2/Output/int8")
    assert outputs["fc"] == ("f/Output/fp32", "f/Output/int8")
    weights = {layer["names"] for layer in layers if layer["roles"] == "weight"}
    assert weights == {"conv1", "conv2"}  # The log omits packed weights: fc has none.


def test_its_tags_are_the_ones_we_write_but_for_the_names_it_lost(real_log):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def tags(directory):
        events = EventAccumulator(str(directory))
        events.Reload()
        return set(events.Tags()["histograms"])

    (tuned,) = (real_log / "eval").glob("tune_1*")
    lost = {"conv1": "1", "conv2": "2", "fc": "f", "quant": "qu", "dequant": "dequ"}
    operations = {op: "fp32" if op == "dequant" else "int8" for op in lost}
    expected = {f"{lost[op]}/Output/{precision}" for op, precision in operations.items()}
    expected |= {f"{op}/{what}/fp32" for op in ("quant", "conv1", "conv2", "fc")
                 for what in ("scale", "zero_point")}  # fmt: skip
    expected |= {f"{op}/{what}" for op in ("conv1", "conv2")
                 for what in ("weight/int8", "bias/fp32")}  # fmt: skip
    assert tags(tuned) == expected


VALUES = np.random.default_rng(3).normal(size=2000).astype(np.float32)


def write(directory, *tags):
    with SummaryWriter(str(directory)) as writer:
        for tag in tags:
            writer.add_histogram(tag, VALUES)


# Names after key.strip(".activation_post_process").
STRIPPED = {"conv1": "1", "fc": "f", "stem.conv": "m", "classifier.1": "lassifier.1"}


def test_the_character_strip_bug_is_undone_by_parameter_tags(tmp_path, board):
    for name, left in STRIPPED.items():
        assert name.strip(".activation_post_process") == left  # noqa: B005 (the bug itself)
    for run, precision in (("baseline_acc0.80", "fp32"), ("tune_1_acc0.79", "int8")):
        write(
            tmp_path / "eval" / run,
            *(f"{left}/Output/{precision}" for left in STRIPPED.values()),
            *(f"{name}/weight/{precision}" for name in STRIPPED),
        )
    layers = board("--logdir", tmp_path).layers("baseline", "tune_1")
    outputs = {layer["names"]: layer["b_tags"] for layer in layers if layer["roles"] == "output"}
    assert outputs == {name: f"{left}/Output/int8" for name, left in STRIPPED.items()}


@pytest.mark.parametrize("baseline, tuned, accuracies", [
    ("baseline_acc_0.776", "tune_1_acc_0.095", [0.776, 0.095]),
    ("baseline_acc0.80", "tune_1_acc0.79", [0.80, 0.79]),
    ("tune_0_acc0.80", "tune_1_acc0.79", [0.80, 0.79]),
    ("baseline_acc_[0.776]", "tune_1_acc_[0.095]", [0.776, 0.095]),
    ("baseline_acc_[0.776, 0.91]", "tune_1_acc_[0.095, 0.2]", [0.776, 0.095]),
])  # fmt: skip
def test_every_way_of_naming_trials_is_read(tmp_path, board, baseline, tuned, accuracies):
    write(tmp_path / "eval" / baseline, "conv1/Output/fp32")
    write(tmp_path / "eval" / tuned, "conv1/Output/int8")
    answers = board("--logdir", tmp_path)
    (timeline,) = answers.ask("compression/tuning")["timelines"]
    assert timeline["accuracies"] == accuracies
    assert [layer["names"] for layer in answers.layers("baseline", "tune_1")] == ["conv1"]


def test_tensorflow_operations_are_paired_by_scope(tmp_path, board):
    """The guide's own example: v0/cg/conv0/Relu against ...Conv2D_eightbit_requantize."""
    logger = TuningLogger(tmp_path / "eval")
    for accuracy, tags in (
        (0.776, ["v0/cg/conv0/Relu", "v0/cg/conv1/Relu"]),
        (0.095, ["v0/cg/conv0/conv2d/Conv2D_eightbit_requantize",
                 "v0/cg/conv1/conv2d/Conv2D_eightbit_requantize"]),
    ):  # fmt: skip
        logger.start_trial()
        for i, tag in enumerate(tags):
            values = np.maximum(VALUES, 0)
            if accuracy == 0.095:
                limit = 0.3 if i == 0 else values.max()  # The first layer is clipped.
                codes = np.round(np.minimum(values, limit) / limit * 255).astype(np.uint8)
                logger._engine.add_node_output(tag, (codes, None, [limit / 255], [0], None))
            else:
                logger.add_node_output(tag, values)
        logger.finish_trial(accuracy)
    worst = board("--logdir", tmp_path).layers("baseline", "tune_1")[0]
    assert worst["names"] == "v0/cg/conv0/Relu"
    assert worst["variant_names"] == "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize"
    assert worst["paired_by"] == "scope"
    assert worst["fallback_operations"] == "v0/cg/conv0/conv2d/Conv2D"
