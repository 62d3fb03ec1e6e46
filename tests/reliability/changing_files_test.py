"""Other programs append to, truncate, overwrite, rewrite and replace logs while `serve` and
`inspect` read them: no program dies, no write of the other program fails, and in the end the
full content of the files is shown.

    CBOARD_ROUNDS=1000 CBOARD_MAX_MEGABYTES=500 python3 -m unittest changing_files_test
"""

import os
import random
import subprocess

from logs import PROGRAM, VERSION, LogsTest, RunningBoard, inspected, scalar_records

ROUNDS = int(os.environ.get("CBOARD_ROUNDS", "60"))
MAX_MEGABYTES = int(os.environ.get("CBOARD_MAX_MEGABYTES", "80"))
SEED = int(os.environ.get("CBOARD_SEED", "1"))
BLOCK_POINTS = 20_000


class ChangingFilesTest(LogsTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.block = scalar_records(BLOCK_POINTS)
        self.paths = []
        self.megabytes = {}  # Initial size of each file, and maximum size when it is written again.
        for i, share in enumerate((1, 1 / 2, 1 / 8, 1 / 80)):
            path = self.event_file(f"run{i}")
            self.megabytes[path] = max(1, int(MAX_MEGABYTES * share))
            self.write(path, self.megabytes[path])
            self.paths.append(path)

    def write(self, path, megabytes):
        with open(path, "wb") as file:
            file.write(VERSION)
            for _ in range(megabytes * 1_000_000 // len(self.block) + 1):
                file.write(self.block)

    def change(self, path):
        """Makes one change as the other program would; an error of the system ends the test."""
        size = path.stat().st_size
        kind = self.random.choice(["append", "truncate", "cut and append", "overwrite", "rewrite", "replace"])
        if kind in ("truncate", "cut and append"):
            os.truncate(path, self.random.randrange(size + 1))
        if kind in ("append", "cut and append"):
            with open(path, "ab") as file:
                for _ in range(self.random.randrange(1, 4)):
                    file.write(self.block)
        elif kind == "overwrite":
            with open(path, "r+b") as file:
                file.seek(self.random.randrange(size + 1))
                file.write(self.random.choice([self.block, bytes(100_000), self.random.randbytes(100_000)]))
        elif kind in ("rewrite", "replace"):
            target = path if kind == "rewrite" else path.with_name("new")
            self.write(target, self.random.randrange(1, self.megabytes[path] + 1))
            os.replace(target, path)
        return f"{kind} {path.parent.name}, {size} bytes"

    def test_nobody_dies_and_no_write_fails(self):
        inspecting = None
        with RunningBoard("--logdir", self.logdir) as board:
            for number in range(ROUNDS):
                if inspecting is None:
                    inspecting = subprocess.Popen(
                        [PROGRAM, "inspect", "--logdir", str(self.logdir), "--json"],
                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                # The largest file takes longest to read.
                done = self.change(self.random.choice([self.paths[0], *self.paths]))
                if inspecting.poll() is not None:
                    self.assertEqual(inspecting.wait(), 0, (number, done, inspecting.stderr.read()))
                    inspecting.stderr.close()
                    inspecting = None
                self.assertIsNone(board.process.poll(), f"serve ended with {board.process.poll()}: {number}, {done}")
                self.assertEqual(board.get("/api/v1/runs")[0], 200)
            if inspecting is not None:
                self.assertEqual(inspecting.wait(), 0)
                inspecting.stderr.close()
            expected = inspected(self.logdir)
            self.wait_until(lambda: self.served(board) == expected,
                            lambda: f"served {self.served(board)}, inspected {expected}")

    def served(self, board):
        names = board.json("/api/v1/runs")[1]["names"]
        return {name: (self.points(board, name), self.damage(board, name)) for name in names}

    def points(self, board, run):
        status, answer = board.json(f"/api/v1/scalars?run={run}&tag=loss&points=1000")
        return answer["series"][0]["total"] if status == 200 else 0

    def damage(self, board, run):
        return len(board.json(f"/api/v1/files?run={run}")[1]["damage"]["offsets"])
