"""compression-board import."""

import json
import os
import re
import signal
import struct
import subprocess
import time
import unittest

from event_files import scalars
from program import DATA, PROGRAM, ProgramTest

MODEL = {
    "fp32": {"accuracy": 0.75, "latency_mean_ms": 10.0, "model_size_mb": 40.0},
    "int8": {"accuracy": 0.5, "latency_mean_ms": 5.0, "model_size_mb": 10.0},
}


def as_float(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


class ImportTest(ProgramTest):
    def write_models(self, name, **models):
        return self.write(name, json.dumps(models))

    def files_below(self, directory):
        return sorted(
            str(path.relative_to(self.directory))
            for path in (self.directory / directory).rglob("*tfevents*")
        )

    def test_writes_what_the_table_says(self):
        self.write_models("results.json", resnet=MODEL)
        run = self.run_board("import", "results.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "")
        lines = run.stdout.splitlines()
        self.assertRegex(
            lines[0],
            r"^'results.json': 1 model, \d+ values in 'runs/compression_benchmark/results', "
            r"HParams rows in 'runs/compression_benchmark/results_hparams'$",
        )
        self.assertEqual(
            lines[1].split(), "model variant metrics size ratio speedup accuracy drop AURORA".split()
        )
        self.assertEqual(lines[2].split()[:6], ["resnet", "int8", "3", "4.00x", "2.00x", "0.2500"])
        self.assertEqual(
            lines[-4:],
            [
                "To look at it:",
                "  compression-board --logdir runs/compression_benchmark/results",
                "  tensorboard --logdir runs/compression_benchmark/results",
                "  tensorboard --logdir runs/compression_benchmark/results_hparams  (the HPARAMS page)",
            ],
        )
        written = scalars(self.directory / "runs/compression_benchmark/results/resnet")
        self.assertEqual(written["resnet/metrics/accuracy/fp32"], [(0, 0.75)])
        self.assertEqual(written["resnet/metrics/accuracy/int8"], [(0, 0.5)])
        self.assertEqual(written["resnet/compression/size_ratio"], [(0, 4.0)])
        self.assertEqual(written["resnet/compression/speedup"], [(0, 2.0)])
        self.assertEqual(written["resnet/compression/accuracy_drop"], [(0, 0.25)])

    def test_logdir_with_blanks_and_step(self):
        self.write_models("my results.json", resnet=MODEL)
        run = self.run_board("import", "my results.json", "--logdir", "my logs", "--step", "7")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("compression-board --logdir 'my logs'\n", run.stdout)
        written = scalars(self.directory / "my logs/resnet")
        self.assertEqual({step for points in written.values() for step, _ in points}, {7})

    def test_real_results_keep_every_model_and_figure(self):
        files = sorted(DATA.glob("*.json"))
        self.assertGreater(len(files), 0)
        run = self.run_board("import", *files, "--logdir", "logs")
        self.assertEqual(run.returncode, 0, run.stderr)
        for file in files:
            for model, entry in json.loads(file.read_text()).items():
                if not isinstance(entry, dict) or not {"fp32", "int8"} <= entry.keys():
                    continue
                written = scalars(self.directory / "logs" / file.stem / model)
                for variant in ("fp32", "int8"):
                    self.assertEqual(
                        written[f"{model}/metrics/accuracy/{variant}"],
                        [(0, as_float(entry[variant]["accuracy"]))],
                    )

    def test_several_files_get_a_directory_each_even_with_the_same_name(self):
        self.write_models("a/results.json", one=MODEL)
        self.write_models("b/results.json", two=MODEL)
        run = self.run_board("import", "a/results.json", "b/results.json", "--logdir", "logs")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue((self.directory / "logs/results/one").is_dir())
        self.assertTrue((self.directory / "logs/results_2/two").is_dir())
        self.assertIn("  compression-board --logdir logs\n", run.stdout)

    def test_no_file_gets_the_place_of_another_or_of_its_hparams(self):
        for name in ("a/r.json", "b/r.json", "r_2.json", "r_hparams.json"):
            self.write_models(name, **{name[0]: MODEL})
        run = self.run_board("import", "a/r.json", "b/r.json", "r_2.json", "r_hparams.json", "--logdir", "logs")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(
            sorted(name for name in os.listdir(self.directory / "logs") if not name.endswith("_hparams")),
            ["r", "r_2", "r_2_2", "r_hparams_2"],
        )

    def test_a_size_of_zero_gives_no_ratio_and_is_named(self):
        broken = {"fp32": dict(MODEL["fp32"], model_size_mb=0), "int8": MODEL["int8"]}
        self.write_models("results.json", resnet=broken)
        run = self.run_board("import", "results.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("left out 'resnet' size_ratio: model_size_mb of 'fp32' is 0\n", run.stdout)
        written = scalars(self.directory / "runs/compression_benchmark/results/resnet")
        self.assertNotIn("resnet/compression/size_ratio", written)
        self.assertNotIn("resnet/compression/size_reduction_pct", written)

    def test_control_c_leaves_whole_runs_and_says_what_is_missing(self):
        self.write("results.json", json.dumps({f"m{i:05}": MODEL for i in range(5000)}))
        process = self.start_board("import", "results.json", "--logdir", "logs")
        while process.poll() is None and not (self.directory / "logs").is_dir():
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, -signal.SIGINT)
        whole = re.search(r"interrupted; run it again to complete it; ([\d,]+) of 5,000 models are whole in 'logs'; not written", stderr)
        self.assertIsNotNone(whole, stderr)
        runs = os.listdir(self.directory / "logs")
        self.assertEqual(len(runs), int(whole[1].replace(",", "")))
        for run in runs:
            self.assertIn(f"{run}/compression/speedup", scalars(self.directory / "logs" / run))

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.write_models("results.json", resnet=MODEL)
        with open("/dev/full", "w") as full:
            process = subprocess.run(
                [PROGRAM, "import", "results.json"], cwd=self.directory, stdout=full,
                stderr=subprocess.PIPE, text=True,
            )
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot write to standard output", process.stderr)

    def test_names_cannot_leave_the_directory_or_steer_the_terminal(self):
        evil = ["../../evil", "/etc/evil", "..", ".", "", "a/b", "a b", "\x1b[31mred", "\u202egnp.exe", "x" * 5000]
        self.write("results.json", json.dumps({name: MODEL for name in evil}))
        run = self.run_board("import", "results.json", "--logdir", "logs/deep", "--verbose")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assert_printable(run.stdout)
        self.assertNotIn("\u202e", run.stdout)
        self.assertEqual(sorted(os.listdir(self.directory)), ["logs", "results.json"])
        self.assertEqual(sorted(os.listdir(self.directory / "logs")), ["deep", "deep_hparams"])
        self.assertEqual(len(os.listdir(self.directory / "logs/deep")), len(evil))

    def test_broken_json_names_line_and_column(self):
        self.write("broken.json", '{\n  "resnet": {\n    "fp32" 1\n  }\n}\n')
        run = self.run_board("import", "broken.json")
        self.assert_complains(run, 1, "broken.json:3:", "expected ':'")
        self.assertEqual(run.stdout, "")
        self.assertFalse((self.directory / "runs").exists())

    def test_files_that_cannot_be_read(self):
        self.assert_complains(self.run_board("import", "missing.json"), 1, "'missing.json'", "No such file")
        self.assert_complains(self.run_board("import", "."), 1, "directory")
        for name, content in {
            "empty.json": b"",
            "list.json": b"[]",
            "object.json": b"{}",
            "binary.json": bytes(range(256)),
            "deep.json": b"[" * 100_000,
        }.items():
            with self.subTest(name):
                self.write(name, content)
                self.assert_complains(self.run_board("import", name), 1, name)

    def test_the_good_files_are_imported_beside_a_bad_one(self):
        self.write_models("good.json", resnet=MODEL)
        self.write("bad.json", "{")
        run = self.run_board("import", "bad.json", "good.json", "--logdir", "logs")
        self.assert_complains(run, 1, "bad.json:1:")
        self.assertTrue((self.directory / "logs/good/resnet").is_dir())
        self.assertIn("'good.json': 1 model", run.stdout)

    def test_skipped_models_are_named_with_the_reason(self):
        self.write_models("results.json", resnet=MODEL, lonely={"fp32": {"accuracy": 0.5}})
        run = self.run_board("import", "results.json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"(?m)^  skipped 'lonely': .*fp32")

    def test_nothing_to_import_is_a_failure(self):
        self.write_models("results.json", lonely={"fp32": {"accuracy": 0.5}})
        run = self.run_board("import", "results.json")
        self.assertEqual(run.returncode, 1)
        self.assertIn("'results.json': nothing was imported\n", run.stdout)
        self.assertIn("skipped 'lonely'", run.stdout)
        self.assertEqual(self.files_below("."), [])

    def test_a_directory_that_cannot_be_written(self):
        self.write_models("results.json", resnet=MODEL)
        self.write("file", "in the way")
        self.assert_complains(
            self.run_board("import", "results.json", "--logdir", "file"), 1, "'results.json' was not imported", "file"
        )

    def test_long_lists_are_cut_unless_asked_for(self):
        self.write("results.json", json.dumps({f"model{i:03}": MODEL for i in range(60)}))
        short = self.run_board("import", "results.json", "--logdir", "a").stdout
        self.assertIn("… and 20 more; --verbose lists them all", short)
        self.assertNotIn("model059", short)
        self.assertIn("model059", self.run_board("import", "results.json", "--logdir", "b", "--verbose").stdout)

    def test_wrong_usage(self):
        self.assert_complains(self.run_board("import"), 2, "FILE is required")
        self.assert_complains(self.run_board("import", "x.json", "--step", "many"), 2, "--step")


if __name__ == "__main__":
    unittest.main()
