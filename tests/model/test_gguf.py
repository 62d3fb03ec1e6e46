"""GGUF files, with the gguf package as the oracle: it writes the files, lists them and dequantizes blocks."""

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

RNG = np.random.default_rng(5)

DEQUANTIZED = [
    Type.Q4_0,
    Type.Q4_1,
    Type.Q5_0,
    Type.Q5_1,
    Type.Q8_0,
    Type.Q2_K,
    Type.Q3_K,
    Type.Q4_K,
    Type.Q5_K,
    Type.Q6_K,
    Type.IQ4_NL,
    Type.IQ4_XS,
    Type.TQ1_0,
    Type.TQ2_0,
    Type.MXFP4,
]
# Positions of the half-precision scales in the blocks of each type; random bytes there would be
# NaNs.
SCALES = {
    Type.Q4_0: [0],
    Type.Q4_1: [0, 2],
    Type.Q5_0: [0],
    Type.Q5_1: [0, 2],
    Type.Q8_0: [0],
    Type.Q2_K: [80, 82],
    Type.Q3_K: [108],
    Type.Q4_K: [0, 2],
    Type.Q5_K: [0, 2],
    Type.Q6_K: [208],
    Type.IQ4_NL: [0],
    Type.IQ4_XS: [0],
    Type.TQ1_0: [52],
    Type.TQ2_0: [64],
    Type.MXFP4: [],
}


def random_blocks(kind, rows, columns):
    """Uses every bit pattern of codes, which no quantizer's output would cover."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = RNG.integers(0, 256, (rows, columns // elements, size)).astype(np.uint8)
    for offset in SCALES[kind]:
        scales = RNG.normal(size=blocks.shape[:2]).astype(np.float16)
        blocks[..., offset : offset + 2] = scales.view(np.uint8).reshape(*blocks.shape[:2], 2)
    if kind == Type.MXFP4:
        blocks[..., 0] = RNG.integers(0, 255, blocks.shape[:2])
    return blocks.reshape(rows, -1)


def write(path, tensors):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_uint32("llama.block_count", 2)
    writer.add_array("tokenizer.ggml.tokens", ["a", "b", "c"])
    writer.add_array("some.numbers", [1.5, 2.5])
    writer.add_bool("some.flag", True)
    for name, (array, kind) in tensors.items():
        writer.add_tensor(name, array, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.parametrize("kind", DEQUANTIZED, ids=lambda kind: kind.name)
def test_blocks_dequantize_bit_for_bit(tmp_path, dump, kind):
    blocks = random_blocks(kind, 5, 768)
    write(tmp_path / "m.gguf", {"w": (blocks, kind)})
    expected = gguf.dequantize(blocks, kind)
    ours = dump(tmp_path / "m.gguf")
    assert ours.tensors["w"]["shape"] == [5, 768]
    assert ours.tensors["w"]["type"] == kind.name.lower()
    assert ours.tensors["w"]["bytes"] == blocks.size
    np.testing.assert_array_equal(
        ours.values("w").view(np.uint32), expected.astype(np.float32).view(np.uint32)
    )


def test_plain_types_and_metadata(tmp_path, dump):
    arrays = {
        "f32": RNG.normal(size=(3, 4)).astype(np.float32),
        "f16": RNG.normal(size=(3, 4)).astype(np.float16),
        "f64": RNG.normal(size=(2, 3, 4)),
        "i8": RNG.integers(-128, 128, 6).astype(np.int8),
        "i16": RNG.integers(-999, 999, 6).astype(np.int16),
        "i32": RNG.integers(-999, 999, 6).astype(np.int32),
        "i64": RNG.integers(-999, 999, 6),
    }
    tensors = {name: (array, None) for name, array in arrays.items()}
    bfloat = gguf.quantize(arrays["f32"], Type.BF16)
    tensors["bf16"] = (bfloat, Type.BF16)
    write(tmp_path / "m.gguf", tensors)
    ours = dump(tmp_path / "m.gguf")
    for name, array in arrays.items():
        assert ours.tensors[name]["shape"] == list(array.shape)
        np.testing.assert_array_equal(ours.values(name), array.astype(np.float32))
    np.testing.assert_array_equal(ours.values("bf16"), gguf.dequantize(bfloat, Type.BF16))
    metadata = dict(ours.listing["metadata"])
    assert metadata["general.architecture"] == "llama" and metadata["general.name"] == "tiny"
    assert metadata["llama.block_count"] == "2" and metadata["some.flag"] == "true"
    assert metadata["tokenizer.ggml.tokens"] == "[3 values]"
    listed = {
        tensor.name: [int(n) for n in tensor.shape][::-1]
        for tensor in gguf.GGUFReader(tmp_path / "m.gguf").tensors
    }
    assert listed == {name: tensor["shape"] for name, tensor in ours.tensors.items()}


def test_types_that_need_tables_are_listed_and_counted(tmp_path):
    from conftest import run_dump
    import json

    elements, size = gguf.GGML_QUANT_SIZES[Type.IQ2_XXS]
    write(tmp_path / "m.gguf", {"w": (np.zeros((2, size), np.uint8), Type.IQ2_XXS)})
    listing = json.loads(run_dump(tmp_path / "m.gguf").stdout)
    assert listing["tensors"][0]["type"] == "iq2_xxs" and listing["tensors"][0]["shape"] == [
        2,
        elements,
    ]
    assert listing["tensors"][0]["bytes"] == 2 * size
    assert "does not contain real numbers" in run_dump(tmp_path / "m.gguf", tmp_path).stderr
