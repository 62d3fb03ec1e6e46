"""Every route of the server, and every request that it must refuse."""

import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.parse

from running_board import PROGRAM, RunningBoard, import_data


class ServedDataTest(unittest.TestCase):
    """One server with published results, shared by all tests."""

    @classmethod
    def setUpClass(cls):
        # The name contains spaces on purpose.
        directory = tempfile.TemporaryDirectory(prefix="cboard server ")
        cls.addClassCleanup(directory.cleanup)
        cls.logdir = pathlib.Path(directory.name) / "runs"
        import_data(cls.logdir, "torchvision_quantized.json", "onnx_model_zoo_int8.json")
        cls.board = cls.enterClassContext(RunningBoard("--logdir", cls.logdir))

    def assert_error(self, target, status, code, *fragments):
        answered, body = self.board.json(target)
        self.assertEqual(answered, status, body)
        self.assertEqual(body["error"]["code"], code)
        for fragment in fragments:
            self.assertIn(fragment, body["error"]["message"])

    def test_says_where_it_is(self):
        self.assertRegex(self.board.line, r"^Compression Board at http://127\.0\.0\.1:\d+/ \(logdir .*, \d+ runs\)")

    def test_health(self):
        status, _, body = self.board.get("/healthz")
        self.assertEqual((status, body), (200, b"ok\n"))

    def test_runs(self):
        status, body = self.board.json("/api/v1/runs")
        self.assertEqual(status, 200)
        self.assertIn("torchvision_quantized/resnet18", body["names"])
        columns = ["tag_counts", "event_counts", "first_wall_times", "newest_wall_times", "damaged_bytes", "versions"]
        self.assertEqual({len(body[name]) for name in columns}, {len(body["names"])})

    def test_status(self):
        _, body = self.board.json("/api/v1/status")
        self.assertTrue(body["progress"]["complete"])
        self.assertEqual(body["problems"], {"codes": [], "messages": []})
        self.assertEqual(body["runs"], len(self.board.json("/api/v1/runs")[1]["names"]))

    def test_tags_and_scalars(self):
        run = "torchvision_quantized/resnet18"
        _, tags = self.board.json("/api/v1/tags?" + urllib.parse.urlencode({"run": run}))
        at = tags["names"].index("resnet18/metrics/accuracy/fp32")
        self.assertEqual(tags["kinds"][at], "scalar")
        self.assertEqual([tags["runs"][i] for i in tags["run_lists"][at]], [run])
        query = urllib.parse.urlencode({"run": run, "tag": tags["names"][at]})
        series = self.board.json("/api/v1/scalars?" + query)[1]["series"][0]
        self.assertEqual((series["total"], series["steps"], series["values"]), (1, [0], [0.69758]))

    def test_comparison_has_every_model_with_both_sides(self):
        _, table = self.board.json("/api/v1/compression/table")
        self.assertEqual(len(table["models"]), 50)
        self.assertEqual(table["baseline"], "fp32")
        cells = table["cells"]
        values = {
            (table["models"][m], table["variants"][v], table["metrics"]["names"][k]): (value, tag)
            for m, v, k, value, tag in zip(cells["models"], cells["variants"], cells["metrics"], cells["values"], cells["tags"])
        }
        accuracy, tag = values["resnet18", "int8", "accuracy"]
        self.assertAlmostEqual(accuracy, 0.69494, places=5)
        self.assertEqual(tag, "resnet18/metrics/accuracy/int8")
        at = table["metrics"]["names"].index("model_size_mb")
        self.assertEqual((table["metrics"]["units"][at], table["metrics"]["directions"][at]), ("MB", "lower"))
        ratios = {
            (table["models"][m], name): (value, computed)
            for m, name, value, computed in zip(*(table["ratios"][key] for key in ["models", "names", "values", "computed"]))
        }
        value, computed = ratios["resnet18", "size_ratio"]
        self.assertAlmostEqual(value, 3.974, places=2)
        self.assertFalse(computed)
        at = table["aurora"]["models"].index(table["models"].index("resnet18"))
        self.assertIsNone(table["aurora"]["scores"][at])
        self.assertIn("throughput", table["aurora"]["reasons"][at])

    def test_the_page_and_its_files(self):
        for path, content_type in [("/", "text/html"), ("/layers?model=resnet18", "text/html"), ("/theme.js", "text/javascript"), (self.style(), "text/css")]:
            status, headers, body = self.board.get(path)
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Type"].startswith(content_type))
            self.assertGreater(len(body), 100)

    def style(self):
        return "/" + re.search(rb'href="\.?/?(assets/[^"]*\.css)"', self.board.get("/")[2])[1].decode()

    def test_every_answer_carries_the_safe_headers(self):
        for path in ["/", "/theme.js", "/healthz", "/api/v1/runs", "/nope", "/%"]:
            _, headers, _ = self.board.get(path)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff", path)
            policy = headers["Content-Security-Policy"]
            self.assertTrue(policy.startswith("default-src 'none'"), path)
            self.assertNotIn("unsafe", policy)
            self.assertNotIn("Access-Control-Allow-Origin", headers)
            self.assertNotIn("Server", headers)

    def test_the_page_obeys_its_own_policy(self):
        _, _, page = self.board.get("/")
        for inline in [b"<style", b" style=", b" onclick", b"javascript:", b"http:", b"https:"]:
            self.assertNotIn(inline, page)
        self.assertNotRegex(page, rb"<script(?![^>]*src=)")

    def test_refuses_names_that_could_have_been_rebound(self):
        for host in ["evil.example", f"evil.example:{self.board.port}", "localhost.evil.example", "192.168.0.1", ""]:
            status, _, body = self.board.get("/api/v1/runs", Host=host)
            self.assertEqual(status, 421, host)
            self.assertNotIn(b"resnet18", body)
        for host in ["localhost", f"LOCALHOST:{self.board.port}", "[::1]", "127.0.0.1:1"]:
            self.assertEqual(self.board.get("/healthz", Host=host)[0], 200, host)

    def test_leads_nowhere_else(self):
        for path in ["/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/....//etc/passwd", "/..\\..\\etc\\passwd", "/index.html%00.js", "/ui/../../etc/passwd"]:
            status, _, body = self.board.get(path.replace("\\", "%5c"))
            self.assertIn(status, [400, 404], path)
            self.assertNotIn(b"root:", body)
        for run in ["../../etc", "/etc", "..", "."]:
            status, _ = self.board.json("/api/v1/tags?" + urllib.parse.urlencode({"run": run}))
            self.assertEqual(status, 404, run)

    def test_errors_say_what_to_do(self):
        self.assert_error("/nope", 404, "not_found", "/nope")
        self.assert_error("/api/v1/files", 400, "invalid_argument", "run")
        self.assert_error("/api/v1/tags?run=nope", 404, "not_found", "'nope'")
        self.assert_error("/api/v1/scalars?run=nope&tag=x", 404, "not_found")
        self.assert_error("/api/v1/scalars?run=torchvision_quantized/resnet18&tag=x&points=0", 400, "invalid_argument", "points")
        self.assert_error("/api/v1/tags?run=%zz", 400, "invalid_argument", "hexadecimal")

    def test_answers_only_what_it_says(self):
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "BREW"]:
            status, headers, _ = self.board.get("/api/v1/runs", method=method)
            self.assertEqual((status, headers["Allow"]), (405, "GET"))
            status, headers, _ = self.board.get("/", method=method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
        status, headers, body = self.board.get("/", method="HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["Content-Length"]), 100)

    def test_survives_garbage(self):
        garbage = [
            b"", b"\0", b"\r\n" * 10, b"GET", b"GET / HTTP/1.1\r\n", b"GET / HTTP/9.9\r\n\r\n", bytes(range(256)) * 10,
            b"\x16\x03\x01\x00\xa5\x01", b"GET " + b"/" * 100_000 + b" HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 10_000 + b"\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551615\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        ]
        for sent in garbage:
            received = self.board.exchange(sent)
            self.assertFalse(received.startswith(b"HTTP/1.1 200"), sent[:40])
        self.assertEqual(self.board.get("/healthz")[0], 200)


class ServeCommandTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard server ")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def test_an_empty_directory_is_served(self):
        with RunningBoard("--logdir", self.directory) as board:
            self.assertIn("0 runs", board.line)
            _, status = board.json("/api/v1/status")
            self.assertEqual((status["runs"], status["progress"]["complete"]), (0, True))
            _, table = board.json("/api/v1/compression/table")
            self.assertEqual(table["models"], [])

    def test_a_missing_directory_is_served_and_found_when_it_appears(self):
        logdir = self.directory / "later"
        with RunningBoard("--logdir", logdir, "--reload_interval", "0.05") as board:
            self.assertIn("not there yet", board.line)
            self.assertTrue(board.json("/api/v1/status")[1]["problems"]["messages"])
            import_data(logdir, "torchvision_quantized.json")
            while not board.json("/api/v1/compression/table")[1]["models"]:
                pass
            self.assertEqual(board.json("/api/v1/status")[1]["problems"]["messages"], [])
            self.assertEqual(board.stop(), 0)
            self.assertIn("later", board.process.stderr.read())

    def test_signals_end_it_in_good_order(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with RunningBoard("--logdir", self.directory) as board:
                self.assertEqual(board.stop(number), 0)

    def test_a_taken_port_is_named_with_the_way_out(self):
        with RunningBoard("--logdir", self.directory) as board:
            run = subprocess.run(
                [PROGRAM, "--logdir", str(self.directory), "--port", str(board.port)], capture_output=True, text=True, timeout=60
            )
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"port {board.port} is in use", run.stderr)
            self.assertIn("--port 0", run.stderr)

    def test_a_path_prefix_and_a_title(self):
        with RunningBoard("serve", "--logdir", self.directory, "--path_prefix", "/board", "--window_title", "Edge") as board:
            self.assertEqual(board.path, "/board/")
            self.assertEqual(board.get("/board/")[0], 200)
            self.assertEqual(board.get("/board")[0], 308)
            self.assertEqual(board.get("/")[0], 404)
            self.assertEqual(board.json("/board/api/v1/status")[1]["window_title"], "Edge")

    def test_another_name_can_be_allowed(self):
        with RunningBoard("--logdir", self.directory, "--allowed_host", "board.example") as board:
            self.assertEqual(board.get("/healthz", Host="board.example:80")[0], 200)
            self.assertEqual(board.get("/healthz", Host="evil.example")[0], 421)

    def test_frames_are_for_pages_that_are_allowed(self):
        framed = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        with RunningBoard("--logdir", self.directory) as board:
            self.assertEqual(board.get("/", **framed)[0], 403)
        origins = ["http://localhost:*", "https://hub.example"]
        flags = [flag for origin in origins for flag in ("--allowed_frame", origin)]
        with RunningBoard("--logdir", self.directory, *flags) as board:
            status, headers, _ = board.get("/", **framed)
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Security-Policy"].endswith("frame-ancestors " + " ".join(origins)))

    def test_wrong_flags_are_refused_with_what_is_wrong(self):
        for said, *flags in [
            ("no log directory is given",),
            ("65536 not in range 0 to 65535", "--logdir", "x", "--port", "65536"),
            ("many not in range 1 to 1000000", "--logdir", "x", "--max_connections", "many"),
            ("--nope", "--logdir", "x", "--nope"),
            ("'*' is not an origin", "--logdir", "x", "--allowed_frame", "*"),
            ("is not an origin", "--logdir", "x", "--allowed_frame", "http://a;script-src *"),
            ("--host excludes --bind_all", "--logdir", "x", "--bind_all", "--host", "::1"),
            ("-1 not in range 0 to 86400\n", "--logdir", "x", "--reload_interval", "-1"),
            ("'/a b' is not allowed in a URL", "--logdir", "x", "--path_prefix", "/a b"),
            ("cannot read 'missing.toml'", "--config", "missing.toml"),
        ]:
            run = subprocess.run([PROGRAM, "serve", *flags], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 2, flags)
            self.assertTrue(run.stderr.startswith("compression-board: "), run.stderr)
            self.assertIn(said, run.stderr)


if __name__ == "__main__":
    unittest.main()
