"""Runs for two minutes 64 clients that read, 16 programs that write, and directories that are
created and deleted: nothing is lost, nothing fails and memory does not grow.

    CBOARD_SOAK_SECONDS=600 python3 -m unittest soak_test
    COMPRESSION_BOARD=build/asan/bin/compression-board CBOARD_SANITIZED=1 CBOARD_SOAK_SECONDS=20 …
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

from raw_client import resident_kilobytes, wait_until
from running_board import RunningBoard, import_data

SECONDS = float(os.environ.get("CBOARD_SOAK_SECONDS", "120"))
WRITERS = 16
READERS, CLIENTS_OF_EACH = 4, 16
# Sanitizers keep records beside every allocation.
MEASURES_MEMORY = not os.environ.get("CBOARD_SANITIZED")
# Allocators round up, and threads see larger responses for the first time; a leak per request or
# per snapshot would be many times larger.
ROOM_KILOBYTES = 32 << 10


class SoakTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard soak ")
        self.addCleanup(directory.cleanup)
        self.logdir = pathlib.Path(directory.name) / "runs"
        import_data(self.logdir, "torchvision_quantized.json")

    def start(self, *arguments):
        script = pathlib.Path(__file__).with_name("soak_roles.py")
        process = subprocess.Popen([sys.executable, "-B", script, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def result(self, process):
        output = process.communicate(timeout=SECONDS + 300)[0]
        self.assertEqual(process.returncode, 0)
        return json.loads(output)

    def data_kilobytes(self, board):
        """Returns the memory of the board for the logs, which may grow with them."""
        text = board.get("/metrics")[2].decode()
        names = ["reader_scalar_bytes", "reader_blob_index_bytes", "answer_cache_bytes"]
        return sum(float(re.search(rf"^cboard_{name} (\S+)$", text, re.MULTILINE)[1]) for name in names) / 1024

    def watch_memory(self, board, samples):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            samples.append(resident_kilobytes(board.process.pid) - self.data_kilobytes(board))
            time.sleep(SECONDS / 60)

    def assert_nothing_was_lost(self, board, written):
        """Checks that every event of every writer is present, in its order."""
        for run, tags in written.items():
            for tag, count in tags.items():
                query = urllib.parse.urlencode({"run": run, "tag": tag, "points": 1_000_000})

                def series():
                    status, body = board.json("/api/v1/scalars?" + query)
                    return body["series"][0] if status == 200 else {"total": 0}

                wait_until(lambda: series()["total"] >= count)
                found = series()
                self.assertEqual(found["total"], count, (run, tag))
                self.assertEqual(found["steps"], sorted(set(found["steps"])), (run, tag))

    def test_nothing_breaks_and_nothing_grows(self):
        with RunningBoard("--logdir", self.logdir, "--reload_interval", "0.5") as board:
            writers = [self.start("write", self.logdir / f"writer_{i}", SECONDS) for i in range(WRITERS)]
            readers = [self.start("read", board.port, SECONDS, CLIENTS_OF_EACH) for _ in range(READERS)]
            others = [self.start("churn", self.logdir, SECONDS) for _ in range(2)] + [self.start("vandalize", board.port, SECONDS)]
            memory = []
            watching = threading.Thread(target=self.watch_memory, args=(board, memory))
            watching.start()

            written = {run: tags for writer in writers for run, tags in self.result(writer).items()}
            read = [self.result(reader) for reader in readers]
            did = [self.result(other) for other in others]
            watching.join()

            self.assertEqual([problem for result in read for problem in result["problems"]], [])
            self.assert_nothing_was_lost(board, written)
            self.assertTrue(wait_until(lambda: not any("going" in name or "coming" in name for name in board.json("/api/v1/runs")[1]["names"])))

            events = sum(sum(tags.values()) for tags in written.values())
            answers = sum(sum(result["answers"].values()) for result in read)
            # The first quarter fills buffers; afterwards, the end is compared with the beginning.
            settled = memory[len(memory) // 4 :]
            part = max(len(settled) // 4, 1)
            grown = min(settled[-part:]) - min(settled[:part])
            print(f"{SECONDS:g} s: {events} events, {answers} answers, {did}, {grown:.0f} KiB more, {settled[-1]:.0f} KiB at the end")
            self.assertGreater(events, 0)
            self.assertGreater(answers, 0)
            if MEASURES_MEMORY:
                self.assertLess(grown, ROOM_KILOBYTES)
            self.assertEqual(board.stop(), 0)
            self.assertNotIn("Sanitizer", board.process.stderr.read())


if __name__ == "__main__":
    unittest.main()
