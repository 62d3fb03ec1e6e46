"""Measures the cost of a quantization and compares it with peers: CPU seconds, peak memory, file
size, latency.

    scripts/setup --with-quantizers
    build/venv-quantizers/bin/python benchmarks/quantize_costs.py [PART…] [--inc PYTHON] [--write]

Parts: tools (each tool once on ResNet-50 with 16 samples, and on two real networks), memory (16 to
512 samples), inference (calibration beside plain runs), gptq (a layer of 4096 x 4096), latency (the
files of `tools` beside ONNX Runtime's). Every measurement is a separate process; CPU seconds and
peak memory come from the kernel. --inc names the Python of an environment with neural-compressor
3.7, onnx 1.17 and onnxruntime 1.20. Results are stored in build/quantize-costs; --write puts them
into RESULTS-quantize.md.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper, version_converter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/compare/real"))
os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
WORK = ROOT / "build/quantize-costs"
RESULTS = ROOT / "benchmarks/RESULTS-quantize.md"
PROGRAM = Path(os.environ.get("COMPRESSION_BOARD", ROOT / "build/release/bin/compression-board"))
PLAIN = [
    "--ranges",
    "percentile",
    "--no-equalize",
    "--no-smooth",
    "--no-bias-correction",
    "--no-repair",
]
TOOLS = [
    "ours percentile",
    "ours default",
    "ort-minmax",
    "ort-percentile",
    "ort-entropy",
    "nncf",
    "onnxsim",
    "inc",
]
NETWORKS = ["resnet50", "text_detector", "page_orientation"]


def resnet50(path):
    """Creates a network with the topology of the onnx package's test model and random weights."""
    model = onnx.load(Path(onnx.__file__).parent / "backend/test/data/light/light_resnet50.onnx")
    random = np.random.default_rng(1)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes, weights = [], []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape":
            nodes.append(node)
            continue
        shape = [int(size) for size in shapes[node.input[0]]]
        if len(shape) > 1:
            values = random.normal(size=shape) * np.sqrt(2 / np.prod(shape[1:]))
        else:
            values = random.uniform(0.5, 1.5, shape) if node.output[0].endswith(("_s_0", "_riv_0", "_var_0")) else (
                random.normal(size=shape) * 0.1)  # fmt: skip
        weights.append(numpy_helper.from_array(values.astype(np.float32), node.output[0]))
    kept = [tensor for tensor in model.graph.initializer if not tensor.name.endswith("__SHAPE")]
    given = {tensor.name for tensor in weights + kept}
    graph = helper.make_graph(nodes, "resnet50", [i for i in model.graph.input if i.name not in given and
                              not i.name.endswith("__SHAPE")], list(model.graph.output), weights + kept)  # fmt: skip
    model = helper.make_model(graph, opset_imports=model.opset_import, ir_version=4)
    # NNCF supports no opset below 10.
    onnx.save(version_converter.convert_version(model, 13), path)
    return random.normal(size=(512, 3, 224, 224)).astype(np.float32)


def prepared(name):
    """Returns the folder of a network. A separate process creates it: a child process would begin
    with the peak memory of this process."""
    folder = WORK / name
    if not (folder / "samples512.npz").exists():
        subprocess.run([sys.executable, __file__, "--prepare", name], check=True)
    return folder


def prepare(name):
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "samples512.npz").exists():
        if name == "resnet50":
            samples = {"gpu_0/data_0": resnet50(folder / "float.onnx")}
        else:
            import networks as real

            network = real.registry()[name]
            network.prepare(folder)
            samples = network.samples(16, 1)
        for count in (16, 512):
            np.savez(
                folder / f"samples{count}.npz",
                **{key: array[:count] for key, array in samples.items()},
            )


def measured(command):
    """Returns CPU seconds, peak bytes and exit code of a command, with the end of its output."""
    with open(WORK / "log.txt", "w") as out:
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
    text = (WORK / "log.txt").read_text(errors="replace").strip()
    return {"cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2), "peak_mb": round(usage.ru_maxrss / 1024),
            "failed": text[-200:] if status != 0 else None}  # fmt: skip


def ours(model, data, output, *flags):
    return [PROGRAM, "quantize", model, "--data", data, "-o", output, "--threads", "1", *flags]


def command_of(tool, folder, output, inc):
    model, data = folder / "float.onnx", folder / "samples16.npz"
    if tool.startswith("ours"):
        return ours(model, data, output, *(PLAIN if tool.endswith("percentile") else []))
    python = inc if tool == "inc" else sys.executable
    return [python, ROOT / "benchmarks/quantize_peer.py", tool, model, data, output]


def part_tools(store, inc):
    for name in NETWORKS:
        folder = prepared(name)
        for tool in TOOLS:
            key = f"tools/{name}/{tool}"
            if (tool == "inc" and not inc) or (key in store and not tool.startswith("ours")):
                continue
            output = folder / f"{tool.replace(' ', '-')}.onnx"
            output.unlink(missing_ok=True)
            row = measured(command_of(tool, folder, output, inc))
            if row["failed"] is None and output.exists():
                row["mb"] = round(output.stat().st_size / 1e6, 2)
            store[key] = row
            print(key, row, flush=True)


