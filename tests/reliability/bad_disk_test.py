"""A disk that cannot read some blocks, or that is gone for a while: all other records are shown, the
rest is reported, and what was shown before stays.

The library in $UNREADABLE_BLOCKS (unreadable_blocks.cc) simulates the disk.
"""

import json
import os
import subprocess
import unittest
import unittest.mock

from logs import PROGRAM, VERSION, LogsTest, RunningBoard, scalar_records, served_steps

POINTS = 200_000
BLOCK_BYTES = 4096
RECORD_BYTES = len(scalar_records(1))  # The shortest.


@unittest.skipUnless("UNREADABLE_BLOCKS" in os.environ, "the library that simulates the disk was not built")
class BadDiskTest(LogsTest):
    def setUp(self):
        super().setUp()
        self.path = self.event_file("run")
        self.path.write_bytes(VERSION + scalar_records(POINTS))
        self.unreadable = self.directory / "unreadable"
        disk = {"LD_PRELOAD": os.environ["UNREADABLE_BLOCKS"], "UNREADABLE": str(self.unreadable)}
        patch = unittest.mock.patch.dict(os.environ, disk)
        patch.start()
        self.addCleanup(patch.stop)

    def cannot_read(self, first_block, last_block):
        """Writes to another file first, so that no reader sees half of it."""
        new = self.unreadable.with_name("new")
        new.write_text(f"{first_block} {last_block}")
        new.replace(self.unreadable)

    def test_all_records_around_bad_blocks_are_shown(self):
        max_lost = 2 * BLOCK_BYTES // RECORD_BYTES + 3
        for first_block in (0, 1, 100, 1000, self.path.stat().st_size // BLOCK_BYTES - 1):
            self.cannot_read(first_block, first_block + 1)
            run = subprocess.run([PROGRAM, "inspect", "--logdir", str(self.logdir), "--json"], capture_output=True)
            (report,) = json.loads(run.stdout)["runs"]
            shown = sum(tag["count"] for tag in report["tags"])
            self.assertGreater(shown, POINTS - max_lost, first_block)
            self.assertLess(shown, POINTS, first_block)
            self.assertIn("Input/output error", report["files"][0]["error"], first_block)
            self.assertEqual(run.returncode, 1)

    def test_the_damage_names_the_reason(self):
        self.cannot_read(100, 100)
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: len(served_steps(board, "run")) > POINTS // 2, "most points")
            damage = board.json("/api/v1/files?run=run")[1]["damage"]
            self.assertEqual(len(damage["offsets"]), 1)
            self.assertIn("Input/output error", damage["reasons"][0])

    def test_growth_is_shown_and_blocks_that_can_be_read_again(self):
        self.cannot_read(100, 101)
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: len(served_steps(board, "run")) > POINTS // 2, "most points")
            shown = len(served_steps(board, "run"))
            self.assertLess(shown, POINTS)
            with open(self.path, "ab") as file:
                file.write(scalar_records(100, first=POINTS))
            self.wait_until(lambda: len(served_steps(board, "run")) == shown + 100, "the new points")
            self.unreadable.unlink()
            self.wait_until(lambda: served_steps(board, "run") == list(range(POINTS + 100)), "all points")

    def test_a_disk_that_is_gone_for_a_while_hides_nothing(self):
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: len(served_steps(board, "run")) == POINTS, "all points")
            self.cannot_read(0, 1 << 40)
            with open(self.path, "ab") as file:
                file.write(scalar_records(100, first=POINTS))
            metric = "cboard_reader_unreadable_files 1"
            self.wait_until(lambda: metric in board.get("/metrics")[2].decode(), "the error")
            self.assertEqual(served_steps(board, "run"), list(range(POINTS)))
            self.unreadable.unlink()
            self.wait_until(lambda: served_steps(board, "run") == list(range(POINTS + 100)), "the new points")
            self.wait_until(lambda: metric not in board.get("/metrics")[2].decode(), "no error")
