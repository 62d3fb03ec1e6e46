"""Measures our data server beside TensorBoard's own (RustBoard), on the sets of reader_run.py.

    build/venv/bin/python benchmarks/dataserver_run.py            a tenth of the data; prints Markdown
    build/venv/bin/python benchmarks/dataserver_run.py --full --out benchmarks/RESULTS-dataserver.md

Both programs are started with TensorBoard's flags, in turns, files in the page cache, and report when
everything is loaded. The system counts CPU time in steps of 10 ms. Ours checks all checksums, keeps every point and starts without a cache; RustBoard
checks none and keeps 1,000 points of a tag. Memory is the peak until then.
"""

import argparse
import datetime
import pathlib
import shutil
import subprocess
import tempfile

import reader_run
import tensorboard_data_server

SETS = ("one_run", "many_runs", "blobs", "small_runs")


def load(command):
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr:
                if found := reader_run.FINISHED.search(line):
                    wall = float(found.group(1)) * reader_run.UNITS[found.group(2)]
                    cpu, peak = reader_run.process_cost(server.pid)
                    return {"wall_seconds": wall, "cpu_seconds": cpu, "peak_rss_bytes": peak}
        finally:
            server.kill()
    raise SystemExit(f"{command[0]} ended before it had loaded anything")


def measure(programs, name, scratch, divisor, rounds):
    logdir = reader_run.make_input(programs, name, scratch, divisor)
    flags = ["--logdir", logdir, "--reload", "once", "--port", "0", "--verbose"]
    commands = {
        "ours": [programs / "compression-board-data-server", *flags, "--no-cache"],
        "RustBoard": [tensorboard_data_server.server_binary(), *flags],
    }
    results = {program: [] for program in commands}
    for _ in range(rounds):
        for program, command in commands.items():
            results[program].append(load(command))
    return {program: {key: min(run[key] for run in runs) for key in runs[0]} for program, runs in results.items()}


def report(measured, divisor, rounds):
    load_average = pathlib.Path("/proc/loadavg").read_text().split()[0]
    lines = ["# The data server, measured", "", *__doc__.rpartition("\n\n")[2].strip().splitlines(), "",
             f"{datetime.date.today()}, best of {rounds} rounds, 1/{divisor} of the data; load average of the machine "
             f"{load_average}: other work ran beside.", "",
             "| set | ours: wall, CPU, memory | RustBoard: wall, CPU, memory | wall | CPU | memory |", "|---|---|---|---|---|---|"]  # fmt: skip
    for name, rows in measured.items():
        cells = [f"{row['wall_seconds']:.3f} s, {row['cpu_seconds']:.2f} s, {row['peak_rss_bytes'] / 1e6:.0f} MB"
                 for row in (rows["ours"], rows["RustBoard"])]  # fmt: skip

        def ratio(key):
            return f"{rows['RustBoard'][key] / max(rows['ours'][key], 0.005):.1f}x"

        lines.append(f"| {reader_run.INPUTS[name].title} | {cells[0]} | {cells[1]} | {ratio('wall_seconds')} | "
                     f"{ratio('cpu_seconds')} | {ratio('peak_rss_bytes')} |")  # fmt: skip
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=reader_run.HERE.parent / "build/release/bin")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    divisor = 1 if options.full else reader_run.REDUCED_BY
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="dataserver_run."))
    try:
        measured = {name: measure(options.programs, name, scratch, divisor, options.rounds) for name in SETS}
    finally:
        shutil.rmtree(scratch)
    text = report(measured, divisor, options.rounds)
    if options.out:
        options.out.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
