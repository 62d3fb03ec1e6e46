"""The wheel alone, in an empty environment, without a compiler."""

import os
import pathlib
import re
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
    guide = (pathlib.Path(__file__).parents[2] / "docs/guide.md").read_text()
    (quick_start,) = re.findall(r"### Two variants.*?^```python\n(.*?)^```", guide, re.M | re.S)
    python = [environment / "bin/python", "-c", quick_start]
    subprocess.run(python, check=True, cwd=tmp_path, env=without_compiler)
    inspect = [environment / "bin/compression-board", "inspect", "--logdir", "runs"]
    done = subprocess.run(
        inspect, cwd=tmp_path, env=without_compiler, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "alexnet" in done.stdout
    demo = [environment / "bin/compression-board", "demo", "--write-only", "--logdir", "runs/demo"]
    subprocess.run(demo, check=True, cwd=tmp_path, env=without_compiler)


# What every Linux with a C++ runtime has.
RUNTIME = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0",
           "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
           "linux-vdso.so.1"}  # fmt: skip


def test_the_wheel_brings_all_libraries_but_those_of_the_system():
    import compression_board

    package = os.path.dirname(compression_board.__file__)
    own = [os.path.join(package, "bin", "compression-board"), compression_board._engine.__file__]
    for path in own:
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            name, _, found = line.strip().partition(" => ")
            name = os.path.basename(name.split()[0])
            brought = os.path.realpath(found.split()[0]).startswith(f"{package}.libs/") if found else False
            assert name in RUNTIME or brought, line


@pytest.mark.skipif(not WHEEL, reason="tests/python/run names the wheel")
def test_the_wheel_says_which_systems_it_runs_on():
    assert "-manylinux_2_" in os.path.basename(WHEEL)
