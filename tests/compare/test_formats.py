"""Compares pairs that other programs wrote: OpenVINO's converter, and the packages of safetensors
and GGUF.
"""

import numpy as np
import pytest
from digits_models import LAYERS, Editor

RNG = np.random.default_rng(4)


def to_openvino(onnx_file, path, **options):
    import openvino

    openvino.save_model(openvino.convert_model(str(onnx_file)), path, compress_to_fp16=False, **options)
    return path


@pytest.fixture(scope="module")
def irs(digits):
    return to_openvino(digits.fp32, digits.folder / "fp32.xml"), to_openvino(
        digits.int8, digits.folder / "int8.xml"
    )


def reds(report):
    return [layer["name"] for layer in report["layers"] if layer["level"] == "red"]


def test_a_good_pair_of_openvino_has_nothing_red(digits, irs, compare):
    report = compare(*irs)
    assert report["variant_name"] == "int8" and "no ONNX file" in report["why_not_run"]
    assert len(report["layers"]) == len(LAYERS) and reds(report) == []
    assert {layer["op_type"] for layer in report["layers"]} == {"Convolution", "MatMul"}
    # The same weights as in the files they were converted from.
    originals = compare(digits.fp32, digits.int8, "--samples", 0)
    assert sorted(layer["weight"]["sqnr_db"] for layer in report["layers"]) == pytest.approx(
        sorted(layer["weight"]["sqnr_db"] for layer in originals["layers"]), abs=0.01
    )


def test_a_broken_scale_is_named_first_in_openvino(digits, irs, compare, tmp_path):
    model = Editor(digits.int8)
    model.set("conv2.weight_scale", model.get("conv2.weight_scale") * np.float32(0.5))
    broken = to_openvino(model.save(tmp_path / "broken.onnx"), tmp_path / "broken.xml")
    report = compare(irs[0], broken)
    assert len(reds(report)) == 1 and report["layers"][0]["cause"] == "wrong_scale"
    assert "conv2" in report["layers"][0]["name"]


def test_half_precision_of_openvino_is_no_damage(digits, irs, compare, tmp_path):
    import openvino

    half = tmp_path / "fp16.xml"
    openvino.save_model(openvino.convert_model(str(digits.fp32)), half, compress_to_fp16=True)
    report = compare(irs[0], half)
    assert report["variant_name"] == "fp16" and reds(report) == []
    assert all(layer["weight"]["sqnr_db"] > 60 for layer in report["layers"])


# Names of a transformer's weights in Hugging Face's files and in llama.cpp's.
BLOCK = {
    "self_attn.q_proj": ("attn_q", (96, 64)),
    "self_attn.k_proj": ("attn_k", (32, 64)),
    "self_attn.o_proj": ("attn_output", (64, 96)),
    "mlp.up_proj": ("ffn_up", (128, 64)),
    "mlp.down_proj": ("ffn_down", (64, 128)),
}


@pytest.fixture
def transformer(tmp_path):
    """Returns the weights of two blocks, and a safetensors file of them."""
    from safetensors.numpy import save_file

    weights = {}
    for block in range(2):
        for name, (_, shape) in BLOCK.items():
            values = RNG.normal(0, shape[1] ** -0.5, shape).astype(np.float32)
            weights[f"model.layers.{block}.{name}.weight"] = values
    save_file(weights, tmp_path / "model.safetensors")
    return weights, tmp_path / "model.safetensors"


HEADS, KEY_HEADS = 6, 2


