"""Reads logs back with the installed program, which is independent of the writers under test."""

import json
import subprocess
import sys

import pytest


class Log:
    """A log directory, read by `compression-board export`."""

    def __init__(self, directory):
        command = [sys.executable, "-m", "compression_board", "export", "--format", "json", "--logdir"]
        done = subprocess.run([*command, str(directory)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        self.runs = {run["run"]: run for run in json.loads(done.stdout)["runs"]}

    def tags(self, run):
        return {tag["tag"]: tag for tag in self.runs[run]["tags"]}

    def points(self, run, tag):
        """Returns [(step, value)] of a scalar."""
        found = self.tags(run)[tag]
        return list(zip(found["steps"], found["values"]))


@pytest.fixture
def read_log():
    return Log
