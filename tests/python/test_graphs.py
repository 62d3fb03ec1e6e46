"""Graphs of PyTorch, ONNX and OpenVINO models, as TensorBoard draws them."""

import pytest
import torch
from compression_board import SummaryWriter


class Block(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, channels, 3, padding=1)
        self.relu = torch.nn.ReLU()

    def forward(self, x):
        return x + self.relu(self.conv(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 8, 3, stride=2)
        self.blocks = torch.nn.Sequential(Block(8), Block(8))
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


IMAGE = torch.zeros(2, 3, 9, 9)


def shapes(node):
    stored = node.attr["_output_shapes"].list.shape
    return [[dim.size for dim in shape.dim] for shape in stored]


@pytest.fixture
def graph(tmp_path, read):
    """Logs a graph with `log` and returns its nodes by name, as TensorBoard reads them."""

    def logged(log):
        with SummaryWriter(str(tmp_path / "graph")) as writer:
            log(writer)
        return {node.name: node for node in read(tmp_path / "graph").events.Graph().node}

    return logged


def test_modules_are_name_spaces_and_edges_have_shapes(graph):
    nodes = graph(lambda w: w.add_graph(Net(), IMAGE))
    convolution = nodes["Net/Sequential[blocks]/Block[1]/Conv2d[conv]/_convolution"]
    assert convolution.op == "aten::_convolution"
    assert shapes(convolution) == [[2, 8, 4, 4]]
    assert shapes(nodes["Net/Conv2d[stem]/weight"]) == [[8, 3, 3, 3]]
    assert shapes(nodes["Net/Linear[head]/linear"]) == [[2, 5]]
    (entry,) = [node for name, node in nodes.items() if name.startswith("input/")]
    (end,) = [node for name, node in nodes.items() if name.startswith("output/")]
    assert shapes(entry) == [[2, 3, 9, 9]] and shapes(end) == [[2, 5]]
    assert list(end.input) == ["Net/Linear[head]/linear"]


def test_every_edge_leads_to_a_node_and_the_input_reaches_the_output(graph):
    nodes = graph(lambda w: w.add_graph(Net(), IMAGE))
    assert all(source in nodes for node in nodes.values() for source in node.input)
    reached, waiting = set(), [name for name in nodes if name.startswith("output/")]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += nodes[name].input
    assert any(name.startswith("input/") for name in reached)


def test_a_module_that_is_used_twice_has_nodes_of_their_own(graph):
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(self.layer(x))

    names = [name for name in graph(lambda w: w.add_graph(Twice(), torch.zeros(1, 3)))]
    assert {"Twice/Linear[layer]/linear", "Twice/Linear[layer]/linear_1"} <= set(names)


def test_tracing_leaves_the_module_as_it_was(graph):
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout())
    net.train()
    graph(lambda w: w.add_graph(net, torch.zeros(1, 3)))
    assert net.training and all(module.training for module in net)


def test_a_graph_that_cannot_be_traced_is_a_runtime_error(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer, pytest.raises(RuntimeError):
        writer.add_graph(torch.nn.Linear(3, 4), torch.zeros(1, 7))


@pytest.fixture
def exported(tmp_path):
    path = tmp_path / "net.onnx"
    torch.onnx.export(Net().eval(), IMAGE, str(path), input_names=["image"], output_names=["class"])
    return path


def test_an_exported_onnx_model_is_complete(graph, exported):
    import onnx

    model = onnx.load(str(exported)).graph
    nodes = graph(lambda w: w.add_onnx_graph(exported))
    # Named by operator and inputs; weights are nodes too.
    computed = {node.output[0]: (node.op_type, list(node.input)) for node in model.node}
    logged = {name: (node.op, list(node.input)) for name, node in nodes.items() if node.input}
    assert logged == computed
    assert {weight.name for weight in model.initializer} == {
        name for name, node in nodes.items() if node.op == "Const"
    }
    assert [dim.size for dim in nodes["image"].attr["shape"].shape.dim] == [2, 3, 9, 9]
    assert shapes(nodes["class"]) == [[2, 5]]
    stem = next(node for node in nodes.values() if "image" in node.input)
    assert b"strides = [2, 2]" in stem.attr["parameters"].s


def test_weights_stay_out_of_the_log(graph, exported):
    nodes = graph(lambda w: w.add_onnx_graph(exported))
    assert sum(node.ByteSize() for node in nodes.values()) < 10_000


OPENVINO = """<?xml version="1.0"?>
<net name="small" version="11"><layers>
<layer id="0" name="image" type="Parameter" version="opset1"><data shape="1,3,8,8"
  element_type="f32"/><output><port id="0"><dim>1</dim><dim>3</dim><dim>8</dim><dim>8</dim></port>
  </output></layer>
<layer id="1" name="act" type="ReLU" version="opset1"><input><port id="0"><dim>1</dim><dim>3</dim>
  <dim>8</dim><dim>8</dim></port></input><output><port id="1"><dim>1</dim><dim>3</dim><dim>8</dim>
  <dim>8</dim></port></output></layer>
<layer id="2" name="out" type="Result" version="opset1"><input><port id="0"><dim>1</dim>
  <dim>3</dim><dim>8</dim><dim>8</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_an_openvino_model_has_a_node_per_layer(graph, tmp_path):
    (tmp_path / "small.xml").write_text(OPENVINO)
    nodes = graph(lambda w: w.add_openvino_graph(tmp_path / "small.xml"))
    by_end = {name.rpartition("/")[2]: node for name, node in nodes.items()}
    assert {name: node.op for name, node in by_end.items()} == {
        "image": "Parameter", "act": "ReLU", "out": "Result"}  # fmt: skip
    assert [source.rpartition("/")[2] for source in by_end["act"].input] == ["image"]
    assert shapes(by_end["act"]) == [[1, 3, 8, 8]]


@pytest.mark.parametrize("method", ["add_onnx_graph", "add_openvino_graph"])
def test_a_file_that_is_no_model_is_an_oserror_that_names_it(tmp_path, method):
    (tmp_path / "text").write_bytes(b"not a model at all \xff\xff\xff\xff")
    with SummaryWriter(str(tmp_path / "run")) as writer, pytest.raises(OSError, match="text"):
        getattr(writer, method)(tmp_path / "text")
