"""Compares the front that `tune` finds in 5 evaluations with all single-operator fallbacks.

    build/venv/bin/python benchmarks/tune_exhaustive.py [NAME…] [--max-drop 0.2pp] [--write]

For every operator that the first trial quantizes, a model with only this operator in float is made by
our quantizer and evaluated by the same metric. `excess` is the largest difference, in percentage points,
between such a model and the best trial that is at most 1 % larger than it; a model that is smaller than
all trials is compared with the smallest trial. The bar is 0.2 pp; the exit
code is 1 if a network exceeds it. --write replaces the table in benchmarks/RESULTS-tune.md. Models are
kept in build/tune-bench. Needs PyTorch and ONNX Runtime's Python package in build/ort/python.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build/ort/python"))
sys.dont_write_bytecode = True
import onnx  # noqa: E402
import tune_networks  # noqa: E402

WORK = ROOT / "build/tune-bench"
RESULTS = ROOT / "benchmarks/RESULTS-tune.md"
PROGRAM = os.environ.get("COMPRESSION_BOARD", str(ROOT / "build/release/bin/compression-board"))
MAX_EXCESS_PP = 0.2
SIZE_TOLERANCE = 1.01


def tune(subject, name, *flags):
    """Returns the report of one tuning and its CPU seconds."""
    output = subject.model.parent / f"{name}.onnx"
    shutil.rmtree(f"{output}.tune", ignore_errors=True)
    command = [PROGRAM, "tune", subject.model, *subject.flags, "-o", output, "--json", "--no-explain", *flags]
    with open(output.with_suffix(".txt"), "w") as log:
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=log)
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    if not text:
        raise SystemExit(f"{subject.name}: tune failed: {output.with_suffix('.txt').read_text()}")
    return json.loads(text), usage.ru_utime + usage.ru_stime


def quantized_nodes(subject, model):
    """Returns the names of the float model's operators that have a quantized weight in `model`."""
    graph = onnx.load(str(model)).graph
    restored = {out for node in graph.node if node.op_type == "DequantizeLinear" for out in node.output}
    kinds = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
    after = {node.name for node in graph.node if node.op_type in kinds and set(node.input) & restored}
    before = [node.name for node in onnx.load(str(subject.model)).graph.node if node.op_type in kinds]
    return [name for name in before if name and name in after]


def contest(name, max_drop):
    subject = tune_networks.make(name, WORK / name)
    report, cpu = tune(subject, "tuned", "--max-drop", max_drop)
    front = [(t["result"]["size_bytes"], t["result"]["accuracy"]) for t in report["trials"]
             if t["result"]["accuracy"] is not None]  # fmt: skip
    row = {"network": name, "baseline": report["baseline"]["accuracy"], "limit": report["limit"],
           "eight_bits": front[0][1], "is_met": report["is_met"], "evaluations": report["evaluations"],
           "front": front, "cpu_seconds": cpu, "reason": report["reason"], "excess_pp": 0.0, "beaten_by": ""}  # fmt: skip
    best = report["trials"][report["best"] - 1]["result"]
    row["best"], row["share"] = best["accuracy"], best["size_bytes"] / report["baseline"]["size_bytes"]
    nodes = quantized_nodes(subject, report["trials"][0]["model"])
    row["operators"], row["exhaustive_cpu_seconds"], row["single_best"] = len(nodes), 0.0, 0.0
    for node in nodes:
        # No evaluation can reach the limit of the metric, so all samples are evaluated.
        single, seconds = tune(subject, "single", "--keep-float", node, "--max-evals", "1", "--max-drop", "100%")
        row["exhaustive_cpu_seconds"] += seconds
        result = single["trials"][0]["result"]
        allowed = [accuracy for size, accuracy in front if size <= result["size_bytes"] * SIZE_TOLERANCE]
        excess = 100 * (result["accuracy"] - max(allowed, default=min(front)[1]))
        row["single_best"] = max(row["single_best"], result["accuracy"])
        if excess > row["excess_pp"]:
            row["excess_pp"], row["beaten_by"] = excess, node
    return row


def table(rows, max_drop):
    lines = [
        f"Goal: `--max-drop {max_drop}`, at most 5 evaluations.",
        "",
        "| network | operators | baseline | 8 bits | best trial | size | goal | evaluations | best single fallback | excess, pp | CPU s of tune | CPU s of exhaustive search |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        excess = f"{row['excess_pp']:.2f}" + (f" ({row['beaten_by']})" if row["excess_pp"] > MAX_EXCESS_PP else "")
        lines.append(
            f"| {row['network']} | {row['operators']} | {row['baseline']:.4f} | {row['eight_bits']:.4f} "
            f"| {row['best']:.4f} | {100 * row['share']:.1f} % | {'met' if row['is_met'] else 'missed'} "
            f"| {row['evaluations']} | {row['single_best']:.4f} | {excess} "
            f"| {row['cpu_seconds']:.1f} | {row['exhaustive_cpu_seconds']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=tune_networks.NAMES)
    parser.add_argument("--max-drop", default="0.2pp")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.names:
        rows.append(contest(name, arguments.max_drop))
        print(json.dumps(rows[-1]), flush=True)
    text = table(rows, arguments.max_drop)
    print(text)
    if arguments.write:
        before, _, rest = RESULTS.read_text().partition("<!-- exhaustive -->\n")
        _, _, after = rest.partition("<!-- end -->")
        RESULTS.write_text(f"{before}<!-- exhaustive -->\n{text}<!-- end -->{after}")
    return 1 if any(row["excess_pp"] > MAX_EXCESS_PP for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
