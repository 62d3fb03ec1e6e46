"""Tests tune: the accuracy comes from a function of this process."""

import subprocess
import sys
from pathlib import Path

import pytest
from compression_board import tune

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "build" / "ort" / "python" / "onnxruntime" / "capi"


@pytest.fixture
def sensors(tmp_path, monkeypatch):
    libraries = sorted(RUNTIME.glob("libonnxruntime.so*"))
    if not libraries:
        pytest.skip("scripts/fetch-onnxruntime has not run")
    monkeypatch.setenv("CB_ONNXRUNTIME_LIB", str(libraries[0]))
    subprocess.run([sys.executable, ROOT / "examples" / "tune_sensors.py"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tunes_by_the_accuracy_of_a_function(sensors):
    seen = []

    def accuracy(path):
        seen.append(path)
        return (0.9 if len(seen) != 2 else 0.3), [1, 0, 1]

    report = tune("sensors.onnx", "sensors.npz", accuracy, output="int8.onnx", max_drop="1pp")
    assert report["is_met"] and report["evaluations"] == len(seen) - 1
    assert seen[0].endswith("sensors.onnx")
    assert report["trials"][0]["result"]["accuracy"] == 0.3
    assert (sensors / "int8.onnx").exists()


@pytest.mark.parametrize("outcome", [float("nan"), "good", RuntimeError("out of 'memory'\nhere")])
def test_takes_no_failure_for_an_accuracy(sensors, outcome):
    def accuracy(path):
        if path.endswith("sensors.onnx"):
            return 0.9
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    report = tune("sensors.onnx", "sensors.npz", accuracy, output="int8.onnx")
    assert not report["is_met"] and report["best"] is None
    assert type(outcome).__name__ in report["reason"] or "eval_fn returned" in report["reason"]
    assert (sensors / "int8.onnx").exists()


def test_a_wrong_argument_is_an_error(sensors):
    with pytest.raises(ValueError, match="expected 1%"):
        tune("sensors.onnx", "sensors.npz", output="int8.onnx", max_drop="a lot")


def test_names_of_exported_nodes_lead_to_modules():
    from compression_board.model_tuning import _module_of, _scopes

    modules = {"features.1.act.1": None, "head": None, "features.0": None}
    assert _module_of("/features/features.1/act/act.1/Conv", modules) == "features.1.act.1"
    assert _module_of("/features/features.0/Conv_output_0", modules) == "features.0"
    assert _module_of("/head/Gemm", modules) == "head"
    assert _module_of("/other/Add", modules) is None
    assert "/".join(_scopes("features.1.act.1")) == "features/features.1/act/act.1"


def test_a_pytorch_module_is_tuned_by_way_of_its_export(sensors, tmp_path):
    torch = pytest.importorskip("torch")

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.features = torch.nn.Sequential(torch.nn.Conv2d(2, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 32, 3))
            self.head = torch.nn.Linear(32, 5)

        def forward(self, x):
            return self.head(self.features(x).relu().mean((2, 3)))

    torch.manual_seed(0)
    module = Net()
    with torch.no_grad():
        module.features[0].weight[:, 1] *= 3000
    samples = torch.randn(64, 2, 8, 8)
    samples[:, 1] /= 3000
    scores = iter([0.9, 0.1, 0.9, 0.9, 0.9, 0.9, 0.9])
    report = tune(module, samples, lambda path: next(scores), output=tmp_path / "int8.onnx", example=samples[:1])
    assert report["is_met"] and (tmp_path / "int8.onnx").exists()
    assert "features.0" in [line["module"] for line in report["reverted"]]
    with pytest.raises(ValueError, match="example"):
        tune(module, samples, output=tmp_path / "other.onnx")
