"""The wheel alone, in an empty environment, without a compiler."""

import os
import subprocess
import venv

import pytest

WHEEL = os.environ.get("COMPRESSION_BOARD_WHEEL")


@pytest.mark.skipif(not WHEEL, reason="tests/python/run names the wheel")
def test_quick_start_in_an_empty_environment(tmp_path):
    environment = tmp_path / "env"
    venv.create(environment, with_pip=True)
    without_compiler = {
        **os.environ,
        "PATH": str(environment / "bin"),
        "CC": "false",
        "CXX": "false",
    }
    pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    subprocess.run([*pip, "--disable-pip-version-check", WHEEL], check=True, env=without_compiler)
    guide = os.path.join(os.path.dirname(__file__), "guide", "1_compression_writer.py")
    subprocess.run(
        [environment / "bin/python", guide], check=True, cwd=tmp_path, env=without_compiler
    )
    inspect = [environment / "bin/compression-board", "inspect", "--logdir", "runs"]
    done = subprocess.run(
        inspect, cwd=tmp_path, env=without_compiler, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "alexnet" in done.stdout
