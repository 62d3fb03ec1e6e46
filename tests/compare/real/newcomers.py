"""The newest networks of the exam: their first results were recorded before `compare` was tested
with them (openwakeword, PP-OCRv6, PLCMOS)."""

import numpy as np
import onnxruntime
from documents import imagenet, long_lines, pages
from networks import Network, ctc_text, freeze, same_decision, same_text, within
from signals import recording, spoken
from wheels import fetched


def session(name):
    return onnxruntime.InferenceSession(str(fetched(name)), providers=["CPUExecutionProvider"])


def loud_recordings(count, seed, seconds=2):
    """Returns samples as 16-bit recorders give them, in float32."""
    random = np.random.default_rng(seed)
    return np.stack([recording(random, seconds) for _ in range(count)]) * np.float32(32767)


def spectrograms(count, seed):
    """Returns 76 frames of 32 mel bands, scaled as in openwakeword."""
    mel = session("mel_spectrogram.onnx")
    made = [mel.run(None, {"input": row[None]})[0][0, 0, :76] for row in loud_recordings(count, seed, 1)]
    return {"input_1": (np.stack(made) / 10 + 2).astype(np.float32)[..., None]}


def word_features(count, seed):
    """Returns 16 vectors of 96 features, 80 ms apart; every second recording ends with the wake
    words.
    """
    mel, features = session("mel_spectrogram.onnx"), session("wake_features.onnx")
    random = np.random.default_rng(seed)
    made = []
    for i, row in enumerate(loud_recordings(count, seed, 2.2)):
        if i % 2:
            words = spoken("hey jarvis", random.choice(["en-us", "en-gb", "en-us+f3"]),
                           int(random.integers(120, 160))) * np.float32(32767)
            row = np.concatenate([row, words, np.zeros(1600, np.float32)])[-len(row):]
        bands = (mel.run(None, {"input": row[None]})[0][0, 0] / 10 + 2).astype(np.float32)
        frames = np.stack([bands[i * 8 : i * 8 + 76] for i in range(16)])[..., None]
        made.append(features.run(None, {"input_1": frames})[0].reshape(16, 96))
    return {"x.1": np.stack(made).astype(np.float32)}


def same_nearest(before, after):
    """Returns the share of vectors whose nearest float vector belongs to the same sample."""
    ours = np.stack([outputs[0].ravel() for outputs in before])
    theirs = np.stack([outputs[0].ravel() for outputs in after])
    ours, theirs = (v / np.linalg.norm(v, axis=1, keepdims=True).clip(1e-9) for v in (ours, theirs))
    return float(np.mean((theirs @ ours.T).argmax(1) == np.arange(len(ours))))


def power_spectra(count, seed):
    """Returns logarithms of power spectra, 257 bins every 16 ms, and the embedding of a listener.
    """
    made = []
    for row in loud_recordings(count, seed, 4) / np.float32(32767):
        frames = np.stack([row[i : i + 512] for i in range(0, len(row) - 512, 256)])
        spectrum = np.abs(np.fft.rfft(frames * np.hanning(512))) ** 2
        made.append(np.log10(np.maximum(spectrum, 1e-12)))
    listeners = np.random.default_rng(7).normal(0, 0.1, (count, 64)).astype(np.float32)
    return {"degraded_audio": np.stack(made).astype(np.float32)[:, None], "rater_embed": listeners}


NETWORKS = [
    Network(
        "wake_features", "openwakeword speech features (convolutions, LeakyRelu)",
        lambda path: freeze(fetched("wake_features.onnx"), path, {"input_1": (1, 76, 32, 1)}),
        spectrograms, same_nearest, "equal nearest vectors", is_held_out=True,
    ),
    Network(
        "wake_word", "openwakeword hey jarvis (two perceptrons, layer norm in pieces)",
        lambda path: freeze(fetched("wake_word.onnx"), path),
        word_features, within(0.1), "scores within 0.1", is_held_out=True,
    ),
    Network(
        "loss_quality", "PLCMOS (convolutions, GRU)",
        lambda path: freeze(fetched("loss_quality.onnx"), path,
                            {"degraded_audio": (1, 1, 248, 257), "rater_embed": (1, 64)}),
        power_spectra, within(0.2), "scores within 0.2 (of 1 to 5)", is_held_out=True,
    ),
    Network(
        "text_detector_6", "PP-OCRv6 text detector (GELU, squeeze-and-excite)",
        lambda path: freeze(fetched("text_detector_6.onnx"), path, {"x": (1, 3, 192, 192)}, 13),
        pages("x", 192, 192, imagenet), same_decision(0.3), "F1 of text pixels", is_held_out=True,
    ),
    Network(
        "text_recognizer_6", "PP-OCRv6 text recognizer (attention, CTC)",
        lambda path: freeze(fetched("text_recognizer_6.onnx"), path, {"x": (1, 3, 48, 240)}, 13),
        long_lines, same_text(ctc_text()), "equal characters", is_held_out=True,
    ),
]
