"""The cache of indexes is private, and its damaged entries are never used."""

import os
import stat

from logs import VERSION, LogsTest, RunningBoard, scalar_records, served_steps
import running_board  # noqa: E402: found by logs.

POINTS = 50_000


class CacheTest(LogsTest):
    def setUp(self):
        super().setUp()
        self.event_file("run").write_bytes(VERSION + scalar_records(POINTS))
        self.home = self.directory / "cache"
        self.cache = self.home / "compression-board"
        self.old, running_board.CACHE.name = running_board.CACHE.name, str(self.home)

    def tearDown(self):
        running_board.CACHE.name = self.old

    def serve_once(self):
        """Fills the cache."""
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: len(served_steps(board, "run")) == POINTS, "all points")
            self.assertEqual(board.stop(), 0)
            return board.process.stderr.read()

    def cache_file(self):
        (path,) = self.cache.glob("index-*")
        return path

    def assert_serves_the_truth_at_once(self, board):
        answer = board.json("/api/v1/scalars?run=run&tag=loss&points=1000000")[1]["series"][0]
        self.assertEqual(answer["steps"], list(range(POINTS)))
        self.assertEqual(answer["values"], [step % 1000 for step in range(POINTS)])

    def mode(self, path):
        return stat.S_IMODE(path.stat().st_mode)

    def test_is_for_its_user_alone(self):
        self.serve_once()
        self.assertEqual(oct(self.mode(self.cache)), oct(0o700))
        self.assertEqual(oct(self.mode(self.cache_file())), oct(0o600))

    def test_a_directory_that_exists_becomes_private(self):
        self.cache.mkdir(parents=True)
        self.cache.chmod(0o755)
        self.serve_once()
        self.assertEqual(oct(self.mode(self.cache)), oct(0o700))

    def test_a_directory_that_others_can_write_to_is_refused_and_that_is_said_once(self):
        self.cache.mkdir(parents=True)
        self.cache.chmod(0o777)
        said = self.serve_once()
        self.assertEqual(said.count("other users can write to directory"), 1, said)
        self.assertEqual(list(self.cache.iterdir()), [])

    def test_damaged_points_are_never_served(self):
        self.serve_once()
        content = bytearray(self.cache_file().read_bytes())
        for at in range(1000, 300_000, 1000):  # Columns come first in the file.
            content[at] ^= 0x10
        self.cache_file().write_bytes(content)
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: board.json("/api/v1/runs")[1]["names"] == ["run"], "the run")
            self.assert_serves_the_truth_at_once(board)

    def test_a_cache_that_is_truncated_under_a_server_ends_nothing(self):
        self.serve_once()
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: board.json("/api/v1/runs")[1]["names"] == ["run"], "the run")
            os.truncate(self.cache_file(), 0)
            self.assert_serves_the_truth_at_once(board)
            self.assertEqual(board.stop(), 0)
