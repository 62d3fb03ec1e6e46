"""Tests `%load_ext compression_board` and `%compression_board` in a real Jupyter kernel and in
IPython.
"""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

DEADLINE_SECONDS = 120


class Notebook:
    def __init__(self, directory):
        self.manager, self.client = start_new_kernel(cwd=str(directory))

    def run(self, code):
        """Returns (printed text, HTML) of a cell."""
        printed, shown = [], []

        def take(message):
            content = message["content"]
            if message["msg_type"] == "stream":
                printed.append(content["text"])
            elif message["msg_type"] == "error":
                printed.append("\n".join(content["traceback"]))
            elif message["msg_type"] in ("display_data", "execute_result"):
                shown.append(content["data"].get("text/html", ""))

        self.client.execute_interactive(code, output_hook=take, timeout=DEADLINE_SECONDS)
        return "".join(printed), "".join(shown)

    @property
    def pid(self):
        return self.manager.provisioner.process.pid

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def notebook(tmp_path):
    (tmp_path / "runs").mkdir()
    started = Notebook(tmp_path)
    yield started
    started.close()


def address_of(html):
    port = re.search(r"address\.port = (\d+)", html)[1]
    path = re.search(r'new URL\("([^"]+)"', html)[1]
    return f"http://127.0.0.1:{port}{path}", int(port)


def get(address, **headers):
    request = urllib.request.Request(address, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return None, b""


def children(pid):
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [int(child) for child in found if "compression-board" in Path(f"/proc/{child}/cmdline").read_text()]


def wait_until(holds, what):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.1)


LOG = """
from compression_board import SummaryWriter
with SummaryWriter("runs/first") as writer:
    writer.add_scalar("loss", 0.5, 1)
"""


def test_a_kernel_shows_the_board(notebook):
    assert notebook.run("%load_ext compression_board")[0] == ""
    notebook.run(LOG)
    printed, html = notebook.run("%compression_board --logdir runs --height 600")
    assert printed == "" and 'height="600"' in html and "<iframe" in html
    address, port = address_of(html)
    token = address.partition("token=")[2]
    root = f"http://127.0.0.1:{port}/"
    assert get(f"{root}data/runs")[0] == 401  # Other users of the machine have no token.
    wait_until(lambda: get(f"{root}data/runs", Authorization=f"Bearer {token}")[1].strip() == b'["first"]', "the run")
    assert len(children(notebook.pid)) == 1
    # The same line shows the same board, and another line starts another board.
    assert address_of(notebook.run("%compression_board --logdir runs")[1]) == (address, port)
    assert address_of(notebook.run("%compression_board --logdir elsewhere")[1])[1] != port
    assert len(children(notebook.pid)) == 2


def test_a_board_that_was_killed_is_started_again(notebook):
    notebook.run("%load_ext compression_board")
    notebook.run("%compression_board --logdir runs")
    (pid,) = children(notebook.pid)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: children(notebook.pid) != [pid], "its end")
    _, html = notebook.run("%compression_board --logdir runs")
    assert get(address_of(html)[0])[0] == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_board_ends_with_the_kernel(notebook, how):
    notebook.run("%load_ext compression_board")
    _, html = notebook.run("%compression_board --logdir runs")
    (pid,) = children(notebook.pid)
    os.kill(notebook.pid, how)
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the board")
    assert get(address_of(html)[0])[0] is None


@pytest.mark.parametrize("line, said", [
    ("", "no log directory is given"),
    ("--logdir runs --no-such-flag", "--no-such-flag"),
    ("--logdir runs --height tall", "expected a number of pixels"),
    ("--logdir runs --token 0123456789abcdef", "omit --token"),
    ("--logdir 'runs", "quotation"),
])  # fmt: skip
def test_mistakes_are_explained(notebook, line, said):
    notebook.run("%load_ext compression_board")
    printed, html = notebook.run(f"%compression_board {line}")
    assert said in printed and "Traceback" not in printed and html == ""
    assert children(notebook.pid) == []


def test_a_terminal_prints_the_address(tmp_path):
    code = "%load_ext compression_board\n%compression_board --logdir .\n"
    done = subprocess.run([sys.executable, "-m", "IPython", "--no-banner", "--simple-prompt", "--colors=NoColor"],
                          input=code, capture_output=True, text=True, cwd=tmp_path, timeout=DEADLINE_SECONDS,
                          env=dict(os.environ, IPYTHONDIR=str(tmp_path)))  # fmt: skip
    assert re.search(r"Compression Board at http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}", done.stdout), done.stdout
