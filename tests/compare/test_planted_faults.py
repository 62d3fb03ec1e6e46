"""The seven kinds of quantization damage, each applied to one layer of a real network at random
places, must be found first and named. With weights of eight bits and of four, which are coarse even
without damage: there, the damage must be larger to count.
"""

import numpy as np
import pytest
from digits_models import LAYERS, Editor
from test_digits import layer_of

PLACEMENTS = 20
SEED = 20


def wrong_scale(fp32, int8, layer, random, bits=8):
    least = {8: 0.2, 4: 0.35}[bits]
    factor = 1 + random.choice([-1, 1]) * random.uniform(least, 0.5)
    name = f"{layer}.weight_scale"
    int8.set(name, int8.get(name) * factor)


def bias_shift(fp32, int8, layer, random, bits=8):
    # In units of the output of a channel's weights for inputs of unit variance.
    weights = fp32.get(f"{layer}.weight")
    sizes = np.sqrt((weights.reshape(len(weights), -1) ** 2).sum(1))
    offset = random.choice([-1, 1]) * random.uniform(0.5, 1.0) * sizes
    codes, scale = int8.get(f"{layer}.bias_quantized"), int8.get(f"{layer}.bias_quantized_scale")
    int8.set(f"{layer}.bias_quantized", codes + np.round(offset / scale))


def over_clipped(fp32, int8, layer, random, bits=8):
    weights = fp32.get(f"{layer}.weight")
    last = 2 ** (bits - 1) - 1
    scale = np.float32(weights.std() * random.uniform(0.8, 1.2) / last)
    int8.set(f"{layer}.weight_scale", np.full_like(int8.get(f"{layer}.weight_scale"), scale))
    int8.set(f"{layer}.weight_quantized", np.clip(np.round(weights / scale), -last, last))


def dead_channel(fp32, int8, layer, random, bits=8):
    codes = int8.get(f"{layer}.weight_quantized")
    codes[random.integers(len(codes))] = 0
    int8.set(f"{layer}.weight_quantized", codes)


def permuted_channels(fp32, int8, layer, random, bits=8):
    codes = int8.get(f"{layer}.weight_quantized")
    int8.set(f"{layer}.weight_quantized", codes[random.permutation(len(codes))])


def outliers(fp32, int8, layer, random, bits=8):
    # Far enough that a quantization step is a third to two thirds of the other weights' deviation:
    # their SQNR falls from 40 dB or more to between 21 and 15, and the worst channel's below 20,
    # where amber begins. A step of four bits is half a deviation without damage, and one to two
    # deviations here.
    weights = fp32.get(f"{layer}.weight")
    flat = weights.reshape(-1)
    places = random.choice(flat.size, 2, replace=False)
    flat[places] = random.choice([-1, 1], 2) * random.uniform(*{8: (40, 80), 4: (8, 16)}[bits]) * weights.std()
    fp32.set(f"{layer}.weight", weights)


def channel_spread(fp32, int8, layer, random, bits=8):
    weights = fp32.get(f"{layer}.weight")
    small = random.permutation(len(weights))[: len(weights) * 3 // 4]
    weights[small] /= random.uniform(300, 1000)
    fp32.set(f"{layer}.weight", weights)


PLANTED_IN_CODES = [wrong_scale, bias_shift, over_clipped, dead_channel, permuted_channels]
# The baseline has them, and a single scale is not enough.
PLANTED_IN_WEIGHTS = [outliers, channel_spread]


def plant(fault, bits, seed, digits, compare, folder):
    """Returns how often, of PLACEMENTS, the damaged layer was first and had the right cause."""
    random = np.random.default_rng(seed)
    first = named = 0
    misses = []
    sound = folder / "sound.onnx"
    digits.quantize(digits.fp32, sound, weight_bits=bits)
    for placement in range(PLACEMENTS):
        layer = LAYERS[random.integers(len(LAYERS))]
        fp32, int8 = Editor(digits.fp32), Editor(sound)
        fault(fp32, int8, layer, random, bits)
        before, after = folder / "fp32.onnx", folder / "int8.onnx"
        fp32.save(before)
        if fault in PLANTED_IN_WEIGHTS:
            digits.quantize(before, after, weight_bits=bits)
        else:
            int8.save(after)
        found = compare(before, after, "--data", digits.data, "--samples", 8)["layers"][0]
        is_first = found["name"] == layer_of(f"{layer}.weight", before)
        is_named = is_first and found["cause"] == fault.__name__
        first += is_first
        named += is_named
        if not is_named:
            misses.append((placement, layer, found["name"], found["cause"], found["explanation"]))
    return first, named, misses


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("fault", PLANTED_IN_CODES + PLANTED_IN_WEIGHTS, ids=lambda f: f.__name__)
def test_is_found_first_and_named(fault, bits, digits, compare, tmp_path):
    first, named, misses = plant(fault, bits, SEED, digits, compare, tmp_path)
    assert first >= 0.95 * PLACEMENTS, misses
    assert named >= 0.9 * PLACEMENTS, misses


@pytest.mark.parametrize("bits", [8, 4])
def test_no_sound_model_has_a_red_layer(bits, digits, compare, tmp_path):
    """Calibrates on other images each time, by tensor or by channel."""
    random = np.random.default_rng(21)
    import digits_models

    for placement in range(PLACEMENTS):
        images = digits.images[random.permutation(len(digits.images))[:100]]
        digits_models.quantize(
            digits.fp32, tmp_path / "int8.onnx", images, per_channel=placement % 2 == 1,
            weight_bits=bits,
        )
        report = compare(digits.fp32, tmp_path / "int8.onnx", "--data", digits.data)
        assert [layer for layer in report["layers"] if layer["level"] == "red"] == []
