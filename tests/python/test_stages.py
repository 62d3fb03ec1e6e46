"""Stages of quantization: a real network passes them, and stock TensorBoard reads the log."""

import os

import numpy as np
import pytest
import torch
from compression_board import StageLogger, set_log_folder, stages
from compression_board.stages import ModelSimilarity, OutputStatistics, StageNode, quantize_fx
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef

WALK = ["initial_graph", "after_graph_preparation", "after_graph_marking",
        "after_statistic_collection", "thresholds_selection", "after_quantization"]  # fmt: skip


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = torch.nn.BatchNorm2d(8)
        self.relu1 = torch.nn.ReLU()
        self.conv2 = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.fc = torch.nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        x = self.relu1(self.bn1(self.conv1(x)))
        x = x + torch.relu(self.conv2(x))
        return self.fc(torch.flatten(x, 1))


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture
def batches():
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(4, 3, 8, 8, generator=generator) for _ in range(22)]


@pytest.fixture
def logged(model, batches, tmp_path):
    """Returns the directory of a finished quantization."""
    with StageLogger(tmp_path, model="net") as logger:
        quantize_fx(model, batches, logger=logger)
        return tmp_path / "tensorboard_logs"


def graph_of(run):
    return {node.name: node for node in GraphDef.FromString(run.events._graph).node}


def bytes_of(run):
    metadata = RunMetadata.FromString(run.events._tagged_metadata["Resources"])
    assert [device.device for device in metadata.step_stats.dev_stats] == ["/device:CPU:0"]
    return {node.node_name: sum(memory.total_bytes for memory in node.memory)
            for node in metadata.step_stats.dev_stats[0].node_stats}  # fmt: skip


def test_every_stage_is_a_run_with_a_graph_and_the_bytes_of_its_nodes(logged, read):
    assert {path.name for path in logged.iterdir()} == {*WALK, "figures"}
    for stage in WALK:
        run = read(logged / stage)
        nodes = graph_of(run)
        assert set(bytes_of(run)) <= set(nodes), "TensorBoard joins them by the full name"
    first, last = read(logged / WALK[0]), read(logged / WALK[-1])
    assert bytes_of(first)["Net/Conv2d_0/conv1"] == 4 * (8 * 3 * 9 + 8)
    assert bytes_of(last)["Net/ConvReLU2d_0/conv1"] == 8 * 3 * 9 + 4 * 8
    assert sum(bytes_of(last).values()) < sum(bytes_of(first).values()) / 3.5


def test_the_graph_has_the_documented_nodes(logged, read):
    nodes = graph_of(read(logged / "thresholds_selection"))
    assert {"Input/x", "Input/x.activation", "Net/ConvReLU2d_0/conv1",
            "Net/ConvReLU2d_0/conv1.weights", "Net/ConvReLU2d_0/conv1.activation",
            "Net/relu_0/relu", "Output/fc"} <= set(nodes)  # fmt: skip
    conv = nodes["Net/ConvReLU2d_0/conv1"]
    assert list(conv.input) == ["Input/x.activation:0", "Net/ConvReLU2d_0/conv1.weights:1"]
    assert conv.device == conv.op == "ConvReLU2d"
    assert nodes["Net/ConvReLU2d_0/conv1.weights"].attr["weights_n_bits"].i == 8
    assert nodes["Net/ConvReLU2d_0/conv1.activation"].attr["scale"].f > 0
    shape = conv.attr["_output_shapes"].list.shape[0]
    assert [dim.size for dim in shape.dim] == [-1, 8, 8, 8]


def test_channels_are_steps_and_numpy_agrees(logged, read, model, batches):
    with torch.no_grad():
        outputs = [model.relu1(model.bn1(model.conv1(x))).numpy() for x in batches]
    values = np.concatenate(outputs).transpose(1, 0, 2, 3).reshape(8, -1)
    stage = logged / "thresholds_selection"
    expectations = {"min": values.min(1), "max": values.max(1), "mean": values.mean(1)}
    for name, expected in expectations.items():
        points = read(stage / f"{name}_per_channel").scalars("conv1")
        assert [step for step, _ in points] == list(range(8))
        assert [value for _, value in points] == pytest.approx(expected, rel=1e-4, abs=1e-5)
    histogram = read(stage).events.Histograms("conv1")[0].histogram_value
    assert histogram.num == sum(histogram.bucket) == values.size
    assert histogram.max == pytest.approx(values.max(), rel=1e-5)


