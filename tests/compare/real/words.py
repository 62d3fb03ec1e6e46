"""Networks for bytes and letters: magika's types of files, Arabic vowel marks of piper."""

import bz2
import csv
import gzip
import inspect
import io
import json
import pickle
import tarfile
import wave
import zipfile

import numpy as np
from networks import Network, freeze
from PIL import Image
from wheels import fetched

TOPICS = "layer weight scale error range output channel model sample bits code step mean".split()


def text(random, words):
    return " ".join(random.choice(TOPICS, words))


def picture(random, kind):
    pixels = (random.random((40, 40, 3)) * 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


def archive(random, kind):
    file = io.BytesIO()
    content = text(random, 2000).encode() + random.bytes(1500)
    if kind == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as entries:
            entries.writestr("notes.txt", content)
        return file.getvalue()
    if kind == "tar":
        with tarfile.open(fileobj=file, mode="w") as entries:
            info = tarfile.TarInfo("notes.txt")
            info.size = len(content)
            entries.addfile(info, io.BytesIO(content))
        return file.getvalue()
    return gzip.compress(content, mtime=0) if kind == "gzip" else bz2.compress(content)


def sound(random):
    file = io.BytesIO()
    with wave.open(file, "wb") as frames:
        frames.setnchannels(1)
        frames.setsampwidth(2)
        frames.setframerate(16000)
        frames.writeframes((random.normal(0, 3000, 4000)).astype(np.int16).tobytes())
    return file.getvalue()


def table(random):
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["layer", "bits", "error", "seconds"])
    for i in range(150):
        rows.writerow([f"{random.choice(TOPICS)}_{i}", 8, round(random.random(), 4), i])
    return file.getvalue().encode()


def records(random):
    rows = [{"layer": text(random, 2), "bits": 8, "error": float(random.random())} for _ in range(60)]
    return json.dumps(rows, indent=1).encode()


def markup(random, kind):
    rows = "\n".join(f"  <{kind[1]} id=\"{i}\">{text(random, 6)}</{kind[1]}>" for i in range(70))
    return f"{kind[0]}\n{rows}\n{kind[2]}\n".encode()


def c_code(random):
    names = random.permutation(TOPICS)
    body = "".join(
        f"static int {name}_{i}(int n) {{\n  for (int i = 0; i < n; ++i) {{\n    n += {i} * i;\n  }}\n"
        f"  return n;\n}}\n\n" for i, name in enumerate(np.tile(names, 3)))
    return b"#include <stdio.h>\n#include <stdlib.h>\n\n" + body.encode()


def python_code(random):
    modules = [csv, json, gzip, tarfile, zipfile, inspect, wave, bz2]
    source = inspect.getsource(modules[random.integers(len(modules))])
    start = source.find("\nimport", int(random.integers(0, 200)))
    return source[max(start, 0):][:6000].encode()


KINDS = [
    lambda r: picture(r, "PNG"), lambda r: picture(r, "JPEG"), lambda r: picture(r, "GIF"),
    lambda r: picture(r, "BMP"), lambda r: picture(r, "TIFF"), lambda r: picture(r, "WEBP"),
    lambda r: archive(r, "zip"), lambda r: archive(r, "tar"), lambda r: archive(r, "gzip"),
    lambda r: archive(r, "bzip2"), sound, table, records, c_code, python_code,
    lambda r: markup(r, ("<!DOCTYPE html>\n<html><body>", "p", "</body></html>")),
    lambda r: markup(r, ('<?xml version="1.0"?>\n<layers>', "layer", "</layers>")),
    lambda r: pickle.dumps({text(r, 2): float(r.random()) for _ in range(150)}),
    lambda r: "\n".join(f"{text(r, 9).capitalize()}." for _ in range(60)).encode(),
    lambda r: "\n".join(f"[{text(r, 1)}{i}]\nvalue = {i}" for i in range(120)).encode(),
]


def files(count, seed):
    """Returns the first and last 1,024 bytes of files of 20 types, in magika's input format."""
    random = np.random.default_rng(seed)
    made = []
    for i in range(count):
        content = KINDS[i % len(KINDS)](random).strip()
        first = np.frombuffer(content[:1024], np.uint8).astype(np.int32)
        last = np.frombuffer(content[-1024:], np.uint8).astype(np.int32)
        made.append(np.concatenate([first, np.full(1024 - len(first), 256), np.full(1024 - len(last), 256), last]))
    return {"bytes": np.stack(made).astype(np.int32)}


ARABIC = (
    "السلام عليكم ورحمة الله", "كتب الطالب الدرس في المدرسة", "ذهب الرجل الى السوق صباحا",
    "هذا كتاب جديد عن العلوم", "اللغة العربية من اجمل اللغات", "شرب الولد الماء البارد",
    "سافرت العائلة الى القاهرة", "يعمل المهندس في شركة كبيرة", "قرأت البنت قصة قصيرة",
    "الشمس تشرق من الشرق كل يوم", "نحن نحب السلام والعدل", "وصل القطار الى المحطة متاخرا",
)
LETTERS = 40


def letter_id(letter):
    code = ord(letter)
    if 0x621 <= code <= 0x63A:
        return 18 + code - 0x621
    return 44 + code - 0x641 if 0x641 <= code <= 0x64A else 1


def arabic(count, seed):
    """Returns sentences of 40 letters without vowel marks."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        sentence = " ".join(random.permutation(" ".join(random.choice(ARABIC, 3)).split()))
        rows.append([letter_id(letter) for letter in sentence[:LETTERS]])
    rows = np.array(rows, np.int64)
    return {"char_inputs": rows, "diac_inputs": np.zeros_like(rows),
            "input_lengths": np.full(count, LETTERS, np.int64)}


def same_file_type(before, after):
    return float(np.mean([a[0].argmax(-1) == b[0].argmax(-1) for a, b in zip(before, after)]))


def same_marks(before, after):
    return float(np.mean([np.mean(a[0] == b[0]) for a, b in zip(before, after)]))


NETWORKS = [
    Network(
        "file_types", "magika file types (embedding, convolution, layer norm in pieces)",
        lambda path: freeze(fetched("file_types.onnx"), path, {"bytes": (1, 2048)}),
        files, same_file_type, "equal labels",
    ),
    Network(
        "vowel_marks", "libtashkeel vowel marks (GRU, attention, layer norm in pieces)",
        lambda path: freeze(fetched("vowel_marks.onnx"), path, {
            "char_inputs": (1, LETTERS), "diac_inputs": (1, LETTERS), "input_lengths": (1,)}),
        arabic, same_marks, "equal marks", is_held_out=True,
    ),
]
