"""Our server and stock TensorBoard on the same log directory, in one run.

    benchmarks/server_bench.py --program build/release/bin/compression-board [--logdir runs]
        [--tensorboard build/venv/bin/tensorboard] [--seconds 5] [--connections 64]
        [--url /api/v1/runs …] [--tb-url /data/runs …] [--idle 10000] [--json out.json]

For each server: how long from its start to its first answer; then, for each address, requests per
second and how long they take (wrk, keep-alive) and what they cost the server in CPU time; and what
an idle connection costs in memory. On shared machines the ratios and the CPU times are worth more
than the rates. Without --logdir a small one is made from data/.
"""

import argparse
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclasses.dataclass
class Load:
    url: str
    requests_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us_per_request: float
    bytes_per_answer: int
    failures: int


class Server:
    """A program that serves, from start to stop."""

    def __init__(self, name, command, ready):
        self.name, self.command, self.ready = name, command, ready
        self.port = free_port()

    def __enter__(self):
        started = time.monotonic()
        self.process = subprocess.Popen(
            [*map(str, self.command), "--port", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not self.answers():
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} ended with {self.process.returncode}: {' '.join(map(str, self.command))}")
            time.sleep(0.0005)
        self.first_answer_ms = (time.monotonic() - started) * 1000
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.get(self.ready)[0] == 200
        return False

    def get(self, url):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request("GET", url)
            response = connection.getresponse()
            return response.status, response.read()

    def children(self):
        """The process and what it started: TensorBoard reads logs in one of its own."""
        pids, found = [self.process.pid], []
        while pids:
            pid = pids.pop()
            found.append(pid)
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    pids += map(int, pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split())
        return found

    def cpu_seconds(self):
        ticks = 0
        for pid in self.children():
            with contextlib.suppress(OSError):
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_kilobytes(self):
        total = 0
        for pid in self.children():
            with contextlib.suppress(OSError):
                found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
                total += int(found[1]) if found else 0
        return total

    def load(self, url, seconds, connections):
        status, body = self.get(url)
        if status != 200:
            raise SystemExit(f"{self.name}: {url} answers {status}: {body[:200]!r}")
        cpu = self.cpu_seconds()
        run = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "30s", f"http://127.0.0.1:{self.port}{url}"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        cpu = self.cpu_seconds() - cpu
        requests = int(re.search(r"(\d+) requests in", run.stdout)[1])
        failures = sum(map(int, re.findall(r"(?:connect|read|write|timeout|responses:) (\d+)", run.stdout)))
        return Load(
            url=url,
            requests_per_second=float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout)[1]),
            p50_ms=milliseconds(re.search(r"50%\s+([\d.]+\w+)", run.stdout)[1]),
            p99_ms=milliseconds(re.search(r"99%\s+([\d.]+\w+)", run.stdout)[1]),
            cpu_us_per_request=1e6 * cpu / max(requests, 1),
            bytes_per_answer=len(body),
            failures=failures,
        )

    def idle_bytes_per_connection(self, count):
        before = self.resident_kilobytes()
        with contextlib.ExitStack() as stack:
            connections = []
            for _ in range(count):
                connections.append(stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=60)))
                connections[-1].sendall(f"GET {self.ready} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            for connection in connections:
                connection.recv(65536)
            return 1024 * (self.resident_kilobytes() - before) / count


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 60e3}[unit]


def measure(server, urls, arguments):
    with server:
        loads = [server.load(url, arguments.seconds, arguments.connections) for url in urls]
        idle = None
        if arguments.idle and server.name == "ours":  # A thread per connection would not get there.
            idle = server.idle_bytes_per_connection(arguments.idle)
    return {
        "name": server.name,
        "first_answer_ms": server.first_answer_ms,
        "idle_bytes_per_connection": idle,
        "loads": [dataclasses.asdict(load) for load in loads],
    }


def show(results):
    for result in results:
        print(f"{result['name']}: first answer after {result['first_answer_ms']:.0f} ms", end="")
        print(f", {result['idle_bytes_per_connection']:.0f} bytes per idle connection" if result["idle_bytes_per_connection"] else "")
        for load in result["loads"]:
            print(
                f"  {load['requests_per_second']:>9.0f} req/s  p50 {load['p50_ms']:>8.2f} ms  p99 {load['p99_ms']:>8.2f} ms"
                f"  {load['cpu_us_per_request']:>8.1f} us CPU  {load['bytes_per_answer']:>9} B  {load['failures']} failed  {load['url']}"
            )
    if len(results) == 2:
        ours, theirs = results
        print(f"start-up: {theirs['first_answer_ms'] / ours['first_answer_ms']:.0f}x")
        for left, right in zip(ours["loads"], theirs["loads"]):
            print(
                f"{left['requests_per_second'] / right['requests_per_second']:.0f}x requests per second, "
                f"{right['cpu_us_per_request'] / max(left['cpu_us_per_request'], 0.1):.0f}x less CPU: {left['url']} and {right['url']}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/bin/compression-board", type=pathlib.Path)
    parser.add_argument("--tensorboard", default=ROOT / "build/venv/bin/tensorboard", type=pathlib.Path)
    parser.add_argument("--logdir", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--url", action="append")
    parser.add_argument("--tb-url", action="append")
    parser.add_argument("--idle", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is not installed: apt-get install wrk")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    with tempfile.TemporaryDirectory(prefix="cboard server bench ") as directory:
        logdir = arguments.logdir
        if logdir is None:
            logdir = pathlib.Path(directory) / "runs"
            subprocess.run([arguments.program, "import", *ROOT.glob("data/*.json"), "--logdir", logdir], check=True, stdout=subprocess.DEVNULL)
        ours = Server("ours", [arguments.program, "--logdir", logdir], "/healthz")
        results = [measure(ours, arguments.url or ["/healthz", "/api/v1/runs"], arguments)]
        if arguments.tensorboard.exists():
            stock = Server("tensorboard", [arguments.tensorboard, "--logdir", logdir, "--host", "127.0.0.1"], "/data/environment")
            results.append(measure(stock, arguments.tb_url or ["/data/environment", "/data/runs"], arguments))
    show(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
