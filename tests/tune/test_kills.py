"""After kill -9 at random times and --resume, the model is the same, and the output is never
incomplete.
"""

import os
import random
import subprocess
import sys
import time

import onnx
from conftest import run_tune, tune_command

KILLS = int(os.environ.get("TUNE_KILLS", "10"))

# Slow enough to be interrupted. The accuracy depends only on the model.
EVALUATION = """
import sys, time
import numpy as np, onnxruntime
time.sleep(0.3)
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
def run(model):
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    return session.run(None, {"x": np.load(sys.argv[2])["x"]})[0].argmax(1)
print((run(sys.argv[1]) == run(sys.argv[3])).mean())
"""


def flags_of(folder):
    script = folder / "eval.py"
    script.write_text(EVALUATION)
    evaluate = f"{sys.executable} {script} {{model}} {folder}/sensors.npz {folder}/sensors.onnx"
    return ["--eval", evaluate, "--logdir", folder / "runs", "--no-explain", "--max-drop", "2%"]


def test_kills_do_not_change_the_result(sensors):
    output, state = sensors / "int8.onnx", sensors / "int8.onnx.tune"
    whole = run_tune(sensors, *flags_of(sensors))
    assert whole.report["best"] is not None, whole.stderr
    expected = output.read_bytes()
    runs = sorted(path.name for path in (sensors / "runs").iterdir())
    chance = random.Random(0)
    kills = 0
    while kills < KILLS:
        subprocess.run(["rm", "-rf", state, output, sensors / "runs"], check=True)
        resume = []
        while True:
            process = subprocess.Popen(
                tune_command(sensors, *flags_of(sensors), *resume),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            try:
                code = process.wait(timeout=chance.uniform(0.05, 6) if kills < KILLS else 120)
                assert code == whole.returncode
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                kills += 1
            if (state / "trial_1" / "result.json").exists():
                onnx.checker.check_model(onnx.load(output))
            resume = ["--resume"] if (state / "job.json").exists() else []
            time.sleep(0.05)
        assert output.read_bytes() == expected
        assert sorted(path.name for path in (sensors / "runs").iterdir()) == runs
