"""Every Python block of the user's documents runs as it stands, and so does the example.

The documents are not part of a clone; docs/guide.md has an example for each of their blocks, which
test_docs.py runs.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DOCUMENTS = HERE.parents[2] / "shared" / "seeds"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

FP32 = {"accuracy": 0.9945, "f1_score": 0.9945, "latency_mean_ms": 261.02, "model_size_mb": 217.61,
        "memory_usage_mb": 9.46, "energy_consumption_mw": 375.78}  # fmt: skip
INT8 = {"accuracy": 0.9900, "f1_score": 0.9901, "latency_mean_ms": 130.51, "model_size_mb": 54.40,
        "memory_usage_mb": 4.73, "energy_consumption_mw": 187.89}  # fmt: skip
RESULTS = {
    name: {"fp32": FP32, "int8": INT8, "benchmark_time_seconds": 854.32,
           "model_info": {"library": "torchvision", "input_shape": [3, 224, 224]}}
    for name in ("alexnet", "resnet18")
}  # fmt: skip

# Runs a block with the variables that its text does not define.
RUNNER = """
import runpy, sys
from tensorboardX.compression import CompressionWriter
figures = {name: 0.5 for name in ("train_loss", "train_acc", "train_f1", "val_loss", "val_acc", "val_f1")}
open_variables = dict(figures, num_epochs=3, epoch=0, model_name="alexnet", fp32=%r, int8=%r)
if "writer.log_" in open(sys.argv[1]).read() and "writer =" not in open(sys.argv[1]).read():
    open_variables["writer"] = CompressionWriter("runs/open")
runpy.run_path(sys.argv[1], init_globals=open_variables)
""" % (FP32, INT8)  # noqa: UP031

# Maps text in a block to run, tag, step, value.
EXPECTED = [
    ("CompressionWriter('runs/my_experiment')", "runs/my_experiment",
     "alexnet/compression/size_ratio", 0, 217.61 / 9.42),
    ("log_benchmark_results(", "runs/benchmark/alexnet",
     "alexnet/compression/speedup", 0, 261.02 / 130.51),
    ("TrainingLogger('alexnet', logdir='runs/training')", "runs/training",
     "alexnet/validation/f1_score", 2, 0.5),
    ("writer.log_compression_comparison(model_name", "runs/open",
     "mobilenetv2/performance/latency_ms/int8", 0, 130.51),
    ("logger = TrainingLogger(model_name)", "runs/training/alexnet",
     "alexnet/training/loss", 0, 0.5),
    ("{model_name}/latency_ms'", "runs/compression_benchmark/alexnet/latency_ms/int8",
     "alexnet/latency_ms", 0, 130.51),
    ("{model_name}/model_size'", "runs/compression_benchmark/resnet18/model_size/fp32",
     "resnet18/model_size", 0, 217.61),
]  # fmt: skip


def blocks():
    found = []
    for document in sorted(DOCUMENTS.glob("00[012]*.txt")):
        text = document.read_text(encoding="utf-8", errors="replace")
        found += [(f"{document.stem[:3]}-{i}", code) for i, code in enumerate(BLOCK.findall(text))]
    return found


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in blocks()])
def test_block_runs_unmodified_and_logs_what_it_says(code, tmp_path, read):
    work = tmp_path / "work"
    for folder in (tmp_path, work):
        results = folder / "compression-engine" / "results"
        results.mkdir(parents=True)
        for name in ("benchmark.json", "all_models_benchmark_100epochs_10PTG.json"):
            (results / name).write_text(json.dumps(RESULTS))
    script = work / "block.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, "-c", RUNNER, str(script)], cwd=work, capture_output=True,
                          text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    matching = [rest for mark, *rest in EXPECTED if mark in code]
    assert matching, "a block that no expectation is written for"
    for run, tag, step, value in matching:
        assert (step, pytest.approx(value)) in read(work / run).scalars(tag)


@pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="the documents are not beside this clone")
def test_documents_have_all_their_blocks():
    assert len(blocks()) == 7


def test_benchmark_script_of_the_guide(tmp_path, read):
    (tmp_path / "models.json").write_text(json.dumps(RESULTS))
    script = HERE.parents[1] / "scripts" / "visualize_benchmark.py"
    for command in ([sys.executable, script], ["visualize_benchmark"]):
        done = subprocess.run(
            [*command, "models.json"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "2 models logged to runs/compression_benchmark/models" in done.stdout
    run = read(tmp_path / "runs/compression_benchmark/models/resnet18")
    assert run.scalars("resnet18/compression/size_ratio")[0] == (0, pytest.approx(217.61 / 54.4))
    missing = subprocess.run(["visualize_benchmark", "none.json"], capture_output=True, text=True)
    assert missing.returncode == 1 and "none.json" in missing.stderr


def test_example_of_the_guide_runs(tmp_path, read):
    example = HERE.parents[1] / "examples" / "compression_benchmark_example.py"
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "runs/example").scalars("resnet18/compression/speedup/int4")
