"""Compares our reader with TensorBoard's fast data server and its Python reader.

    build/venv/bin/python benchmarks/reader_run.py            a tenth of the data; prints Markdown
    build/venv/bin/python benchmarks/reader_run.py --full --out benchmarks/RESULTS-reader.md

All programs run on one machine, in turns, best of several rounds, with files in the page cache.
Loading ends when every point can be queried: users wait for that, so the main factors are of wall
time, with those of processor time beside them. Our reader lists and publishes as our server does,
which begins to watch directories afterwards, checks all checksums and keeps every point. The data
server checks none by default, and keeps 1,000 points of a tag. The Python reader loads a small part
of the data, and its time is extrapolated. Two rows are not readers but show the limit of any
reader: all bytes are read, from the page cache or after a copy into a buffer, without further work.
"""

import argparse
import dataclasses
import fractions
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import report

HERE = pathlib.Path(__file__).resolve().parent
FINISHED = re.compile(r"Finished load cycle \(([0-9.]+)(ns|µs|ms|s)\)")
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}
PYTHON_SHARE = 200  # The Python reader loads one part in 200.
REDUCED_BY = 10  # Divisor of the data without --full.
GROWTH = "Growth, set (a), one thread"
GROWTH_SHARES = (2, 1, fractions.Fraction(1, 2))  # Half of the data, all of it, twice as much.
# Four times as many rounds: single runs are short, and memory is not always available at once.
GROWTH_ROUNDS = 4


@dataclasses.dataclass(frozen=True)
class Input:
    """A log directory, with targets for how many times faster our reader should be, if there are
    any.
    """

    title: str
    arguments: dict  # Arguments of reader_inputs.
    size: str  # The argument that is divided for a smaller set.
    load: float | None = None  # Target against the data server's default.
    threads: float | None = None  # Target for two threads against one.
    start: float | None = None  # Target for the second start against the first.


INPUTS = {
    "one_run": Input("(a) one run, 10 M scalars, 100 tags",
                     {"--events": 10_000_000, "--tags": 100}, "--events", load=20, threads=1.6),
    "many_runs": Input("(b) 1,000 runs x 20,000 scalars",
                       {"--runs": 1000, "--events": 20_000, "--tags": 20}, "--runs", load=20,
                       start=20),
    "blobs": Input("(c) 5 GB of images and histograms", {"--megabytes": 5000}, "--megabytes",
                   load=5, start=20),
    "small_runs": Input("(d) 10,000 runs x 200 scalars",
                        {"--runs": 10_000, "--events": 200, "--tags": 10}, "--runs"),
    "irregular": Input("(e) random order of tags, irregular steps",
                       {"--events": 10_000_000, "--tags": 100}, "--events", load=10, threads=1.6),
}


