"""Measures our reader beside TensorBoard's fast data server and its Python reader.

    build/venv/bin/python benchmarks/reader_run.py            writes benchmarks/RESULTS-reader.md
    build/venv/bin/python benchmarks/reader_run.py --quick --only one_run

All in one run on one machine, in turns, best of several rounds. Loading ends when every point can
be asked for. The factors that count are of processor time, since machines are shared. We check all
checksums and keep every point; the data server checks none unless it is told to, and keeps 1,000
points of a tag. The Python reader loads a small part of the data, and its time is extrapolated.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import report

HERE = pathlib.Path(__file__).resolve().parent
FINISHED = re.compile(r"Finished load cycle \(([0-9.]+)(ns|µs|ms|s)\)")
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}
PYTHON_SHARE = 200  # The Python reader gets one part in so many.

# Name: what it is, arguments of reader_inputs (those listed as sizes are divided for smaller
# ones), and the bar, if there is one: how many times faster than the data server's default.
SETS = {
    "one_run": ("(a) one run, 10 M scalars, 100 tags",
                {"--events": 10_000_000, "--tags": 100}, ("--events",), 20),
    "many_runs": ("(b) 1,000 runs x 20,000 scalars",
                  {"--runs": 1000, "--events": 20_000, "--tags": 20}, ("--runs",), 20),
    "blobs": ("(c) 5 GB of images and histograms", {"--megabytes": 5000}, ("--megabytes",), 5),
    "small_runs": ("(d) 10,000 runs x 200 scalars",
                   {"--runs": 10_000, "--events": 200, "--tags": 10}, ("--runs",), None),
    "irregular": ("(e) random order of tags, irregular steps",
                  {"--events": 10_000_000, "--tags": 100}, ("--events",), 10),
}


def make_inputs(programs, name, directory, divisor):
    _, arguments, sizes, _ = SETS[name]
    flags = []
    for flag, value in arguments.items():
        flags += [flag, str(max(value // divisor, 1) if flag in sizes else value)]
    subprocess.run([programs / "reader_inputs", name, "--logdir", directory, *flags], check=True)


def run_ours(programs, *arguments):
    output = subprocess.run([programs / "reader_bench", *arguments], check=True,
                            stdout=subprocess.PIPE)
    return json.loads(output.stdout)


def process_cost(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024
    return cpu, peak


def run_data_server(logdir, *flags):
    """Starts the server, waits until it says that it has loaded everything, and ends it."""
    import tensorboard_data_server

    command = [tensorboard_data_server.server_binary(), "--logdir", logdir, "--reload", "once",
               "--port", "0", "--verbose", *flags]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr:
                if found := FINISHED.search(line):
                    wall = float(found.group(1)) * UNITS[found.group(2)]
                    cpu, peak = process_cost(server.pid)
                    return {"wall_seconds": wall, "cpu_seconds": cpu, "peak_rss_bytes": peak}
        finally:
            server.kill()
    raise SystemExit("the data server ended before it had loaded anything")


def run_python(logdir):
    output = subprocess.run([sys.executable, "-B", HERE / "reader_peer.py", logdir], check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(output.stdout)


def best(results, key="wall_seconds"):
    return min(results, key=lambda result: result[key])


def measure(programs, name, scratch, divisor, rounds):
    logdir = scratch / name
    make_inputs(programs, name, logdir, divisor)
    stored = scratch / f"{name}.index"
    contestants = {
        "ours, 2 threads": lambda: run_ours(programs, "load", "--logdir", logdir, "--threads", "2"),
        "ours, 1 thread": lambda: run_ours(programs, "load", "--logdir", logdir, "--threads", "1",
                                           "--store", stored),
        "ours, second start": lambda: run_ours(programs, "start", "--logdir", logdir, "--stored",
                                               stored),
        "data server": lambda: run_data_server(logdir),
        "data server --checksum": lambda: run_data_server(logdir, "--checksum"),
    }
    results = {contestant: [] for contestant in contestants}
    for _ in range(rounds):
        for contestant, run in contestants.items():
            results[contestant].append(run())
    rows = {contestant: best(runs) | {"cpu_seconds": best(runs, "cpu_seconds")["cpu_seconds"]}
            for contestant, runs in results.items()}

    small = scratch / f"{name}.small"
    make_inputs(programs, name, small, divisor * PYTHON_SHARE)
    share = size_of(logdir) / size_of(small)
    python = run_python(small)
    rows["TensorBoard in Python *"] = {
        "wall_seconds": python["wall_seconds"] * share,
        "cpu_seconds": python["cpu_seconds"] * share,
        "peak_rss_bytes": None,
    }
    return rows


def size_of(directory):
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def factor_table(rows):
    ours = rows["ours, 2 threads"]
    lines = []
    for contestant, result in rows.items():
        peak = result["peak_rss_bytes"]
        lines.append((
            contestant,
            report.duration(result["wall_seconds"]),
            report.duration(result["cpu_seconds"]),
            "-" if peak is None else f"{peak / 1e6:,.0f} MB",
            report.times(result["wall_seconds"] / ours["wall_seconds"]),
            report.times(result["cpu_seconds"] / ours["cpu_seconds"]),
        ))
    return report.table(("", "wall", "CPU", "peak memory", "wall, of ours", "CPU, of ours"), lines)


def verdict(name, rows):
    ours, peer = rows["ours, 2 threads"], rows["data server"]
    bar = SETS[name][3]
    factor = peer["cpu_seconds"] / ours["cpu_seconds"]
    judged = ""
    if bar is not None:
        judged = f" (bar {bar}x): {'reached' if factor >= bar else 'NOT REACHED'}"
    lines = ["- load against the data server's default, processor time: "
             f"{report.times(factor)}{judged}"]
    threads = rows["ours, 1 thread"]["wall_seconds"] / ours["wall_seconds"]
    lines.append(f"- two threads against one: {report.times(threads)}")
    start = ours["wall_seconds"] / rows["ours, second start"]["wall_seconds"]
    lines.append(f"- second start against the first: {report.times(start)}")
    if ours["points"]:
        lines.append(f"- memory: {ours['bytes_per_point']:.2f} bytes per point")
    if ours["blobs"]:
        lines.append(f"- memory: {ours['bytes_per_blob']:.1f} bytes per blob")
    return "\n".join(lines)


def measure_growth(programs, scratch, divisor, rounds):
    rows = []
    for part in (4, 2, 1):
        logdir = scratch / f"growth.{part}"
        make_inputs(programs, "one_run", logdir, divisor * part)
        result = best([run_ours(programs, "load", "--logdir", logdir, "--threads", "1")
                       for _ in range(rounds)], "cpu_seconds")
        rows.append((f"{result['events']:,}", report.duration(result["cpu_seconds"]),
                     report.duration(result["cpu_seconds"] / result["events"]),
                     f"{result['bytes_per_point']:.2f}"))
    return report.table(("events", "CPU", "per event", "bytes per point"), rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bin", default=HERE.parent / "build/release/bin", type=pathlib.Path)
    parser.add_argument("--out", default=HERE / "RESULTS-reader.md", type=pathlib.Path)
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--only", choices=SETS, action="append", help="one set of data; repeatable")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data")
    flags = parser.parse_args()
    divisor = 10 if flags.quick else 1

    sections = ["# The reader, measured", "", (__doc__.partition("All in one")[1]
                + __doc__.partition("All in one")[2]).strip(), "",
                f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors, load "
                f"{os.getloadavg()[0]:.0f} at the start, best of "
                f"{flags.rounds} rounds{', a tenth of the data' if flags.quick else ''}. "
                "Rows marked * are extrapolated.", ""]
    with tempfile.TemporaryDirectory(prefix="cboard.reader.") as directory:
        scratch = pathlib.Path(directory)
        for name in flags.only or SETS:
            print(f"… {SETS[name][0]}", file=sys.stderr, flush=True)
            rows = measure(flags.bin, name, scratch, divisor, flags.rounds)
            sections += [f"## {SETS[name][0]}", "", factor_table(rows), "", verdict(name, rows), ""]
        print("… growth", file=sys.stderr, flush=True)
        sections += ["## Growth, set (a), one thread", "",
                     measure_growth(flags.bin, scratch, divisor, flags.rounds), ""]
    text = "\n".join(sections)
    flags.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
