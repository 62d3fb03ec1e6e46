"""Runs compression-board in a separate directory.

    class ImportTest(ProgramTest):
        def test_missing_file(self):
            run = self.run_board("import", "missing.json")
            self.assertEqual(run.returncode, 1)

The program under test is $COMPRESSION_BOARD.
"""

import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("COMPRESSION_BOARD", "compression-board")
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        # The name contains spaces on purpose.
        directory = tempfile.TemporaryDirectory(prefix="cboard cli ")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def start_board(self, *arguments, **options):
        environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")
        environment["XDG_CACHE_HOME"] = str(self.directory / ".cache")  # Not the user's own cache.
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            cwd=self.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
            # Python ignores SIGPIPE, and child processes would inherit this.
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
            **options,
        )

    def run_board(self, *arguments):
        process = self.start_board(*arguments)
        stdout, stderr = process.communicate(timeout=600)
        return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)

    def write(self, name, content):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_printable(self, text):
        """Checks that no control character in `text` can control a terminal."""
        self.assertEqual([c for c in text if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160], [])

    def assert_complains(self, run, exit_code, *fragments):
        """Checks that a command fails with `exit_code`, and that standard error contains all
        `fragments`.
        """
        self.assertEqual(run.returncode, exit_code, run.stderr)
        self.assertTrue(run.stderr.startswith("compression-board: "), run.stderr)
        for fragment in fragments:
            self.assertIn(fragment, run.stderr)
        self.assert_printable(run.stderr)
