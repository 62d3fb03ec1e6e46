"""Processes that log into one directory at the same time."""

import contextlib

from event_log import event_files, records, steps_by_tag
from writer_process import DurabilityTest, WriterProcess


class ManyProcessesTest(DurabilityTest):
    def check(self, process_count, events=2000):
        with contextlib.ExitStack() as stack:
            writers = [
                stack.enter_context(WriterProcess(self.directory / "run"))
                for _ in range(process_count)
            ]
            # Sends the command to all before reading any response, so that they log in parallel.
            for writer in writers:
                writer.tell(f"write {events}")
                writer.tell("close")
            for writer in writers:
                self.assertEqual(writer.answer(), f"accepted {events} of {events}")
                self.assertEqual(writer.answer(), "closed")
        files = event_files(self.directory / "run")
        self.assertEqual(len(files), process_count)
        for path in files:
            self.assertEqual(records(path)[1], 0, "no torn end")
            self.assertEqual(steps_by_tag(path), {"t0": list(range(1, events + 1))})

    def test_two_lose_nothing(self):
        self.check(2)

    def test_eight_lose_nothing(self):
        self.check(8)
