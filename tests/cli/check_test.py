"""Runs compression-board check with contracts over real logs, like a CI job."""

import json
import os
import pty
import subprocess
import unittest
from xml.etree import ElementTree

from event_files import record, scalar_event
from program import DATA, PROGRAM, ProgramTest

PASSING = """\
baseline: fp32
gates:
  - id: quality
    role: quality
    metric: accuracy
    min: 0.6
    relative_degradation: {max_abs: 0.02}
    tags: {model: resnet18}
  - id: small
    metric: size_ratio
    min: 3
    tags: {model: resnet18}
"""

LAYERS = {
    "digits/layers/conv1/Conv/sqnr_db/int8": 38.0,
    "digits/layers/conv2/Conv/sqnr_db/int8": 12.75,
    "digits/layers/conv2/Conv/cosine/int8": 0.5,
    "digits/layers/head/Gemm/sqnr_db/int8": 25.0,
    "digits/layers/head/Gemm/cosine/int8": 0.75,
}


class Junit:
    """Another program's reading of the file; checks what every CI server relies on."""

    def __init__(self, xml):
        self.root = ElementTree.fromstring(xml)
        assert self.root.tag == "testsuites"
        self.cases = {}
        for suite in self.root:
            assert suite.tag == "testsuite" and suite.get("name"), suite.attrib
            cases = suite.findall("testcase")
            assert len(cases) == len(suite) == int(suite.get("tests"))
            for kind in ("failure", "error"):
                count = sum(case.find(kind) is not None for case in cases)
                assert count == int(suite.get(kind + "s")), suite.attrib
            for case in cases:
                assert case.get("name") and case.get("classname") and float(case.get("time")) >= 0
                assert len(case) <= 1
                self.cases[case.get("classname"), case.get("name")] = case
        for total in ("tests", "failures", "errors"):
            assert int(self.root.get(total)) == sum(int(suite.get(total)) for suite in self.root)


class Sarif:
    """Checks the requirements of SARIF 2.1.0 and of GitHub's code scanning for every file."""

    def __init__(self, text):
        self.root = json.loads(text)
        assert self.root["version"] == "2.1.0" and self.root["$schema"].endswith("sarif-2.1.0.json")
        (self.run,) = self.root["runs"]
        driver = self.run["tool"]["driver"]
        assert driver["name"] and driver["semanticVersion"]
        self.rules = {rule["id"]: rule for rule in driver["rules"]}
        assert len(self.rules) == len(driver["rules"])
        for rule in driver["rules"]:
            assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help")), rule
        (self.invocation,) = self.run["invocations"]
        assert isinstance(self.invocation["executionSuccessful"], bool)
        prints = set()
        for result in self.run["results"]:
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in ("error", "warning") and result["message"]["text"]
            (location,) = result["locations"]
            place = location["physicalLocation"]
            assert place["artifactLocation"]["uri"] and place["region"]["startLine"] >= 1
            prints.add(result["partialFingerprints"]["primaryLocationLineHash"])
        assert len(prints) == len(self.run["results"])

    def results(self):
        """Returns (rule, level, line, the layer or variant) of each result."""
        return [
            (result["ruleId"], result["level"],
             result["locations"][0]["physicalLocation"]["region"]["startLine"],
             result["locations"][0].get("logicalLocations", [{}])[0].get("name"))
            for result in self.run["results"]
        ]


