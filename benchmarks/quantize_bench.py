"""Quantizes real networks with our program and with peers, each in a process of its own.

    scripts/setup --with-quantizers
    build/venv-quantizers/bin/python benchmarks/quantize_bench.py [NAME…] [--again] [--write] [--stored]

The networks, their samples and end metrics are those of tests/compare/real. Each tool calibrates with
the same 32 samples; the end metric compares its outputs with those of the float network on 48 other
samples. Results of peers are kept in build/quantize-bench until --again; --stored runs nothing and
takes all results from there; --write replaces the table in benchmarks/RESULTS-quantize.md.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/compare/real"))
os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
import networks as real  # noqa: E402
import variants  # noqa: E402

WORK = ROOT / "build/quantize-bench"
RESULTS = ROOT / "benchmarks/RESULTS-quantize.md"
PEERS = ["ort-minmax", "ort-percentile", "ort-entropy", "nncf", "onnxsim"]
CALIBRATION, EVALUATION = 32, 48


def all_networks():
    found = dict(real.registry())
    base = found["symbol_counter"]

    def make(path):
        plain = path.with_name("plain.onnx")
        base.make(plain)
        variants.outlier_channels(base, plain, path, factor=100, channels=[3, 17])

    found["outlier_channels"] = real.Network(
        "outlier_channels", "the same encoder with 2 outlier channels, 100 times as large", make,
        base.samples, base.agreement, base.metric)
    return found


def measured(command):
    """Returns CPU seconds, peak bytes and exit code of a command, with the last line that it
    printed.
    """
    log = WORK / "log.txt"
    with open(log, "w") as out:
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
    text = log.read_text(errors="replace").strip().splitlines()
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, status, text[-1] if text else ""


def command_of(tool, model, data, output):
    if tool.startswith("ours"):
        program = Path(os.environ.get("COMPRESSION_BOARD", ROOT / "build/release/bin/compression-board"))
        return [program, "quantize", model, "--data", data, "-o", output, *tool.split()[1:]]
    return [sys.executable, ROOT / "benchmarks/quantize_peer.py", tool, model, data, output]


def sqnr_db(before, after):
    pairs = [(np.asarray(x, np.float64), y) for a, b in zip(before, after) for x, y in zip(a, b)]
    signal = sum(float(np.sum(np.square(x))) for x, _ in pairs)
    noise = sum(float(np.sum(np.square(x - y))) for x, y in pairs)
    return 200.0 if noise == 0 else 10 * float(np.log10(signal / noise)) if signal > 0 else -200.0


def quantized(network, tool, model, data, held, before):
    """Returns one row of the results."""
    output = WORK / network.name / f"{tool.replace(' ', '')}.onnx"
    output.unlink(missing_ok=True)
    cpu, peak, status, last = measured(command_of(tool, model, data, output))
    row = {"network": network.name, "tool": tool, "cpu_seconds": cpu, "peak_bytes": peak}
    try:
        if status != 0:
            raise RuntimeError(last)
        after = real.run(output, held, is_optimized=True)
        row |= {"bytes": output.stat().st_size, "agreement": float(network.agreement(before, after)),
                "sqnr_db": sqnr_db(before, after)}  # fmt: skip
    except Exception as error:  # A failure of a tool is a result, too.
        row["failed"] = str(error)[:200]
    return row


def bench(network, tools, again):
    folder = WORK / network.name
    folder.mkdir(parents=True, exist_ok=True)
    model, data = network.prepare(folder), folder / "samples.npz"
    np.savez(data, **network.samples(CALIBRATION, 1))
    held = network.samples(EVALUATION, 2)
    before = real.run(model, held, is_optimized=True)
    rows = []
    for tool in tools:
        kept = folder / f"{tool}.json"
        if kept.exists() and tool in PEERS and not again:
            row = json.loads(kept.read_text())
        else:
            row = quantized(network, tool, model, data, held, before)
            kept.write_text(json.dumps(row))
        row["fp32_bytes"] = model.stat().st_size
        rows.append(row)
        print(f"  {tool:16} {row.get('agreement', float('nan')):7.4f} {row.get('sqnr_db', float('nan')):7.2f} dB"
              f" {row.get('bytes', 0) / 1e6:7.3f} MB {row['cpu_seconds']:6.1f} s"
              f" {row['peak_bytes'] / 1e6:6.0f} MB  {row.get('failed', '')}", flush=True)  # fmt: skip
    return rows


def cell(row):
    if "failed" in row:
        return "fails"
    return f"{row['agreement']:.3f} ({row['bytes'] / 1e6:.2f})"


def verdict(mine, peers):
    """Our file against the best peer's of at most twice its size, and against larger files."""
    if "agreement" not in mine:
        return "fails"
    peers = [row for row in peers if "agreement" in row]
    similar = [row["agreement"] for row in peers if row["bytes"] <= 2 * mine["bytes"]]
    larger = [row for row in peers if row["bytes"] > 2 * mine["bytes"]]
    difference = mine["agreement"] - max(similar, default=-1)
    text = "no peer has this size" if not similar else (
        "equal" if abs(difference) < 1e-9 else "better" if difference > 0 else f"**worse by {-difference:.4f}**")  # fmt: skip
    best = max(larger, key=lambda row: row["agreement"], default=None)
    if best and best["agreement"] > mine["agreement"] + 1e-9:
        text += f"; {best['tool']} better by {best['agreement'] - mine['agreement']:.4f} in {best['bytes'] / mine['bytes']:.1f}x the size"
    return text


def table(results, found):
    heads = ["ours", "ort-minmax", "ort-percentile", "ort-entropy", "nncf", "onnxsim"]
    names = ["ours", "ORT MinMax", "ORT Percentile", "ORT Entropy", "NNCF", "onnxsim"]
    lines = ["| network | end metric | FP32 MB | " + " | ".join(names) + " | ours against the best of at most 2x its size |",
             "|---|---|---|" + "---|" * (len(names) + 1)]  # fmt: skip
    for name, rows in results.items():
        by_tool = {row["tool"]: row for row in rows}
        mine = by_tool["ours"]
        cells = [cell(by_tool[tool]) if tool in by_tool else "not measured" for tool in heads]
        network = found[name]
        lines.append(f"| {network.title} | {network.metric} | {rows[0]['fp32_bytes'] / 1e6:.2f} | "
                     + " | ".join(cells) + f" | {verdict(mine, [row for row in rows if row['tool'] in PEERS])} |")  # fmt: skip
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("--tools", default=",".join(PEERS + ["ours"]))
    flags = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    found = all_networks()
    results = {}
    for name in flags.names or found:
        if flags.stored:
            rows = [json.loads(path.read_text()) for path in sorted((WORK / name).glob("*.json"))]
            size = (WORK / name / "float.onnx").stat().st_size
            results[name] = [row | {"fp32_bytes": size} for row in rows]
            continue
        print(f"{name}: {found[name].title}", flush=True)
        start = time.time()
        results[name] = bench(found[name], flags.tools.split(","), flags.again)
        print(f"  ({time.time() - start:.0f} s)", flush=True)
    text = table(results, found)
    print(text)
    if flags.write:
        old = RESULTS.read_text()
        begin, end = "<!-- quality -->", "<!-- end of quality -->"
        RESULTS.write_text(old.split(begin)[0] + begin + "\n" + text + "\n" + end + old.split(end)[1])


main()
