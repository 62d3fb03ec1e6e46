"""Tests JupyterLab in a real browser; see lab_test.mjs."""

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.mark.skipif(not shutil.which("node") or not shutil.which("chromium"), reason="needs Node.js and chromium")
def test_lab():
    done = subprocess.run(["node", "--test", str(Path(__file__).with_name("lab_test.mjs"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:]
