"""Networks for audio (silero-vad, basic-pitch, DNSMOS), with synthesized speech and tones as input.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from networks import Network, freeze, same_decision, within
from wheels import fetched

RATE = 16000
SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "Quantization makes networks smaller, and sometimes it breaks them.",
    "Please leave your message after the tone, and we will call you back.",
    "Seven layers were red, and two of them were to blame.",
    "It is raining in the mountains tonight.",
    "How many samples does calibration need?",
)


def spoken(sentence, voice, speed):
    """Returns speech at 16 kHz, synthesized at 22,050 Hz by espeak-ng (Debian package espeak-ng).
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "speech.wav"
        subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-w", str(file), sentence],
                       check=True)
        data = np.frombuffer(file.read_bytes()[44:], np.int16).astype(np.float32) / 32768
    times = np.arange(int(len(data) * RATE / 22050)) * 22050 / RATE
    return np.interp(times, np.arange(len(data)), data).astype(np.float32)


def recording(random, seconds):
    """Returns speech with pauses and some noise, of random loudness."""
    data = np.zeros(0, np.float32)
    while len(data) < seconds * RATE:
        voice = random.choice(["en-us", "en-gb", "en-us+f3", "en-gb+m4", "en-us+f2"])
        pause = np.zeros(int(random.uniform(0.2, 0.8) * RATE), np.float32)
        data = np.concatenate(
            [data, pause, spoken(random.choice(SENTENCES), voice, int(random.integers(130, 190)))])
    data = data[: int(seconds * RATE)] * random.uniform(0.3, 1.0)
    return (data + random.normal(0, random.choice([0.0005, 0.003, 0.02]), len(data))).astype(np.float32)


WINDOWS = 48  # Windows of 32 ms each, with 4 ms before them.


def speech(count, seed, scale=1.0):
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        data = np.concatenate([np.zeros(64, np.float32), recording(random, WINDOWS * 512 / RATE)])
        rows += [data[i * 512 : i * 512 + 576] for i in range(WINDOWS)]
    state = np.zeros((count, 1, 128), np.float32)
    return {"input": np.stack(rows).astype(np.float32) * np.float32(scale), "h": state, "c": state.copy()}


def melodies(count, seed):
    """Returns plucked tones, up to three at a time, at 22,050 Hz: two seconds each."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        time = np.arange(43844) / 22050
        data = np.zeros(43844)
        for _ in range(int(random.integers(4, 9))):
            start, pitch = random.uniform(0, 1.6), 440 * 2 ** (random.integers(-21, 20) / 12)
            after = np.clip(time - start, 0, None)
            body = sum(0.6**k * np.sin(2 * np.pi * pitch * (k + 1) * after) for k in range(5))
            data += body * np.exp(-after * random.uniform(2, 5)) * (time > start)
        data = data / np.abs(data).max() * random.uniform(0.2, 0.9)
        made.append(data + random.normal(0, 0.001, data.shape))
    return {"serving_default_input_2:0": np.array(made, np.float32)[:, :, None]}


def long_recordings(count, seed):
    random = np.random.default_rng(seed)
    return {"input_1": np.stack([recording(random, 9.01) for _ in range(count)])}


NETWORKS = [
    Network(
        "speech", "silero-vad (STFT by convolution, LSTM)",
        lambda path: freeze(fetched("speech.onnx"), path,
                            {"input": (WINDOWS, 576), "h": (1, 1, 128), "c": (1, 1, 128)}),
        speech, same_decision(0.5), "F1 of windows with speech",
    ),
    Network(
        "notes", "basic-pitch (constant-Q transform, logarithm, convolutions)",
        lambda path: freeze(fetched("notes.onnx"), path,
                            {"serving_default_input_2:0": (1, 43844, 1)}, has_long_names=True),
        melodies, same_decision(0.3, 1), "F1 of notes",
    ),
    Network(
        "speech_quality", "DNSMOS (STFT, logarithm, convolutions)",
        lambda path: freeze(fetched("speech_quality.onnx"), path, {"input_1": (1, 144160)}, 13),
        long_recordings, within(0.2), "scores within 0.2 (of 1 to 5)", is_held_out=True,
    ),
]
