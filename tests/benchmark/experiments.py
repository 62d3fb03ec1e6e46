"""Measures on this machine, with its noise, how often a verdict is right.

    COMPRESSION_BOARD=… experiments.py [--runs 100] [--seconds 20] [--only NAMES]

    same        the same file twice                      -> "cannot tell" in at least 95 of 100
    same_busy   the same, with two busy loops beside it  -> "cannot tell" in at least 95 of 100
    slower      a variant with 5 % more work             -> "slower" in at least 90 of 100
    slower_busy the same, with two busy loops            -> "slower" in at least 90 of 100
    timing      our medians against a loop in Python     -> within 3 %, CPU time and wall time
    width       the interval after 60 s, for the demo's network and one of the size of ResNet-50
                                                         -> at most 2 %, or the program says that it is wider

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

LAYERS = 20  # One more layer is 5 % more work.


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
    """Measures blocks of our program and of a loop in Python, one after the other."""
    import numpy as np
    import onnxruntime

    path = models.dense(folder / "net.onnx", [512] * 9, batch=16)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    x = {"x": np.random.default_rng(0).normal(size=(16, 512)).astype("f4")}
    cpu_ratios, wall_ratios = [], []
    for seed in range(options.runs):
        def loop():
            """Medians of CPU time, and of wall time of runs that nothing interrupted, as the program has them."""
            times, walls = [], []
            end = time.monotonic() + options.seconds / 2
            while time.monotonic() < end:
                start, wall = time.thread_time(), time.perf_counter()
                session.run(None, x)
                wall, start = time.perf_counter() - wall, time.thread_time() - start
                times.append(start)
                if wall - start <= max(20e-6, 0.05 * wall):
                    walls.append(wall)
            return 1e3 * statistics.median(times), 1e3 * statistics.median(walls)

        cpu_before, wall_before = loop()
        model = measure(folder, [path], options.seconds, seed)
        cpu_after, wall_after = loop()
        found = model[model["baseline_variant"]]
        cpu_ratios.append(2 * found["latency_cpu_p50_ms"] / (cpu_before + cpu_after))
        wall_ratios.append(2 * found["latency_p50_ms"] / (wall_before + wall_after))
    is_right = True
    for clock, ratios in (("CPU", cpu_ratios), ("wall", wall_ratios)):
        ratio = statistics.median(ratios)
        is_right &= abs(ratio - 1) <= 0.03
        print(f"  our median {clock} time by that of Python: {ratio:.4f} (median of {len(ratios)}; {min(ratios):.3f} to "
              f"{max(ratios):.3f}), load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    print(f"  {'as expected' if is_right else 'FAILED'}", flush=True)
    return is_right


def width(folder):
    """The interval of a network and its dynamically quantized form, with all settings as they are without flags."""
    from onnxruntime.quantization import quantize_dynamic

    demo = Path(__file__).resolve().parents[2] / "build/networks/text_lines.onnx"
    large = models.resnet50(folder / "resnet50_fp32.onnx")
    is_right = True
    for name, file, flags in [("demo", demo, ["--shape", "1,3,48,192"]), ("resnet50", large, [])]:
        quantized = folder / f"{name}_int8.onnx"
        quantize_dynamic(str(file), str(quantized))
        command = [os.environ["COMPRESSION_BOARD"], "benchmark", f"fp32={file}", f"int8={quantized}", *flags,
                   "--no-memory", "--no-energy", "--no-reasons", "--no-log", "-o", str(folder / f"{name}.json")]  # fmt: skip
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (model,) = json.loads((folder / f"{name}.json").read_text()).values()
        (folder / f"{name}.json").unlink()
        comparison = model["int8"]["comparison"]
        is_told = "% wide, more than the wanted 2 %" in printed or "blocks fit into the time" in printed
        is_right &= comparison["interval_width"] <= 0.02 or is_told
        print(f"  {name}: speedup {comparison['speedup']:.3f}, interval {100 * comparison['interval_width']:.2f} % wide after "
              f"{model['benchmark_time_seconds']:.0f} s, {comparison['blocks']} blocks, {comparison['basis']} time, "
              f"load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    print(f"  {'as expected' if is_right else 'FAILED'}", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20, help="limit of a measurement; most end earlier")
    parser.add_argument("--only", nargs="*", default=["same", "same_busy", "slower", "slower_busy", "timing", "width"])
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
            if experiment == "width":
                is_right &= width(folder)
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
