"""Binary series, read as docs/formats/series.md describes, equal the written values, to the last
bit.
"""

import itertools
import json
import math
import pathlib
import struct
import sys
import tempfile
import unittest

from running_board import RunningBoard

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from event_file import EventFile  # noqa: E402

NOW = 1763251200.25
ULP = math.ulp(NOW)


def read_series(body):
    """Returns [(kinds, [(step, wall time, value)])] of every series."""
    assert body[:4] == b"CBSR"
    version, length = struct.unpack_from("<II", body, 4)
    assert version == 1
    at = 12 + length

    def column(code, count):
        nonlocal at
        values = struct.unpack_from(f"<{count}{code}", body, at)
        at += -(-count * struct.calcsize(code) // 8) * 8
        return values

    found = []
    for series in json.loads(body[12 : 12 + length])["series"]:
        n, steps, walls, values = (series[key] for key in ("points", "steps", "wall_times", "values"))
        kinds = steps["kind"], walls["kind"], values["kind"]
        if kinds[0] == "stride":
            steps = [steps["first"] + i * steps["stride"] for i in range(n)]
        else:
            steps = column("q", n)
        if kinds[1] == "f64":
            walls = column("d", n)
        else:
            units = column("I", n) if kinds[1] == "ulp32" else itertools.accumulate(column("i", n))
            walls = [walls["first"] + unit * walls["ulp"] for unit in units]
        found.append((kinds, list(zip(steps, walls, column("f" if kinds[2] == "f32" else "d", n)))))
    assert at == len(body)
    return found


def regular(count, seconds):
    return [(i, NOW + seconds * i + ULP * (i % 3), math.floor(1000 * math.sin(i)) / 1024) for i in range(count)]


class SeriesTest(unittest.TestCase):
    def test_every_point_comes_back(self):
        logs = {
            "minutes": (regular(3000, 0.1), ("stride", "ulp32", "f32")),
            "days": (regular(3000, 100), ("stride", "gap32", "f32")),
            "a clock that was set": (regular(2000, 1) + [(2000 + i, w + 1940, v) for i, w, v in regular(2000, 1)], ("stride", "gap32", "f32")),
            "a long pause": (regular(1500, 1) + [(1500 + i, w + 9000, v) for i, w, v in regular(1500, 1)], ("stride", "f64", "f32")),
            "odd steps": ([(i * i, w, v) for i, w, v in regular(1200, 30)], ("i64", "gap32", "f32")),
        }
        with tempfile.TemporaryDirectory() as logdir:
            for run, (points, _) in logs.items():
                with EventFile(pathlib.Path(logdir) / run) as file:
                    for step, wall_time, value in points:
                        file.scalar("loss", value, step, wall_time)
            with RunningBoard("--logdir", logdir) as board:
                while not board.json("/api/v1/status")[1]["progress"]["complete"]:
                    pass
                for run, (points, kinds) in logs.items():
                    with self.subTest(run):
                        target = f"/api/v1/scalars?run={run.replace(' ', '%20')}&tag=loss&points=10000"
                        status, _, body = board.get(target, Accept="application/vnd.compression-board.series")
                        self.assertEqual(status, 200)
                        self.assertEqual(read_series(body), [(kinds, points)])


if __name__ == "__main__":
    unittest.main()
