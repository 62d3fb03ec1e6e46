"""A run directory that is deleted or renamed while it is written to."""

import shutil
import time

from event_log import event_files, steps_by_tag
from writer_process import PATIENCE_SECONDS, DurabilityTest, WriterProcess


class DeletedDirectoryTest(DurabilityTest):
    def setUp(self):
        super().setUp()
        self.run = self.directory / "logs" / "run"

    def steps(self, directory=None):
        (path,) = event_files(directory or self.run)
        return steps_by_tag(path).get("t0", [])

    def test_flush_writes_the_file_again_with_all_that_was_in_it(self):
        with WriterProcess(self.run) as writer:
            writer.ask("write 5000")
            self.assertEqual(writer.ask("flush"), "flushed")
            shutil.rmtree(self.directory / "logs")  # The parent too.
            writer.ask("write 5000")
            self.assertEqual(writer.ask("flush"), "flushed")
            self.assertEqual(self.steps(), list(range(1, 10_001)))
            self.assertEqual(len(writer.disk_reports), 1, writer.disk_reports)
            self.assertIn("was deleted while it was in use", writer.disk_reports[0])
            self.assertIn(str(self.run), writer.disk_reports[0])

    def test_it_comes_back_by_itself_when_nobody_flushes(self):
        with WriterProcess(self.run, flush_secs=0.1) as writer:
            writer.ask("write 100")
            self.assertEqual(writer.ask("flush"), "flushed")
            shutil.rmtree(self.run)
            writer.ask("write 100")
            give_up = time.monotonic() + PATIENCE_SECONDS
            while not event_files(self.run) or len(self.steps()) < 200:
                self.assertLess(time.monotonic(), give_up, "the file did not come back")
                time.sleep(0.05)
            self.assertEqual(self.steps(), list(range(1, 201)))

    def test_close_finds_it_deleted(self):
        with WriterProcess(self.run) as writer:
            writer.ask("write 1000")
            shutil.rmtree(self.run)
            self.assertEqual(writer.ask("close"), "closed")
            self.assertEqual(self.steps(), list(range(1, 1001)))

    def test_a_directory_that_cannot_come_back_costs_nothing_once_it_can(self):
        with WriterProcess(self.run) as writer:
            writer.ask("write 1000")
            self.assertEqual(writer.ask("flush"), "flushed")
            shutil.rmtree(self.directory / "logs")
            (self.directory / "logs").write_text("a file is in the way")
            writer.ask("write 1000")
            self.assertIn("failed: ", writer.ask("flush"))
            (self.directory / "logs").unlink()
            self.assertEqual(writer.ask("flush"), "flushed")
            self.assertEqual(self.steps(), list(range(1, 2001)))

    def test_a_renamed_run_is_followed(self):
        renamed = self.directory / "logs" / "tune_1_acc_0.095"
        with WriterProcess(self.run) as writer:
            writer.ask("write 1000")
            self.assertEqual(writer.ask("flush"), "flushed")
            self.run.rename(renamed)
            writer.ask("write 1000")
            self.assertEqual(writer.ask("close"), "closed")
            self.assertEqual(self.steps(renamed), list(range(1, 2001)))
            self.assertFalse(self.run.exists())
            self.assertEqual(writer.disk_reports, [])
