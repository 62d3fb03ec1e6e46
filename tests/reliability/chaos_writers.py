"""Processes that log, for chaos.py: they are killed, and their runs are renamed and deleted. In
every case, the events that a writer has accepted are in its file after a successful flush."""

import os
import pathlib
import shutil
import sys
import time

from logs import PATIENCE_SECONDS

sys.path.append(str(pathlib.Path(__file__).parent.parent / "durability"))
from writer_process import WriterProcess  # noqa: E402

MAX_WRITERS = 3


class Failure(Exception):
    """Raised if the program under test broke a promise."""


class Writers:
    def __init__(self, logdir, random, new_name):
        self.logdir = logdir
        self.random = random
        self.new_name = new_name
        self.runs = {}  # The run of each writer.
        self.first_runs = {}  # The original run of each writer, before a rename.
        # Names of all runs so far: a board may show a run for a moment after it was removed.
        self.names = set()
        self.flushed = {}  # The flushed steps of each run whose writer was killed.
        self.changes = {self.start: 3, self.log: 12, self.flush_one: 4, self.kill: 2, self.delete_run: 2,
                        self.rename_run: 2}

    def choose(self):
        return self.random.choice(list(self.runs)) if self.runs else None

    def start(self):
        if len(self.runs) >= MAX_WRITERS:
            return False
        run = self.new_name()
        writer = WriterProcess(self.logdir / run, flush_secs=0.2)
        if writer.ask("write 1") != "accepted 1 of 1":
            writer.__exit__()  # The disk is full.
            return False
        self.runs[writer] = self.first_runs[writer] = run
        self.names.add(run)
        return True

    def log(self):
        if not (writer := self.choose()):
            return False
        writer.ask(f"write {self.random.choice([1, 100, 5000])}")
        return True

    def flush_one(self):
        if not (writer := self.choose()):
            return False
        self.flush(writer)
        return True

    def flush(self, writer):
        """Returns False if the disk is full."""
        answer = writer.ask("flush")
        if answer != "flushed" and "No space left" not in answer:
            raise Failure(f"flush of '{self.runs[writer]}': {answer}")
        return answer == "flushed"

    def kill(self):
        if not (writer := self.choose()):
            return False
        is_flushed = self.flush(writer)
        flushed = writer.accepted_steps() if is_flushed else []
        writer.tell("write 2000")
        time.sleep(self.random.uniform(0, 0.01))
        self.flushed[self.runs.pop(writer)] = flushed
        writer.kill()
        writer.__exit__()
        return True

    def delete_run(self):
        if not (writer := self.choose()):
            return False
        shutil.rmtree(self.logdir / self.runs[writer], ignore_errors=True)
        self.runs[writer] = self.first_runs[writer]  # The writer does not know that its run was renamed.
        return True

    def rename_run(self):
        if not (writer := self.choose()):
            return False
        new = self.logdir / self.new_name()
        if not any((self.logdir / self.runs[writer]).glob("*tfevents*")):
            return False  # The run was deleted; the writer creates its file at the original place.
        try:
            new.parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.logdir / self.runs[writer], new)
        except OSError:  # The disk is full.
            return False
        self.runs[writer] = str(new.relative_to(self.logdir))
        self.names.add(self.runs[writer])
        return True

    def owns(self, run):
        return run in self.names

    def flush_all(self):
        for writer in self.runs:
            give_up = time.monotonic() + PATIENCE_SECONDS
            while not self.flush(writer):
                if time.monotonic() > give_up:
                    raise Failure(f"the writer of '{self.runs[writer]}' does not notice that there is room")
                time.sleep(0.05)

    def check(self, steps_of):
        """`steps_of(run)` returns the steps in the files of a run."""
        for writer, run in self.runs.items():
            steps, accepted = steps_of(run), writer.accepted_steps()
            if steps != accepted:
                raise Failure(f"run '{run}': {len(accepted)} events were accepted, {len(steps)} are in the file")
        for run, flushed in self.flushed.items():
            steps = steps_of(run)
            if steps[:len(flushed)] != flushed:
                raise Failure(f"run '{run}': {len(flushed)} events were flushed, {len(steps)} are in the file")

    def remove_some(self):
        for run in [run for run in self.flushed if self.random.random() < 0.5]:
            shutil.rmtree(self.logdir / run, ignore_errors=True)
            del self.flushed[run]

    def end(self):
        for writer in self.runs:
            writer.__exit__()
