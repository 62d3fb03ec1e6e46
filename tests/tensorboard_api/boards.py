"""A running board, stock TensorBoard or ours, that handles requests."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import NamedTuple

LISTENING = re.compile(r"http://(?:127\.0\.0\.1|localhost):(\d+)/")
DEADLINE_SECONDS = 90


class Response(NamedTuple):
    status: int
    type: str  # Without parameters.
    body: bytes

    def json(self):
        assert (self.status, self.type) == (200, "application/json"), self
        return json.loads(self.body)


class Board:
    def __init__(self, port):
        self.root = f"http://127.0.0.1:{port}"

    def ask(self, path, form=None, body=None, below="", **query) -> Response:
        url = f"{self.root}{below}/data/{path}"
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True)
        headers = {}
        if form is not None:
            body = urllib.parse.urlencode(form, doseq=True).encode()
        elif body is not None:
            body = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as response:
                return Response(response.status, response.headers.get_content_type(), response.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, error.headers.get_content_type(), error.read())

    def json(self, path, **arguments):
        return self.ask(path, **arguments).json()


@contextlib.contextmanager
def running(command, has_loaded):
    cache = tempfile.TemporaryDirectory()  # Not the cache of the user who runs the tests.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=dict(os.environ, XDG_CACHE_HOME=cache.name),
    )  # fmt: skip
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if found := LISTENING.search(line):
                break
        else:
            raise AssertionError(f"{command[0]} did not start:\n" + "".join(said))
        # Reads the later output too, so that the pipe does not fill.
        threading.Thread(target=lambda: said.extend(process.stdout), daemon=True).start()
        board = Board(found[1])
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not has_loaded(board):
            if time.monotonic() > deadline:
                raise AssertionError("the log directory was not loaded:\n" + "".join(said))
            time.sleep(0.2)
        yield board
    finally:
        process.terminate()
        process.wait()
        cache.cleanup()


def tensorboard(logdir, load_fast, has_loaded):
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--host", "127.0.0.1"]
    command += ["--port", "0", f"--load_fast={load_fast}", "--reload_interval", "1", "--window_title", "Title"]
    return running(command, has_loaded)


def compression_board(logdir, has_loaded):
    command = [os.environ["COMPRESSION_BOARD"], "--logdir", str(logdir), "--port", "0", "--window_title", "Title"]
    return running(command, has_loaded)
