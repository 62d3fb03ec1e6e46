"""Common code of the tests with TensorBoard and tensorboardX as oracles for our writer."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def logdir(tmp_path_factory) -> Path:
    """Returns a log directory with every kind of summary, written by write_every_kind."""
    program = os.environ.get("WRITE_EVERY_KIND")
    if not program:
        pytest.fail("set WRITE_EVERY_KIND to the program built from write_every_kind.cc")
    directory = tmp_path_factory.mktemp("logs")
    subprocess.run([program, str(directory)], check=True)
    return directory
