"""Creates log directories for these tests, and reads what a board shows of them.

The program under test is $COMPRESSION_BOARD.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
for folder in ("cli", "server"):
    sys.path.append(str(TESTS / folder))
from event_files import fields, record, scalar_event, varint  # noqa: E402, F401
from running_board import PROGRAM, RunningBoard  # noqa: E402, F401

PATIENCE_SECONDS = float(os.environ.get("CBOARD_PATIENCE_SECONDS", "60"))
VERSION = record(b"\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0dbrain.Event:2")


def scalar_records(count, first=0, tag="loss"):
    return b"".join(record(scalar_event(tag, step % 1000, step)) for step in range(first, first + count))


def inspected(logdir):
    """Returns {run: (points, damage places)} from `inspect`, which reads once. Fails if inspect
    fails.
    """
    run = subprocess.run([PROGRAM, "inspect", "--logdir", str(logdir), "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"inspect ended with {run.returncode}: {run.stderr}")
    return {
        run["name"]: (sum(tag["count"] for tag in run["tags"]), len(run["damage"]))
        for run in json.loads(run.stdout)["runs"]
    }


def served_steps(board, run, tag="loss"):
    """Returns an empty list as long as the run or tag does not exist."""
    status, answer = board.json(f"/api/v1/scalars?run={run}&tag={tag}&points=1000000")
    return answer["series"][0]["steps"] if status == 200 else []


class LogsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard-reliability-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.logdir = self.directory / "runs"

    def event_file(self, run):
        path = self.logdir / run / "events.out.tfevents.1.host"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def wait_until(self, holds, what):
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), give_up, what() if callable(what) else what)
            time.sleep(0.02)
