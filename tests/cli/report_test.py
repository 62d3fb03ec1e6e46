"""compression-board report."""

import json
import unittest
from html.parser import HTMLParser

from event_files import record, scalar_event
from program import ProgramTest

VALUES = {
    "alexnet/metrics/accuracy/fp32": 0.9945,
    "alexnet/metrics/accuracy/int8": 0.9945,
    "alexnet/performance/model_size_mb/fp32": 217.61,
    "alexnet/performance/model_size_mb/int8": 9.42,
    "mobilenet/metrics/accuracy/fp32": 0.7404,
    "mobilenet/metrics/accuracy/int8": 0.73,
}


class Document(HTMLParser):
    """Reads the file independently: its elements, its text, and whether elements nest correctly."""

    VOID = {"meta", "br"}

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.text = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.text += data


class ReportTest(ProgramTest):
    def setUp(self):
        super().setUp()
        events = b"".join(record(scalar_event(tag, value, 0)) for tag, value in VALUES.items())
        self.write("logs/models/events.out.tfevents.1.host", events)

    def report(self, *arguments):
        run = self.run_board("report", "--logdir", "logs", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def test_writes_one_file_that_nests_and_refers_to_nothing(self):
        self.assertEqual(self.report("-o", "out.html").stdout, "wrote out.html\n")
        document = Document((self.directory / "out.html").read_text())
        self.assertEqual(document.open, [])
        self.assertIn("1 of 2 models fails by the policy “balanced”.", document.text)
        for tag, attributes in document.elements:
            self.assertNotIn(tag, {"script", "link", "img", "iframe", "a"})
            self.assertFalse({"src", "href", "style"} & attributes.keys(), tag)

    def test_goes_to_standard_output(self):
        self.assertTrue(self.report("-o", "-").stdout.startswith("<!doctype html>"))

    def test_keeps_to_what_was_asked_for(self):
        html = self.report("-o", "-", "--model", "alexnet", "--section", "gates", "--title", "For us").stdout
        text = Document(html).text
        self.assertIn("For us", text)
        self.assertNotIn("mobilenet", text)
        self.assertNotIn("Missing measurements", text)

    def test_judges_a_contract(self):
        contract = {"gates": [{"id": "small", "metric": {"name": "model_size_mb"}, "absolute": {"max": 5}}]}
        self.write("contract.json", json.dumps(contract).encode())
        html = self.report("-o", "-", "--contract", "contract.json").stdout
        self.assertIn("model_size_mb is 9.42, above the most, 5", Document(html).text)

    def test_says_what_is_wrong(self):
        for arguments, code, said in [
            (["--logdir", "logs", "--section", "weather"], 2, "unknown section 'weather'"),
            (["--logdir", "logs", "--policy", "lax"], 2, "unknown policy 'lax'"),
            (["--logdir", "logs", "--model", "vgg"], 1, "unknown model 'vgg'"),
            (["--logdir", "logs", "--contract", "none.json"], 1, "none.json"),
            ([], 2, "no log directory is given"),
        ]:
            run = self.run_board("report", *arguments)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertIn(said, run.stderr)
        self.assertFalse((self.directory / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
