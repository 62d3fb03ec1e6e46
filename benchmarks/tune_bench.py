"""Compares `tune` with the accuracy-driven loops of NNCF and Intel Neural Compressor.

    scripts/setup --with-quantizers
    build/venv/bin/python benchmarks/tune_bench.py [NAME…] [--max-drop 0.5pp] [--again] [--stored] [--write]

All tools get the same float model, calibration samples, validation samples, labels and goal, and run one
after the other on one processor, in a process of their own. Networks without labels are compared with
the classes of the float model. One script, benchmarks/tune_metric.py, evaluates the files of all tools
in the end. CPU seconds of `tune` are those of its whole process and of its evaluations; those of the
peers leave out imports. A peer is stopped after MAX_CPU_SECONDS. Results of peers are kept in
build/tune-bench until --again; --stored takes all results from there; --write replaces the table in
benchmarks/RESULTS-tune.md.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build/ort/python"))
sys.dont_write_bytecode = True
import numpy as np  # noqa: E402
import tune_metric  # noqa: E402
import tune_networks  # noqa: E402

WORK = ROOT / "build/tune-bench"
RESULTS = ROOT / "benchmarks/RESULTS-tune.md"
PROGRAM = os.environ.get("COMPRESSION_BOARD", str(ROOT / "build/release/bin/compression-board"))
PYTHON = {"nncf": ROOT / "build/venv-quantizers/bin/python", "inc": ROOT / "build/venv-inc/bin/python"}
NAMES = ["digits_outliers", "digits_attention", "text_lines", "file_types", "page_orientation",
         "symbol_counter", "outlier_channels", "next_letter", "digit_patches"]  # fmt: skip
MAX_CPU_SECONDS = 120


def run(command, folder, log):
    """The text that a command prints, its exit status and its CPU seconds with those of its children."""

    def limit():
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS + 5))

    with open(log, "w") as errors:
        process = subprocess.Popen(list(map(str, command)), cwd=folder, stdout=subprocess.PIPE, stderr=errors,
                                   text=True, preexec_fn=limit)  # fmt: skip
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    return text, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def labels_of(folder):
    """Stores samples with labels; the class of the float model where the network has no labels."""
    labeled = folder / "labeled.npz"
    if not labeled.exists():
        session = tune_metric.open_session(str(folder / "float.onnx"))
        feeds, labels = tune_metric.samples_of(folder / "val.npz", session)
        if labels is None:
            found = [session.run(None, feed)[0].argmax(-1).reshape(-1) for feed in feeds]
            labels = np.array(found, np.int64)
        arrays = dict(np.load(folder / "val.npz")) | {"y": labels.reshape(-1) if labels.size == len(feeds) else labels}
        np.savez(labeled, **arrays)
    return labeled


def ours(folder, val, max_drop):
    """`tune` has top1 for one class of each sample; for other labels, it runs the script of the metric."""
    evaluation = ["--labels", f"{val}:y", "--metric", "top1"]
    if np.load(val)["y"].ndim > 1:
        script = ROOT / "benchmarks/tune_metric.py"
        evaluation = ["--eval", f"{PYTHON['nncf']} {script} {{model}} {val}"]
    output = folder / "ours.onnx"
    command = [PROGRAM, "tune", "float.onnx", "--data", "calib.npz", *evaluation, "--max-drop", f"{100 * max_drop}pp",
               "-o", output, "--json", "--stop-at-goal"]  # fmt: skip
    subprocess.run(["rm", "-rf", f"{output}.tune"], check=True)
    text, status, seconds = run(command, folder, folder / "ours.txt")
    if status not in (0, 1) or not text:
        return {"failed": (folder / "ours.txt").read_text()[-200:], "cpu_seconds": seconds}
    report = json.loads(text)
    return {"cpu_seconds": seconds, "evaluations": report["evaluations"] + 1}


def peer(tool, folder, val, max_drop):
    output = folder / f"{tool}.onnx"
    output.unlink(missing_ok=True)
    command = [PYTHON[tool], ROOT / "benchmarks/tune_peer.py", tool, folder / "float.onnx", folder / "calib.npz", val,
               max_drop, output]  # fmt: skip
    text, status, seconds = run(command, folder, folder / f"{tool}.txt")
    (folder / f"{tool}.out").write_text(text)
    last = text.strip().splitlines()[-1] if text.strip() else ""
    if status != 0 or not last.startswith("{"):
        errors = (folder / f"{tool}.txt").read_text().strip().splitlines()
        reason = errors[-1] if errors else f"exit code {status}"
        if status in (-24, -9):
            reason = f"stopped after {seconds:.0f} s"
        return {"failed": reason[:200], "cpu_seconds": seconds}
    row = json.loads(last)
    return row if row.pop("has_model") else row | {"failed": "gave no model"}


def stored(name, max_drop):
    """The results of an earlier run; None without those of all tools."""
    files = {tool: WORK / name / f"bench-{tool}-{max_drop}.json" for tool in ("float", "ours", "nncf", "inc")}
    if not all(file.exists() for file in files.values()):
        return None
    return {tool: json.loads(file.read_text()) for tool, file in files.items()}


def contest(name, max_drop, again):
    folder = WORK / name
    tune_networks.make(name, folder)
    val = labels_of(folder)
    rows = {}
    baseline = None
    for tool in ("float", "ours", "nncf", "inc"):
        kept = folder / f"bench-{tool}-{max_drop}.json"
        if tool in PYTHON and kept.exists() and not again:
            row = json.loads(kept.read_text())
        else:
            row = {} if tool == "float" else ours(folder, val, max_drop) if tool == "ours" else peer(
                tool, folder, val, max_drop)  # fmt: skip
            model = folder / f"{tool}.onnx"
            if "failed" not in row:
                session = tune_metric.open_session(str(model))
                feeds, labels = tune_metric.samples_of(val, session)
                values = tune_metric.shares(session, feeds, labels.reshape(len(feeds), -1))
                row |= {"metric": float(np.mean(values)), "bytes": model.stat().st_size}
                baseline = row["metric"] if tool == "float" else baseline
                row["is_met"] = row["metric"] >= baseline - max_drop - 1e-9
            kept.write_text(json.dumps(row))
        rows[tool] = row
        print(f"{name:18} {tool:6} {json.dumps(row)}", flush=True)
    return rows


def cell(row, size):
    if "failed" in row:
        text = row["failed"] if row["failed"].startswith(("stopped", "gave")) else "fails"
        count = f", {row['evaluations']:.0f} evaluations" if "evaluations" in row else ""
        return f"{text} ({row['cpu_seconds']:.1f} s{count})"
    goal = "met" if row["is_met"] else "**missed**"
    return (f"{goal}, {row['metric']:.4f}, {100 * row['bytes'] / size:.0f} %, {row['evaluations']:.1f}, "
            f"{row['cpu_seconds']:.1f} s")  # fmt: skip


def verdict(rows):
    """Where `tune` is worse than a peer."""
    mine, worse = rows["ours"], []
    if "failed" in mine:
        return "**tune fails**"
    for tool, name in (("nncf", "NNCF"), ("inc", "INC")):
        other = rows[tool]
        if "failed" in other:
            continue
        if other["is_met"] and not mine["is_met"]:
            worse.append(f"goal ({name})")
        if other["metric"] > mine["metric"] + 1e-9 and other["bytes"] <= mine["bytes"]:
            worse.append(f"metric at no larger size ({name})")
        if other["bytes"] < mine["bytes"] and other["is_met"]:
            worse.append(f"size ({name})")
        if other["cpu_seconds"] < mine["cpu_seconds"]:
            worse.append(f"CPU ({name})")
    return "**" + ", ".join(worse) + "**" if worse else "nowhere"


def table(results, max_drop):
    lines = [
        f"Goal: at most {100 * max_drop:g} percentage points less than the float model. Cells: goal, metric, "
        "size of the float file, full evaluations with that of the float model, CPU seconds.",
        "",
        "| network | float | tune | NNCF | INC | CPU of NNCF / tune | tune is worse in |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, rows in results.items():
        size = rows["float"]["bytes"]
        ratio = rows["nncf"]["cpu_seconds"] / rows["ours"]["cpu_seconds"]
        lines.append(
            f"| {name} | {rows['float']['metric']:.4f}, {size / 1e6:.2f} MB | "
            + " | ".join(cell(rows[tool], size) for tool in ("ours", "nncf", "inc"))
            + f" | {ratio:.1f} | {verdict(rows)} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--max-drop", default="0.5pp", help="in percentage points")
    parser.add_argument("--again", action="store_true", help="run the peers again")
    parser.add_argument("--stored", action="store_true", help="run nothing")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    max_drop = float(arguments.max_drop.removesuffix("pp")) / 100
    results = {}
    for name in arguments.names:
        rows = stored(name, max_drop) if arguments.stored else contest(name, max_drop, arguments.again)
        if rows:
            results[name] = rows
    text = table(results, max_drop)
    print(text)
    if arguments.write:
        before, _, rest = RESULTS.read_text().partition("<!-- peers -->\n")
        _, _, after = rest.partition("<!-- end of peers -->")
        RESULTS.write_text(f"{before}<!-- peers -->\n{text}<!-- end of peers -->{after}")


if __name__ == "__main__":
    main()
