"""A compression-board that serves during a test.

    with RunningBoard("--logdir", logdir) as board:
        status, headers, body = board.get("/healthz")

The program under test is $COMPRESSION_BOARD.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("COMPRESSION_BOARD", "compression-board")
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
CACHE = tempfile.TemporaryDirectory()  # Not the cache of the user who runs the tests.


def import_data(logdir, *names):
    """Converts files of data/ to runs below `logdir`."""
    files = [str(DATA / name) for name in names]
    subprocess.run([PROGRAM, "import", *files, "--logdir", str(logdir)], check=True, stdout=subprocess.DEVNULL)


class RunningBoard:
    def __init__(self, *arguments, port=0, user=None, cache=None, stderr=subprocess.PIPE, preexec_fn=None):
        self.arguments = [*map(str, arguments), "--port", str(port)]
        self.user = user
        self.cache_directory = cache
        self.stderr = stderr
        self.preexec_fn = preexec_fn  # Called in the new process before the program starts.

    def __enter__(self):
        cache = self.cache_directory or CACHE.name
        if self.user is not None:  # The user may not write to our directory.
            self.cache = tempfile.TemporaryDirectory()
            cache = self.cache.name
            os.chown(cache, self.user, -1)
        self.process = subprocess.Popen(
            [PROGRAM, *self.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.stderr, text=True, user=self.user,
            preexec_fn=self.preexec_fn, env=dict(os.environ, XDG_CACHE_HOME=str(cache)),
        )
        self.line = self.process.stdout.readline()
        found = re.search(r"https?://([^/]+):(\d+)(/\S*)", self.line)
        if not found:
            raise AssertionError(f"no address: {self.line!r} {self.process.communicate()[1]}")
        self.host, self.port, self.path = found[1], int(found[2]), found[3]
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        self.process.stdout.close()
        if self.process.stderr:
            self.process.stderr.close()

    def stop(self, number=signal.SIGTERM):
        """Sends a signal and returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def get(self, target, method="GET", **headers):
        """Returns status, headers and body."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.putrequest(method, target, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()

    def json(self, target):
        status, headers, body = self.get(target)
        assert headers["Content-Type"] == "application/json", headers
        return status, json.loads(body)

    def exchange(self, sent):
        """Returns the response to raw bytes, until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
            received = b""
            with contextlib.suppress(ConnectionError):
                while piece := connection.recv(65536):
                    received += piece
            return received


if __name__ == "__main__":
    sys.exit(__doc__)
