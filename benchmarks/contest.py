"""Runs programs against each other, in turns, and stores the cost of each round.

    contest = Contest("scalars", unit="event", rounds=5)
    contest.add("ours", ["build/…/bench_writer", "scalars", "--logdir", LOGDIR, …])
    contest.add("tensorboardX", …)
    contest.run(scratch)
    contest.best("ours").cpu      # seconds per event in the round that cost least

Turns (ours, peer, ours, peer, …) let a noisy neighbour disturb all alike. Of the rounds, the best
says what the work costs, and the median how far the machine was from quiet.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import time

LOGDIR = "{logdir}"  # Replaced by a fresh directory for every run.


@dataclasses.dataclass
class Cost:
    """The cost of one piece of work: an event, a histogram, an image, a model."""

    cpu: float  # Seconds of all threads of the process.
    wall: float


@dataclasses.dataclass
class Round:
    count: int
    bytes: int
    wall_seconds: float
    cpu_seconds: float
    peak_rss_bytes: int


def remove(paths):
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


class Contestant:
    def __init__(self, name, command, note, pieces):
        self.name = name
        self.command = command
        self.note = note
        self.pieces = pieces
        self.rounds = []
        self.failure = None

    def run(self, logdir):
        remove(logdir.parent.glob(logdir.name + "*"))
        command = [str(part).replace(LOGDIR, str(logdir)) for part in self.command]
        wall_start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - wall_start
        if process.returncode != 0:
            lines = errors.decode(errors="replace").strip().splitlines()
            self.failure = lines[-1] if lines else f"exit code {process.returncode}"
            return
        if self.pieces is None:
            self.rounds.append(Round(**json.loads(output.splitlines()[-1])))
        else:  # The program does not measure itself.
            cpu = usage.ru_utime + usage.ru_stime
            self.rounds.append(Round(self.pieces, 0, wall, cpu, usage.ru_maxrss * 1024))


class Contest:
    def __init__(self, name, unit, rounds):
        self.name = name
        self.unit = unit
        self.round_count = rounds
        self.contestants = {}

    def add(self, name, command, note="", pieces=None):
        """Adds a program. `pieces` is its number of pieces of work if it does not print the number
        itself.
        """
        self.contestants[name] = Contestant(name, command, note, pieces)

    def run(self, scratch):
        """Runs all programs. The logs of the last round stay in scratch/<contestant>."""
        for _ in range(self.round_count):
            self.run_round(scratch)

    def run_round(self, scratch):
        for contestant in self.contestants.values():
            if contestant.failure is None:
                contestant.run(pathlib.Path(scratch) / contestant.name.replace(" ", "_"))

    def _costs(self, name):
        rounds = self.contestants[name].rounds if name in self.contestants else []
        return [Cost(r.cpu_seconds / r.count, r.wall_seconds / r.count) for r in rounds]

    def best(self, name):
        costs = self._costs(name)
        if not costs:
            return None
        return Cost(min(c.cpu for c in costs), min(c.wall for c in costs))

    def median(self, name):
        costs = self._costs(name)
        if not costs:
            return None
        return Cost(
            statistics.median(c.cpu for c in costs), statistics.median(c.wall for c in costs)
        )

    def factor(self, name, than="ours"):
        """Returns how many times more processor time `name` needs, best round against best round;
        None if unknown.
        """
        peer, ours = self.best(name), self.best(than)
        return peer.cpu / ours.cpu if peer and ours else None
