"""Provides the log of a tuning, shared by the tests, and boards that serve it."""

import json
import os
import sys
import urllib.request
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "server"), str(Path(__file__).parent)]
# The program that was built, or the one in the package.
os.environ.setdefault("COMPRESSION_BOARD", str(Path(sys.executable).parent / "compression-board"))


@pytest.fixture(scope="session")
def trials(tmp_path_factory):
    from walkthrough import tune

    return tune(tmp_path_factory.mktemp("tuning"))


class Answers:
    """Returns the REST responses of a board that has read everything."""

    def __init__(self, board):
        self.board = board
        while not self.ask("status")["progress"]["complete"]:
            pass

    def ask(self, path):
        status, answer = self.board.json("/api/v1/" + path)
        assert status == 200, answer
        return answer

    def post(self, path, body):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.board.port}/api/v1/{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def layers(self, a, b):
        """Returns the paired tensors, worst first, as dicts."""
        columns = self.ask(f"compression/layers?a={a}&b={b}")["layers"]
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


@pytest.fixture
def board():
    """Runs a board with these arguments during a test."""
    from contextlib import ExitStack

    from running_board import RunningBoard

    with ExitStack() as running:
        yield lambda *arguments: Answers(running.enter_context(RunningBoard(*arguments)))
