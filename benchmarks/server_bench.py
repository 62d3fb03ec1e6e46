"""Compares our server with stock TensorBoard on the same log directory, in one run.

    build/venv/bin/python benchmarks/server_bench.py            writes benchmarks/RESULTS-server.md
    build/venv/bin/python benchmarks/server_bench.py --full     the full sizes
    build/venv/bin/python benchmarks/server_bench.py --only page,live

A page of 200 charts, 1,000 points each, with 64 connections: TensorBoard's own page requests one
chart per request. Both servers also send all 200 in one response, and ours has a binary form for
that. *Computed* are requests that were never sent before; the others are repeated, as several
windows on one page do. On shared machines the ratios and the CPU times are more reliable than the
rates; wrk shares the processors with the server that it measures.
"""

import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import bars
import live_viewers
import report
from served import Request, Server

HERE = pathlib.Path(__file__).resolve().parent
BINARY = "application/vnd.compression-board.series"
TAGS = 200
POINTS = 1000


class Benchmark:
    def __init__(self, flags, scratch):
        self.flags, self.scratch = flags, scratch
        self.programs = flags.bin
        self.sections, self.verdicts = [], []

    def size(self, full, reduced):
        return full if self.flags.full else reduced

    def section(self, title, text):
        self.sections += [f"## {title}", "", text, ""]

    def inputs(self, kind, name, **sizes):
        logdir = self.scratch / name
        flags = [text for key, value in sizes.items() for text in (f"--{key}", str(value))]
        subprocess.run([self.programs / "reader_inputs", kind, "--logdir", logdir, *flags], check=True)
        return logdir

    def ours(self, logdir, ready="/healthz", *flags):
        # Uses an empty cache, so that no result is known at the start.
        cache = tempfile.mkdtemp(prefix="cache.", dir=self.scratch)
        command = [self.programs / "compression-board", "--logdir", logdir, *flags]
        return Server("ours", command, ready, {"XDG_CACHE_HOME": cache})

    def stock(self, logdir, ready="/data/environment"):
        command = [self.flags.tensorboard, "--logdir", logdir, "--host", "127.0.0.1"]
        return Server("TensorBoard", command, ready)

    def load(self, server, requests, seconds=None, connections=None):
        return server.load(requests, seconds or self.flags.seconds, connections or self.flags.connections, self.scratch)

    # Section: a page of charts.

    def page(self):
        logdir = self.inputs("one_run", "page", events=TAGS * POINTS, tags=TAGS)
        rows = {}
        with self.ours(logdir) as server:
            server.wait_for("/api/v1/status", lambda status: status["progress"]["complete"])
            tags = json.loads(server.ask(Request("GET", "/api/v1/tags"))[1])
            run, names = tags["runs"][0], tags["names"]
            for name, requests in page_requests(run, names).items():
                rows["ours", name] = self.load(server, requests)
                if name != "list of runs":
                    rows["ours, computed", name] = self.load(server, [never_cached(r) for r in requests])
        with self.stock(logdir) as server:
            server.wait_for("/data/plugin/scalars/tags", lambda tags: len(next(iter(tags.values()), {})) == TAGS)
            for name, requests in page_requests(run, names).items():
                if name == "a page, one request":
                    # With 64 requests at a time, none would finish in time; with 4, some do.
                    rows["TensorBoard", name] = self.load(server, requests, 4 * self.flags.seconds, 4)
                elif name != "a page, binary":
                    rows["TensorBoard", name] = self.load(server, requests)
        self.section(f"A page of {TAGS} charts, {POINTS:,} points each, {self.flags.connections} connections", report.table(
            ("question", "who", "requests/s", "p50", "p99", "CPU per request", "bytes", "failed"),
            [(name, who, f"{load.requests_per_second:,.1f}", report.duration(load.p50_ms / 1e3), report.duration(load.p99_ms / 1e3),
              report.duration(load.cpu_us_per_request / 1e6), f"{load.bytes_per_answer:,}", load.failures)
             for (who, name), load in sorted(rows.items(), key=lambda row: row[0][1])]))  # fmt: skip
        self.judge_page(rows)

    def judge_page(self, rows):
        def factor(our_name, name, who="ours", pieces=1):
            return pieces * rows[who, our_name].requests_per_second / rows["TensorBoard", name].requests_per_second

        for who in ("ours", "ours, computed"):
            note = "" if who == "ours" else ", computed"
            self.verdicts += [
                bars.at_least(f"one chart, the same request{note}, requests per second: 20x", factor("one chart", "one chart", who), 20),
                bars.at_least(f"200 charts in one request, the same{note}: 20x", factor("a page, one request", "a page, one request", who), 20),
                bars.at_least(f"200 charts, ours in binary{note}, TensorBoard's in one request: 20x",
                              factor("a page, binary", "a page, one request", who), 20),
                bars.at_least(f"200 charts, ours in binary{note}, TensorBoard's as its page asks: 20x",
                              factor("a page, binary", "one chart", who, TAGS), 20),
            ]  # fmt: skip
        self.verdicts.append(bars.at_least("the list of runs, the same request: 20x", factor("list of runs", "list of runs"), 20))
        failed = sum(load.failures for load in rows.values())
        self.verdicts.append(bars.Verdict("no request fails", f"{failed} failed", failed == 0))

    # Section: from the start to the first response.

    def start(self):
        runs = self.size(10_000, 2_000)
        logdir = self.inputs("small_runs", "start", runs=runs, events=200, tags=10)
        ours, stock, complete = [], [], []
        for _ in range(self.flags.rounds):
            begin = time.monotonic()
            with self.ours(logdir, "/api/v1/status") as server:
                ours.append(server.first_answer_ms)
                server.wait_for("/api/v1/status", lambda status: status["progress"]["complete"] and status["runs"] == runs)
                complete.append((time.monotonic() - begin) * 1000)
        with self.stock(logdir, "/data/runs") as server:
            stock.append(server.first_answer_ms)
            server.wait_for("/data/runs", lambda names: len(names) == runs)
        first = statistics.median(ours)
        self.section(f"From the start to the first answer, {runs:,} runs", report.table(
            ("who", "first answer", "all there"),
            [("ours", report.duration(first / 1e3), report.duration(statistics.median(complete) / 1e3)),
             ("TensorBoard", report.duration(stock[0] / 1e3), "")]))  # fmt: skip
        self.verdicts.append(bars.Verdict(f"answers within 100 ms of its start, {runs:,} runs, nothing cached: 100 ms", f"{first:.0f} ms", first <= 100))

    # Section: one long series.

    def million(self):
        points = 1_000_000
        logdir = self.inputs("one_run", "million", events=points, tags=1)
        with self.ours(logdir) as server:
            server.wait_for("/api/v1/status", lambda status: status["progress"]["complete"])
            tags = json.loads(server.ask(Request("GET", "/api/v1/tags"))[1])
            query = urllib.parse.urlencode({"run": tags["runs"][0], "tag": tags["names"][0]})
            paths = [f"/api/v1/scalars?{query}&points={points + i}" for i in range(1 + 50 * self.flags.rounds)]
            rounds = [paths[1 + 50 * i : 51 + 50 * i] for i in range(self.flags.rounds)]
            cost = min(self.cost_per_answer(server, chosen, 8 * points) for chosen in rounds)
            self.cost_per_answer(server, paths[:1] * 2, 8 * points)  # Cached from now on.
            again = min(self.cost_per_answer(server, paths[:1] * 50, 8 * points) for _ in rounds)
            size = len(server.ask(Request("GET", paths[0], {"Accept": BINARY}))[1])
        self.section("A million points in binary form", f"{report.duration(cost)} of CPU for {size:,} bytes, sending included "
                     f"(best of {self.flags.rounds} rounds of 50 questions, each new). Asked again, the answer is in memory: "
                     f"{report.duration(again)}, which is what sending alone costs.")  # fmt: skip
        self.verdicts.append(bars.Verdict("a million points in the binary form: 5 ms of CPU", f"{cost * 1e3:.1f} ms", cost <= 5e-3))

    def cost_per_answer(self, server, paths, least_bytes):
        before = server.cpu_seconds()
        for path in paths:
            status, body = server.ask(Request("GET", path, {"Accept": BINARY}))
            if status != 200 or len(body) < least_bytes:
                raise SystemExit(f"{path}: {status}, {len(body)} bytes")
        return (server.cpu_seconds() - before) / len(paths)

    # Section: live events.

    def live(self):
        logdir = self.scratch / "live"
        logdir.mkdir()
        count = self.size(1000, 300)
        with self.ours(logdir) as server:
            heard, held = live_viewers.arrival_seconds(server.port, logdir / "train", count, 0.02)
            rows = [(what, report.duration(statistics.median(times)), report.duration(live_viewers.percentile(times, 0.99)), report.duration(max(times)))
                    for what, times in (("the viewer hears of it", heard), ("and has asked for the value", held))]  # fmt: skip
            late = live_viewers.percentile(heard, 0.99)
            viewers = 1000
            cpu = server.cpu_seconds()
            events = 20
            spread = live_viewers.fan_out_seconds(server.port, logdir / "many", viewers, events, 0.25)
            cpu = (server.cpu_seconds() - cpu) / (events * viewers)
            rows.append((f"each of {viewers:,} viewers hears of it", report.duration(statistics.median(spread)),
                         report.duration(live_viewers.percentile(spread, 0.99)), report.duration(max(spread))))  # fmt: skip
        self.section(f"From another process's write to the client, {count:,} events", report.table(("until", "p50", "p99", "slowest"), rows)
                     + f"\n\nA message to a viewer costs {report.duration(cpu)} of CPU. The client is a program in Python.")  # fmt: skip
        self.verdicts += [
            bars.Verdict(f"an event of another process reaches a viewer, p99 over {count:,}: 50 ms", f"{late * 1e3:.1f} ms", late <= 0.05),
            bars.Verdict("1,000 viewers: each hears of every event", f"{len(spread):,} of {viewers * events:,}", len(spread) == viewers * events),
        ]

    # Section: waiting connections.

    def idle(self):
        logdir = self.scratch / "idle"
        logdir.mkdir()
        count = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 500)
        with self.ours(logdir, "/healthz", "--max_connections", str(count + 100)) as server, contextlib.ExitStack() as stack:
            before = server.resident_bytes()
            connections = []
            for _ in range(count):
                connections.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60)))
                connections[-1].sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for connection in connections:
                connection.recv(65536)
            cost = (server.resident_bytes() - before) / count
        self.section(f"{count:,} idle connections", f"{cost:,.0f} bytes of memory each, after one answer.")
        self.verdicts.append(bars.Verdict("memory of an idle connection: 4 KB", f"{cost:,.0f} bytes", cost <= 4096))