def to_gguf(weights, kind, path, changed=lambda name, values: values):
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    for name, values in weights.items():
        _, _, block, rest = name.split(".", 3)
        theirs = BLOCK[rest.removesuffix(".weight")][0]
        codes = gguf.quants.quantize(changed(name, values), kind)
        writer.add_tensor(f"blk.{block}.{theirs}.weight", codes, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize("kind, least_db", [("Q8_0", 40), ("Q4_0", 17)])
def test_gguf_is_compared_with_the_safetensors_it_was_made_from(transformer, compare, tmp_path, kind, least_db):
    import gguf

    weights, safetensors = transformer
    kind = gguf.GGMLQuantizationType[kind]
    report = compare(safetensors, to_gguf(weights, kind, tmp_path / "model.gguf"))
    assert report["variant_name"] == kind.name.lower()
    assert len(report["layers"]) == len(weights) and reds(report) == []
    assert report["baseline_only"] == [] and report["variant_only"] == []
    for layer in report["layers"]:
        _, _, block, rest = layer["name"].split(".", 3)
        assert layer["variant_name"] == f"blk.{block}.{BLOCK[rest][0]}"
        x = weights[f"{layer['name']}.weight"].astype(np.float64)
        y = gguf.quants.dequantize(gguf.quants.quantize(x.astype(np.float32), kind), kind)
        sqnr = 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())
        assert layer["weight"]["sqnr_db"] == pytest.approx(sqnr, rel=1e-5) and sqnr > least_db


def test_what_went_wrong_on_the_way_to_gguf_is_named(transformer, compare, tmp_path):
    import gguf

    weights, safetensors = transformer

    def changed(name, values):
        values = values.copy()
        if name == "model.layers.0.self_attn.o_proj.weight":
            values *= np.float32(0.8)
        if name == "model.layers.1.mlp.up_proj.weight":
            values[5] = 0
        return values

    file = to_gguf(weights, gguf.GGMLQuantizationType.Q8_0, tmp_path / "model.gguf", changed)
    report = compare(safetensors, file)
    found = {layer["name"]: layer["cause"] for layer in report["layers"] if layer["level"] == "red"}
    assert found == {
        "model.layers.1.mlp.up_proj": "dead_channel",
        "model.layers.0.self_attn.o_proj": "wrong_scale",
    }


def in_pairs(name, values):
    """Orders the rows of q and k as llama.cpp's converter does: the two halves of each head
    alternately.
    """
    heads = {"q_proj": HEADS, "k_proj": KEY_HEADS}.get(name.split(".")[-2])
    if heads is None:
        return values
    halves = values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:])
    return halves.swapaxes(1, 2).reshape(values.shape)


@pytest.mark.parametrize("is_gguf_first", [False, True])
def test_rows_that_llama_cpp_put_in_another_order_are_the_same_weights(transformer, compare, tmp_path, is_gguf_first):
    import gguf

    weights, safetensors = transformer
    kind = gguf.GGMLQuantizationType.Q8_0
    file = to_gguf(weights, kind, tmp_path / "model.gguf", in_pairs)
    report = compare(file, safetensors) if is_gguf_first else compare(safetensors, file)
    assert len(report["layers"]) == len(weights) and reds(report) == []
    stored = {
        tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        for tensor in gguf.GGUFReader(file).tensors
    }
    for layer in report["layers"]:
        ours, theirs = layer["name"], layer["variant_name"]
        if is_gguf_first:
            ours, theirs = theirs, ours
        _, _, block, rest = ours.split(".", 3)
        assert theirs == f"blk.{block}.{BLOCK[rest][0]}" and layer["paired_by"] == "content"
        x = in_pairs(ours + ".weight", weights[ours + ".weight"]).astype(np.float64)
        y = stored[theirs + ".weight"].astype(np.float64)
        signal = y if is_gguf_first else x
        sqnr = 10 * np.log10((signal**2).sum() / ((x - y) ** 2).sum())
        assert layer["weight"]["sqnr_db"] == pytest.approx(sqnr, rel=1e-5) and sqnr > 40


def test_channels_of_a_head_that_are_in_the_wrong_order_are_still_damage(transformer, compare, tmp_path):
    import gguf

    weights, safetensors = transformer

    def changed(name, values):
        values = in_pairs(name, values).copy()
        if name == "model.layers.0.self_attn.k_proj.weight":
            values[[3, 7]] = values[[7, 3]]
        return values

    file = to_gguf(weights, gguf.GGMLQuantizationType.Q8_0, tmp_path / "model.gguf", changed)
    report = compare(safetensors, file)
    assert reds(report) == ["model.layers.0.self_attn.k_proj"]
    assert report["layers"][0]["cause"] == "permuted_channels"