def make_input(programs, name, scratch, divisor):
    """Creates the directory with one part in `divisor` of the data, if it does not exist."""
    directory = scratch / f"{name}.{divisor}".replace("/", "_")
    if not directory.exists():  # The same arguments create the same bytes.
        data = INPUTS[name]
        flags = [text for flag, value in data.arguments.items()
                 for text in (flag, str(max(value // divisor, 1) if flag == data.size else value))]
        subprocess.run([programs / "reader_inputs", name, "--logdir", directory, *flags],
                       check=True)
    return directory


def run_ours(programs, *arguments):
    output = subprocess.run([programs / "reader_bench", *arguments], check=True,
                            stdout=subprocess.PIPE)
    return json.loads(output.stdout)


def run_limit(programs, way, logdir):
    output = subprocess.run([programs / "reader_limit", way, "--logdir", logdir, "--threads", "2"],
                            check=True, stdout=subprocess.PIPE)
    return json.loads(output.stdout)


def process_cost(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024
    return cpu, peak


def run_data_server(logdir, *flags):
    """Starts the server, waits until it reports that everything is loaded, and ends it."""
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
    raise SystemExit("the data server ended before it had loaded all runs")


def run_python(logdir):
    output = subprocess.run([sys.executable, "-B", HERE / "reader_peer.py", logdir], check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(output.stdout)


def best(results, key="wall_seconds"):
    return min(results, key=lambda result: result[key])


def measure(programs, name, scratch, divisor, rounds):
    logdir = make_input(programs, name, scratch, divisor)
    cache = scratch / f"{name}.cache"
    shutil.rmtree(cache, ignore_errors=True)
    ours = ["--logdir", logdir, "--threads"]
    run_ours(programs, *ours, "2", "--cache", cache)
    contestants = {
        "ours, 2 threads": lambda: run_ours(programs, *ours, "2"),
        "ours, 1 thread": lambda: run_ours(programs, *ours, "1"),
        "ours, second start": lambda: run_ours(programs, *ours, "2", "--cache", cache),
        "limit, mapped": lambda: run_limit(programs, "map", logdir),
        "limit, copied": lambda: run_limit(programs, "read", logdir),
        "data server": lambda: run_data_server(logdir),
        "data server --checksum": lambda: run_data_server(logdir, "--checksum"),
    }
    results = {contestant: [] for contestant in contestants}
    for _ in range(rounds):
        for contestant, run in contestants.items():
            results[contestant].append(run())
    rows = {contestant: best(runs) | {"cpu_seconds": best(runs, "cpu_seconds")["cpu_seconds"]}
            for contestant, runs in results.items()}

    small = make_input(programs, name, scratch, divisor * PYTHON_SHARE)
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


def met_or_missed(factor, bar):
    text = report.times(factor)
    if bar is None:
        return text
    return f"{text} (bar {bar:g}x): {'reached' if factor >= bar else 'NOT REACHED'}"


def verdict(name, rows):
    ours, peer = rows["ours, 2 threads"], rows["data server"]
    bars = INPUTS[name]
    wall = peer["wall_seconds"] / ours["wall_seconds"]
    cpu = peer["cpu_seconds"] / ours["cpu_seconds"]
    lines = [f"- load against the data server's default: {met_or_missed(wall, bars.load)}; "
             f"processor time {report.times(cpu)}"]
    threads = rows["ours, 1 thread"]["wall_seconds"] / ours["wall_seconds"]
    lines.append(f"- two threads against one: {met_or_missed(threads, bars.threads)}")
    limit = rows["limit, mapped"]
    lines.append(f"- of the mapped limit's speed: "
                 f"{limit['wall_seconds'] / ours['wall_seconds']:.0%} by the clock, "
                 f"{limit['cpu_seconds'] / ours['cpu_seconds']:.0%} by processor time")
    start = ours["wall_seconds"] / rows["ours, second start"]["wall_seconds"]
    lines.append(f"- second start against the first: {met_or_missed(start, bars.start)}")
    if ours["points"]:
        lines.append(f"- memory: {ours['bytes_per_point']:.2f} bytes per point")
    if ours["blobs"]:
        lines.append(f"- memory: {ours['bytes_per_blob']:.1f} bytes per blob")
    return "\n".join(lines)


def measure_growth(programs, scratch, divisor, rounds):
    logdirs = [make_input(programs, "one_run", scratch, divisor * share)
               for share in GROWTH_SHARES]
    # Runs the sizes in turns, so that a disturbance affects all of them.
    results = [[run_ours(programs, "--logdir", logdir, "--threads", "1") for logdir in logdirs]
               for _ in range(rounds * GROWTH_ROUNDS)]
    rows = []
    for runs in zip(*results):
        result = best(runs, "cpu_seconds")
        rows.append((f"{result['events']:,}", report.duration(result["cpu_seconds"]),
                     report.duration(result["cpu_seconds"] / result["events"]),
                     f"{result['bytes_per_point']:.2f}"))
    return report.table(("events", "CPU", "per event", "bytes per point"), rows)


def sections_of(path):
    """Returns the sections of an earlier report by title, so that a run of some sets keeps the
    others.
    """
    if not path or not path.exists():
        return {}
    _, *parts = path.read_text(encoding="utf-8").split("\n## ")
    return {title: body.strip() for title, _, body in (part.partition("\n") for part in parts)}


def introduction(rounds, full):
    about = "".join(__doc__.partition("All on one")[1:]).strip()
    size = "" if full else f", one part in {REDUCED_BY} of the data"
    return (f"# The reader, measured\n\n{about}\n\n{time.strftime('%Y-%m-%d')}, {os.cpu_count()} "
            f"processors, best of {rounds} rounds{size}. Rows marked * are extrapolated.")


def measure_sections(flags, scratch):
    divisor = 1 if flags.full else REDUCED_BY
    for name in flags.only or [*INPUTS, "growth"]:
        title = GROWTH if name == "growth" else INPUTS[name].title
        print(f"… {title}", file=sys.stderr, flush=True)
        if name == "growth":
            yield title, measure_growth(flags.bin, scratch, divisor, flags.rounds)
        else:
            rows = measure(flags.bin, name, scratch, divisor, flags.rounds)
            yield title, f"{factor_table(rows)}\n\n{verdict(name, rows)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bin", default=HERE.parent / "build/release/bin", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="a file for the report, too")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--full", action="store_true", help="all of the data: 8 GB, a few minutes")
    parser.add_argument("--only", choices=[*INPUTS, "growth"], action="append",
                        help="one set of data; repeatable. Other sections of the output stay")
    parser.add_argument("--inputs", type=pathlib.Path, help="where data is made, and found again")
    flags = parser.parse_args()

    sections = sections_of(flags.out) if flags.only else {}
    with tempfile.TemporaryDirectory(prefix="cboard.reader.") as temporary:
        sections |= measure_sections(flags, flags.inputs or pathlib.Path(temporary))
    order = [*(data.title for data in INPUTS.values()), GROWTH]
    text = "\n\n".join([introduction(flags.rounds, flags.full),
                        *(f"## {title}\n\n{sections[title].strip()}" for title in order
                          if title in sections)]) + "\n"
    print(text)
    if flags.out:
        flags.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
