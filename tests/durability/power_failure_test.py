"""After a power failure, all events that a durable writer has flushed are on the disk.

The disk is an image that is mounted with ext4. A power failure is a copy of the image, which has
only the blocks that the file system has written to it, mounted in another place.
"""

import os
import pathlib
import shutil
import subprocess
import time

from event_log import event_files, records, steps_by_tag
from writer_process import PATIENCE_SECONDS, DurabilityTest, WriterProcess

BOARD = os.environ.get("COMPRESSION_BOARD", "compression-board")
IMAGE_BYTES = 48 << 20
# The journal is not written by itself in time, so that only fsync() makes names and lengths
# durable.
MOUNT_OPTIONS = "loop,commit=300"


class PowerFailureTest(DurabilityTest):
    def setUp(self):
        super().setUp()
        self.image = self.directory / "image"
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_BYTES)
        made = subprocess.run(["mkfs.ext4", "-q", str(self.image)], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(f"cannot make a file system: {made.stderr.strip()}")
        self.disk = self.mount(self.image, self.directory / "disk")

    def mount(self, image, place):
        place.mkdir()
        run = subprocess.run(["mount", "-o", MOUNT_OPTIONS, str(image), str(place)], capture_output=True, text=True)
        if run.returncode != 0:
            self.skipTest(f"cannot mount a disk of our own: {run.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(place)], check=True)
        return place

    def after_power_failure(self):
        """Returns the directory in which the current content of the disk is mounted."""
        number = len(list(self.directory.iterdir()))
        copy = self.directory / f"image{number}"
        shutil.copyfile(self.image, copy)
        return self.mount(copy, self.directory / f"disk{number}")

    def steps(self, disk, run):
        paths = event_files(disk / run) if (disk / run).is_dir() else []
        return steps_by_tag(paths[0]).get("t0", []) if paths else []

    def test_flushed_events_survive(self):
        with WriterProcess(self.disk / "new" / "run", durable=True) as writer:
            for count in (1, 1000, 20_000):
                writer.ask(f"write {count}")
                self.assertEqual(writer.ask("flush"), "flushed")
                found = self.after_power_failure()
                self.assertEqual(self.steps(found, "new/run"), writer.accepted_steps())
                self.assertEqual(records(event_files(found / "new" / "run")[0])[1], 0, "no torn end")

    def test_events_survive_after_flush_secs_without_a_call(self):
        with WriterProcess(self.disk / "run", flush_secs=0.05, durable=True) as writer:
            writer.ask("write 500")
            give_up = time.monotonic() + PATIENCE_SECONDS
            while not (found := self.steps(self.after_power_failure(), "run")):
                self.assertLess(time.monotonic(), give_up, "nothing was synced")
            self.assertEqual(found, writer.accepted_steps()[:len(found)])

    def test_a_deleted_file_that_was_written_again_survives(self):
        with WriterProcess(self.disk / "run", durable=True) as writer:
            writer.ask("write 300")
            self.assertEqual(writer.ask("flush"), "flushed")
            shutil.rmtree(self.disk / "run")
            writer.ask("write 300")
            self.assertEqual(writer.ask("flush"), "flushed")
            self.assertEqual(self.steps(self.after_power_failure(), "run"), writer.accepted_steps())

    def test_a_command_with_fsync_leaves_its_files_on_the_disk(self):
        run = self.disk / "deep" / "er" / "run"
        subprocess.run([BOARD, "profile", "--fsync", "--logdir", str(run), "--", "true"], check=True,
                       capture_output=True)
        report = self.disk / "values.csv"
        subprocess.run([BOARD, "export", "--fsync", "--logdir", str(self.disk), "-o", str(report)], check=True,
                       capture_output=True)
        found = self.after_power_failure()
        for path in [*event_files(run), report]:
            kept = found / pathlib.Path(path).relative_to(self.disk)
            self.assertEqual(kept.read_bytes(), pathlib.Path(path).read_bytes())
