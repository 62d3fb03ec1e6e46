"""Every code block of the documents and every notebook runs, in order, like a reader would run it.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)

# Servers run until they are stopped, so the tests only check that there are files to serve.
SERVER = re.compile(r"^(?:compression-board|tensorboard) --logdir (\S+).*$", re.MULTILINE)
# test_wheel.py tests the installation; the README's other commands are `make`'s.
NOT_HERE = re.compile(r"^(?:pip|make|apt-get) (?:.*\\\n)*.*$", re.MULTILINE)


def blocks(page):
    """Returns (language, text, text before it) of each block."""
    text = (ROOT / page).read_text()
    return [(match[1], match[2], text[: match.start()]) for match in BLOCK.finditer(text)]


# Runs the steps of a page in one interpreter, because variables stay defined for a reader.
RUNNER = """
import json, subprocess, sys
variables = {"__name__": "__main__"}
for language, code in json.load(sys.stdin):
    if language == "python":
        exec(compile(code, "<block>", "exec"), variables)
    else:
        subprocess.run(["bash", "-e", "-u", "-c", code], check=True)
"""


def run(command, cwd, **options):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr


def the_guide(runs, read):
    imported = read(runs / "compression_benchmark/models_benchmark_results/alexnet")
    assert (0, pytest.approx(217.61 / 9.42)) in imported.scalars("alexnet/compression/size_ratio")
    assert read(runs / "my_experiment/alexnet/accuracy/int8").tags() == {"alexnet/accuracy"}
    assert read(runs / "training").scalars("alexnet/training/loss")[4] == (4, pytest.approx(0.2))
    assert read(runs / "report").tags("images") >= {"alexnet/metadata/report_metrics"}
    assert all(tag.startswith("candidates/") for tag in read(runs / "candidates").tags())
    assert read(runs / "variants").scalars("resnet18/compression/speedup/w4a8")


def the_first_steps(runs, read):
    assert read(runs / "first").scalars("train/loss")[99] == (99, pytest.approx(0.01))
    assert len(read(runs / "first").scalars("train/learning_rate")) == 10_000
    assert read(runs / "resnet18").scalars("resnet18/compression/speedup")
    weights = read(runs / "weights").events.Histograms("conv1/weight/int8")[0]
    assert weights.histogram_value.num == 64 * 128


def the_migration(runs, read):
    assert read(runs / "by_hand").scalars("loss") == [(1, 0.25), (2, 0.125)]
    assert len(read(runs / "torch").events.Histograms("gradients/0.weight")) == 20


def the_stages(runs, read):
    [walk] = (runs / "stages").glob("logs_*/tensorboard_logs")
    channels = dict(read(walk / "thresholds_selection/max_per_channel").scalars("conv1"))
    assert max(channels, key=channels.get) == 5
    figures = read(walk / "figures").tags("images")
    assert "similarity_distance_sample_19" in figures
    assert read(runs / "mine/tensorboard_logs/after_quantization").tags() >= {
        "mine/layers/fc/cosine/after_quantization"}  # fmt: skip


def the_readme(runs, read):
    assert read(runs / "my_experiment").scalars("alexnet/compression/size_ratio")


def the_tuning(runs, read):
    baseline, trial = (read(runs / "eval" / n) for n in ("baseline_acc_0.776", "tune_1_acc_0.776"))
    assert {"0/Output/fp32", "0/weight/fp32", "3/Output/fp32"} <= baseline.tags("histograms")
    assert baseline.events.Tags()["graph"]
    assert "_hparams_/session_start_info" in trial.events.summary_metadata


PAGES = {
    "README.md": the_readme,
    "docs/guide.md": the_guide,
    "docs/python/getting-started.md": the_first_steps,
    "docs/python/migration.md": the_migration,
    "docs/tuning.md": the_tuning,
    "docs/stages.md": the_stages,
}


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_runs_and_logs_what_it_says(page, tmp_path, read):
    steps = []
    for language, code, before in blocks(page):
        if language == "python":
            steps.append((language, code))
        elif language == "bash":
            code = SERVER.sub(r"compression-board inspect --logdir \1", NOT_HERE.sub("", code))
            steps.append((language, code))
        elif language == "json":
            name = re.findall(r"`([\w./]+\.json)`:\s*$", before)
            assert name, "a JSON block follows the name of its file"
            (tmp_path / name[0]).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name[0]).write_text(code)
    run([sys.executable, "-c", RUNNER], tmp_path, input=json.dumps(steps))
    PAGES[page](tmp_path / "runs", read)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None, "outputs are not kept"
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute(env={**os.environ, "TMPDIR": str(tmp_path)})


def test_there_are_two_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {"benchmark_board", "qat_training_log"}


def test_the_packages_to_build_with_are_those_of_setup():
    setup = (ROOT / "scripts/setup").read_text()
    (build,) = re.findall(r"^build=\((.*?)\)", setup, re.M | re.S)
    text = (ROOT / "docs/python/getting-started.md").read_text()
    (listed,) = re.findall(r"^apt-get install ((?:.*\\\n)*.*)$", text, re.M)
    fetched_by_pip = {"cmake", "ninja-build"}
    of_the_makefile = {"make", "ccache"}
    wanted = set(build.split()) - fetched_by_pip - of_the_makefile
    assert wanted <= set(listed.replace("\\", "").split())


def test_the_api_reference_is_up_to_date():
    run([sys.executable, ROOT / "tools" / "make_api_reference.py", "--check"], ROOT)
