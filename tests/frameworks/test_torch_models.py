"""Models of torchao, torch.export, pt2e, torch.compile and FX: logged by TuningLogger, drawn as
graphs and compared as modules."""

import warnings

import numpy as np
import pytest
import torch

from compression_board import SummaryWriter, TuningLogger, compare
from compression_board.tuning.torch_models import uncompiled

warnings.simplefilter("ignore")
BATCH = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(1))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.relu = torch.nn.ReLU(inplace=True)
        self.fc = torch.nn.Linear(8 * 64, 64)
        self.head = torch.nn.Linear(64, 32)

    def forward(self, x):
        return self.head(torch.relu(self.fc(self.relu(self.conv(x)).flatten(1))))


def floats():
    torch.manual_seed(0)
    return Net().eval()


def exported():
    return torch.export.export(floats(), (BATCH,)).module()


def pt2e():
    import torchao.quantization.pt2e.quantizer.x86_inductor_quantizer as x86
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(exported(), quantizer)
    prepared(BATCH)
    return convert_pt2e(prepared)


def compiled():
    return torch.compile(floats(), backend="eager")


def fx_quantized():
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    prepared = prepare_fx(floats(), get_default_qconfig_mapping("x86"), (BATCH,))
    prepared(BATCH)
    return convert_fx(prepared)


def torchao(name):
    def make():
        import torchao.quantization as quantization

        model = floats()
        quantization.quantize_(model, getattr(quantization, name)())
        return model

    return make


def hook_count(model):
    modules = uncompiled(model).modules()
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in modules)


OUTPUTS = {"conv/Output/fp32", "relu/Output/fp32", "fc/Output/fp32", "head/Output/fp32"}
FLOAT = OUTPUTS | {f"{layer}/{part}/fp32" for layer in ("conv", "fc", "head") for part in ("weight", "bias")}
QUANTIZED = {tag.replace("weight/fp32", "weight/int8") for tag in FLOAT}
LINEAR_INT8 = {tag.replace("weight/fp32", "weight/int8") if tag[:4] in ("fc/w", "head") else tag for tag in FLOAT}


@pytest.mark.parametrize(
    "make, expected",
    [
        (exported, FLOAT),
        (compiled, FLOAT),
        # The quantizer is behind the ReLU; the outputs of the linear layers stay float.
        (pt2e, QUANTIZED - {"relu/Output/fp32"} | {"relu/Output/int8"}),
        (torchao("Int8WeightOnlyConfig"), LINEAR_INT8),
        (torchao("Int8DynamicActivationInt8WeightConfig"), LINEAR_INT8),
        (torchao("Float8WeightOnlyConfig"), {tag.replace("int8", "fp8") for tag in LINEAR_INT8}),
    ],
    ids=["export", "compile", "pt2e", "int8", "int8_dynamic", "float8"],
)
def test_a_trial_has_outputs_parameters_and_a_graph_under_module_names(make, expected, tmp_path, read_log):
    model = make()
    hooks = hook_count(model)  # Models of torch.export have some that check their inputs.
    with torch.no_grad():
        before = model(BATCH)
        with TuningLogger(tmp_path).evaluation(model) as trial:
            result = trial.model(BATCH)
            trial.accuracy, trial.input = 0.5, BATCH
        after = model(BATCH)
    assert torch.equal(before, result) and torch.equal(before, after)
    assert hook_count(model) == hooks
    (run,) = read_log(tmp_path).runs
    tags = read_log(tmp_path).tags(run)
    assert {tag for tag in tags if "/" in tag} == expected
    assert any(tag["kind"] == "graph" for tag in tags.values())


def test_pt2e_weights_are_those_that_the_graph_uses(tmp_path, read_log):
    """The state dict of a converted model still has the weights from before quantization."""
    model = pt2e()
    with TuningLogger(tmp_path).evaluation(model) as trial:
        with torch.no_grad():
            trial.model(BATCH)
        trial.accuracy = 1
    (run,) = read_log(tmp_path).runs
    logged = read_log(tmp_path).tags(run)["fc/weight/int8"]["values"][0]
    weight = floats().fc.weight.detach().double()
    scale = weight.abs().amax(1, keepdim=True) / 127.5
    rounded = (weight / scale).round().clamp(-128, 127) * scale
    assert logged["sum_squares"] == pytest.approx(float((rounded**2).sum()), rel=1e-4)
    assert logged["sum_squares"] != pytest.approx(float((weight**2).sum()), rel=1e-8)


