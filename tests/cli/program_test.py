"""Tests the program as a whole: help, version, and errors for wrong command lines."""

import os
import resource
import signal
import subprocess
import unittest

from event_files import record, scalar_event
from program import PROGRAM, ProgramTest


class ProgramAsAWholeTest(ProgramTest):
    def test_help_lists_every_command_and_goes_to_standard_output(self):
        for flag in ("--help", "-h", "help"):
            run = self.run_board(flag)
            self.assertEqual(run.returncode, 0)
            self.assertEqual(run.stderr, "")
            for command in ("import", "inspect", "profile"):
                self.assertIn(f"\n  {command} ", run.stdout)
            self.assertIn("Examples:", run.stdout)

    def test_each_command_explains_itself_with_an_example(self):
        for command in ("import", "inspect", "export", "report", "model", "compare", "profile", "demo"):
            run = self.run_board(command, "--help")
            self.assertEqual(run.returncode, 0)
            self.assertIn(f"Usage: compression-board {command}", run.stdout)
            self.assertIn(f"Example: compression-board {command}", run.stdout)
            self.assertNotIn("\n\n\n", run.stdout)
            self.assertLessEqual(max(map(len, run.stdout.splitlines())), 100)

    def test_version(self):
        run = self.run_board("--version")
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stdout, r"^compression-board \d+\.\d+\.\d+\n$")

    def test_a_reader_that_stops_early_ends_the_program_quietly(self):
        # Nobody reads the pipe, as after `| head`; Python starts programs with SIGPIPE ignored.
        read_end, write_end = os.pipe()
        os.close(read_end)
        run = subprocess.run([PROGRAM, "--help"], stdout=write_end, stderr=subprocess.PIPE, text=True,
                             restore_signals=False, timeout=60)  # fmt: skip
        os.close(write_end)
        self.assertEqual((run.stderr, run.returncode), ("", -signal.SIGPIPE))

    def test_a_file_over_the_size_limit_is_an_error(self):
        # The system sends SIGXFSZ, which by default ends a program.
        events = record(b"\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0dbrain.Event:2")
        events += b"".join(record(scalar_event("loss", step, step)) for step in range(1000))
        self.write("runs/tfevents", events)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
        run = subprocess.run([PROGRAM, "export", "--logdir", str(self.directory / "runs"), "-o",
                              str(self.directory / "out.csv")], preexec_fn=limit, stderr=subprocess.PIPE,
                             text=True, timeout=60)  # fmt: skip
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("File too large", run.stderr)
        self.assertEqual([path.name for path in self.directory.iterdir()], ["runs"])

    def test_completion_offers_commands_flags_and_nothing_else(self):
        run = self.run_board("--list-commands")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        commands = run.stdout.split()
        self.assertTrue({"serve", "compare", "check", "import"} <= set(commands), commands)
        for command in commands:
            flags = self.run_board(command, "--list-flags")
            self.assertEqual((flags.returncode, flags.stderr), (0, ""), command)
            listed = set(flags.stdout.split())
            shown = self.run_board(command, "--help").stdout
            self.assertIn("--help", listed)
            for flag in listed:
                self.assertIn(flag, shown, command)

    def test_without_arguments_it_shows_the_help_as_a_complaint(self):
        run = self.run_board()
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stdout, "")
        self.assertIn("Usage: compression-board", run.stderr)

    def test_unknown_commands(self):
        self.assert_complains(self.run_board("bogus"), 2, "there is no command 'bogus'", "--help")
        self.assert_complains(self.run_board("\x1b[31mred"), 2, r"'\x1b[31mred'")

    def test_a_directory_or_json_file_in_place_of_a_command_gets_a_hint(self):
        (self.directory / "my runs").mkdir()
        self.assert_complains(
            self.run_board("my runs"), 2, "is a directory", "compression-board --logdir 'my runs'"
        )
        self.write("results.json", "{}")
        self.assert_complains(self.run_board("results.json"), 2, "compression-board import results.json")

    def test_wrong_flags_name_the_flag_and_the_help(self):
        for command in (["import", "x.json"], ["inspect"]):
            self.assert_complains(
                self.run_board(*command, "--bogus"), 2, "--bogus", f"compression-board {command[0]} --help"
            )

    def test_a_flag_that_is_nearly_one_is_guessed(self):
        for typed, meant in (("--log-dir", "--logdir"), ("--jsn", "--json"), ("--logdirs=x", "--logdir")):
            self.assert_complains(self.run_board("inspect", typed), 2, f"is it {meant}?")
        run = self.run_board("inspect", "--colour")
        self.assert_complains(run, 2, "there is no flag '--colour'")
        self.assertNotIn("is it", run.stderr)
        self.assert_complains(self.run_board("inspect", "runs"), 2, "'runs' is one word too many")
        self.assert_complains(self.run_board("inspect", "--logdir"), 2, "--logdir needs a DIR")
        self.assert_complains(self.run_board("inspect", "--run", "a", "--run", "b"), 2, "--run may be given only once")

    def test_a_word_where_a_number_should_be_is_named(self):
        self.assert_complains(
            self.run_board("model", "x", "--top", "ten"), 2, "'--top = ten' is not a number", "model --help"
        )

    def test_a_count_below_zero_is_no_large_one(self):
        for command, flag in (
            (["model", "x"], "--top"),
            (["compare", "x", "y"], "--samples"),
            (["compare", "x", "y"], "--verify"),
        ):
            self.assert_complains(
                self.run_board(*command, flag, "-1"), 2, f"{flag}: '-1' is less than 0", f"{command[0]} --help"
            )

    def test_a_closed_pipe_ends_it_quietly(self):
        process = self.start_board("--help")
        process.stdout.close()
        process.wait(timeout=60)
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()


if __name__ == "__main__":
    unittest.main()
