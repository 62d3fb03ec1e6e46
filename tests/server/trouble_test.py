"""Problems with logs are reported once, in one line: the file, the reason, the next step."""

import contextlib
import os
import pathlib
import pwd
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

from raw_client import wait_until
from running_board import PROGRAM, RunningBoard

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from event_file import EventFile, field  # noqa: E402


class TroubleTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard trouble ")
        self.addCleanup(directory.cleanup)
        self.logdir = pathlib.Path(directory.name)
        with EventFile(self.logdir / "good", wall_time=1000) as file:
            for step in range(100):
                file.scalar("loss", 1 / (step + 1), step, wall_time=1000 + step)

    def metrics(self, board):
        text = board.get("/metrics")[2].decode()
        return {name: float(value) for name, value in re.findall(r"^(cboard_\w+) (\S+)$", text, re.MULTILINE)}

    def complaints(self, board):
        """Returns the program's output after it has ended."""
        self.assertEqual(board.stop(), 0)
        return board.process.stderr.read().splitlines()

    def test_good_logs_are_nothing_to_talk_about(self):
        with RunningBoard("--logdir", self.logdir) as board:
            self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_loaded"] == 1))
            self.assertEqual(self.complaints(board), [])

    def test_a_malformed_image_or_sound_does_not_hide_the_others(self):
        png = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", 5, 4)
        sound = b"\x18\x01" + field(4, b"RIFF....WAVE") + field(5, b"audio/wav")
        with EventFile(self.logdir / "media") as file:
            for step in range(5):
                # Fields of Image and Audio that are truncated; the record around them is complete.
                file.image("picture", png, step) if step != 2 else file.value("picture", 4, b"\x08\x01\x22\x7f", step)
                file.value("sound", 6, sound if step != 3 else b"\x22\x7f", step)
        with RunningBoard("--logdir", self.logdir) as board:
            self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_loaded"] == 1))
            for route, tag, bad in [("images", "picture", 2), ("audio", "sound", 3)]:
                status, answer = board.json(f"/api/v1/{route}?run=media&tag={tag}")
                self.assertEqual(status, 200, answer)
                rest = [step for step in range(5) if step != bad]
                self.assertEqual((answer["steps"], answer["indices"], len(answer["samples"])), (rest, rest, 4))
                (damaged,) = answer["damaged"]
                self.assertEqual((damaged["index"], damaged["step"]), (bad, bad))
                self.assertTrue(damaged["message"])
                self.assertEqual(board.get(f"/api/v1/blob?run=media&tag={tag}&index=4")[0], 200)

    def test_a_damaged_file_is_named_with_the_place(self):
        with EventFile(self.logdir / "bad") as file:
            for step in range(3):
                file.scalar("loss", 0.5, step)
        path = file.path
        content = bytearray(path.read_bytes())
        content[-30] ^= 0x10
        path.write_bytes(content)
        with RunningBoard("--logdir", self.logdir) as board:
            self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_loaded"] == 1))
            metrics = self.metrics(board)
            self.assertEqual(metrics["cboard_reader_damaged_places"], 1)
            self.assertGreater(metrics["cboard_reader_damaged_bytes"], 0)
            everything, damaged = (board.json(f"/api/v1/runs{query}")[1] for query in ("", "?damaged=1"))
            self.assertGreater(len(everything["names"]), 1)
            self.assertEqual(damaged["names"], ["bad"])
            self.assertEqual(damaged["damaged_bytes"], [metrics["cboard_reader_damaged_bytes"]])
            lines = self.complaints(board)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"^compression-board: '.*/bad/events\.out\..*' is damaged at offset \d+: .*; \d+ bytes skipped, the rest is shown")

    def test_a_file_that_nobody_may_read_is_named_with_the_reason(self):
        with EventFile(self.logdir / "closed") as file:
            file.scalar("loss", 0.5, 1)
        file.path.chmod(0)
        user = None
        if os.geteuid() == 0:  # root may read everything, so the test changes to another user.
            user = pwd.getpwnam("nobody").pw_uid
            self.logdir.chmod(0o755)
            try:
                subprocess.run([PROGRAM, "--version"], user=user, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("the program is where only root can start it")
        with RunningBoard("--logdir", self.logdir, user=user) as board:
            self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_unreadable_files"] == 1))
            self.assertEqual(board.json("/api/v1/scalars?run=good&tag=loss")[1]["series"][0]["total"], 100)
            lines = self.complaints(board)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"closed/events\.out\..*Permission denied.*; what it holds is missing until it can be read")

    def test_too_little_memory_is_an_error_and_not_a_crash(self):
        with EventFile(self.logdir / "long", wall_time=1000) as file:
            for step in range(200_000):
                file.scalar("loss", 1.0, step)
        ended = set()
        for megabytes in (*range(40, 260, 20), 2000):
            limit = (megabytes << 20, megabytes << 20)
            board = subprocess.Popen(
                [PROGRAM, "--logdir", str(self.logdir), "--port", "0"], text=True, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env=dict(os.environ, XDG_CACHE_HOME=str(self.logdir / "cache")),
                preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, limit))
            if board.stdout.readline():  # The program serves, and continues to read.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    board.wait(timeout=1)
                board.terminate()
            said = board.communicate()[1]
            ended.add(board.returncode)
            self.assertIn(board.returncode, (0, 1), (megabytes, said))
            if board.returncode == 1:
                self.assertRegex(said, "out of memory|cannot start a thread", megabytes)
        self.assertEqual(ended, {0, 1}, "some limits were too low, and some were not")

    def test_the_readers_numbers_are_in_the_metrics(self):
        with RunningBoard("--logdir", self.logdir) as board:
            self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_loaded"] == 1))
            metrics = self.metrics(board)
            size = sum(path.stat().st_size for path in self.logdir.rglob("*tfevents*"))
            self.assertEqual(metrics["cboard_reader_files"], 1)
            self.assertEqual(metrics["cboard_reader_file_bytes"], size)
            self.assertEqual(metrics["cboard_reader_bytes_read_total"], size)
            self.assertEqual(metrics["cboard_reader_events_read_total"], 101)
            self.assertEqual(metrics["cboard_reader_newest_event_timestamp_seconds"], 1099)
            self.assertEqual(metrics["cboard_reader_lag_seconds"], 0)
            self.assertGreater(metrics["cboard_reader_scalar_bytes"], 0)
            with EventFile(self.logdir / "new") as file:
                file.scalar("loss", 0.5, 1)
                self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_files"] == 2))
                self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_lag_seconds"] > 0))

    def test_scripts_for_tensorboard_get_as_many_samples_as_the_flag_says(self):
        def count(*flags):
            with RunningBoard("--logdir", self.logdir, *flags) as board:
                self.assertTrue(wait_until(lambda: self.metrics(board)["cboard_reader_loaded"] == 1))
                points = board.json("/data/plugin/scalars/scalars?run=good&tag=loss")[1]
                # This setting does not limit our own API.
                self.assertEqual(board.json("/api/v1/scalars?run=good&tag=loss")[1]["series"][0]["total"], 100)
                self.assertEqual((points[0][1], points[-1][1]), (0, 99))
                return len(points)

        self.assertEqual(count(), 100)
        self.assertEqual(count("--samples_per_plugin", "scalars=10"), 10)
        self.assertEqual(count("--samples_per_plugin", "images=3,scalars=0"), 100)
        for wrong in ["scalars", "scalars=", "=5", "scalars=x", "scalars=-1"]:
            run = subprocess.run([PROGRAM, "--logdir", self.logdir, "--samples_per_plugin", wrong], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2, wrong)
            self.assertIn("scalars=500,images=20", run.stderr)


if __name__ == "__main__":
    unittest.main()
