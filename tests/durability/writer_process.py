"""Runs writer_process and talks to it.

    with WriterProcess(directory) as writer:
        writer.ask("write 1000")  # "accepted 1000 of 1000"
        writer.ask("flush")       # "flushed"
        writer.disk_reports       # ["…: No space left on device", "works"]

The program under test is $WRITER_PROCESS.
"""

import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import unittest

PROGRAM = os.environ.get("WRITER_PROCESS", "writer_process")

# Timeout in seconds. Every response takes less than a second; a writer without a response by then
# is stuck.
PATIENCE_SECONDS = 60


class WriterProcess:
    def __init__(self, directory, mode="obey", max_backlog_bytes=64 << 20, flush_secs=120, durable=False):
        self.disk_reports = []
        self._answers = queue.Queue()
        self._process = subprocess.Popen(
            [PROGRAM, str(directory), mode, str(max_backlog_bytes), str(flush_secs), *["durable"] * durable],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._process.poll() is None:
            self.kill()
        self._process.stdin.close()
        self._process.stdout.close()

    def _read(self):
        for line in self._process.stdout:
            if not line.endswith("\n"):
                continue  # The process was killed while it wrote.
            if line.startswith("disk: "):
                self.disk_reports.append(line[6:].strip())
            else:
                self._answers.put(line.strip())

    def answer(self):
        """Returns the next line that is not about the disk."""
        try:
            return self._answers.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise AssertionError(f"no answer within {PATIENCE_SECONDS} seconds") from None

    def tell(self, command):
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def ask(self, command):
        self.tell(command)
        return self.answer()

    def accepted_steps(self):
        steps = []
        for part in self.ask("steps").split()[1:]:
            first, last = map(int, part.split("-"))
            steps.extend(range(first, last + 1))
        return steps

    def kill(self):
        """Kills the process and returns its responses that were not read."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        answers = []
        while not self._answers.empty():
            answers.append(self._answers.get())
        return answers


class DurabilityTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard durability ")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
