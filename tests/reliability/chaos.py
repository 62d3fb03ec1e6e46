"""Chaos: writers, truncations, edits, replacements, renames, full disks, killed boards and damaged
caches, at random and all at once. Every point that a board serves is checked. Whenever the changes
stop, the board must show exactly the points and the damage that the oracle finds in the files, and
the files must contain all events that writers have accepted.

    COMPRESSION_BOARD=… WRITER_PROCESS=… python3 chaos.py --seconds 7200 --seed 1

The log directory and the cache share a small disk (tmpfs), if the user may mount one. The seed
decides the changes; how they meet the other processes differs from run to run.
"""

import argparse
import collections
import faulthandler
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from chaos_board import Board
from chaos_files import OBSTACLES, Files, write
from chaos_writers import Failure, Writers
from logs import PATIENCE_SECONDS
from oracle import parse, points

DISK_BYTES = 64 << 20
CHANGES_PER_CHECK = 25


class Chaos:
    def __init__(self, disk, log, seed):
        self.filler = disk / "filler"
        self.random = random.Random(seed)
        self.logdir = disk / "runs"
        self.logdir.mkdir()
        self.files = Files(self.logdir, self.random, lambda: self.board.look())
        self.writers = Writers(self.logdir, self.random, self.files.new_name)
        self.board = Board(self.logdir, disk / "cache", log, self.random, self.writers)
        self.counts = collections.Counter()
        self.last = collections.deque(maxlen=40)

    def fill_disk(self):
        disk = shutil.disk_usage(self.filler.parent)
        if disk.total > DISK_BYTES:
            return False  # Without a separate disk.
        free = max(0, disk.free - self.random.choice([0, 4096, 100_000]))
        write(self.filler, "ab", [bytes(1 << 20)] * (free >> 20) + [bytes(free & 0xFFFFF)])
        return True

    def free_disk(self):
        self.filler.unlink(missing_ok=True)
        return True

    def change(self, changes):
        (method,) = self.random.choices(list(changes), list(changes.values()))
        name = f"{type(method.__self__).__name__.lower()}.{method.__name__}"
        self.last.append(name)
        if method():
            self.counts[name] += 1

    def run(self, seconds):
        for _ in range(4):
            self.files.create()
        self.writers.start()
        disk = {self.fill_disk: 2, self.free_disk: 3}
        changes = {**self.files.changes, **self.writers.changes, **self.board.changes, **disk}
        self.board.start()
        give_up = time.monotonic() + seconds
        next_report = time.monotonic() + 60
        while time.monotonic() < give_up:
            for _ in range(CHANGES_PER_CHECK):
                self.change(changes)
                if self.board.running is None:
                    for _ in range(self.random.choice([0, 0, 3])):  # Changes while no board runs.
                        self.change({**self.files.changes, self.board.damage_cache: 5})
                    self.board.start()
                if self.random.random() < 0.5:
                    self.board.look()
            self.check()
            if time.monotonic() > next_report:
                next_report = time.monotonic() + 600
                print(f"{time.strftime('%H:%M:%S')} {self.report()}", flush=True)
        self.board.stop()

    def check(self):
        self.free_disk()
        self.writers.flush_all()
        expected = self.expected()
        self.writers.check(lambda run: [point[0] for point in expected.get(run, ({}, []))[0].get("t0", [])])
        give_up = time.monotonic() + PATIENCE_SECONDS
        while difference := self.board.difference(expected):
            if time.monotonic() > give_up:
                raise Failure(difference)
            time.sleep(0.1)
        if self.random.random() < 0.2:
            self.board.check_inspect(expected)
        self.counts["checks"] += 1
        self.counts["damaged places"] += sum(len(damage) for _, damage in expected.values())
        self.writers.remove_some()

    def expected(self):
        """Returns {run: (series, damage)} by the oracle."""
        runs = {}
        for path in sorted(self.logdir.rglob("*tfevents*")):
            if OBSTACLES in path.parts or not path.is_file():
                continue
            payloads, damage = parse(path.read_bytes())
            series, places = runs.setdefault(str(path.parent.relative_to(self.logdir)), ({}, []))
            for tag, found in points(payloads).items():
                if found:
                    series.setdefault(tag, []).extend(found)
            places.extend(map(tuple, damage))
        return runs

    def report(self):
        return {"points checked": self.board.point_count, **dict(sorted(self.counts.items()))}

    def end(self):
        self.writers.end()
        self.board.end()


def keep(disk, log):
    """Copies the files of a failure, to find its cause later."""
    kept = pathlib.Path(tempfile.mkdtemp(prefix="cboard-chaos-failed-"))
    shutil.copytree(disk, kept / "disk", symlinks=True, ignore=shutil.ignore_patterns(OBSTACLES, "filler"))
    shutil.copy(log, kept / "board.log")
    return kept


def main():
    parser = argparse.ArgumentParser(description="Changes logs at random while boards read them.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments = parser.parse_args()
    faulthandler.register(signal.SIGUSR1)  # Prints where it waits.
    print(f"seed {arguments.seed}, {arguments.seconds:.0f} seconds", flush=True)
    with tempfile.TemporaryDirectory(prefix="cboard-chaos-") as directory:
        disk = pathlib.Path(directory) / "disk"
        disk.mkdir()
        log = pathlib.Path(directory) / "board.log"
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(disk)]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        if mounted.returncode != 0:
            print(f"without full disks: {mounted.stderr.strip()}", flush=True)
        failure = None
        try:
            with open(log, "ab") as opened:
                chaos = Chaos(disk, opened, arguments.seed)
                try:
                    chaos.run(arguments.seconds)
                except Failure as broken:
                    failure = str(broken)
                finally:
                    chaos.end()
            said = log.read_text(errors="replace")
            for sign in ("ERROR: AddressSanitizer", "runtime error:"):
                failure = failure or (f"the board said '{sign}'" if sign in said else None)
            print(chaos.report(), flush=True)
            if failure:
                sys.exit(f"failed: {failure}\nseed {arguments.seed}; the last changes: {' '.join(chaos.last)}\n"
                         f"kept in {keep(disk, log)}")
        finally:
            if mounted.returncode == 0:
                subprocess.run(["umount", "--lazy", str(disk)], check=True)


if __name__ == "__main__":
    if os.geteuid() != 0 and subprocess.run(["unshare", "-Urm", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        # Ordinary users may mount in a separate namespace.
        os.execvp("unshare", ["unshare", "-Urm", sys.executable, *sys.orig_argv[1:]])
    main()
