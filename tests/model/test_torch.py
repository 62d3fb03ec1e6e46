"""Reads networks that PyTorch exports, with PyTorch's own modules as oracles for shapes, work and
weights.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch")


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU()
        )
        self.depthwise = torch.nn.Conv2d(8, 8, 3, stride=2, groups=8)
        self.up = torch.nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.pool = torch.nn.AdaptiveAvgPool2d(1)
        self.head = torch.nn.Linear(4, 10)

    def forward(self, x):
        x = self.up(self.depthwise(self.stem(x)))
        return torch.softmax(self.head(self.pool(x).view(x.size(0), -1)), 1)


def work_of(module, inputs, output):
    """Returns the multiply-accumulates of one call, counted from the module's own definition."""
    if isinstance(module, torch.nn.Linear):
        return output.numel() * module.in_features
    kernel = int(np.prod(module.kernel_size))
    if isinstance(module, torch.nn.ConvTranspose2d):
        return inputs[0].numel() * module.out_channels // module.groups * kernel
    return output.numel() * module.in_channels // module.groups * kernel


@pytest.mark.parametrize("opset", [9, 11, 13, 16])
@pytest.mark.parametrize("dynamic", [False, True], ids=["fixed batch", "dynamic batch"])
def test_exported_network(tmp_path, dump, opset, dynamic):
    torch.manual_seed(0)
    network = Network().eval()
    sample = torch.randn(1, 3, 17, 17)
    work, shapes, hooks = [], [], []

    def watch(module, inputs, output):
        work.append(work_of(module, inputs, output))
        shapes.append(list(output.shape))

    for module in network.modules():
        if isinstance(module, (torch.nn.Conv2d, torch.nn.ConvTranspose2d, torch.nn.Linear)):
            hooks.append(module.register_forward_hook(watch))
    network(sample)
    for hook in hooks:
        hook.remove()
    torch.onnx.export(
        network,
        sample,
        str(tmp_path / "m.onnx"),
        opset_version=opset,
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": {0: "n"}, "y": {0: "n"}} if dynamic else None,
    )
    ours = dump(tmp_path / "m.onnx")
    heavy = [node for node in ours.listing["nodes"] if node["macs"] != 0]
    assert [node["op_type"] for node in heavy] == ["Conv", "Conv", "ConvTranspose", "Gemm"]
    assert [node["macs"] for node in heavy] == work
    for node, shape in zip(heavy, shapes):
        assert ours.tensors[node["outputs"][0]]["shape"][1:] == shape[1:]
    state = network.state_dict()
    for name in [
        "depthwise.weight",
        "depthwise.bias",
        "up.weight",
        "up.bias",
        "head.weight",
        "head.bias",
    ]:
        np.testing.assert_array_equal(ours.values(name), np.array(state[name].tolist(), np.float32))
