"""Clients that read, programs that write, directories that come and go: for a while, and nothing grows.

    CBOARD_SOAK_SECONDS=600 python3 -m unittest soak_test     # 10 seconds otherwise
"""

import http.client
import os
import pathlib
import random
import shutil
import tempfile
import threading
import time
import unittest

from raw_client import resident_kilobytes
from running_board import RunningBoard, import_data

SECONDS = float(os.environ.get("CBOARD_SOAK_SECONDS", "10"))
CLIENTS = 16
TARGETS = ["/", "/theme.js", "/healthz", "/metrics", "/api/v1/runs", "/api/v1/compression/table", "/api/v1/tags?run=nope", "/nope"]


class Soak:
    """Runs functions over and over, each in a thread of its own, and keeps what goes wrong."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.problems = []
        self.rounds = 0
        self.threads = []

    def start(self, function):
        def repeat():
            try:
                while time.monotonic() < self.end:
                    function()
                    self.rounds += 1
            except Exception as error:  # Reported by the test.
                self.problems.append(repr(error))

        self.threads.append(threading.Thread(target=repeat))
        self.threads[-1].start()

    def join(self):
        for thread in self.threads:
            thread.join()


class SoakTest(unittest.TestCase):
    def test_nothing_breaks_and_nothing_grows(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard soak ")
        self.addCleanup(directory.cleanup)
        logdir = pathlib.Path(directory.name) / "runs"
        import_data(logdir, "torchvision_quantized.json")
        source = next(path for path in logdir.iterdir() if path.is_dir())

        with RunningBoard("--logdir", logdir, "--reload_interval", "0.1") as board:

            def read():
                connection = http.client.HTTPConnection("127.0.0.1", board.port, timeout=60)
                for _ in range(20):
                    target = random.choice(TARGETS)
                    connection.request("GET", target, headers={"Accept-Encoding": random.choice(["gzip", "identity"])})
                    response = connection.getresponse()
                    response.read()
                    if response.status not in (200, 404):
                        raise AssertionError(f"{target}: {response.status}")
                connection.close()

            def come_and_go():
                copy = logdir / f"copy{threading.get_ident()}"
                shutil.copytree(source, copy)
                time.sleep(0.2)
                shutil.rmtree(copy)

            def vandalize():
                board.exchange(random.choice([b"", b"GET", os.urandom(2000), b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50]))

            def run(seconds):
                soak = Soak(seconds)
                for _ in range(CLIENTS):
                    soak.start(read)
                soak.start(come_and_go)
                soak.start(come_and_go)
                soak.start(vandalize)
                soak.join()
                self.assertEqual(soak.problems, [])
                self.assertGreater(soak.rounds, 0)

            run(min(SECONDS / 2, 10))  # Buffers find their size.
            before = resident_kilobytes(board.process.pid)
            run(SECONDS)
            grown = resident_kilobytes(board.process.pid) - before
            print(f"{grown} KiB more after {SECONDS:g} s")
            if not os.environ.get("CBOARD_SANITIZED"):
                self.assertLess(grown, 16 << 10)
            self.assertEqual(board.stop(), 0)
            self.assertNotIn("Sanitizer", board.process.stderr.read())


if __name__ == "__main__":
    unittest.main()