def page_requests(run, tags):
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    def time_series(names):
        asked = json.dumps([{"plugin": "scalars", "tag": name} for name in names])
        return Request("POST", "/data/plugin/timeseries/timeSeries", form, urllib.parse.urlencode({"requests": asked}))

    series = json.dumps({"series": [[run, name] for name in tags], "points": POINTS})
    return {
        "list of runs": [Request("GET", "/data/runs")],
        "one chart": [time_series([name]) for name in tags],
        "a page, one request": [time_series(tags)],
        "a page, binary": [Request("POST", "/api/v1/scalars", {"Accept": BINARY}, series)],
    }


def never_cached(request):
    """Returns the same request with parameters that were never used before."""
    if request.path.startswith("/data/"):
        return Request(request.method, request.path + "?n=COUNTER", request.headers, request.body)
    return Request(request.method, request.path, request.headers, request.body.replace("{", '{"n": COUNTER, ', 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=HERE.parent / "build/release/bin", type=pathlib.Path, help="our programs")
    parser.add_argument("--tensorboard", default=HERE.parent / "build/venv/bin/tensorboard", type=pathlib.Path)
    parser.add_argument("--out", default=HERE / "RESULTS-server.md", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=5, help="of each load")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--full", action="store_true", help="the sizes of the goals: 10,000 runs, 1,000 events")
    parser.add_argument("--only", help="page, start, million, live, idle; separated by commas")
    flags = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is not installed: apt-get install wrk")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    load_before = os.getloadavg()[0]

    with tempfile.TemporaryDirectory(prefix="cboard.server.") as directory:
        benchmark = Benchmark(flags, pathlib.Path(directory))
        parts = {part: getattr(benchmark, part) for part in ("page", "start", "million", "live", "idle")}
        for name in flags.only.split(",") if flags.only else parts:
            if name not in parts:
                parser.error(f"--only knows {', '.join(parts)}, not {name}")
            print(f"… {name}", file=sys.stderr, flush=True)
            parts[name]()

    command = " ".join(["server_bench.py", *sys.argv[1:]])
    text = "\n".join([
        "# The server, measured", "", __doc__[__doc__.index("A page of") :].strip(), "",
        report.circumstances(command, load_before, flags.rounds), "",
        "## Verdicts", "", report.verdict_table(benchmark.verdicts), "", *benchmark.sections,
    ])  # fmt: skip
    print(text)
    if not flags.only:
        flags.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
