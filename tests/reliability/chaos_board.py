"""The board of chaos.py: it is killed, its cache is damaged, and every point that it serves is checked."""

import os
import signal
import subprocess
import urllib.parse

from chaos_files import FIRST_WALL_TIME, text_of
from chaos_writers import Failure
from logs import PROGRAM, RunningBoard, inspected

MAX_LISTED_DAMAGE = 100  # Per run.


class Board:
    def __init__(self, logdir, cache, log, random, writers):
        self.logdir = logdir
        self.cache = cache
        self.log = log
        self.random = random
        self.writers = writers
        self.running = None
        self.inspecting = None
        self.point_count = 0
        self.last_error = ""
        self.changes = {self.kill: 1, self.stop: 1, self.damage_cache: 1, self.inspect: 4}

    def start(self):
        self.running = RunningBoard("--logdir", self.logdir, cache=self.cache, stderr=self.log).__enter__()

    def kill(self):
        self.check_alive()
        self.running.process.kill()
        self.running.process.wait()
        self.running.__exit__()
        self.running = None
        return True

    def stop(self):
        code = self.running.stop(self.random.choice([signal.SIGTERM, signal.SIGINT]))
        if code != 0:
            raise Failure(f"serve ended with {code}")
        self.running.__exit__()
        self.running = None
        return True

    def check_alive(self):
        if self.running.process.poll() is not None:
            raise Failure(f"serve ended with {self.running.process.poll()}")

    def damage_cache(self):
        paths = [path for path in self.cache.rglob("*") if path.is_file()]
        if not paths:
            return False
        path = self.random.choice(paths)
        size = path.stat().st_size
        kind = self.random.choice(["truncate", "delete", "change"])
        if kind == "truncate":
            os.truncate(path, self.random.randrange(size + 1))
        elif kind == "delete":
            path.unlink()
        elif size > 0:
            with open(path, "r+b") as file:
                for _ in range(self.random.choice([1, 20])):
                    file.seek(self.random.randrange(size))
                    file.write(self.random.randbytes(1))
        return True

    def inspect(self):
        """Runs inspect at the same time. It may find nothing (1), but it must end."""
        if self.inspecting is not None:
            if self.inspecting.poll() is None:
                return False
            if self.inspecting.returncode not in (0, 1):
                raise Failure(f"inspect ended with {self.inspecting.returncode}")
        self.inspecting = subprocess.Popen([PROGRAM, "inspect", "--logdir", str(self.logdir), "--json"],
                                           stdout=subprocess.DEVNULL, stderr=self.log)
        return True

    # The data that it serves.

    def get(self, route, **query):
        """Returns None for an error that has a status."""
        address = f"/api/v1/{route}?{urllib.parse.urlencode(query)}"
        status, answer = self.running.json(address)
        if status != 200:
            self.last_error = f"; the last error was {status} for {address}: {str(answer)[:300]}"
        return answer if status == 200 else None

    def points(self, run, tag, kind):
        """Returns [(step, wall time, value), …]. A point that was never logged is a failure."""
        if kind == "scalar":
            answer = self.get("scalars", run=run, tag=tag, points=10_000_000)
            series = answer["series"][0] if answer else {}
            found = list(zip(*(series.get(key, []) for key in ("steps", "wall_times", "values"))))
            wrong = [point for point in found if point[2] != point[0]]
        else:
            answer = self.get("text", run=run, tag=tag) or {"steps": [], "wall_times": [], "texts": []}
            found = [(step, wall_time, "".join(texts))
                     for step, wall_time, texts in zip(answer["steps"], answer["wall_times"], answer["texts"])]
            wrong = [point for point in found if point[2] != text_of(point[0])]
        if not self.writers.owns(run):
            wrong += [point for point in found if point[1] != FIRST_WALL_TIME + point[0]]
        if wrong:
            raise Failure(f"run '{run}', tag '{tag}': wrong points {str(wrong[:3])[:300]}")
        self.point_count += len(found)
        return found

    def look(self):
        """Requests some points, like a viewer."""
        if self.running is None:
            return
        self.check_alive()
        tags = self.get("tags")
        if tags and tags["names"]:
            which = self.random.randrange(len(tags["names"]))
            run = tags["runs"][self.random.choice(tags["run_lists"][which])]
            self.points(run, tags["names"][which], tags["kinds"][which])

    def difference(self, expected):
        """Returns the difference between the board and {run: (series, damage)}; an empty text if
        there is none.
        """
        self.last_error = ""
        for run in sorted({*self.get("runs")["names"], *expected}):
            series, damage = expected.get(run, ({}, []))
            tags = self.get("tags", run=run) or {"names": [], "kinds": []}
            served = {tag: self.points(run, tag, kind) for tag, kind in zip(tags["names"], tags["kinds"])}
            served = {tag: points for tag, points in served.items() if points}
            if series != served:
                return f"run '{run}': expected {summary(series)}, served {summary(served)}{self.last_error}"
            files = self.get("files", run=run)
            served_damage = list(zip(files["damage"]["offsets"], files["damage"]["bytes"])) if files else []
            if len(damage) <= MAX_LISTED_DAMAGE and damage != served_damage:
                return f"run '{run}': expected damage {damage}, served {served_damage}"
        return ""

    def check_inspect(self, expected):
        if not any(series for series, _ in expected.values()):
            return
        found = {run: counts for run, counts in inspected(self.logdir).items() if counts != (0, 0)}
        right = {run: (sum(map(len, series.values())), len(damage)) for run, (series, damage) in expected.items()}
        right = {run: counts for run, counts in right.items() if counts != (0, 0)}
        if found != right:
            raise Failure(f"inspect says {found}, expected {right}")

    def end(self):
        if self.running is not None and self.running.process.poll() is None:
            self.running.process.kill()
        if self.inspecting is not None and self.inspecting.poll() is None:
            self.inspecting.kill()


def summary(series):
    return {tag: len(points) for tag, points in series.items()}
