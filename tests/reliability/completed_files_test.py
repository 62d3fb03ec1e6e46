"""Files that are completed or edited in place, and whole records after a truncated one: shown live,
and after a restart with the same cache."""

import os
import signal

from logs import VERSION, LogsTest, RunningBoard, inspected, record, scalar_records, served_steps

POINTS = 30_000


class CompletedFilesTest(LogsTest):
    def setUp(self):
        super().setUp()
        self.path = self.event_file("run")
        self.content = VERSION + scalar_records(POINTS)

    def overwrite(self, offset, content):
        with open(self.path, "r+b") as file:
            file.seek(offset)
            file.write(content)

    def assert_shows(self, board, steps):
        self.wait_until(lambda: served_steps(board, "run") == steps,
                        f"{len(served_steps(board, 'run'))} of {len(steps)} points")

    def test_the_second_half_before_the_first(self):
        half = len(self.content) // 2
        self.path.write_bytes(bytes(half) + self.content[half:])
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: len(served_steps(board, "run")) > POINTS // 3, "the second half")
            self.overwrite(0, self.content[:half])
            self.assert_shows(board, list(range(POINTS)))

    def test_the_second_half_before_the_first_with_a_restart_between(self):
        half = len(self.content) // 2
        self.path.write_bytes(bytes(half) + self.content[half:])
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: len(served_steps(board, "run")) > POINTS // 3, "the second half")
        self.overwrite(0, self.content[:half])
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(POINTS)))

    def test_slices_that_arrive_in_any_order_while_the_file_grows(self):
        size = len(self.content)
        quarter = size // 4
        with open(self.path, "wb") as file:
            file.truncate(quarter)  # A hole.
        with RunningBoard("--logdir", self.logdir) as board:
            for begin in (3 * quarter, quarter, 0, 2 * quarter):
                for at in range(begin, min(begin + quarter + 3, size), 50_000):
                    end = min(at + 50_000, begin + quarter + 3)
                    self.overwrite(at, self.content[at:end])
            self.assert_shows(board, list(range(POINTS)))

    def test_an_edit_in_place_of_the_same_size(self):
        self.path.write_bytes(self.content)
        at = len(VERSION) + len(scalar_records(1000))
        old = scalar_records(1, first=1000)
        edit = scalar_records(1, first=2000)  # The same number of bytes as step 1000.
        self.assertEqual(len(edit), len(old))
        expected = [*range(1000), 2000, *range(1001, POINTS)]
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(POINTS)))
            self.overwrite(at, edit)
            self.assert_shows(board, expected)
        self.overwrite(at, old)
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(POINTS)))

    def test_an_edit_in_place_that_keeps_the_time_of_modification(self):
        self.path.write_bytes(self.content)
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(POINTS)))
        before = self.path.stat()
        self.overwrite(len(VERSION) + len(scalar_records(1000)), scalar_records(1, first=2000))
        os.utime(self.path, ns=(before.st_atime_ns, before.st_mtime_ns))
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, [*range(1000), 2000, *range(1001, POINTS)])

    def test_an_edit_in_place_that_keeps_the_time_of_modification_and_a_new_name(self):
        self.path.write_bytes(self.content)
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(POINTS)))
            board.process.send_signal(signal.SIGSTOP)  # Both changes happen between two reads.
            before = self.path.stat()
            self.overwrite(len(VERSION) + len(scalar_records(1000)), scalar_records(1, first=2000))
            os.utime(self.path, ns=(before.st_atime_ns, before.st_mtime_ns))
            self.path.rename(self.path.with_name("events.out.tfevents.2.host"))
            board.process.send_signal(signal.SIGCONT)
            self.assert_shows(board, [*range(1000), 2000, *range(1001, POINTS)])

    def test_a_file_with_two_names_that_grows_through_one_of_them(self):
        self.path.write_bytes(VERSION + scalar_records(10))
        os.link(self.path, self.event_file("other"))
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(10)))
            with open(self.path, "ab") as file:
                file.write(scalar_records(10, first=10))
            self.assert_shows(board, list(range(20)))
            self.wait_until(lambda: served_steps(board, "other") == list(range(20)), "the other name")

    def test_whole_records_behind_one_that_was_cut(self):
        cut = record(os.urandom(600_000))[:200_000]
        self.path.write_bytes(VERSION + scalar_records(2) + cut + scalar_records(3000, first=2))
        self.assertEqual(inspected(self.logdir), {"run": (3002, 1)})
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, list(range(3002)))

    def test_a_record_that_is_being_written_is_waited_for(self):
        whole = record(os.urandom(600_000))
        self.path.write_bytes(VERSION + scalar_records(2) + whole[:200_000])
        self.assertEqual(inspected(self.logdir), {"run": (2, 0)})
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, [0, 1])
            self.overwrite(self.path.stat().st_size, whole[200_000:] + scalar_records(8, first=2))
            self.assert_shows(board, list(range(10)))