def test_compiled_code_is_used_again_after_the_evaluation(tmp_path):
    calls = []

    def backend(graph, inputs):
        calls.append("compiled")
        return graph.forward

    model = torch.compile(floats(), backend=backend)
    model(BATCH)
    assert calls == ["compiled"]
    with TuningLogger(tmp_path).evaluation(model) as trial:
        trial.model(BATCH)
        trial.accuracy = 1
    model(BATCH)
    assert calls == ["compiled"]


@pytest.mark.parametrize("make", [exported, pt2e, compiled, torchao("Int8DynamicActivationInt8WeightConfig")])
def test_graphs_of_models_that_cannot_be_traced(make, tmp_path, read_log):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_graph(make(), BATCH)
    assert any(tag["kind"] == "graph" for tag in read_log(tmp_path).tags(".").values())


def sqnr_db(reference, other):
    reference, other = (x.detach().double() for x in (reference, other))
    return float(10 * torch.log10((reference**2).sum() / ((reference - other) ** 2).sum()))


@pytest.mark.parametrize("make", [pt2e, fx_quantized, torchao("Int8WeightOnlyConfig"),
                                  torchao("Int8DynamicActivationInt8WeightConfig")])  # fmt: skip
def test_modules_are_compared_with_the_error_that_pytorch_computes(make):
    baseline, variant = floats(), make()
    with torch.no_grad():
        expected = sqnr_db(baseline(BATCH), variant(BATCH))
    rows = compare(baseline, variant, BATCH)
    layers = {row["name"]: row for row in rows}
    assert {"conv", "fc", "head"} <= set(layers)
    assert rows.samples == 4 and not rows.is_generated
    assert layers["head"]["accumulated_sqnr_db"] == pytest.approx(expected, abs=0.05)
    assert layers["fc"]["bits"] == 8
    assert hook_count(baseline) == 0
    assert not [name for name in layers if name not in {"conv", "fc", "head", "input", "Flatten", "Relu"}]


def test_weights_are_compared_exactly():
    baseline, variant = floats(), torchao("Int8WeightOnlyConfig")()
    row = next(row for row in compare(baseline, variant, BATCH) if row["name"] == "fc")
    expected = sqnr_db(baseline.fc.weight, variant.fc.weight.dequantize())
    assert row["weight_sqnr_db"] == pytest.approx(expected, abs=0.05)


def test_a_damaged_layer_has_its_cause_and_the_name_of_the_module(tmp_path, read_log):
    variant = floats()
    with torch.no_grad():
        variant.fc.weight[:, ::2] = 0
    rows = compare(floats(), variant, BATCH, logdir=tmp_path)
    row = next(row for row in rows if row["name"] == "fc")
    assert row["cause"] == "pruned" and row["level"] != "green"
    log = read_log(tmp_path)
    assert any(tag.startswith("Net/layers/fc/") for run in log.runs for tag in log.tags(run))


def test_a_comparison_does_not_change_the_modules():
    baseline, variant = floats(), compiled()
    baseline.train()
    state = {name: value.clone() for name, value in baseline.state_dict().items()}
    rows = compare(baseline, variant, BATCH)
    assert all(row["level"] == "green" for row in rows)
    assert baseline.training and all(torch.equal(value, state[name]) for name, value in baseline.state_dict().items())


def test_wrong_arguments_say_what_to_pass(tmp_path):
    with pytest.raises(ValueError, match="pass batch"):
        compare(floats(), floats())
    with pytest.raises(ValueError, match="two model files, or two PyTorch modules"):
        compare(floats(), tmp_path / "net.onnx", BATCH)
    with pytest.raises(ValueError, match="with model files only"):
        compare(floats(), floats(), BATCH, samples=3)


def test_arrays_of_ml_dtypes():
    import ml_dtypes

    from compression_board.tensors import make_np

    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "bfloat16", "int4", "uint4"):
        array = np.array([0.5 if "float" in name else 1, 1, 2, 4], getattr(ml_dtypes, name))
        assert make_np(array).tolist() == array.astype(np.float32).tolist(), name
