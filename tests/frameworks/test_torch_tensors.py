"""Every element type and tensor class of today's PyTorch, logged and read back."""

import numpy as np
import pytest
import torch

from compression_board import SummaryWriter, torch_tensors
from compression_board.tensors import as_engine, make_np


def values():
    return torch.linspace(-3, 3, 48).reshape(6, 8)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
                                  "float8_e5m2fnuz", "float64", "int8", "int16", "uint8", "bool"])  # fmt: skip
def test_values_are_those_of_the_element_type(name):
    tensor = values().abs().to(getattr(torch, name))
    assert np.array_equal(make_np(tensor).astype(np.float64), tensor.double().numpy())


def test_powers_of_two_of_float8_e8m0():
    tensor = torch.tensor([0.25, 1.0, 8.0]).to(torch.float8_e8m0fnu)
    assert make_np(tensor).tolist() == [0.25, 1.0, 8.0]


def test_two_float4_values_lie_in_a_byte_the_lower_half_first():
    tensor = torch.tensor([[0x21, 0xF7]], dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    assert make_np(tensor).tolist() == [[0.5, 1.0, 6.0, -6.0]]


def test_integers_below_a_byte():
    codes = torch.tensor([15, 8, 1, 0], dtype=torch.uint8)
    assert make_np(codes.view(torch.int4)).tolist() == [-1, -8, 1, 0]
    assert make_np(codes.view(torch.uint4)).tolist() == [15, 8, 1, 0]


def test_sparse_and_strided_tensors():
    tensor = values() * (values() > 1)
    for other in (tensor.to_sparse(), tensor.to_sparse_csr(), tensor.t().contiguous().t(), tensor[:, ::2]):
        dense = other.to_dense() if other.layout != torch.strided else other
        assert np.array_equal(make_np(other), dense.numpy())
        assert np.array_equal(np.asarray(as_engine(other)), dense.numpy())


def test_complex_half_and_conjugates():
    tensor = torch.tensor([1 + 2j, 3 - 4j])
    assert make_np(tensor.conj()).tolist() == [1 - 2j, 3 + 4j]
    assert make_np(tensor.to(torch.complex32)).tolist() == [1 + 2j, 3 - 4j]


def test_tensors_without_values_say_what_to_do(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer:
        with pytest.raises(TypeError, match="has a shape but no values"):
            writer.add_histogram("weights", torch.empty(3, device="meta"))
        with pytest.raises(TypeError, match="nested tensors"):
            writer.add_histogram("weights", torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))


def test_distributed_tensors_name_the_call_that_is_needed(tmp_path):
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import distribute_tensor

    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        tensor = distribute_tensor(values(), init_device_mesh("cpu", (1,)))
        with pytest.raises(TypeError, match=r"full_tensor\(\)"):
            make_np(tensor)
        assert np.array_equal(make_np(tensor.full_tensor()), values().numpy())
    finally:
        dist.destroy_process_group()


def torchao_weights(config):
    from torchao.quantization import quantize_

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 32))
    original = model[0].weight.detach().clone()
    quantize_(model, config)
    return original, model[0].weight


def test_torchao_int8_weights_have_codes_and_scales():
    from torchao.quantization import Int8WeightOnlyConfig

    original, weight = torchao_weights(Int8WeightOnlyConfig())
    assert np.abs(make_np(weight) - original.numpy()).max() < 0.01
    codes, _, scales, zero_points, axis = torch_tensors.quantized(weight)
    assert codes.dtype == np.int8 and axis == 0 and len(scales) == 32 and set(zero_points) == {0}
    assert torch_tensors.is_compressed(weight) and not torch_tensors.is_compressed(original)


def test_torchao_float8_weights_are_dequantized():
    from torchao.quantization import Float8WeightOnlyConfig

    original, weight = torchao_weights(Float8WeightOnlyConfig())
    assert np.abs(make_np(weight) - original.numpy()).max() < 0.02


def test_a_histogram_of_torchao_weights_is_that_of_their_values(tmp_path, read_log):
    from torchao.quantization import Int8WeightOnlyConfig

    _, weight = torchao_weights(Int8WeightOnlyConfig())
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_histogram("weight", weight, 1)
        writer.add_histogram("values", weight.dequantize(), 1)
    tags = read_log(tmp_path).tags("run")
    weight, values = tags["weight"]["values"][0], tags["values"]["values"][0]
    assert weight["num"] == values["num"] == 2048
    # Codes are multiplied by scales in double precision; PyTorch multiplies in float32.
    for name in ("min", "max", "sum", "sum_squares"):
        assert weight[name] == pytest.approx(values[name], rel=1e-3, abs=1e-4)