def part_memory(store, inc):
    folder = prepared("resnet50")
    for count in (16, 64, 512):
        row = measured(
            ours(
                folder / "float.onnx",
                folder / "samples512.npz",
                folder / "m.onnx",
                "--samples",
                count,
                *PLAIN,
            )
        )
        store[f"memory/{count}"] = row
        print(count, row, flush=True)


def part_inference(store, inc):
    """Measures the cost of one more calibration sample and the cost of one more plain run."""
    folder = prepared("resnet50")
    plain = "import sys,numpy as np,onnxruntime as o;s=o.SessionOptions();s.intra_op_num_threads=1;" \
            "s=o.InferenceSession(sys.argv[1],s);x=np.load(sys.argv[2])['gpu_0/data_0'];" \
            "[s.run(None,{'gpu_0/data_0':x[i:i+1]}) for i in range(int(sys.argv[3]))]"  # fmt: skip
    for count in (16, 116):
        store[f"inference/plain/{count}"] = measured(
            [sys.executable, "-c", plain, folder / "float.onnx", folder / "samples512.npz", count]
        )
        # Calibrates with a hundred further samples: the number of held-out samples is 16 in both
        # cases.
        store[f"inference/ours/{count}"] = measured(ours(
            folder / "float.onnx", folder / "samples512.npz", folder / "m.onnx", "--samples", count + 64, *PLAIN))  # fmt: skip
        print(
            count, store[f"inference/plain/{count}"], store[f"inference/ours/{count}"], flush=True
        )


def part_gptq(store, inc):
    folder = WORK / "gptq"
    folder.mkdir(parents=True, exist_ok=True)
    random, size = np.random.default_rng(3), 4096
    weight = numpy_helper.from_array(
        (random.normal(size=(size, size)) * 0.02).astype(np.float32), "w"
    )
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], "layer")], "gptq",
                              [helper.make_tensor_value_info("x", 1, ["n", 512, size])],
                              [helper.make_tensor_value_info("y", 1, ["n", 512, size])], [weight])  # fmt: skip
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        folder / "m.onnx",
    )
    mixing = (random.normal(size=(64, size)) / 8).astype(np.float32)
    np.save(folder / "x.npy", random.normal(size=(12, 512, 64)).astype(np.float32) @ mixing
            + 0.1 * random.normal(size=(12, 512, size)).astype(np.float32))  # fmt: skip
    flags = ["--bits", "w4a16", "--no-smooth"]
    for name, more in (("nearest", []), ("gptq", ["--gptq"])):
        row = measured(ours(folder / "m.onnx", folder / "x.npy", folder / "q.onnx", *flags, *more))
        store[f"gptq/{name}"] = row
        print(name, row, flush=True)


def part_latency(store, inc):
    for name in NETWORKS:
        folder = prepared(name)
        files = [
            folder / "ort-percentile.onnx",
            folder / "ours-percentile.onnx",
            folder / "ours-default.onnx",
        ]
        if not files[0].exists():
            files[0] = folder / "float.onnx"
        done = subprocess.run(
            [str(part) for part in [PROGRAM, "benchmark", *files, "--json"]],
            capture_output=True,
            text=True,
        )
        store[f"latency/{name}"] = (
            json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr[-300:]}
        )
        print(name, done.stderr[-300:], flush=True)


def table(store):
    """Returns the table of tools, and sentences about the other parts."""
    lines = ["| network | tool | CPU s | peak MB | file MB |", "|---|---|---|---|---|"]
    for key, row in store.items():
        part, *names = key.split("/")
        if part != "tools":
            continue
        cells = [str(row["cpu_seconds"]), str(row["peak_mb"]), str(row.get("mb", ""))]
        lines.append(
            f"| {names[0]} | {names[1]} | "
            + " | ".join(cells if row["failed"] is None else ["fails", "", ""])
            + " |"
        )
    lines.append("")
    for key, row in store.items():
        part, *names = key.split("/")
        if part in ("memory", "inference", "gptq"):
            lines.append(
                f"- {part}, {' '.join(names)}: {row['cpu_seconds']} CPU s, peak {row['peak_mb']} MB"
            )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", default=["tools", "memory", "inference", "gptq", "latency"]
    )
    parser.add_argument("--inc")
    parser.add_argument("--prepare", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true")
    flags = parser.parse_args()
    if flags.prepare:
        prepare(flags.prepare)
        return
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / "costs.json"
    store = json.loads(file.read_text()) if file.exists() else {}
    for part in flags.parts or ["tools", "memory", "inference", "gptq", "latency"]:
        globals()[f"part_{part}"](store, flags.inc)
        file.write_text(json.dumps(store, indent=1))
    print(table(store))
    if flags.write:
        old = RESULTS.read_text()
        begin, end = "<!-- costs -->", "<!-- end of costs -->"
        RESULTS.write_text(
            old.split(begin)[0] + begin + "\n" + table(store) + "\n" + end + old.split(end)[1]
        )


main()
