"""A disk becomes full, and has space again later."""

import errno
import os
import subprocess
import sys
import time

from event_log import event_files, records, steps_by_tag
from writer_process import PATIENCE_SECONDS, DurabilityTest, WriterProcess

# The disk has 1 MiB left, and enough space for the whole queue and backlog once the filler is
# deleted. A scalar of "t0" takes about 42 bytes, so TOO_MANY are far more than can be accepted.
DISK_BYTES = 16 << 20
FILLER_BYTES = 15 << 20
BACKLOG_BYTES = 128 << 10
TOO_MANY = 200_000


def setUpModule():
    """Returns a command prefix for a separate namespace, in which ordinary users may mount if the
    system allows it.
    """
    if os.geteuid() == 0 or subprocess.run(["unshare", "-Urm", "true"]).returncode != 0:
        return
    os.execvp("unshare", ["unshare", "-Urm", sys.executable, *sys.orig_argv[1:]])


def mount_disk(directory):
    """Mounts a file system of DISK_BYTES. Returns the reason if it failed, or None."""
    run = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(directory)],
        capture_output=True,
        text=True,
    )
    return run.stderr.strip() if run.returncode else None


class FullDiskTest(DurabilityTest):
    def setUp(self):
        super().setUp()
        self.disk = self.directory / "disk"
        self.disk.mkdir()
        reason = mount_disk(self.disk)
        if reason:
            self.skipTest(f"cannot mount a small disk: {reason}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.disk)], check=True)
        self.filler = self.disk / "filler"
        self.filler.write_bytes(bytes(FILLER_BYTES))

    def fill(self):
        """Fills the rest of the disk with a file, which the test deletes later."""
        with (self.disk / "rest").open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as error:
                self.assertEqual(error.errno, errno.ENOSPC)

    def steps(self):
        (path,) = event_files(self.disk / "run")
        self.assertEqual(records(path)[1], 0, "no torn end")
        return steps_by_tag(path).get("t0", [])

    def wait_for_reports(self, writer, count):
        give_up = time.monotonic() + PATIENCE_SECONDS
        while len(writer.disk_reports) < count and time.monotonic() < give_up:
            time.sleep(0.02)
        self.assertEqual(len(writer.disk_reports), count, writer.disk_reports)

    def make_room(self, writer):
        """Checks that afterwards all accepted events are written."""
        self.filler.unlink()
        # A write that had begun earlier may still be refused, and the first flush may report it.
        self.assertIn("flushed", [writer.ask("flush"), writer.ask("flush")])

    def assert_tells_of_the_full_disk(self, message):
        (path,) = event_files(self.disk / "run")
        self.assertIn(str(path), message)
        self.assertIn("No space left", message)

    def test_everything_accepted_is_in_the_file_once_there_is_room(self):
        with WriterProcess(self.disk / "run", max_backlog_bytes=BACKLOG_BYTES) as writer:
            # The call returned without blocking.
            accepted = int(writer.ask(f"write {TOO_MANY}").split()[1])
            self.assertGreater(accepted, 0)
            self.assertLess(accepted, TOO_MANY)
            self.assert_tells_of_the_full_disk(writer.ask("flush"))
            self.assert_tells_of_the_full_disk(writer.ask("flush"))
            self.wait_for_reports(writer, 1)  # Even after many attempts.
            self.assert_tells_of_the_full_disk(writer.disk_reports[0])

            self.make_room(writer)
            self.assertEqual(writer.ask("write 500"), "accepted 500 of 500")
            self.assertEqual(writer.ask("close"), "closed")
            self.assertEqual(self.steps(), writer.accepted_steps())
            self.assertEqual(writer.disk_reports[1:], ["works"])

    def test_writing_goes_on_by_itself_when_nobody_flushes(self):
        with WriterProcess(
            self.disk / "run", max_backlog_bytes=BACKLOG_BYTES, flush_secs=0.1
        ) as writer:
            writer.ask(f"write {TOO_MANY}")
            self.wait_for_reports(writer, 1)
            self.filler.unlink()
            self.wait_for_reports(writer, 2)
            self.assertEqual(writer.disk_reports[1], "works")
            self.assertEqual(writer.ask("write 500"), "accepted 500 of 500")
            self.assertEqual(writer.ask("close"), "closed")
            self.assertEqual(self.steps(), writer.accepted_steps())

    def test_closing_on_a_full_disk_ends_and_says_what_is_lost(self):
        with WriterProcess(self.disk / "run", max_backlog_bytes=BACKLOG_BYTES) as writer:
            writer.ask(f"write {TOO_MANY}")
            closed = writer.ask("close")
            self.assert_tells_of_the_full_disk(closed)
            self.assertIn("are lost", closed)
            (path,) = event_files(self.disk / "run")
            steps = steps_by_tag(path)["t0"]
            self.assertEqual(steps, writer.accepted_steps()[: len(steps)])

    def test_a_deleted_run_waits_for_room_to_come_back(self):
        with WriterProcess(self.disk / "run") as writer:
            writer.ask("write 1000")
            self.assertEqual(writer.ask("flush"), "flushed")
            for path in event_files(self.disk / "run"):
                path.unlink()
            self.fill()
            writer.ask("write 1000")
            self.assertIn("No space left", writer.ask("flush"))
            self.make_room(writer)
            self.assertEqual(self.steps(), list(range(1, 2001)))
