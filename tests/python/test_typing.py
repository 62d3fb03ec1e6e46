"""A user's strict type checker accepts correct programs and finds mistakes."""

import inspect
import subprocess
import sys
from pathlib import Path

import compression_board
import pytest

HERE = Path(__file__).parent


def mypy(path, cwd):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(path)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_program_that_uses_the_whole_api_is_strictly_typed(tmp_path):
    assert mypy(HERE / "typed_user.py", tmp_path) == (0, "")


def test_mistakes_are_found_before_the_program_runs(tmp_path):
    (tmp_path / "wrong.py").write_text(
        "from tensorboardX import SummaryWriter\n"
        "from compression_board import CompressionWriter, aurora\n"
        "writer = SummaryWriter('runs')\n"
        "writer.add_scalar(5, 1.0)\n"
        "writer.add_scalar('s', 1.0, global_step='one')\n"
        "writer.add_scaler('s', 1.0)\n"
        "CompressionWriter('runs').log_report('m', {})\n"
        "text: str = aurora({}, {}).score\n"
    )
    code, output = mypy("wrong.py", tmp_path)
    assert code == 1
    assert [line.split(":")[1] for line in output.splitlines() if ": error" in line] == list("45678")


def public():
    """Returns (name, object) of everything public, including methods."""
    for name in compression_board.__all__:
        thing = getattr(compression_board, name)
        yield name, thing
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing):
                is_of_python = function in (getattr(dict, method, None), getattr(list, method, None))
                if not method.startswith("_") and callable(function) and not is_of_python:
                    yield f"{name}.{method}", function


@pytest.mark.parametrize("thing", [pytest.param(t, id=name) for name, t in public()])
def test_everything_public_is_documented(thing):
    documentation = inspect.getdoc(thing)
    assert documentation and documentation.strip()[-1] in ".:)|`", documentation


def test_the_stub_of_the_engine_is_complete():
    import ast

    from compression_board import _engine

    stub = ast.parse((Path(compression_board.__file__).parent / "_engine.pyi").read_text())
    described = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            described[node.name] = None
        elif isinstance(node, ast.ClassDef):
            members = [n for n in node.body if isinstance(n, (ast.FunctionDef, ast.AnnAssign))]
            described[node.name] = {
                n.name if isinstance(n, ast.FunctionDef) else n.target.id for n in members
            }
    there = {name for name in vars(_engine) if not name.startswith("__")}
    assert there == set(described)
    for name, members in described.items():
        if members is not None:
            own = {m for m in vars(getattr(_engine, name)) if not m.startswith("__")}
            assert own == members - {"__init__"}
