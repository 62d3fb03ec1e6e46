"""The tab COMPRESSION of stock TensorBoard: our pages below TensorBoard's own address."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

import pytest
from servers import OURS, wait_until

PYTHON_SOURCES = Path(__file__).parents[2] / "python"
ENTRY_POINT = """[tensorboard_plugins]
compression_board = tensorboard_plugin_compression_board.plugin:CompressionBoardPlugin
"""
LISTENING = re.compile(r"http://[^\s/]+:(\d+)(/\S*)")
BOARD = "data/plugin/compression_board/board"


class Response(NamedTuple):
    status: int
    headers: dict
    body: bytes


class TensorBoard:
    def __init__(self, process, port, prefix):
        self.process = process
        self.root = f"http://127.0.0.1:{port}{prefix}"

    def get(self, path, **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.root + path, headers=names)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Response(response.status, dict(response.headers), response.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, dict(error.headers), error.read())

    def children(self):
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
        return {int(pid): os.path.basename(os.readlink(f"/proc/{pid}/exe")) for pid in found.stdout.split()}

    def boards(self):
        return [pid for pid, name in self.children().items() if name == "compression-board"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder that makes the sources look like an installed package."""
    folder = tmp_path_factory.mktemp("installed")
    information = folder / "compression_board-0.1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: compression-board\nVersion: 0.1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINT)
    return folder


@contextlib.contextmanager
def running(installed, logdir, *flags, program=os.environ.get("COMPRESSION_BOARD"), **variables):
    environment = dict(os.environ, PYTHONPATH=f"{installed}:{PYTHON_SOURCES}", **variables)
    environment["XDG_CACHE_HOME"] = str(installed / "cache")
    environment["COMPRESSION_BOARD_PROGRAM"] = program
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--port", "0", *flags]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := LISTENING.search(line):
                break
        else:
            raise AssertionError("TensorBoard did not start:\n" + "".join(said))
        threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
        yield TensorBoard(process, found[1], found[2])
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="module", params=["", "/below/this"], ids=["at the root", "with a prefix"])
def board(request, installed, logdir):
    flags = ["--path_prefix", request.param] if request.param else []
    with running(installed, logdir, "--host", "127.0.0.1", *flags, TENSORBOARD_DATA_SERVER_BINARY=OURS) as started:
        yield started


def test_it_is_listed_and_nothing_is_started_for_that(installed, logdir):
    with running(installed, logdir, "--host", "127.0.0.1") as board:
        wait_until(lambda: json.loads(board.get("data/plugins_listing").body)["compression_board"]["enabled"], "data")
        entry = json.loads(board.get("data/plugins_listing").body)["compression_board"]
        assert entry["tab_name"] == "Compression"
        assert entry["loading_mechanism"]["type"] == "IFRAME"
        assert board.get("data/plugin/compression_board/index.js").status == 200
        assert board.boards() == []


def test_it_is_not_active_without_data(installed, tmp_path):
    with running(installed, tmp_path, "--host", "127.0.0.1") as board:
        assert not json.loads(board.get("data/plugins_listing").body)["compression_board"]["enabled"]


def test_pages_are_below_the_address_of_tensorboard(board):
    page = board.get(f"{BOARD}/", Accept="text/html")
    assert page.status == 200 and b'<base href="./"' in page.body
    # A notebook shows TensorBoard in a frame of another port, and the browser checks all frames.
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'")
    assert "frame-ancestors 'self' http://127.0.0.1:* " in policy and "evil" not in policy
    foreign = board.get(f"{BOARD}/", Accept="text/html", Host="a b; script-src evil")
    assert "evil" not in foreign.headers.get("Content-Security-Policy", "")
    for name in re.findall(rb'(?:src|href)="\./?(assets/[^"]+)"', page.body)[:5]:
        assert board.get(f"{BOARD}/{name.decode()}").status == 200
    assert board.get(f"{BOARD}/scalars", Accept="text/html").status == 200


def test_it_has_the_runs_of_tensorboard(board):
    expected = set(json.loads(board.get("data/runs").body))
    wait_until(lambda: b'"complete":true' in board.get(f"{BOARD}/api/v1/status").body, "our board")
    assert set(json.loads(board.get(f"{BOARD}/data/runs").body)) == expected


def test_conditional_requests_are_passed_on(board):
    first = board.get(f"{BOARD}/api/v1/status")
    assert board.get(f"{BOARD}/api/v1/status", If_None_Match=first.headers["ETag"]).status in (200, 304)
    assert board.get(f"{BOARD}/api/v1/nothing").status == 404


def test_other_sites_are_refused(board):
    assert board.get(f"{BOARD}/api/v1/status", Sec_Fetch_Site="cross-site").status == 403


def test_only_the_proxy_reaches_the_board(board):
    board.get(f"{BOARD}/api/v1/status")
    (pid,) = board.boards()
    sockets = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True).stdout
    addresses = re.findall(rf"(\S+):(\d+)\s+\S+\s+users:\(\(.*pid={pid},", sockets)
    assert [host for host, _ in addresses] == ["127.0.0.1"]
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"http://127.0.0.1:{addresses[0][1]}/api/v1/status", timeout=60)
    assert error.value.code == 401


@pytest.mark.parametrize("how", ["terminate", "kill"])
def test_nothing_is_left_when_tensorboard_ends(installed, logdir, how):
    with running(installed, logdir, "--host", "127.0.0.1", TENSORBOARD_DATA_SERVER_BINARY=OURS) as board:
        assert board.get(f"{BOARD}/api/v1/status").status == 200
        children = board.children()
        assert len(children) == 2, children  # The data server and the board.
        getattr(board.process, how)()
        board.process.wait(60)
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), f"the end of {children}")


def test_a_board_that_was_killed_is_started_again(installed, logdir):
    with running(installed, logdir, "--host", "127.0.0.1") as board:
        assert board.get(f"{BOARD}/api/v1/status").status == 200
        (pid,) = board.boards()
        os.kill(pid, 9)
        wait_until(lambda: board.get(f"{BOARD}/api/v1/status").status == 200, "a new board")
        assert board.boards() != [pid]


def test_two_tensorboards_at_once(installed, logdir):
    with running(installed, logdir, "--host", "127.0.0.1") as one, running(installed, logdir, "--bind_all") as two:
        for board in (one, two):
            assert board.get(f"{BOARD}/api/v1/status").status == 200
        assert one.boards() != two.boards()


def test_a_missing_program_is_explained(installed, logdir):
    with running(installed, logdir, "--host", "127.0.0.1", program="/no/such/program") as board:
        page = board.get(f"{BOARD}/", Accept="text/html")
        assert page.status == 503 and b"COMPRESSION_BOARD_PROGRAM" in page.body


def test_a_killed_data_server_is_an_error_and_not_a_hang(installed, logdir):
    with running(installed, logdir, "--host", "127.0.0.1", TENSORBOARD_DATA_SERVER_BINARY=OURS) as board:
        (server,) = board.children()
        os.kill(server, 9)
        assert board.get("data/plugin/scalars/tags").status == 500
