"""Reads safetensors files; the package that writes them is the oracle."""

import json

import ml_dtypes
import numpy as np
import pytest
from safetensors import deserialize
from safetensors.numpy import save_file as save_numpy

TYPES = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "int64": np.int64,
    "int32": np.int32,
    "int16": np.int16,
    "int8": np.int8,
    "uint64": np.uint64,
    "uint32": np.uint32,
    "uint16": np.uint16,
    "uint8": np.uint8,
    "bool": np.bool_,
}


def test_every_type_is_listed_and_read(tmp_path, dump):
    rng = np.random.default_rng(1)
    arrays = {name: (rng.random((3, 7)) * 50).astype(kind) for name, kind in TYPES.items()}
    arrays["scalar"] = np.array(2.5, np.float32)
    arrays["empty"] = np.zeros((0, 4), np.float32)
    save_numpy(arrays, tmp_path / "m.safetensors", {"format": "np"})
    ours = dump(tmp_path / "m.safetensors")
    assert ours.listing["format"] == "safetensors"
    assert ours.listing["metadata"] == [["format", "np"]]
    theirs = dict(deserialize((tmp_path / "m.safetensors").read_bytes()))
    assert set(theirs) == set(ours.tensors)
    for name, array in arrays.items():
        assert ours.tensors[name]["shape"] == theirs[name]["shape"]
        assert ours.tensors[name]["type"] == array.dtype.name
        assert ours.tensors[name]["bytes"] == len(theirs[name]["data"])
        np.testing.assert_array_equal(ours.values(name), array.astype(np.float32))


def test_a_model_in_many_files_is_read_through_its_index(tmp_path, dump, refusal):
    first, second = (
        {"a": np.arange(4, dtype=np.float32)},
        {"b": np.arange(6, dtype=np.float32).reshape(2, 3)},
    )
    save_numpy(first, tmp_path / "model-00001-of-00002.safetensors")
    save_numpy(second, tmp_path / "model-00002-of-00002.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(
        json.dumps(
            {
                "metadata": {},
                "weight_map": {
                    "a": "model-00001-of-00002.safetensors",
                    "b": "model-00002-of-00002.safetensors",
                },
            }
        )
    )
    ours = dump(index)
    np.testing.assert_array_equal(ours.values("a"), first["a"])
    np.testing.assert_array_equal(ours.values("b"), second["b"])
    index.write_text(json.dumps({"weight_map": {"a": "../../etc/passwd"}}))
    assert "is outside of its folder" in refusal(index)


def test_scales_beside_eight_bit_weights(tmp_path, dump):
    rng = np.random.default_rng(3)
    codes = rng.integers(-127, 128, (4, 6)).astype(np.int8)
    scales = rng.random((4, 1)).astype(np.float32)
    save_numpy({"q_proj.weight": codes, "q_proj.weight_scale": scales}, tmp_path / "m.safetensors")
    ours = dump(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(ours.values("q_proj.weight"), codes.astype(np.float32) * scales)
    assert ours.tensors["q_proj.weight"]["quantization"]["origin"] == "stored"


@pytest.mark.parametrize(
    "header, complaint",
    [
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, None),
        ({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, "needs 12 bytes but has 8"),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}}, "not a valid range"),
        ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}, "not a valid range"),
        (
            {"a": {"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 8]}},
            "exceeds the address space",
        ),
        ({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}}, "not a list of sizes"),
        ({"a": {"dtype": "F32", "shape": "x", "data_offsets": [0, 8]}}, "not a list of sizes"),
        ({"a": {"shape": [2]}}, "lacks dtype, shape or data_offsets"),
        ([1, 2], "not a JSON object"),
    ],
)
def test_damaged_headers(tmp_path, dump, refusal, header, complaint):
    text = json.dumps(header).encode()
    if isinstance(header, list):
        text = b"{" + text  # The bytes must look like a header to be parsed so far.
    (tmp_path / "m").write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    if complaint is None:
        dump(tmp_path / "m")
    else:
        assert complaint in refusal(tmp_path / "m")
