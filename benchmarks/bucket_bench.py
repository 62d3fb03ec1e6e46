#!/usr/bin/env python3
"""Measures a board over a bucket that many hosts have written: cold start, second start, requests,
memory.

    build/venv/bin/python benchmarks/bucket_bench.py [--hosts 1000] [--points 10000]

Needs scripts/setup --with-cluster and the targets compression-board and bucket_writer. Each host is
a process that writes its run with SummaryWriter("s3://…"); the hosts run one after the other. The
store is versitygw on this machine, so its work is included in all times.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("COMPRESSION_BOARD", str(ROOT / "build/release/bin/compression-board"))
os.environ.setdefault("OBJECT_STORE", str(ROOT / "build/object-store"))
sys.path[:0] = [str(ROOT / "tests/buckets")]
from conftest import Board, Store, environment_for  # noqa: E402


def count(board, name):
    return int(re.search(rf"^cboard_bucket_{name} (\d+)$", board.text("metrics"), re.M)[1])


def memory_mb(board):
    status = Path(f"/proc/{board.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def start(environment, logdir, hosts):
    begin = time.monotonic()
    board = Board(environment, "--logdir", logdir)
    board.text("")
    page = time.monotonic() - begin
    first_runs = None
    while True:
        names = board.get("runs")["names"]
        if names and first_runs is None:
            first_runs = time.monotonic() - begin
        loaded = all(board.get("sources")["loaded"]) and board.get("status")["progress"]["complete"]
        if len(names) == hosts and loaded:
            break
        time.sleep(0.05)
    every = time.monotonic() - begin
    begin = time.monotonic()
    board.text("api/v1/scalars?tag=loss&run=" + names[-1])
    return board, {"page_s": round(page, 2), "first_runs_s": round(first_runs, 2), "all_runs_s": round(every, 2),
                   "curve_ms": round(1000 * (time.monotonic() - begin), 1), "memory_mb": round(memory_mb(board)),
                   "lists": count(board, "list_requests_total"), "gets": count(board, "get_requests_total")}  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--points", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "store").mkdir()
        store = Store(folder / "store")
        environment = environment_for(folder, store)
        begin = time.monotonic()
        for host in range(arguments.hosts):
            subprocess.run([os.environ.get("BUCKET_WRITER", ROOT / "build/release/bin/bucket_writer"), f"s3://logs/runs/host_{host:04}", "0", str(arguments.points),
                            str(arguments.points)], env=environment, check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        written = time.monotonic() - begin
        objects = store.keys("runs/")
        size = sum(path.stat().st_size for path in (folder / "store/data/logs/runs").rglob("*tfevents*"))
        print(json.dumps({"hosts": arguments.hosts, "points": arguments.hosts * arguments.points, "objects": len(objects),
                          "mb": round(size / 1e6), "written_in_s": round(written, 1), "load": os.getloadavg()[0]}))  # fmt: skip
        for name in ("cold", "second"):
            board, result = start(environment, "s3://logs/runs", arguments.hosts)
            print(json.dumps({"start": name, **result, "load": os.getloadavg()[0]}))
            if name == "cold":
                board.close()
        # For one minute, the requests of the start count as a visitor.
        time.sleep(70)
        before = count(board, "list_requests_total"), count(board, "get_requests_total")
        time.sleep(120)
        idle = [after - b for after, b in zip((count(board, "list_requests_total"), count(board, "get_requests_total")), before)]
        with urllib.request.urlopen(board.url + "api/v1/events"):
            before = count(board, "list_requests_total")
            time.sleep(60)
            watched = count(board, "list_requests_total") - before
        print(json.dumps({"requests_a_minute_nobody_looks": sum(idle) / 2, "lists_a_minute_page_open": watched}))
        board.close()
        disk = Board(environment, "--logdir", folder / "store/data/logs/runs").loaded()
        while len(disk.get("runs")["names"]) < arguments.hosts:
            time.sleep(0.1)
        print(json.dumps({"memory_mb_of_the_same_logs_on_disk": round(memory_mb(disk))}))
        disk.close()
        store.close()


if __name__ == "__main__":
    main()
