"""Provides a log directory with every kind of data, served by our data server and by RustBoard."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(Path(__file__).parent), str(TESTS / "tensorboard_api"), str(TESTS / "compat")]

from every_kind import write_with_tensorboardx  # noqa: E402
from long_logs import write_long_logs  # noqa: E402
from servers import OURS, RUSTBOARD, running, wait_until  # noqa: E402
from stock_logs import write_sessions, write_stock_logs  # noqa: E402


@pytest.fixture(scope="session")
def logdir(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("logs")
    subprocess.run([os.environ["WRITE_EVERY_KIND"], str(directory / "ours")], check=True)
    write_with_tensorboardx(directory / "tensorboardx")
    write_stock_logs(directory)
    write_sessions(directory)
    write_long_logs(directory)
    return directory


@pytest.fixture(scope="session")
def rustboard(logdir):
    with running(RUSTBOARD, logdir) as server:
        wait_until(lambda: "long" in server.runs() and server.call("ListScalars", "scalars").get("long"), "RustBoard")
        yield server


@pytest.fixture(scope="session")
def ours(logdir, rustboard):
    with running(OURS, logdir) as server:
        wait_until(lambda: sorted(server.runs()) == sorted(rustboard.runs()), "our data server")
        yield server
