"""Other programs truncate, overwrite, rewrite and replace model files while `model` and `compare` read
them: each reads one version or says that the file changed, and no write of the other program fails.

    CBOARD_ROUNDS=1000 CBOARD_MAX_MEGABYTES=500 python3 -m unittest changing_models_test
"""

import json
import os
import random
import struct
import subprocess

from logs import PROGRAM, LogsTest

ROUNDS = int(os.environ.get("CBOARD_ROUNDS", "40"))
MAX_MEGABYTES = int(os.environ.get("CBOARD_MAX_MEGABYTES", "40"))
SEED = int(os.environ.get("CBOARD_SEED", "1"))
PIECE = 1 << 20


class ChangingModelsTest(LogsTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.piece = self.random.randbytes(PIECE)
        self.paths = [self.directory / "a.safetensors", self.directory / "b.safetensors"]
        for path in self.paths:
            self.write(path, MAX_MEGABYTES)

    def write(self, path, megabytes):
        """A safetensors file with one layer per MiB."""
        tensors = {f"layer{i}.weight": {"dtype": "U8", "shape": [1024, 1024], "data_offsets": [i * PIECE, (i + 1) * PIECE]}
                   for i in range(megabytes)}
        header = json.dumps(tensors).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            for _ in range(megabytes):
                file.write(self.piece)

    def change(self, path):
        size = path.stat().st_size
        kind = self.random.choice(["truncate", "append", "overwrite", "rewrite", "replace"])
        if kind == "truncate":
            os.truncate(path, self.random.randrange(size + 1))
        elif kind == "append":
            with open(path, "ab") as file:
                file.write(self.piece)
        elif kind == "overwrite":
            with open(path, "r+b") as file:
                file.seek(self.random.randrange(size + 1))
                file.write(self.piece[:100_000])
        else:
            target = path if kind == "rewrite" else path.with_name("new")
            self.write(target, self.random.randrange(1, MAX_MEGABYTES + 1))
            os.replace(target, path)
        return f"{kind} {path.name}, {size} bytes"

    def test_readers_end_well_and_no_write_fails(self):
        commands = [["model", str(self.paths[0])], ["compare", *map(str, self.paths)]]
        running, ended = {}, {0: 0, 1: 0}
        for number in range(ROUNDS):
            for i, command in enumerate(commands):
                if i not in running:
                    running[i] = subprocess.Popen([PROGRAM, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            done = self.change(self.random.choice(self.paths))
            for i, process in list(running.items()):
                if process.poll() is not None:
                    said = process.communicate()[1].decode(errors="replace")
                    self.assertIn(process.returncode, ended, (number, done, commands[i], said))
                    ended[process.returncode] += 1
                    del running[i]
        for i, process in running.items():
            self.assertIn(process.wait(), ended, commands[i])
            process.communicate()
        print(f"{ROUNDS} changes; readers: {ended[0]} read a version, {ended[1]} ended with an error message")
