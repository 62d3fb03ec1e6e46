"""Networks that were not used for developing the checks of features and texts (swift-f0, PP-OCRv6
tiny, nakdimon)."""

import numpy as np
from documents import long_lines
from networks import Network, ctc_text, freeze, same_text
from wheels import fetched

PITCH_RATE, PITCH_SAMPLES = 16000, 8000


def voices(count, seed):
    """Returns tones of five harmonics with vibrato, silent for a third of the time."""
    random = np.random.default_rng(seed)
    times = np.arange(PITCH_SAMPLES) / PITCH_RATE
    made = []
    for _ in range(count):
        pitch = np.exp(random.uniform(np.log(80), np.log(800)))
        pitch = pitch * (1 + 0.03 * np.sin(2 * np.pi * random.uniform(2, 6) * times))
        phase = 2 * np.pi * np.cumsum(pitch) / PITCH_RATE
        tone = sum(random.uniform(0.2, 1) / k * np.sin(k * phase) for k in range(1, 6))
        tone *= random.uniform(0.1, 0.8) / np.abs(tone).max()
        tone *= np.sin(2 * np.pi * 1.5 * times + random.uniform(0, 6)) > -0.5
        made.append(tone + random.normal(0, random.choice([0.001, 0.01]), PITCH_SAMPLES))
    limits = {"fmin": np.full(count, 46.875, np.float32), "fmax": np.full(count, 2093.75, np.float32)}
    return {"audio": np.stack(made).astype(np.float32), **limits}


def same_pitch(before, after):
    """Returns the share of voiced frames that both models call voiced, with a pitch within a
    quarter tone.
    """
    same = voiced = 0
    for (pitch, sure), (other, other_sure) in zip(before, after):
        both = (sure > 0.5) & (other_sure > 0.5)
        distance = np.abs(np.log2(np.maximum(other, 1) / np.maximum(pitch, 1)))
        voiced += ((sure > 0.5) | (other_sure > 0.5)).sum()
        same += (both & (distance < 1 / 24)).sum()
    return float(same / max(voiced, 1))


def hebrew(count, seed):
    """Returns words of random Hebrew letters, with the codes of nakdimon."""
    random = np.random.default_rng(seed)
    rows = np.zeros((count, 40), np.float32)
    for row in rows:
        at = 0
        while at < 36:
            length = int(random.integers(2, 7))
            row[at : at + length] = random.integers(10, 37, len(row[at : at + length]))
            at += length
            row[at : at + 1] = 5  # A space.
            at += 1
    return {"input_1": rows}


def same_marks(before, after):
    """Returns the share of equal labels over the three outputs."""
    return float(np.mean([np.mean(x.argmax(-1) == y.argmax(-1))
                          for a, b in zip(before, after) for x, y in zip(a, b)]))


NETWORKS = [
    Network(
        "pitch", "swift-f0 pitch (STFT, convolutions)",
        lambda path: freeze(fetched("pitch.onnx"), path, {"audio": (1, PITCH_SAMPLES)}),
        voices, same_pitch, "equal pitch of voiced frames", is_held_out=True,
    ),
    Network(
        "text_recognizer_tiny", "PP-OCRv6 tiny text recognizer (convolutions, attention, CTC)",
        lambda path: freeze(fetched("text_recognizer_tiny.onnx"), path, {"x": (1, 3, 48, 240)}, 13),
        long_lines, same_text(ctc_text()), "equal characters", is_held_out=True,
    ),
    Network(
        "hebrew_marks", "nakdimon Hebrew vowel marks (LSTM)",
        lambda path: freeze(fetched("hebrew_marks.onnx"), path, {"input_1": (1, 40)}),
        hebrew, same_marks, "equal marks", is_held_out=True,
    ),
]