def test_similarity_is_drawn_and_logged_for_twenty_samples(logged, read):
    figures = read(logged / "figures")
    pictures = {f"similarity_distance_sample_{i}" for i in range(20)}
    assert pictures <= figures.tags("images")
    assert "Weights final bit-width config" in figures.tags("images")
    image = figures.events.Images("similarity_distance_sample_0")[0]
    assert image.encoded_image_string.startswith(b"\x89PNG") and image.width == 640
    points = {tag.removeprefix("similarity/points/"): figures.scalars(tag)[0]
              for tag in figures.tags() if tag.startswith("similarity/points/")}  # fmt: skip
    assert sorted(points, key=lambda name: points[name][0]) == [
        "x", "conv1", "conv2", "relu", "add", "flatten", "fc"]  # fmt: skip
    assert all(0.99 < cosine <= 1.000001 for _, cosine in points.values())
    assert len(figures.scalars("similarity/sample_19")) == len(points)
    after = read(logged / "after_quantization")
    tag = "net/layers/conv1/{}/after_quantization"
    assert after.scalars(tag.format("cosine"))[0][1] == pytest.approx(points["conv1"][1])
    assert after.scalars(tag.format("accumulated_sqnr_db"))[0][1] > 30
    assert after.scalars(tag.format("sqnr_db"))[0][1] > 30
    flatten = tag.replace("conv1", "flatten").format("sqnr_db")
    assert flatten not in after.tags(), "it rearranges values and has no quantizer of its own"


def test_a_wide_channel_shows_in_the_worst_channel_of_its_layer(model, batches, tmp_path, read):
    model.bn1.weight.data[5] = 200
    with StageLogger(tmp_path, model="net") as logger:
        quantize_fx(model, batches, logger=logger)
    after = read(tmp_path / "tensorboard_logs/after_quantization")
    tag = "net/layers/conv1/{}/after_quantization"
    assert after.scalars(tag.format("sqnr_db"))[0][1] > 30, "the wide channel drowns the others"
    assert after.scalars(tag.format("worst_channel_sqnr_db"))[0][1] < 10


def test_the_model_stays_and_the_quantized_one_answers_alike(model, batches, tmp_path):
    before = {name: value.clone() for name, value in model.state_dict().items()}
    set_log_folder(tmp_path)
    try:
        quantized = quantize_fx(model, lambda: iter(batches))
    finally:
        set_log_folder(None)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    with torch.no_grad():
        assert torch.allclose(quantized(batches[0]), model(batches[0]), atol=0.2)
    [folder] = tmp_path.iterdir()
    assert folder.name.startswith("logs_") and (folder / "tensorboard_logs/initial_graph").is_dir()


