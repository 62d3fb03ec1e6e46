"""Experiments on this machine, as noisy as it is: how often is a verdict right?

    COMPRESSION_BOARD=… experiments.py [--runs 100] [--seconds 5] [--only NAMES]

    same        the same file twice                      -> "cannot tell" in at least 95 of 100
    same_busy   the same, with two busy loops beside it  -> "cannot tell" in at least 95 of 100
    slower      a variant with 5 % more work             -> "slower" in at least 90 of 100
    slower_busy the same, with two busy loops            -> "slower" in at least 90 of 100
    timing      our median against a loop in Python      -> within 3 %

Prints a line per experiment and exits with 1 if one of them fails.
"""

import argparse
import collections
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import models

LAYERS = 20  # One more is 5 % more work.


def measure(folder, files, seconds, seed):
    command = [os.environ["COMPRESSION_BOARD"], "benchmark", *map(str, files), "--time", str(seconds), "--seed", str(seed),
               "--no-memory", "--no-energy", "--no-reasons", "--no-log", "--json", "-o", str(folder / "out.json")]  # fmt: skip
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (model,) = json.loads(printed).values()
    return model


class BusyLoops:
    def __enter__(self):
        self.loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def verdicts(folder, files, options, expected, least):
    counts, ratios, widths, basis = collections.Counter(), [], [], collections.Counter()
    for seed in range(options.runs):
        model = measure(folder, files, options.seconds, seed)
        (variant,) = [v for k, v in model.items() if isinstance(v, dict) and "verdict" in v]
        counts[variant["verdict"]] += 1
        comparison = variant["comparison"]
        ratios.append(comparison["speedup"])
        widths.append((variant["speedup_ci95"][1] - variant["speedup_ci95"][0]) / comparison["speedup"])
        basis[comparison["basis"]] += 1
    is_right = counts[expected] >= least * options.runs / 100
    print(f"  {dict(counts)}, speedup {statistics.median(ratios):.3f} (median; {min(ratios):.3f} to {max(ratios):.3f}), "
          f"interval {100 * statistics.median(widths):.1f} % wide (median), times {dict(basis)}, "
          f"load {os.getloadavg()[0]:.1f}: {'as expected' if is_right else 'FAILED'}", flush=True)  # fmt: skip
    return is_right


def timing(folder, options):
    """Blocks of our program and of a loop in Python, one after the other."""
    import numpy as np
    import onnxruntime

    path = models.dense(folder / "net.onnx", [512] * 9, batch=16)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    x = {"x": np.random.default_rng(0).normal(size=(16, 512)).astype("f4")}
    ratios = []
    for seed in range(options.runs):
        def loop():
            times = []
            end = time.monotonic() + options.seconds / 2
            while time.monotonic() < end:
                start = time.thread_time()
                session.run(None, x)
                times.append(time.thread_time() - start)
            return 1e3 * statistics.median(times)

        before = loop()
        model = measure(folder, [path], options.seconds, seed)
        after = loop()
        ratios.append(model[model["baseline_variant"]]["latency_cpu_p50_ms"] / ((before + after) / 2))
    ratio = statistics.median(ratios)
    is_right = abs(ratio - 1) <= 0.03
    print(f"  our median CPU time by that of Python: {ratio:.4f} (median of {len(ratios)}): "
          f"{'as expected' if is_right else 'FAILED'}", flush=True)  # fmt: skip
    return is_right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", nargs="*", default=["same", "same_busy", "slower", "slower_busy", "timing"])
    options = parser.parse_args()
    is_right = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = models.dense(folder / "net_fp32.onnx", [256] * (LAYERS + 1), batch=4)
        same = folder / "net_same.onnx"
        shutil.copyfile(base, same)
        slower = models.dense(folder / "net_slower.onnx", [256] * (LAYERS + 2), batch=4)
        for experiment in options.only:
            print(f"{experiment}, {options.runs} runs of {options.seconds} s", flush=True)
            if experiment == "timing":
                is_right &= timing(folder, argparse.Namespace(runs=min(options.runs, 20), seconds=options.seconds))
                continue
            pair, expected, least = ([base, same], "cannot tell", 95) if experiment.startswith("same") else (
                [base, slower], "slower", 90)  # fmt: skip
            if experiment.endswith("_busy"):
                with BusyLoops():
                    is_right &= verdicts(folder, pair, options, expected, least)
            else:
                is_right &= verdicts(folder, pair, options, expected, least)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