class CheckTest(ProgramTest):
    def setUp(self):
        super().setUp()
        run = self.run_board("import", DATA / "torchvision_quantized.json", "--logdir", "runs")
        self.assertEqual(run.returncode, 0, run.stderr)

    def check(self, contract, *arguments, logdir="runs", name="contract.yaml"):
        self.write(name, contract)
        return self.run_board("check", name, "--logdir", logdir, *arguments)

    def write_layers(self, values=LAYERS):
        events = b"".join(record(scalar_event(tag, value, 0)) for tag, value in values.items())
        self.write("layers/events.out.tfevents.1.host", events)

    def results(self, run):
        return [(each["gate"], each["outcome"]) for each in json.loads(run.stdout)["results"]]

    def test_passes(self):
        run = self.check(PASSING)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = run.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["outcome", "gate", "model", "variant", "why"])
        self.assertRegex(lines[1], r"^pass +quality +resnet18 +int8 +accuracy is 0\.69\d+, 0\.69\d+ in 'fp32'$")
        self.assertEqual(lines[-1], "All 2 checks pass: the contract is kept.")
        self.assert_printable(run.stdout)

    def test_fails_worst_first_and_says_by_how_much(self):
        run = self.check("""
gates:
  - {id: logged, metric: accuracy, min: 0.1}
  - {id: fast, metric: latency_ms, max: 10}
  - {id: lossless, metric: accuracy, relative_degradation: {max_abs: 0.002}}
""")
        self.assertEqual(run.returncode, 1, run.stderr)
        outcomes = [line.split()[0] for line in run.stdout.splitlines()[1:-2]]
        shown = [outcome for outcome in outcomes if outcome in ("fail", "missing", "pass")]
        self.assertEqual(shown, sorted(shown, key=["fail", "missing", "pass"].index))
        self.assertEqual(set(shown), {"fail", "missing", "pass"})
        self.assertRegex(run.stdout, r"worse by 0\.\d+, at most 0\.002\n")
        self.assertRegex(run.stdout, r"latency_ms of 'int8' is not logged; there are .*'accuracy'")
        self.assertRegex(run.stdout, r"\d+ of 42 checks fail: the contract is not kept\.\n$")

    def test_warns_of_exceptions_that_leave_out_nothing(self):
        self.write_layers()
        contract = 'gates: [{id: cosines, layers: "*", except: [head], metric: cosine, min: 0.1}]'
        run = self.check(contract, logdir="layers")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("gate 'cosines': 'except' leaves out no layer by 'head'; there are", run.stderr)
        self.assertIn("'head/Gemm'", run.stderr)
        run = self.check(contract, "--json", logdir="layers")
        self.assertIn("leaves out no layer by 'head'", json.loads(run.stdout)["remarks"][0])
        run = self.check(contract.replace("head", '"head*"'), "--json", logdir="layers")
        self.assertEqual((run.stderr, json.loads(run.stdout)["remarks"]), ("", []))

    def test_reads_the_contracts_of_cemi(self):
        contract = {
            "baseline": {"run_id": "fp32"},
            "gates": [{
                "id": "quality", "role": "quality", "direction": "higher_is_better",
                "metric": {"name": "accuracy", "source": "summary_metrics", "aggregation": "last",
                           "tags": {"model": "resnet18"}},
                "absolute": {"min": 0.5}, "relative_degradation": {"max_pct": 2.0},
            }],
            "cost": {"currency": "USD", "rates": {"default_per_hour": 1.0}},
        }
        run = self.check(json.dumps(contract, indent="\t"), name="contract.json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_writes_json(self):
        run = self.check(PASSING, "--json")
        answer = json.loads(run.stdout)
        self.assertEqual(
            (answer["contract"], answer["passed"], answer["checks"], answer["failures"]),
            ("contract.yaml", True, 2, 0),
        )
        first = answer["results"][0]
        self.assertEqual((first["gate"], first["role"], first["model"]), ("quality", "quality", "resnet18"))
        published = json.loads((DATA / "torchvision_quantized.json").read_text())["resnet18"]
        self.assertAlmostEqual(first["value"], published["int8"]["accuracy"], places=6)
        self.assertAlmostEqual(first["baseline_value"], published["fp32"]["accuracy"], places=6)

    def test_writes_what_ci_servers_read(self):
        run = self.check("""
gates:
  - {id: "a <gate> & \\"more\\"", metric: accuracy, min: 0.7}
  - {id: fast, metric: latency_ms, max: 10, tags: {model: resnet18}}
""", "--junit", "results.xml")
        self.assertEqual(run.returncode, 1, run.stderr)
        junit = Junit((self.directory / "results.xml").read_bytes())
        self.assertEqual(len(junit.cases), 15)
        case = junit.cases["resnet18.int8", 'a <gate> & "more"']
        self.assertEqual(case.find("failure").get("type"), "fail")
        self.assertIn("below the least, 0.7", case.find("failure").get("message"))
        self.assertEqual(junit.cases["resnet18.int8", "fast"].find("failure").get("type"), "missing")
        self.assertEqual(len(junit.cases["resnet50.int8", 'a <gate> & "more"']), 0)
        self.assertTrue(run.stdout.startswith("outcome "))
        alone = self.check(PASSING, "--junit", "-")
        self.assertEqual(len(Junit(alone.stdout.encode()).cases), 2)

    def test_writes_what_code_scanning_reads(self):
        self.write_layers()
        run = self.check("""\
gates:
  - {id: convolutions, layers: "conv*", metric: local_sqnr_db, min: 20}
  - id: alike
    layers: "*"
    metric: cosine
    min: 0.9
  - {id: attention, layers: "*attention*", metric: sqnr_db, min: 20, mim: 3}
  - {id: fine, layers: "*", metric: sqnr_db, min: 1}
""", "--sarif", "results.sarif", "--junit", "results.xml", logdir="layers")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertTrue(run.stdout.startswith("outcome "))
        sarif = Sarif((self.directory / "results.sarif").read_text())
        self.assertEqual(sorted(sarif.results()), [
            ("alike", "error", 3, "conv2/Conv"), ("alike", "error", 3, "head/Gemm"),
            ("attention", "error", 7, "int8"), ("contract", "warning", 7, None),
            ("convolutions", "error", 2, "conv2/Conv"),
        ])
        self.assertIn("fine", sarif.rules)
        self.assertEqual(sarif.rules["alike"]["fullDescription"]["text"], "cosine of layers: at least 0.9")
        said = {result["ruleId"]: result["message"]["text"] for result in sarif.run["results"]}
        self.assertEqual(said["convolutions"],
                         "digits int8: 'conv2/Conv': local_sqnr_db is 12.75, below the least, 20")
        self.assertEqual(sarif.invocation, {"executionSuccessful": True, "exitCode": 1})
        self.assertTrue((self.directory / "results.xml").exists())

    def test_sarif_without_results_is_a_contract_that_is_kept(self):
        run = self.check(PASSING, "--sarif", "-")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        sarif = Sarif(run.stdout)
        self.assertEqual(sarif.results(), [])
        self.assertEqual(set(sarif.rules), {"quality", "small", "contract"})

    def test_judges_layers(self):
        self.write_layers()
        contract = """
gates:
  - {id: convolutions, layers: "conv*", metric: local_sqnr_db, min: 20}
  - {id: all but one, layers: "*", except: conv2*, metric: sqnr_db, min: 20}
  - {id: alike, layers: "*", metric: cosine, min: 0.9}
  - {id: no red, layers: "*", metric: level, max: amber}
  - {id: attention, layers: [head*, "*attention*"], metric: sqnr_db, min: 20}
"""
        run = self.check(contract, "--json", logdir="layers")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.assertEqual(self.results(run), [
            # Sorted by the excess over the limit, largest first.
            ("no red", "fail"), ("alike", "fail"), ("convolutions", "fail"),
            ("attention", "missing"), ("all but one", "pass"),
        ])
        said = {each["gate"]: each for each in json.loads(run.stdout)["results"]}
        self.assertEqual(said["convolutions"]["layers_checked"], 2)
        self.assertEqual([layer["layer"] for layer in said["alike"]["broken"]], ["conv2/Conv", "head/Gemm"])
        self.assertIn("'conv2/Conv' is red: SQNR is 12.75 dB", said["no red"]["explanation"])
        self.assertIn("no layer matches '*attention*'; there are 'conv1/Conv'", said["attention"]["explanation"])
        text = self.check(contract, "--junit", "results.xml", logdir="layers").stdout
        self.assertIn("Layers that break 'alike' (digits, int8):\n", text)
        self.assertIn("  head/Gemm   cosine is 0.75, below the least, 0.9\n", text)
        failure = Junit((self.directory / "results.xml").read_bytes()).cases["digits.int8", "alike"].find("failure")
        self.assertEqual(len(failure.text.splitlines()), 3)

    def test_misses_layers_that_nobody_logged(self):
        run = self.check("gates: [{layers: '*', metric: level, max: amber, tags: {model: resnet18}}]")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("no layers of 'int8' were logged; 'compression-board compare --logdir' logs them", run.stdout)

    def test_reads_named_directories(self):
        self.write("contract.yaml", PASSING)
        run = self.run_board("check", "contract.yaml", "--logdir_spec", "zoo:runs")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_the_report_agrees(self):
        self.write_layers()
        self.write("contract.yaml", "gates: [{id: clean, layers: conv*, metric: sqnr_db, min: 20}]")
        tags = {f"digits/metrics/accuracy/{v}": 0.9 for v in ("fp32", "int8")}
        self.write_layers({**LAYERS, **tags})
        run = self.run_board("report", "--logdir", "layers", "-o", "-", "--contract", "contract.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("The contract is not kept.", run.stdout)
        self.assertIn("sqnr_db is 12.75, below the least, 20", run.stdout)

    def test_says_what_is_wrong_with_a_contract(self):
        for contract, *said in [
            ("", "contract.yaml: line 1, column 1: a contract must be a mapping with a list 'gates', not nothing"),
            ("gates:\n  - id: a\n    metric: accuracy\n    min: high\n",
             "contract.yaml: line 4, column 10: gate 1 ('a'): the key 'min' is 'high' but must be a number, such as 0.7"),
            ('{"gates": [{"metric": "accuracy", "min": 0.7}', "contract.yaml: line 1, column"),
            ("gates: [{layers: *, metric: cosine, min: 1}]", "needs quotes, such as '*conv'"),
            ("gates:\n\t- {metric: a}\n", "indented with blanks"),
            ("gates: &g [{metric: a, min: 1}]\nmore: *g\n", "aliases are not supported"),
            (b"\x00\xff\x89PNG\r\n" + bytes(range(256)), "contract.yaml: "),
            ("[" * 100_000, "more than 32 levels"),
            ("x" * (2 << 20), "is 2.0 MiB long, but the maximum is 256 KiB"),
        ]:
            run = self.check(contract, "--junit", "results.xml", "--sarif", "results.sarif")
            self.assert_complains(run, 2, *said)
            self.assertEqual(run.stdout, "")
            junit = Junit((self.directory / "results.xml").read_bytes())
            self.assertEqual(len(junit.cases), 1)
            self.assertTrue(junit.root.find(".//error").get("message"))
            sarif = Sarif((self.directory / "results.sarif").read_text())
            self.assertEqual(sarif.results(), [("contract", "error", 1, None)])
            self.assertEqual(sarif.invocation, {"executionSuccessful": False, "exitCode": 2})

    def test_warns_of_what_it_ignores(self):
        run = self.check("gates: [{metric: accuracy, mim: 0.99, tags: {model: resnet18}}]")
        self.assertEqual(run.returncode, 0)
        self.assertIn("has no limit: it passes wherever 'accuracy' is logged\n", run.stderr)
        self.assertIn("'mim' is not known and ignored\n", run.stderr)

    def test_says_what_is_wrong_with_the_logs(self):
        self.write("contract.yaml", PASSING)
        (self.directory / "empty").mkdir()
        only_fp32 = record(scalar_event("net/metrics/accuracy/fp32", 0.5, 0))
        self.write("alone/events.out.tfevents.1.host", only_fp32)
        for arguments, *said in [
            (["contract.yaml"], "no log directory is given; use: compression-board check contract.yaml --logdir DIR"),
            (["none.yaml", "--logdir", "runs"], "none.yaml", "No such file"),
            (["runs", "--logdir", "runs"], "runs"),
            (["contract.yaml", "--logdir", "empty"], "there are no event files below 'empty'"),
            (["contract.yaml", "--logdir", "alone"], "contain only baselines"),
            (["contract.yaml", "--logdir", "runs", "--junit", "no/such/results.xml"], "no/such/results.xml"),
            (["contract.yaml", "--logdir", "runs", "--sarif", "no/such/results.sarif"], "no/such/results.sarif"),
            (["contract.yaml", "--logdir", "runs", "--json", "--junit", "-"], "give --junit or --sarif a file"),
            (["contract.yaml", "--logdir", "runs", "--sarif", "-", "--junit", "-"], "only one of --json, '--junit -'"),
            (["contract.yaml", "--logdir", "runs", "--jnuit", "a"], "is it --junit?"),
            ([], "CONTRACT"),
        ]:
            self.assert_complains(self.run_board("check", *arguments), 2, *said)
        other = self.check("{baseline: fp64, gates: [{metric: accuracy, min: 0}]}")
        self.assert_complains(other, 2, "no model in the logs has the variant 'fp64'")
        self.assert_complains(self.run_board("contract.yaml"), 2, "compression-board check contract.yaml --logdir DIR")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_does_not_pass_by_half_of_the_logs(self):
        hidden = self.write("runs/hidden/events.out.tfevents.1.host", b"")
        hidden.chmod(0)
        self.assert_complains(self.check(PASSING), 2, "some logs could not be read")

    def test_colours_outcomes_on_terminals_only(self):
        self.write("contract.yaml", PASSING)
        for no_colour, expected in ((None, True), ("1", False)):
            environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
            environment.pop("NO_COLOR", None)
            if no_colour:
                environment["NO_COLOR"] = no_colour
            ours, theirs = pty.openpty()
            subprocess.run(
                [PROGRAM, "check", "contract.yaml", "--logdir", "runs"],
                cwd=self.directory, env=environment, stdout=theirs, check=True,
            )
            os.close(theirs)
            said = os.read(ours, 65536).decode()
            os.close(ours)
            self.assertEqual("\x1b[32mpass\x1b[0m" in said, expected)


if __name__ == "__main__":
    unittest.main()
