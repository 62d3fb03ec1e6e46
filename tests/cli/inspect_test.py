"""compression-board inspect."""

import json
import os
import unittest

from event_files import record, scalar_event
from program import ProgramTest


class InspectTest(ProgramTest):
    def write_run(self, name, *pieces):
        return self.write(f"{name}/events.out.tfevents.1.host", b"".join(pieces))

    def inspect_json(self, logdir):
        run = self.run_board("inspect", "--logdir", logdir, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_text(self):
        self.write_run(
            "my logs/train",
            record(scalar_event("loss", 0.5, 1, 1_700_000_000)),
            record(scalar_event("loss", 0.25, 20, 1_700_000_001)),
        )
        for arguments in (("inspect", "--logdir", "my logs"), ("--inspect", "--logdir", "my logs"),
                          ("--logdir=my logs", "--inspect")):
            run = self.run_board(*arguments)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr, "")
            self.assertEqual(
                run.stdout,
                "'my logs': 1 run, 2 events in 1 file, 84 B\n"
                "\n"
                "run 'train': 2 events in 1 file, 84 B, newest 2023-11-14 22:13:21\n"
                "  tag   kind    count  steps  last value  newest\n"
                "  loss  scalar      2   1–20        0.25  2023-11-14 22:13:21\n",
            )

    def test_json(self):
        self.write_run("logs", record(scalar_event("loss", 0.5, 3, 2.5)))
        report = self.inspect_json("logs")
        self.assertEqual(report["logdir"], "logs")
        (run,) = report["runs"]
        self.assertEqual(run["name"], ".")
        (tag,) = run["tags"]
        self.assertEqual(
            {key: tag[key] for key in ("tag", "kind", "count", "first_step", "last_value")},
            {"tag": "loss", "kind": "scalar", "count": 1, "first_step": 3, "last_value": 0.5},
        )
        self.assertEqual(run["damage"], [])

    def test_damage_is_reported_with_its_place_and_the_rest_is_read(self):
        first = record(scalar_event("loss", 0.5, 1))
        damaged = bytearray(record(scalar_event("loss", 0.5, 2)))
        damaged[30] ^= 0x40
        path = self.write_run("logs/train", first, damaged, record(scalar_event("loss", 0.5, 3)), first[:9])
        (run,) = self.inspect_json("logs")["runs"]
        self.assertEqual(run["tags"][0]["count"], 2)
        (damage,) = run["damage"]
        self.assertEqual((damage["offset"], damage["bytes"]), (len(first), len(damaged)))
        self.assertEqual(run["files"][0]["torn_bytes"], 9)
        self.assertEqual(run["files"][0]["size_bytes"], path.stat().st_size)

        text = self.run_board("inspect", "--logdir", "logs").stdout
        self.assertIn("damaged in 1 place\n", text)
        self.assertIn(f"damage: '{path.name}', {len(damaged)} bytes at offset {len(first)}: ", text)
        self.assertIn(f"torn: '{path.name}' ends in 9 bytes of an unfinished record", text)

    def test_every_kind_of_damage_is_named_with_its_place(self):
        good = [record(scalar_event("loss", 1, step)) for step in range(1, 8)]
        size = len(good[0])

        def flipped(at):
            damaged = bytearray(good[3])
            damaged[at] ^= 0x10
            return bytes(damaged)

        damages = {
            "length": flipped(0),
            "length checksum": flipped(9),
            "payload": flipped(20),
            "payload checksum": flipped(size - 2),
            "zeroed": bytes(size),
            "missing bytes": good[3][: size - 5],
            "foreign bytes": good[3] + b"other writer",
        }
        for name, damaged in damages.items():
            with self.subTest(name):
                self.write_run(f"logs {name}/run", *good[:3], damaged, *good[4:])
                (run,) = self.inspect_json(f"logs {name}")["runs"]
                kept = 7 if name == "foreign bytes" else 6
                self.assertEqual(run["tags"][0]["count"], kept)
                (damage,) = run["damage"]
                begin = 3 * size if kept == 6 else 4 * size
                self.assertEqual((damage["offset"], damage["offset"] + damage["bytes"]),
                                 (begin, 3 * size + len(damaged)))

    def test_a_file_of_noise_is_damage_and_not_a_crash(self):
        self.write_run("logs", os.urandom(100_000))
        (run,) = self.inspect_json("logs")["runs"]
        self.assertEqual(run["tags"], [])
        file = run["files"][0]
        self.assertEqual(file["damaged_bytes"] + file["torn_bytes"], 100_000)

    def test_hostile_names_are_escaped(self):
        self.write_run("logs/\x1b[31mrun", record(scalar_event(b"\x1b]0;title\x07\xff\nx", 1, 1)))
        text = self.run_board("inspect", "--logdir", "logs").stdout
        self.assert_printable(text)
        self.assertIn(r"\x1b[31mrun", text)
        self.assertIn("\\x1b]0;title\\x07\ufffd\\x0ax", text)
        self.assertEqual(self.inspect_json("logs")["runs"][0]["tags"][0]["tag"], "\x1b]0;title\x07\ufffd\nx")

    def test_filters(self):
        self.write_run("logs/train", record(scalar_event("loss", 1, 1)), record(scalar_event("acc", 1, 1)))
        self.write_run("logs/eval", record(scalar_event("loss", 1, 1)))
        text = self.run_board("inspect", "--logdir", "logs", "--run", "tra", "--tag", "ac").stdout
        self.assertIn("run 'train'", text)
        self.assertNotIn("run 'eval'", text)
        self.assertNotIn("  loss", text)
        text = self.run_board("inspect", "--logdir", "logs", "--tag", "acc").stdout
        self.assertNotIn("run 'eval'", text)  # The run has no such tag.
        for said, *flags in [
            ("none of 2 runs has 'tset' in its name;", "--run", "tset"),
            ("none of 2 runs has a tag that contains 'lsos';", "--tag", "lsos", "--json"),
            ("none of 2 runs has 'eval' in its name and a tag that contains 'acc';", "--run", "eval", "--tag", "acc"),
        ]:
            self.assert_complains(self.run_board("inspect", "--logdir", "logs", *flags), 1, said)

    def test_several_log_directories(self):
        self.write_run("x/train", record(scalar_event("loss", 1, 1)))
        self.write_run("y/train", record(scalar_event("loss", 1, 1)))
        for arguments in (("--logdir", "x,y"), ("--logdir_spec", "x:x,y:./y"), ("--logdir", "[xy]")):
            run = self.run_board("inspect", *arguments, "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            names = [run["name"] for run in json.loads(run.stdout)["runs"]]
            self.assertEqual(names, ["x/train", "y/train"])
        self.assert_complains(self.run_board("inspect", "--logdir", "z*"), 1, "no directory matches the pattern 'z*'")

    def test_one_event_file(self):
        path = self.write_run("logs", record(scalar_event("loss", 1, 1)))
        run = self.run_board("inspect", "--event_file", path)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("  loss ", run.stdout)
        self.assert_complains(self.run_board("inspect", "--event_file", "missing"), 1, "'missing'")
        self.assert_complains(self.run_board("inspect", "--event_file", "logs"), 1, "'logs' is a directory")

    def test_a_file_that_cannot_be_read_is_named_and_fails(self):
        self.write_run("logs/good", record(scalar_event("loss", 1, 1)))
        (self.directory / "logs/bad").mkdir()
        # A regular file that nobody may read, not even root: the kernel only allows writing to it.
        (self.directory / "logs/bad/events.out.tfevents.1.host").symlink_to("/sys/bus/cpu/drivers_probe")
        run = self.run_board("inspect", "--logdir", "logs")
        self.assertEqual(run.returncode, 1)
        self.assertIn("run 'good': 1 event", run.stdout)
        self.assertIn("  unreadable: ", run.stdout)

    def test_a_directory_that_does_not_exist_is_not_called_damaged_or_unreadable(self):
        self.write_run("logs/run", record(scalar_event("loss", 0.5, 1, 1_700_000_000)))
        flags = ("inspect", "--logdir", "logs,missing")
        text = self.run_board(*flags)
        self.assertEqual(text.returncode, 1)
        self.assertIn("log directory 'missing' does not exist; check its name", text.stderr)
        self.assertNotRegex(text.stdout + text.stderr, "damage|unreadable|cannot read")
        report = json.loads(self.run_board(*flags, "--json").stdout)
        self.assertEqual(report["unreadable"], [])
        self.assertEqual(len(report["missing"]), 1)
        self.assertIn("'missing' does not exist", report["missing"][0])

    def test_nothing_to_show(self):
        self.assert_complains(
            self.run_board("inspect", "--logdir", "missing"), 1, "log directory 'missing' does not exist; check"
        )
        (self.directory / "empty").mkdir()
        run = self.run_board("inspect", "--logdir", "empty")
        self.assert_complains(run, 1, "there are no event files below 'empty'; choose")
        self.assertEqual(run.stderr.count("\n"), 1)
        self.assert_complains(self.run_board("inspect"), 2, "--logdir DIR")


if __name__ == "__main__":
    unittest.main()
