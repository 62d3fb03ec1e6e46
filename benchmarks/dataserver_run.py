"""Measures our data server beside TensorBoard's own (RustBoard), on the sets of reader_run.py.

    build/venv/bin/python benchmarks/dataserver_run.py            a tenth of the data; prints
    Markdown
    build/venv/bin/python benchmarks/dataserver_run.py --full --out benchmarks/RESULTS-dataserver.md

Both programs are started with TensorBoard's flags, in turns with files in the page cache, and
report when everything is loaded. Ours checks all checksums, keeps every point and starts without a
cache; RustBoard checks none and keeps 1,000 points of a tag. Memory is the peak until then. The
limit lists all directories, opens every file and copies its bytes into a buffer once, with two
threads, and does nothing else. On a machine with other work, wall times are those of an idle one if
the script is started by `chrt --fifo 1`, which needs root; keep such runs short. The last table is
the time from the start of stock TensorBoard until its page could list the scalars of every run,
Python's start included.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import reader_run
import tensorboard_data_server

SETS = ("one_run", "many_runs", "blobs", "small_runs")


def cpu_of_running_threads(pid):
    """Returns the CPU seconds of all threads that have not ended. The other counter of the system has
    the threads that have ended too, but steps of 10 ms.
    """
    nanoseconds = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # The thread has just ended.
            nanoseconds += int((task / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


def load(command):
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr:
                if found := reader_run.FINISHED.search(line):
                    wall = float(found.group(1)) * reader_run.UNITS[found.group(2)]
                    cpu, peak = reader_run.process_cost(server.pid)
                    cpu = max(cpu, cpu_of_running_threads(server.pid))
                    return {"wall_seconds": wall, "cpu_seconds": cpu, "peak_rss_bytes": peak}
        finally:
            server.kill()
    raise SystemExit(f"{command[0]} ended before it had loaded all runs")


def load_with_tensorboard(logdir, runs, binary):
    """Returns the seconds until the page of stock TensorBoard could list the scalars of all runs.
    """
    with socket_port() as port, tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "tensorboard.main", f"--logdir={logdir}", "--host=127.0.0.1", f"--port={port}",
                   "--load_fast=true"]  # fmt: skip
        environment = dict(os.environ, TENSORBOARD_DATA_SERVER_BINARY=str(binary), XDG_CACHE_HOME=cache)
        begin = time.monotonic()
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as board:
            try:
                while time.monotonic() < begin + 600:
                    try:
                        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/plugin/scalars/tags") as response:
                            if len(json.load(response)) == runs:
                                return time.monotonic() - begin
                    except OSError:
                        pass
                    time.sleep(0.01)
            finally:
                board.terminate()
    raise SystemExit(f"TensorBoard with {binary} did not list {runs} runs in time")


@contextlib.contextmanager
def socket_port():
    """Returns a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    yield port


def measure(programs, name, scratch, divisor, rounds):
    logdir = reader_run.make_input(programs, name, scratch, divisor)
    flags = ["--logdir", logdir, "--reload", "once", "--port", "0", "--verbose"]
    binaries = {"ours": programs / "compression-board-data-server", "RustBoard": tensorboard_data_server.server_binary()}
    runs = sum(1 for _ in logdir.rglob("*tfevents*"))
    results = {program: [] for program in ("ours", "RustBoard", "limit")}
    for _ in range(rounds):
        results["ours"].append(load([binaries["ours"], *flags, "--no-cache"]))
        results["RustBoard"].append(load([binaries["RustBoard"], *flags]))
        results["limit"].append(reader_run.run_limit(programs, "list", logdir))
        if name != "blobs":  # This set has no scalars.
            for program, binary in binaries.items():
                results[program][-1]["tensorboard_seconds"] = load_with_tensorboard(logdir, runs, binary)
    return {program: {key: min(run[key] for run in runs) for key in runs[0]} for program, runs in results.items()}


def report(measured, divisor, rounds):
    load_average = pathlib.Path("/proc/loadavg").read_text().split()[0]
    lines = ["# The data server, measured", "", *__doc__.rpartition("\n\n")[2].strip().splitlines(), "",
             f"{datetime.date.today()}, best of {rounds} rounds, 1/{divisor} of the data; load average of the machine "
             f"{load_average}: other work ran beside.", "",
             "| set | ours: wall, CPU, memory | RustBoard: wall, CPU, memory | wall | CPU | memory | limit: wall, CPU | RustBoard by the limit: wall, CPU |",
             "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for name, rows in measured.items():
        cells = [f"{row['wall_seconds']:.3f} s, {row['cpu_seconds']:.3f} s, {row['peak_rss_bytes'] / 1e6:.0f} MB"
                 for row in (rows["ours"], rows["RustBoard"])]  # fmt: skip

        def ratio(key, to="ours"):
            return f"{rows['RustBoard'][key] / rows[to][key]:.1f}x"

        lines.append(f"| {reader_run.INPUTS[name].title} | {cells[0]} | {cells[1]} | {ratio('wall_seconds')} | "
                     f"{ratio('cpu_seconds')} | {ratio('peak_rss_bytes')} | "
                     f"{rows['limit']['wall_seconds']:.3f} s, {rows['limit']['cpu_seconds']:.3f} s | "
                     f"{ratio('wall_seconds', 'limit')}, {ratio('cpu_seconds', 'limit')} |")  # fmt: skip
    lines += ["", "| set, stock TensorBoard from its start | with ours | with RustBoard | |", "|---|---|---|---|"]
    for name, rows in measured.items():
        if "tensorboard_seconds" in rows["ours"]:
            ours, theirs = (rows[program]["tensorboard_seconds"] for program in ("ours", "RustBoard"))
            lines.append(f"| {reader_run.INPUTS[name].title} | {ours:.2f} s | {theirs:.2f} s | {theirs / ours:.1f}x |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=reader_run.HERE.parent / "build/release/bin")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", choices=SETS, action="append")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    divisor = 1 if options.full else reader_run.REDUCED_BY
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="dataserver_run."))
    try:
        measured = {name: measure(options.programs, name, scratch, divisor, options.rounds) for name in options.only or SETS}
    finally:
        shutil.rmtree(scratch)
    text = report(measured, divisor, options.rounds)
    if options.out:
        options.out.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
