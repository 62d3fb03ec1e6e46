"""Networks of Python packages, inputs for them, and their own end metrics.

Inputs are drawn or collected here: lines of text, pages, pictures, sounds, files of this repository.
"""

import io
import zipfile
from pathlib import Path

import numpy as np

WORDS = "model quantize layer weight scale 2026 kernel invoice total 17.50 street name signal edge".split()


def _text_image(random, width, height, gray=False):
    from PIL import Image, ImageDraw, ImageFont

    background, ink = int(random.integers(150, 256)), int(random.integers(0, 90))
    image = Image.new("RGB", (width, height), (background,) * 3)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=int(height * 0.6))
    text = " ".join(random.choice(WORDS, 4))
    draw.text((4, height * 0.12), text, fill=(ink, ink, int(random.integers(0, 120))), font=font)
    pixels = np.asarray(image, np.float32) + random.normal(0, 6, (height, width, 3))
    return pixels.clip(0, 255)


def _page(random, size):
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (size, size), tuple(int(v) for v in random.integers(120, 256, 3)))
    draw = ImageDraw.Draw(image)
    for _ in range(int(random.integers(3, 9))):
        font = ImageFont.load_default(size=int(random.integers(14, 46)))
        place = tuple(int(v) for v in random.integers(0, int(size * 0.8), 2))
        draw.text(place, str(random.choice(WORDS)), fill=tuple(int(v) for v in random.integers(0, 110, 3)), font=font)
    for _ in range(3):
        a = random.integers(0, size, 4)
        box = [int(min(a[0], a[2])), int(min(a[1], a[3])), int(max(a[0], a[2])), int(max(a[1], a[3]))]
        draw.ellipse(box, outline=tuple(int(v) for v in random.integers(0, 256, 3)), width=4)
    return (np.asarray(image, np.float32) + random.normal(0, 4, (size, size, 3))).clip(0, 255)


def _chw(pixels, scale=1 / 255, mean=0.0, deviation=1.0):
    return ((pixels * scale - mean) / deviation).transpose(2, 0, 1).astype(np.float32)


def text_line_classes(random, count):
    images = [_text_image(random, 192, 48) for _ in range(count)]
    images = [image[::-1, ::-1] if random.random() < 0.5 else image for image in images]
    return {"x": np.stack([_chw(image, mean=0.5, deviation=0.5)[None] for image in images])}


def text_recognition(random, count):
    return {"x": np.stack([_chw(_text_image(random, 320, 48), mean=0.5, deviation=0.5)[None] for _ in range(count)])}


def text_detection(random, count):
    return {"x": np.stack([_chw(_page(random, 320), mean=0.45, deviation=0.225)[None] for _ in range(count)])}


def yolo(random, count):
    return {"images": np.stack([_chw(_page(random, 320))[None] for _ in range(count)])}


def yolox(random, count):
    return {"images": np.stack([_chw(_page(random, 416), scale=1)[None] for _ in range(count)])}


def captcha(random, count):
    gray = [_text_image(random, 200, 64).mean(axis=2) for _ in range(count)]
    return {"input1": np.stack([((g / 255 - 0.5) / 0.5)[None, None].astype(np.float32) for g in gray])}


def files(random, count):
    root = Path(__file__).parent.parent
    paths = sorted(p for p in root.rglob("*") if p.is_file() and "build" not in p.parts and ".git" not in p.parts)
    rows = []
    while len(rows) < count:
        data = random.choice(paths).read_bytes()
        if len(data) < 64:
            continue
        if random.random() < 0.2:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("a", data)
            data = packed.getvalue()
        head, tail = data[:1024].strip(), data[-1024:].strip()
        row = np.full(2048, 256, np.int32)
        row[: len(head)] = list(head)
        row[2048 - len(tail) :] = list(tail)
        rows.append(row[None])
    return {"bytes": np.stack(rows)}


def voice(random, count):
    """Voiced sounds with formants, noise and silence, 36 ms each."""
    rows = []
    for _ in range(count):
        time = np.arange(576) / 16000
        pitch = random.uniform(90, 250)
        kind = random.random()
        wave = sum(random.uniform(0.2, 1) / k * np.sin(2 * np.pi * pitch * k * time + random.uniform(0, 6)) for k in range(1, 18))
        wave = wave * 0.1 if kind < 0.6 else random.normal(0, 0.05, 576) * (kind < 0.85)
        rows.append((wave + random.normal(0, 0.002, 576)).astype(np.float32)[None])
    states = random.normal(0, 0.3, (count, 2, 1, 128)).astype(np.float32)
    return {"input": np.stack(rows), "state": states, "sr": np.full(count, 16000, np.int64)}


def _same_rows(before, after):
    return float(np.mean(before.argmax(-1) == after.argmax(-1)))


def same_class(before, after):
    """Share of samples with the same class."""
    return float(np.mean([_same_rows(a[0], b[0]) for a, b in zip(before, after)]))


def same_text(before, after):
    """Share of samples whose decoded text is the same."""
    def decode(scores):
        labels = scores[0].argmax(-1)
        return [int(v) for i, v in enumerate(labels) if v != 0 and (i == 0 or labels[i - 1] != v)]

    return float(np.mean([decode(a[0]) == decode(b[0]) for a, b in zip(before, after)]))


def same_labels(before, after):
    """Share of samples with the same list of labels."""
    return float(np.mean([np.array_equal(a[0], b[0]) for a, b in zip(before, after)]))


def mask_overlap(before, after):
    """Intersection over union of pixels above 0.3."""
    inside = sum(np.sum((a[0] > 0.3) & (b[0] > 0.3)) for a, b in zip(before, after))
    union = sum(np.sum((a[0] > 0.3) | (b[0] > 0.3)) for a, b in zip(before, after))
    return float(inside / max(union, 1))


def _overlap_of_top(before, after, scores, count=20):
    found = []
    for a, b in zip(before, after):
        top, other = np.argsort(-scores(a[0]))[:count], np.argsort(-scores(b[0]))[:count]
        found.append(len(set(top) & set(other)) / count)
    return float(np.mean(found))


def yolo_top(before, after):
    """Share of the 20 anchors with the highest scores that stay among them."""
    return _overlap_of_top(before, after, lambda y: y[0, 4:].max(axis=0))


def yolox_top(before, after):
    """Share of the 20 anchors with the highest scores that stay among them."""
    return _overlap_of_top(before, after, lambda y: y[0, :, 4] * y[0, :, 5])


def probability(before, after):
    """1 - mean difference of the probability of speech."""
    return 1 - float(np.mean([abs(a[0] - b[0]).mean() for a, b in zip(before, after)]))


# name: (package, file in the wheel, samples, end metric)
NETWORKS = {
    "text line classifier (MobileNetV3)": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", text_line_classes, same_class),
    "text detection (PP-OCRv4)": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", text_detection, mask_overlap),
    "text recognition (PP-OCRv4, SVTR)": ("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", text_recognition, same_text),
    "object detection (YOLOv8n)": ("nudenet==3.4.2", "nudenet/320n.onnx", yolo, yolo_top),
    "text boxes (YOLOX)": ("ddddocr==1.6.1", "ddddocr/common_det.onnx", yolox, yolox_top),
    "captcha (CNN + LSTM)": ("ddddocr==1.6.1", "ddddocr/common.onnx", captcha, same_labels),
    "file types (Magika)": ("magika==1.0.3", "magika/models/standard_v3_3/model.onnx", files, same_class),
    "voice activity (Silero)": ("silero-vad==6.2.3", "silero_vad/data/silero_vad_op18_ifless.onnx", voice, probability),
}  # fmt: skip
