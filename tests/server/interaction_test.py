"""What happens on the page when somebody points, clicks and types."""

import os
import pathlib
import tempfile
import unittest

from browser import INSTALLED, Browser
from running_board import RunningBoard, import_data

FIRST_CELLS = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[0].textContent)"


@unittest.skipUnless(INSTALLED, "chromium is not installed")
class InteractionTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard page ", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.logdir = self.directory / "runs"
        import_data(self.logdir, "torchvision_quantized.json", "onnx_model_zoo_int8.json")

    def start(self, *flags, address="", **size):
        board = self.enterContext(RunningBoard("--logdir", self.logdir, *flags))
        browser = self.enterContext(Browser(self.directory / "profile", **size))
        browser.open(f"http://127.0.0.1:{board.port}{board.path}{address}")
        browser.wait_for("document.querySelectorAll('tbody tr').length > 0")
        self.addCleanup(lambda: self.assertEqual(browser.problems, []))
        return board, browser

    def keep(self, browser, name):
        if folder := os.environ.get("CBOARD_SCREENSHOTS"):
            browser.screenshot(pathlib.Path(folder) / f"{name}.png")

    def test_the_worst_comes_first_and_a_click_sorts(self):
        _, browser = self.start()
        self.assertEqual(browser.evaluate(FIRST_CELLS)[0], "efficientnet_lite4_qdq")
        browser.click("th:first-child button")
        names = browser.evaluate(FIRST_CELLS)
        self.assertEqual(len(names), 50)
        self.assertEqual(names[0], "alexnet_qdq")
        browser.click("th:first-child button")
        self.assertEqual(browser.evaluate(FIRST_CELLS)[-1], "alexnet_qdq")

    def test_the_filter_holds_for_everything(self):
        _, browser = self.start()
        browser.press("/")
        browser.type("shuffle torch")
        browser.wait_for("document.querySelectorAll('tbody tr').length === 4")
        self.assertEqual(browser.evaluate("document.querySelectorAll('.plot .pair').length"), 4)
        self.assertEqual(browser.evaluate("document.querySelector('.tile .figure').textContent"), "4")
        browser.press("Escape")
        browser.wait_for("document.querySelectorAll('tbody tr').length === 50")

    def test_pointing_lights_the_model_everywhere(self):
        _, browser = self.start()
        browser.move_to("tbody tr td")
        browser.wait_for("document.querySelectorAll('.plot .pair.hot').length === 1")
        browser.move_to(".plot .pair .mark-b")
        browser.wait_for("document.querySelector('.readout.on')")
        self.keep(browser, "hover")
        self.assertIn("Accuracy", browser.evaluate("document.querySelector('.readout').innerText"))
        self.assertEqual(browser.evaluate("document.querySelectorAll('tr.hot').length"), 1)

    def test_the_theme_can_be_switched(self):
        _, browser = self.start()
        colour = "getComputedStyle(document.body).backgroundColor"
        before = browser.evaluate(colour)
        browser.click("#theme")
        self.assertNotEqual(browser.evaluate(colour), before)
        self.keep(browser, "theme")

    def test_runs_lead_to_tags_and_tags_to_a_chart(self):
        _, browser = self.start("--path_prefix", "/board")
        browser.click(".nav a[data-page=runs]")
        browser.wait_for("document.querySelectorAll('.run-list li').length > 100")
        browser.evaluate("document.querySelector('.run-list a').click()")
        browser.wait_for("document.querySelectorAll('a.tag-link').length > 0")
        browser.click("a.tag-link")
        browser.wait_for("document.querySelector('.line-plot .series')")
        browser.move_to(".line-plot")
        browser.wait_for("document.querySelector('.readout.on')")
        self.keep(browser, "runs")

    def test_new_runs_appear_without_a_reload(self):
        _, browser = self.start("--reload_interval", "0.1")
        import_data(self.logdir / "more", "inc_validated_models.json")
        browser.wait_for("document.querySelectorAll('tbody tr').length > 100")

    def test_nothing_is_wider_than_a_phone(self):
        _, browser = self.start(width=390, height=844)
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        self.assertEqual(browser.evaluate("document.documentElement.scrollWidth"), 390)
        self.assertLessEqual(browser.evaluate("document.getElementById('main').scrollWidth"), 390)
        browser.evaluate("document.querySelector('.table').scrollIntoView()")
        self.keep(browser, "phone")


if __name__ == "__main__":
    unittest.main()