def test_without_a_folder_nothing_is_logged(model, batches, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert stages.log_folder() is None
    quantize_fx(model, batches)
    assert os.listdir(tmp_path) == []


def test_nan_activations_are_counted_and_the_rest_is_logged(tmp_path, read):
    statistics = OutputStatistics()
    statistics.add(torch.sqrt(torch.tensor([[4.0, -1.0], [9.0, float("inf")]])))
    assert (statistics.count, statistics.non_finite_count) == (4, 2)
    assert statistics.channels()[0] == (2.0, 3.0, 2.5)
    with StageLogger(tmp_path, model="roots") as logger:
        logger.log_statistics("thresholds_selection", "sqrt", statistics)
    run = read(tmp_path / "tensorboard_logs/thresholds_selection")
    assert run.scalars("sqrt/non_finite_count") == [(0, 2)]
    assert run.events.Histograms("sqrt")[0].histogram_value.num == 2


def test_inputs_of_several_sizes_lose_only_what_depends_on_them(tmp_path, read):
    class Convolutions(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3)

        def forward(self, x):
            return torch.flatten(self.conv(x), 1)

    sizes = [torch.randn(1, 3, size, size) for size in (8, 8, 10)]
    with StageLogger(tmp_path, model="c") as logger:
        with pytest.warns(RuntimeWarning, match="no statistics of flatten: .* channels"):
            quantize_fx(Convolutions().eval(), sizes, logger=logger)
    run = read(tmp_path / "tensorboard_logs/thresholds_selection")
    assert run.tags("histograms") == {"x", "conv"}
    assert len(read(tmp_path / "tensorboard_logs/figures").scalars("similarity/sample_1")) == 3


def test_data_that_fails_in_the_middle_says_what_is_there(model, batches, tmp_path):
    def data():
        yield batches[0]
        raise OSError("the disk with the images is gone")

    with StageLogger(tmp_path) as logger:
        with pytest.warns(RuntimeWarning, match="only initial_graph, after_graph_preparation"):
            with pytest.raises(OSError, match="images is gone"):
                quantize_fx(model, data, logger=logger)
    assert not any(hasattr(module, "activation_post_process") for module in model.modules())


def test_what_is_no_model_or_no_data_is_refused(model, batches, tmp_path):
    class Nothing(torch.nn.Module):
        def forward(self, x):
            return x

    with pytest.raises(ValueError, match="Nothing has no layers"):
        quantize_fx(Nothing(), batches)
    with pytest.raises(ValueError, match="calibration data is empty"):
        quantize_fx(model, [])
    with pytest.raises(ValueError, match="read only once"):
        quantize_fx(model, iter(batches))


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("x")
    for attempt in (lambda: set_log_folder(blocked), lambda: StageLogger(blocked)):
        with pytest.raises(OSError, match="file"):
            attempt()
    assert stages.log_folder() is None
    with pytest.raises(RuntimeError, match="no log directory is set"):
        StageLogger()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_permission_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        set_log_folder(tmp_path)


def test_a_quantizer_of_ones_own_logs_by_hand(tmp_path, read):
    nodes = [StageNode("x", "Input", output_shapes=[[-1, 4]]),
             StageNode("fc", "Dense", inputs=[("x", 0)], attributes={"units": 2, "bias": True},
                       weights={"weights_n_bits": 4}, quantized_parameters=8,
                       weight_bits=4)]  # fmt: skip
    with StageLogger(tmp_path, model="mine") as logger:
        logger.log_graph("after_quantization", nodes)
        similarity = ModelSimilarity()
        similarity.add_sample([("fc", [1.0, 0.0], np.array([1.0, 1.0])), ("zeros", [0.0], [0.0])])
        assert similarity.layers == ["fc", "zeros"]
        assert similarity.samples[0] == pytest.approx([0.5**0.5, 1])
        logger.log_similarity(similarity)
        logger.log_bit_widths([("fc", "Dense", 4, None)])
    run = read(tmp_path / "tensorboard_logs/after_quantization")
    assert bytes_of(run) == {"Input/x": 0, "Output/fc": 4}
    assert graph_of(run)["Output/fc"].attr["bias"].b is True


def test_mistakes_are_value_errors_that_say_what_there_is(tmp_path):
    with StageLogger(tmp_path) as logger:
        with pytest.raises(ValueError, match="not the name of a quantization stage; choose one of initial_graph, "):
            logger.log_graph("final", [StageNode("x", "Input")])
        with pytest.raises(ValueError, match="'a' reads 'b', which is not an earlier node"):
            logger.log_graph("initial_graph", [StageNode("a", "F", inputs=["b"])])
        with pytest.raises(ValueError, match="no sample was compared"):
            logger.log_similarity(ModelSimilarity())
    statistics = OutputStatistics()
    statistics.add(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="3 channels along axis 1, but earlier outputs had 2"):
        statistics.add(np.zeros((1, 3)))
