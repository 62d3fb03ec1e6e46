"""The page in a real browser: what it shows of published figures, and of nothing."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from running_board import RunningBoard, import_data

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"


@unittest.skipUnless(os.access(CHROMIUM, os.X_OK), "chromium is not installed")
class PageTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard page ", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.logdir = self.directory / "runs"
        self.logdir.mkdir()

    def rendered(self, board, address="", *flags):
        """The page as it is after its scripts have run."""
        run = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0",
             f"--user-data-dir={self.directory / 'profile'}", "--virtual-time-budget=4000", *flags,
             "--dump-dom", f"http://127.0.0.1:{board.port}/{address}"],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        self.assertNotIn("Content Security Policy", run.stderr)
        self.assertNotIn("Uncaught", run.stderr)
        return run.stdout

    def test_overview_names_every_model(self):
        import_data(self.logdir, "torchvision_quantized.json")
        with RunningBoard("--logdir", self.logdir) as board:
            page = self.rendered(board)
            for model in set(board.json("/api/v1/comparison")[1]["models"]):
                self.assertIn(model, page)
        self.assertIn("3.97×", page)  # resnet18
        self.assertIn("not logged", page)
        self.assertIn("not logged: resnet18/performance/latency_ms/fp32", page)
        self.assertIn('class="front"', page)

    def test_a_run_shows_its_tags_and_a_chart(self):
        import_data(self.logdir, "torchvision_quantized.json")
        with RunningBoard("--logdir", self.logdir) as board:
            page = self.rendered(board, "#/runs?run=resnet18&tag=resnet18%2Fmetrics%2Faccuracy%2Fint8")
        self.assertIn("resnet18/compression/size_ratio", page)
        self.assertIn('class="series"', page)

    def test_an_empty_directory_says_what_to_do(self):
        with RunningBoard("--logdir", self.logdir) as board:
            page = self.rendered(board)
        self.assertIn("Nothing logged here yet", page)
        self.assertIn("compression-board import results.json", page)

    def test_names_from_files_stay_text(self):
        hostile = '<img src=x onerror="document.title=1">'
        (self.directory / "hostile.json").write_text(
            '{"%s": {"fp32": {"accuracy": 0.5}, "int8": {"accuracy": 0.25}}}' % hostile.replace('"', '\\"'))
        import_data(self.logdir, self.directory / "hostile.json")
        with RunningBoard("--logdir", self.logdir) as board:
            page = self.rendered(board)
        self.assertIn("&lt;img src=x onerror=", page)
        self.assertNotIn("<img src=x", page)


if __name__ == "__main__":
    unittest.main()
