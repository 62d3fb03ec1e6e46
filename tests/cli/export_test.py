"""compression-board export."""

import csv
import io
import json
import math
import os
import resource
import signal
import struct
import subprocess
import unittest

from event_files import record, scalar_event
from program import PROGRAM, ProgramTest


class ExportTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(
            "logs/train/events.out.tfevents.1.host",
            b"".join(record(scalar_event("loss", 0.1 * step, step, 1e9 + step / 7)) for step in range(1, 6)),
        )
        self.write(
            'logs/a,"b/events.out.tfevents.1.host',
            record(scalar_event("odd\ntag", math.nan, 7)) + record(scalar_event("loss", -math.inf, 2**40)),
        )

    def export(self, *arguments):
        run = self.run_board("export", "--logdir", "logs", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def test_csv_has_a_row_per_point_with_exact_decimals(self):
        self.assertEqual(self.export("--format", "csv", "-o", "out.csv").stdout, "")
        with open(self.directory / "out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 7)
        loss = [row for row in rows if row["run"] == "train"]
        for step, row in enumerate(loss, 1):
            self.assertEqual((row["tag"], int(row["step"])), ("loss", step))
            self.assertEqual(float(row["wall_time"]), 1e9 + step / 7)
            self.assertEqual(float(row["value"]), struct.unpack("<f", struct.pack("<f", 0.1 * step))[0])
        odd = {row["tag"]: row for row in rows if row["run"] == 'a,"b'}
        self.assertEqual(odd["odd\ntag"]["value"], "nan")
        self.assertEqual((odd["loss"]["value"], odd["loss"]["step"]), ("-inf", str(2**40)))

    def test_standard_output_is_the_default(self):
        text = self.export("--runs", "^train$").stdout
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], ["run", "tag", "step", "wall_time", "value"])
        self.assertEqual({row[0] for row in rows[1:]}, {"train"})
        self.assertEqual(self.export("-o", "-").stdout, self.export().stdout)

    def test_json_has_columns(self):
        report = json.loads(self.export("--format", "json").stdout)
        self.assertEqual([run["run"] for run in report["runs"]], ['a,"b', "train"])
        (loss,) = report["runs"][1]["tags"]
        self.assertEqual((loss["tag"], loss["kind"], loss["plugin"]), ("loss", "scalar", "scalars"))
        self.assertEqual(loss["steps"], [1, 2, 3, 4, 5])
        self.assertEqual(loss["wall_times"], [1e9 + step / 7 for step in range(1, 6)])
        self.assertEqual(report["runs"][0]["tags"][1]["values"], ["NaN"])

    def test_patterns_choose_runs_and_tags(self):
        report = json.loads(self.export("--format", "json", "--tags", "^odd").stdout)
        self.assertEqual([tag["tag"] for run in report["runs"] for tag in run["tags"]], ["odd\ntag"])

    def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(self):
        for exit_code, fragment, arguments in (
            (2, "--runs: the search pattern '(' is not a valid regular expression", ("--logdir", "logs", "--runs", "(")),
            (1, "cannot create 'missing/out.csv': its parent directory does not exist: 'missing'", ("--logdir", "logs", "-o", "missing/out.csv")),
            (1, "no tag of any run matches --runs and --tags", ("--logdir", "logs", "--tags", "nothing", "-o", "out.csv")),
            (1, "log directory 'missing' does not exist", ("--logdir", "missing", "-o", "out.csv")),
            (1, "there are no event files below 'empty'", ("--logdir", "empty", "-o", "out.csv")),
            (2, "--logdir DIR", ()),
        ):
            (self.directory / "empty").mkdir(exist_ok=True)
            run = self.run_board("export", *arguments)
            self.assert_complains(run, exit_code, fragment)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            self.assertEqual(sorted(os.listdir(self.directory)), ["empty", "logs"])
        self.assertEqual(self.run_board("export", "--logdir", "logs", "--format", "xml").returncode, 2)

    def test_an_output_that_fills_up_leaves_the_old_file(self):
        self.write("out.csv", "old")
        run = self.run_board("export", "--logdir", "logs", "-o", "/dev/full")
        self.assert_complains(run, 1, "/dev/full", "No space left")
        self.assertEqual((self.directory / "out.csv").read_text(), "old")
        self.export("-o", "out.csv")
        self.assertIn("train,loss,1,", (self.directory / "out.csv").read_text())

    def test_parquet_is_a_file_or_goes_into_a_pipe(self):
        self.assertEqual(self.export("--format", "parquet", "-o", "out.parquet").stdout, "")
        content = (self.directory / "out.parquet").read_bytes()
        self.assertEqual((content[:4], content[-4:]), (b"PAR1", b"PAR1"))
        os.mkfifo(self.directory / "pipe")
        process = self.start_board("export", "--logdir", "logs", "--format", "parquet", "-o", "pipe")
        self.assertEqual((self.directory / "pipe").read_bytes(), content)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)

    def export_parquet(self, *arguments, **options):
        """Runs the program with another standard output, or with limits."""
        return subprocess.run(
            [PROGRAM, "export", "--logdir", "logs", "--format", "parquet", *arguments],
            cwd=self.directory, stderr=subprocess.PIPE, text=True, timeout=60, **options)

    def test_parquet_does_not_go_to_a_terminal(self):
        terminal, its_end = os.openpty()
        self.addCleanup(os.close, terminal)
        run = self.export_parquet("-o", "-", stdout=its_end)
        os.close(its_end)
        self.assert_complains(run, 2, "Parquet is a binary format and is not written to a terminal", "-o runs.parquet")
        self.assertEqual(run.stderr.count("\n"), 1)
        with self.assertRaises(OSError):  # No byte was written.
            os.read(terminal, 1)

    def test_parquet_that_does_not_fit_leaves_the_old_file(self):
        self.assert_complains(self.export_parquet("-o", "/dev/full"), 1, "/dev/full", "No space left")
        with open("/dev/full", "wb") as full:
            run = self.export_parquet(stdout=full)
        self.assert_complains(run, 1, "cannot write to standard output; check whether the disk is full")

        def end_files_early():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        self.write("out.parquet", "old")
        run = self.export_parquet("-o", "out.parquet", preexec_fn=end_files_early)
        self.assert_complains(run, 1, "File too large")
        self.assertEqual(sorted(os.listdir(self.directory)), ["logs", "out.parquet"])
        self.assertEqual((self.directory / "out.parquet").read_text(), "old")

    def test_model_explorer_takes_the_only_variant_that_has_the_figure(self):
        self.write(
            "logs/layers/events.out.tfevents.1.host",
            b"".join(
                record(scalar_event(f"net/layers/conv1/{figure}", value, 0))
                for figure, value in [("bytes/fp32", 64), ("bytes/int8", 16), ("sqnr_db/int8", 40)]
            ),
        )
        for chosen in [("--metric", "sqnr_db"), ()]:
            data = json.loads(self.export("--format", "model-explorer", *chosen).stdout)
            self.assertEqual(data["net"]["results"]["conv1"]["value"], 40)
        both = self.run_board("export", "--logdir", "logs", "--format", "model-explorer", "--metric", "bytes")
        self.assertIn("choose one with --variant: fp32, int8", both.stderr)

    def test_names_of_log_directories_are_part_of_the_runs(self):
        run = self.run_board("export", "--logdir_spec", "x:logs/train,y:logs", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)
        names = [entry["run"] for entry in json.loads(run.stdout)["runs"]]
        self.assertEqual(names, ["x/.", 'y/a,"b', "y/train"])


if __name__ == "__main__":
    unittest.main()
