"""PyTorch for real: training, quantization, tensors of every kind."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from compression_board import CompressionWriter, SummaryWriter, TrainingLogger  # noqa: E402


@pytest.fixture
def histogram(tmp_path, read):
    def log(values):
        with SummaryWriter(str(tmp_path)) as writer:
            writer.add_histogram("h", values, 1)
        return read(tmp_path).events.Histograms("h")[0].histogram_value

    return log


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8]
)
def test_histograms_of_tensors(histogram, dtype):
    values = torch.arange(6).to(dtype)
    if values.is_floating_point():
        values.requires_grad_()
    assert histogram(values).sum == 15


def test_histogram_of_a_quantized_tensor_shows_real_values(histogram):
    real = torch.tensor([-1.0, 0.0, 0.5, 2.0])
    assert histogram(torch.quantize_per_tensor(real, 0.5, 3, torch.quint8)).sum == 1.5


def test_histogram_of_a_tensor_quantized_by_channel(histogram):
    real = torch.tensor([[1.0, 2.0], [10.0, 20.0]])
    scales, zeros = torch.tensor([1.0, 10.0]), torch.tensor([0, 0])
    quantized = torch.quantize_per_channel(real, scales, zeros, 0, torch.qint8)
    assert (histogram(quantized).sum, histogram(quantized).max) == (33.0, 20.0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = torch.quantization.QuantStub(), torch.quantization.DeQuantStub()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2)
        )

    def forward(self, x):
        return self.dequant(self.body(self.quant(x)))


def test_train_quantize_log_and_read_back(tmp_path, read):
    torch.manual_seed(0)
    x = torch.randn(256, 4)
    y = (x.sum(1) > 0).long()
    net, loss_of = Net(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    with TrainingLogger("net", logdir=str(tmp_path / "training")) as logger:
        for epoch in range(5):
            optimizer.zero_grad()
            loss = loss_of(net(x), y)
            loss.backward()
            optimizer.step()
            accuracy = (net(x).argmax(1) == y).float().mean()
            logger.log_epoch(epoch, loss, accuracy, accuracy, loss, accuracy, accuracy)
    assert logger.best_val_f1 > 0.5
    run = read(tmp_path / "training")
    assert [step for step, _ in run.scalars("net/training/loss")] == list(range(5))

    torch.backends.quantized.engine = torch.backends.quantized.supported_engines[-1]
    quantized = Net()
    quantized.load_state_dict(net.state_dict())
    quantized.eval()
    quantized.qconfig = torch.quantization.get_default_qconfig(torch.backends.quantized.engine)
    torch.quantization.prepare(quantized, inplace=True)
    quantized(x)
    torch.quantization.convert(quantized, inplace=True)

    figures = {
        name: {"accuracy": (model(x).argmax(1) == y).float().mean(), "model_size_mb": size}
        for name, model, size in (("fp32", net, 4.0), ("int8", quantized, 1.0))
    }
    with CompressionWriter(str(tmp_path / "compare")) as writer:
        writer.log_compression_comparison("net", figures["fp32"], figures["int8"])
        writer.log_compression_ratios("net", figures["fp32"], figures["int8"])
        writer.add_histogram("weight/int8", quantized.body[0].weight())
        writer.add_graph(net, x[:1])
    run = read(tmp_path / "compare")
    assert run.scalars("net/compression/size_ratio") == [(0, 4.0)]
    assert abs(run.scalars("net/compression/accuracy_drop")[0][1]) < 0.2
    names = [node.name for node in run.events.Graph().node]
    assert any("Linear[0]" in name for name in names)


def test_a_graph_that_cannot_be_traced_is_a_runtime_error(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer, pytest.raises(RuntimeError):
        writer.add_graph(torch.nn.Linear(3, 4), torch.zeros(1, 7))


def test_pictures_from_tensors(tmp_path, read):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_image("i", torch.rand(3, 4, 4))
        writer.add_images("n", torch.zeros(2, 1, 4, 4, dtype=torch.uint8))
        writer.add_embedding(torch.eye(3), global_step=1)
    assert read(tmp_path).tags("images") == {"i", "n"}
    assert np.loadtxt(tmp_path / "00001/default/tensors.tsv").trace() == 3
