"""Tests with real PyTorch: a network is trained, quantized, logged, and read back by TensorBoard.
"""

import io

import numpy as np
import pytest
import torch
from compression_board import CompressionWriter, SummaryWriter, TrainingLogger


@pytest.fixture
def histogram(tmp_path, read):
    def log(values):
        with SummaryWriter(str(tmp_path)) as writer:
            writer.add_histogram("h", values, 1)
        return read(tmp_path).events.Histograms("h")[0].histogram_value

    return log


@pytest.mark.parametrize(
    "dtype",
    [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8,
     torch.int16, torch.int32, torch.int64, torch.bool],
    ids=str,
)  # fmt: skip
def test_histograms_of_tensors(histogram, dtype):
    values = torch.arange(6).to(dtype)
    expected = values.double().sum().item()
    if values.is_floating_point():
        values.requires_grad_()
    assert histogram(values).sum == expected


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_keeps_its_values(histogram, dtype):
    values = torch.randn(1000, generator=torch.Generator().manual_seed(1)).to(dtype)
    found, real = histogram(values), values.double()
    assert (found.min, found.max) == (real.min().item(), real.max().item())
    assert found.sum == pytest.approx(real.sum().item(), abs=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.t(),
        lambda x: x[::2, 1:],
        lambda x: x.expand(2, 4, 6),
        lambda x: (x * 1.0).requires_grad_() * 2,
        lambda x: torch.nn.Parameter(x),
        lambda x: x.to(memory_format=torch.contiguous_format)[:0].new_tensor([3.0]),
    ],
    ids=["transposed", "strided", "expanded", "in a graph", "parameter", "one value"],
)
def test_tensors_that_are_views_or_carry_gradients(histogram, make):
    tensor = make(torch.arange(24.0).reshape(4, 6))
    assert histogram(tensor).sum == tensor.detach().double().sum().item()


def test_histogram_of_a_quantized_tensor_shows_real_values(histogram):
    real = torch.tensor([-1.0, 0.0, 0.5, 2.0])
    assert histogram(torch.quantize_per_tensor(real, 0.5, 3, torch.quint8)).sum == 1.5


@pytest.mark.parametrize("dtype", [torch.qint8, torch.quint8, torch.qint32], ids=str)
def test_histogram_of_every_quantized_type_equals_that_of_its_values(histogram, dtype):
    real = torch.randn(500, generator=torch.Generator().manual_seed(2))
    quantized = torch.quantize_per_tensor(real, 0.02, 0 if dtype == torch.qint32 else 100, dtype)
    found, values = histogram(quantized), quantized.dequantize().double()
    assert found.num == 500
    assert found.sum == pytest.approx(values.sum().item(), abs=1e-4)
    assert found.max == pytest.approx(values.max().item(), abs=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_histogram_of_a_tensor_quantized_by_channel(histogram, axis):
    real = torch.tensor([[1.0, 20.0], [3.0, 40.0]])
    real = real if axis == 1 else real.t().contiguous()
    scales, zeros = torch.tensor([1.0, 10.0]), torch.tensor([0, -3])
    quantized = torch.quantize_per_channel(real, scales, zeros, axis, torch.qint8)
    found = histogram(quantized)
    assert (found.min, found.max, found.sum) == (1.0, 40.0, 64.0)


def test_histogram_of_float_zero_points(histogram):
    real = torch.rand(4, 8, generator=torch.Generator().manual_seed(3))
    quantized = torch.quantize_per_channel(
        real, torch.full((4,), 0.01), torch.full((4,), 0.5), 0, torch.quint8
    )
    assert histogram(quantized).sum == pytest.approx(quantized.dequantize().sum().item(), rel=1e-5)


def test_anything_with_dlpack_is_taken(histogram):
    class Producer:
        """An array of a library that supports only DLPack."""

        def __init__(self, tensor):
            self._tensor = tensor

        def __dlpack__(self, **options):
            return self._tensor.__dlpack__()

        def __dlpack_device__(self):
            return self._tensor.__dlpack_device__()

    assert histogram(Producer(torch.arange(5.0))).sum == 10


def test_bfloat16_of_jax_is_taken(histogram):
    import ml_dtypes

    assert histogram(np.arange(5).astype(ml_dtypes.bfloat16)).sum == 10


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = torch.quantization.QuantStub(), torch.quantization.DeQuantStub()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)
        )

    def forward(self, x):
        return self.dequant(self.body(self.quant(x)))


