"""compression-board demo."""

import json
import pathlib
import unittest

from program import DATA, ProgramTest

DIGITS = DATA.parent / "build" / "digits" / "digits.csv.gz"  # Created by scripts/fetch-digits.


class DemoTest(ProgramTest):
    def demo(self, *arguments):
        return self.run_board("demo", "--write-only", "--data", DATA, *arguments)

    def test_fills_every_page_with_what_it_measured(self):
        run = self.demo("--digits", DIGITS, "--logdir", "board")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "")
        self.assertIn("compression-board --logdir board", run.stdout)
        report = json.loads(self.run_board("inspect", "--logdir", "board", "--json").stdout)
        tags = {
            (run["name"], tag["tag"]): tag for run in report["runs"] for tag in run["tags"]
        }
        accuracy = {
            variant: tags["digits", f"digits_cnn/metrics/accuracy/{variant}"]["last_value"]
            for variant in ("fp32", "int8", "int8_per_tensor", "w4a8", "w4a8_qat", "pruned50")
        }
        # The network has learned, and 8 bits hardly reduce its accuracy.
        self.assertGreater(accuracy["fp32"], 0.93)
        self.assertGreater(accuracy["int8"], accuracy["fp32"] - 0.02)
        size = {
            variant: tags["digits", f"digits_cnn/performance/model_size_mb/{variant}"]["last_value"]
            for variant in accuracy
        }
        self.assertGreater(size["fp32"] / size["int8"], 3.5)
        self.assertGreater(size["fp32"] / size["w4a8"], 6)
        kinds = {tag["kind"] for tag in tags.values()}
        self.assertLessEqual({"scalar", "histogram", "image", "text", "pr_curve", "hparams", "mesh"}, kinds)
        self.assertEqual(tags["digits", "digits_cnn/layers/conv1/output/int8"]["kind"], "histogram")
        self.assertGreater(tags["digits_training/fp32", "digits_fp32/validation/accuracy"]["count"], 10)
        self.assertIn(("digits", "digits_cnn/per_class/accuracy/8/int8"), tags)
        self.assertGreater(tags["hardware", "hardware/phase/text_summary"]["count"], 3)
        for variant in accuracy:
            self.assert_reads(variant, accuracy[variant], tags)
        self.assertEqual(tags["digits_training/fp32", "digits/in_fc0_1"]["kind"], "mesh")
        self.assertGreater(tags["digits_training/fp32", "while_training/macro_average"]["count"], 5)
        # A range that is too small for one layer reduces the accuracy; keeping the layer in float
        # restores it.
        trial = {
            name.split("/")[1].split("_acc_")[0]: float(name.split("_acc_")[1])
            for name, _ in tags
            if name.startswith("eval/") and "_acc_" in name
        }
        self.assertEqual(set(trial), {"baseline"} | {f"tune_{i}" for i in range(1, 7)})
        self.assertLess(trial["tune_1"], trial["baseline"] - 0.05)
        self.assertGreater(trial["tune_2"], trial["baseline"] - 0.02)
        stages = "stages/tensorboard_logs"
        self.assertIn((f"{stages}/initial_graph", "Resources"), tags)
        self.assertEqual(tags[f"{stages}/thresholds_selection/max_per_channel", "conv1"]["count"], 16)
        self.assertIn((f"{stages}/figures", "similarity_distance_sample_19"), tags)
        self.assertIn(("hardware", "hardware/memory/process_rss_mb"), tags)

        mine = self.write("board/digits/mine.txt", "precious")
        again = self.demo("--digits", DIGITS, "--logdir", "board")
        self.assertEqual(again.returncode, 0, again.stderr)
        runs = json.loads(self.run_board("inspect", "--logdir", "board", "--json").stdout)["runs"]
        self.assertEqual(len(runs), len(report["runs"]), "the second demo replaces the first")
        self.assertEqual(mine.read_text(), "precious")

    def assert_reads(self, variant, accuracy, tags):
        """Checks that the logged predictions of a variant agree with its logged accuracy."""
        run = f"digits_variants/{variant}"
        for tag in ["all_digits/macro_average"] + [f"digit/{digit}" for digit in range(10)]:
            self.assertEqual(tags[run, tag]["kind"], "pr_curve")
        files = self.directory / "board" / run / "00000" / "fc0"
        header, *rows = (files / "metadata.tsv").read_text().splitlines()
        self.assertEqual(header.split("\t")[:3], ["digit", "read as", "right"])
        cells = [row.split("\t") for row in rows]
        right = sum(digit == read_as for digit, read_as, *_ in cells)
        self.assertEqual(right, sum(row[2] == "right" for row in cells))
        self.assertAlmostEqual(right / len(rows), accuracy, places=6)
        tensor = (files / "tensors.tsv").read_text().splitlines()
        self.assertEqual((len(tensor), len(tensor[0].split("\t"))), (len(rows), 32))
        self.assertTrue((files / "sprite.png").read_bytes().startswith(b"\x89PNG"))
        if variant in ("fp32", "int8", "w4a8"):
            self.assertEqual(tags[run, "loss/around_the_weights_1"]["kind"], "mesh")

    def test_leaves_what_it_has_not_made(self):
        kept = self.write("mine/notes.txt", "precious")
        run = self.demo("--digits", DIGITS, "--logdir", "mine")
        self.assert_complains(run, 1, "'mine' is not empty", "--logdir")
        self.assertEqual(kept.read_text(), "precious")

    def test_a_built_program_finds_everything_in_its_source_tree(self):
        # The log directory is checked last, just before training.
        self.write("mine/notes.txt", "precious")
        run = self.run_board("demo", "--write-only", "--logdir", "mine")
        self.assert_complains(run, 1, "'mine' is not empty")

    def test_says_how_to_get_the_digits(self):
        run = self.demo("--digits", pathlib.Path("nowhere.csv.gz"), "--logdir", "board")
        self.assert_complains(run, 1, "'nowhere.csv.gz' does not exist", "scripts/fetch-digits")

    def test_what_is_wrong_is_said_before_the_last_demo_is_replaced(self):
        last = self.write("board/.compression-board-demo", "the last one")
        for exit_code, said, *flags in [
            (1, "cannot find the directory 'nowhere'", "--data", "nowhere", "--digits", DIGITS),
            (1, "does not exist", "--data", DATA, "--digits", "nowhere.csv.gz"),
            (2, "there is no flag '--prot'; is it --port?", "--data", DATA, "--digits", DIGITS, "--prot", "7"),
        ]:
            run = self.run_board("demo", "--write-only", "--logdir", "board", *flags)
            self.assert_complains(run, exit_code, said)
            self.assertEqual(last.read_text(), "the last one")


if __name__ == "__main__":
    unittest.main()
