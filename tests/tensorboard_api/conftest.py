"""Provides a log directory with every kind of data by four writers, served by three boards."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "compat")]

from boards import compression_board, tensorboard  # noqa: E402
from every_kind import write_with_tensorboardx  # noqa: E402
from stock_logs import write_described_trial, write_sessions, write_stock_logs  # noqa: E402


@pytest.fixture(scope="session")
def logdir(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("logs")
    subprocess.run([os.environ["WRITE_EVERY_KIND"], str(directory / "ours")], check=True)
    write_with_tensorboardx(directory / "tensorboardx")
    write_stock_logs(directory)
    return directory


def scalar_tags(board):
    return {run: set(tags) for run, tags in board.json("plugin/scalars/tags").items()}


def loaded_like(ours):
    """Waits until TensorBoard has the same scalars as our board, and has searched for embeddings.
    """

    def has_loaded(board):
        listing = board.json("plugins_listing")
        expected = ours.json("plugins_listing")["projector"]["enabled"]
        return scalar_tags(board) == scalar_tags(ours) and listing["projector"]["enabled"] == expected

    return has_loaded


def is_complete(board):
    with urllib.request.urlopen(board.root + "/api/v1/status") as response:
        return json.load(response)["progress"]["complete"]


@pytest.fixture(scope="session")
def ours(logdir):
    with compression_board(logdir, is_complete) as board:
        yield board


@pytest.fixture(scope="session", params=["false", "true"], ids=["python_loader", "data_server"])
def stock(request, logdir, ours):
    with tensorboard(logdir, request.param, loaded_like(ours)) as board:
        board.python_loader = request.param == "false"
        yield board


@pytest.fixture(scope="session", params=["inferred", "described"])
def trials(request, tmp_path_factory):
    """Creates log directories with hyperparameters. Each describes at most one experiment: of
    several, TensorBoard uses the first one of its directory listing or hash table."""
    directory = tmp_path_factory.mktemp(request.param)
    if request.param == "inferred":
        write_sessions(directory)
    else:
        write_described_trial(directory)
    return directory


@pytest.fixture(scope="session", params=["false", "true"], ids=["python_loader", "data_server"])
def trial_boards(request, trials):
    """(stock, ours)"""
    with compression_board(trials, is_complete) as ours:
        with tensorboard(trials, request.param, loaded_like(ours)) as stock:
            stock.python_loader = request.param == "false"
            yield stock, ours