def train(net, x, y, logger, epochs):
    loss_of = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    for epoch in range(epochs):
        optimizer.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        accuracy = (net(x).argmax(1) == y).float().mean()
        logger.log_epoch(epoch, loss, accuracy, accuracy, loss, accuracy, accuracy,
                         learning_rate=0.05)  # fmt: skip


def engine():
    """Returns a quantization engine that this build of PyTorch has."""
    return next(e for e in torch.backends.quantized.supported_engines if e != "none")


def quantize_eager(net, x):
    quantized = Net()
    quantized.load_state_dict(net.state_dict())
    quantized.eval()
    quantized.qconfig = torch.quantization.get_default_qconfig(engine())
    torch.quantization.prepare(quantized, inplace=True)
    quantized(x)
    return torch.quantization.convert(quantized)


def quantize_fx(net, x):
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    prepared = prepare_fx(net.eval().body, get_default_qconfig_mapping(engine()), (x,))
    prepared(x)
    return convert_fx(prepared)


def size_mb(model):
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return file.tell() / 1e6


@pytest.mark.parametrize("quantize", [quantize_eager, quantize_fx])
def test_train_quantize_log_and_read_back(tmp_path, read, quantize):
    torch.manual_seed(0)
    torch.backends.quantized.engine = engine()
    x = torch.randn(256, 4)
    y = (x.sum(1) > 0).long()
    net = Net()
    with TrainingLogger("net", logdir=str(tmp_path / "training")) as logger:
        train(net, x, y, logger, epochs=15)
    run = read(tmp_path / "training")
    losses = [value for _, value in run.scalars("net/training/loss")]
    assert len(losses) == 15 and losses[-1] < losses[0]
    assert [step for step, _ in run.scalars("net/validation/f1_score")] == list(range(15))
    assert logger.best_val_f1 == max(v for _, v in run.scalars("net/validation/f1_score"))

    quantized = quantize(net, x)
    figures = {
        name: {"accuracy": (model(x).argmax(1) == y).float().mean(), "model_size_mb": size_mb(model)}
        for name, model in (("fp32", net), ("int8", quantized))
    }
    weight = next(m for m in quantized.modules() if "Linear" in type(m).__name__).weight()
    with CompressionWriter(str(tmp_path / "compare")) as writer:
        writer.log_compression_comparison("net", figures["fp32"], figures["int8"])
        writer.log_compression_ratios("net", figures["fp32"], figures["int8"])
        writer.add_histogram("weight/int8", weight)
        writer.add_histogram("weight/fp32", net.body[0].weight)
    run = read(tmp_path / "compare")
    kept = figures["int8"]["accuracy"].item()
    assert run.scalars("net/metrics/accuracy/int8") == [(0, pytest.approx(kept))]
    drop = figures["fp32"]["accuracy"].item() - kept
    assert run.scalars("net/compression/accuracy_drop") == [(0, pytest.approx(drop, abs=1e-6))]
    int8, fp32 = (
        run.events.Histograms(f"weight/{name}")[0].histogram_value for name in ("int8", "fp32")
    )
    assert int8.num == fp32.num == 64
    assert int8.sum == pytest.approx(weight.dequantize().sum().item(), abs=1e-4)
    # Rounding moves each weight by at most half a step.
    assert int8.max == pytest.approx(fp32.max, abs=0.02) and int8.max != fp32.max


def test_pictures_from_tensors(tmp_path, read):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_image("i", torch.rand(3, 4, 4))
        writer.add_images("n", torch.zeros(2, 1, 4, 4, dtype=torch.uint8))
        writer.add_embedding(torch.eye(3), global_step=1)
    assert read(tmp_path).tags("images") == {"i", "n"}
    assert np.loadtxt(tmp_path / "00001/default/tensors.tsv").trace() == 3
