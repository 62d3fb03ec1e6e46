"""Tests the wheel alone, in an empty environment, without a compiler."""

import os
import pathlib
import re
import subprocess
import venv
import zipfile

import pytest

WHEEL = os.environ.get("COMPRESSION_BOARD_WHEEL")
DROP_IN = os.environ.get("TENSORBOARDX_WHEEL")


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
    subprocess.run([*pip, "--disable-pip-version-check", WHEEL, DROP_IN], check=True, env=without_compiler)
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


# Libraries of every Linux with a C++ runtime.
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


def owners(environment):
    """Returns {file: the distributions that list it}."""
    (packages,) = (environment / "lib").glob("python3*/site-packages")
    found = {}
    for record in packages.glob("*.dist-info/RECORD"):
        for line in record.read_text().splitlines():
            name = line.rpartition(",")[0].rpartition(",")[0]
            if not name.endswith(".pyc"):
                found.setdefault(os.path.normpath(packages / name), []).append(record.parent.name)
    return found


@pytest.mark.skipif(not WHEEL, reason="tests/python/run names the wheel")
def test_the_original_and_the_drop_in_replace_each_other_in_every_order(tmp_path):
    environment = tmp_path / "env"
    venv.create(environment, with_pip=True)
    python = environment / "bin/python"
    quiet = ["--quiet", "--disable-pip-version-check"]

    def pip(*arguments):
        done = subprocess.run([python, "-m", "pip", *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def is_ours():
        code = "import tensorboardX as t; print('compression_board' in t.SummaryWriter.__module__)"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert pip("check").strip() == "No broken requirements found."
        shared = {name: both for name, both in owners(environment).items() if len(both) > 1}
        assert not shared
        return done.stdout.strip() == "True"

    original = "tensorboardX==2.6.5"
    pip("install", *quiet, original)
    assert not is_ours()
    pip("install", *quiet, WHEEL, DROP_IN)  # tensorboardX first, then ours.
    assert is_ours()
    pip("install", *quiet, "tensorboardX>=2.6")  # A package that requires tensorboardX.
    assert is_ours()
    pip("install", *quiet, original)  # Ours first, then tensorboardX.
    assert not is_ours()
    pip("uninstall", *quiet, "--yes", "tensorboardX")
    left = [name for name in owners(environment) if os.sep + "tensorboardX" + os.sep in name]
    assert not left and not list((environment / "lib").glob("python3*/site-packages/tensorboardX"))
    subprocess.run([python, "-c", "import compression_board"], check=True, cwd=tmp_path)
    pip("install", *quiet, DROP_IN)
    assert is_ours()


@pytest.mark.skipif(not WHEEL, reason="tests/python/run names the wheel")
def test_no_file_of_the_wheel_needs_a_newer_glibc_than_its_tag_says(tmp_path):
    (tag,) = re.findall(r"-manylinux_(\d+)_(\d+)_", os.path.basename(WHEEL))
    with zipfile.ZipFile(WHEEL) as wheel:
        wheel.extractall(tmp_path)
    programs = [path for path in tmp_path.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]
    assert len(programs) > 2
    for path in programs:
        symbols = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
        for version in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols):
            assert tuple(map(int, version)) <= tuple(map(int, tag)), path
