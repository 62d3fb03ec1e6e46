"""compression-board profile must not affect the command, and its log must be complete."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import unittest

from event_files import scalars
from program import PROGRAM, ProgramTest


class ProfileTest(ProgramTest):
    def profile(self, *command):
        return self.run_board("profile", "--logdir", "my log", "--interval", "0.05", "--", *command)

    def logged(self):
        return scalars(self.directory / "my log")

    def test_output_and_exit_code_pass_through(self):
        run = self.profile("sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual(run.returncode, 7)
        self.assertEqual(run.stdout, "out\n")
        lines = run.stderr.splitlines()
        self.assertEqual(lines[0], "err")
        self.assertEqual(len(lines), 4)
        self.assertIn("'sh' ended with exit code 7", lines[1])
        self.assertIn("s of CPU time", lines[2])
        self.assertEqual(lines[3], "compression-board: to view the log, run: compression-board --logdir 'my log'")

    def test_curves_and_summary_are_logged(self):
        run = self.profile("sleep", "0.5")
        self.assertEqual(run.returncode, 0, run.stderr)
        logged = self.logged()
        steps = [step for step, _ in logged["hardware/memory/system_used_mb"]]
        self.assertEqual(steps, list(range(len(steps))))
        self.assertGreaterEqual(len(steps), 2)
        self.assertIn("hardware/cpu/percent", logged)
        self.assertIn("hardware/cpu/core_0_percent", logged)
        self.assertIn("hardware/summary/cpu/percent_mean", logged)
        self.assertGreater(logged["hardware/summary/memory/process_rss_mb_max"][0][1], 0)
        self.assertGreaterEqual(logged["hardware/command/wall_seconds"][0][1], 0.5)
        self.assertEqual(logged["hardware/command/exit_code"][0][1], 0)

    def test_a_command_killed_by_a_signal_ends_us_the_same_way_with_a_whole_log(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGSEGV):
            with self.subTest(number):
                run = self.profile("sh", "-c", f"kill -{int(number)} $$")
                self.assertEqual(run.returncode, -number)
                self.assertIn(f"was ended by {number.name}", run.stderr)
                self.assertEqual(self.logged()["hardware/command/exit_code"][-1][1], 128 + number)

    def test_signals_are_passed_on_to_the_command(self):
        command = "import signal, sys\n"
        for name, code in (("SIGINT", 41), ("SIGTERM", 42), ("SIGHUP", 43), ("SIGUSR1", 44)):
            command += f"signal.signal(signal.{name}, lambda *_: sys.exit({code}))\n"
        command += "print('ready', flush=True)\nsignal.pause()\n"
        for number, code in ((signal.SIGINT, 41), (signal.SIGTERM, 42), (signal.SIGHUP, 43), (signal.SIGUSR1, 44)):
            with self.subTest(number):
                process = self.start_board("profile", "--logdir", "my log", "--", sys.executable, "-c", command)
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                _, stderr = process.communicate(timeout=60)
                self.assertEqual(process.returncode, code, stderr)
                self.assertEqual(self.logged()["hardware/command/exit_code"][-1][1], code)

    def test_control_c_on_the_terminal_reaches_the_command_once(self):
        command = (
            "import signal, time\n"
            "hits = []\n"
            "signal.signal(signal.SIGINT, lambda *_: hits.append(1))\n"
            "print('ready', flush=True)\n"
            "while not hits: time.sleep(0.01)\n"
            "time.sleep(0.5)\n"
            "print('hits', len(hits), flush=True)\n"
        )
        main, sub = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "profile", "--logdir", "log", "--", sys.executable, "-c", command],
            cwd=self.directory, stdin=sub, stdout=sub, stderr=sub, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(sub)
        self.addCleanup(os.close, main)
        self.addCleanup(process.kill)
        output = b""
        while select.select([main], [], [], 60)[0]:
            try:
                chunk = os.read(main, 4096)
            except OSError:  # The other end of the terminal is closed.
                break
            if not chunk:
                break
            if b"ready" in chunk:
                os.write(main, b"\x03")
            output += chunk
        self.assertEqual(process.wait(timeout=60), 0, output)
        self.assertIn(b"hits 1", output)

    def test_commands_that_cannot_be_run(self):
        self.assert_complains(self.profile("/no/such/program"), 127, "cannot run '/no/such/program': No such file")
        self.write("plain", "not a program")
        self.assert_complains(self.profile("./plain"), 126, "cannot run './plain'")
        self.assert_complains(self.profile("."), 126, "cannot run '.'")
        self.assert_complains(self.profile("no-such-program"), 127, "cannot run 'no-such-program': No such file")
        self.assertFalse((self.directory / "my log").exists(), "an empty run was left behind")

    def test_a_log_that_cannot_be_written_stops_before_the_command_runs(self):
        self.write("file", "in the way")
        run = self.run_board("profile", "--logdir", "file", "--", "touch", "started")
        self.assert_complains(run, 125, "file")
        self.assertFalse((self.directory / "started").exists())

    def test_the_default_directory_is_named_after_the_program(self):
        self.assertEqual(self.run_board("profile", "--", "/bin/sh", "-c", "true").returncode, 0)
        (directory,) = (self.directory / "runs/profile").iterdir()
        self.assertRegex(directory.name, r"^sh_\d{8}-\d{6}$")

    def test_flags_behind_the_command_are_its_own(self):
        run = self.run_board("profile", "--logdir", "log", "echo", "--interval", "x", "--", "--help")
        self.assertEqual(run.stdout, "--interval x -- --help\n")

    def test_wrong_usage(self):
        self.assert_complains(self.run_board("profile"), 2, "no command is given")
        self.assert_complains(self.run_board("profile", "--bogus", "--", "true"), 2, "'--bogus'")
        for interval in ("0", "-1", "x", "nan"):
            with self.subTest(interval):
                self.assert_complains(
                    self.run_board("profile", "--interval", interval, "--", "true"), 2, "--interval"
                )


if __name__ == "__main__":
    unittest.main()
