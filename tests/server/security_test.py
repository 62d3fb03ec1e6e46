"""Requests that the real program refuses: unknown host names, other sites, missing tokens, paths
that lead outside.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

from raw_client import connect, get, read_answer, wait_until
from running_board import PROGRAM, RunningBoard

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from event_file import EventFile  # noqa: E402

SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class SecurityTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="cboard security ")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.logdir = self.directory / "runs"
        self.logdir.mkdir()

    def board(self, *arguments):
        return self.enterContext(RunningBoard("--logdir", self.logdir, *arguments))

    def assert_safe(self, headers, where):
        for name, value in SAFE_HEADERS.items():
            self.assertEqual(headers.get(name), value, where)
        policy = headers.get("Content-Security-Policy", "")
        self.assertTrue(policy.startswith("default-src 'none'"), where)
        self.assertIn("frame-ancestors 'none'", policy, where)
        self.assertNotIn("unsafe", policy, where)
        self.assertNotIn("Access-Control-Allow-Origin", headers, where)

    def test_every_answer_has_the_safe_headers(self):
        board = self.board("--token", "s3cret-and-long-enough")
        authorized = {"Authorization": "Bearer s3cret-and-long-enough"}
        asked = [
            ("/", {}), ("/", authorized), ("/nope", authorized), ("/%", authorized), ("/metrics", authorized), ("/healthz", {}),
            ("/", {"Host": "evil.example"}), ("/", {"Origin": "http://evil.example"}), ("/?token=s3cret-and-long-enough", {"Accept": "text/html"}),
            ("/" + "x" * 9000, {}), ("/", authorized | {"If-None-Match": "*"}), ("/", authorized | {"X": "x" * 20000}),
        ]  # fmt: skip
        statuses = set()
        for target, given in asked:
            status, headers, _ = board.get(target, **given)
            statuses.add(status)
            self.assert_safe(headers, (target[:20], status))
        self.assertEqual(statuses, {200, 303, 304, 400, 401, 403, 404, 414, 421, 431})

    def test_pages_of_other_origins_are_refused(self):
        board = self.board()
        self.assertEqual(board.get("/api/v1/runs", Origin=f"http://127.0.0.1:{board.port}")[0], 200)
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost", f"http://127.0.0.1:{board.port}.evil.example"]:
            self.assertEqual(board.get("/api/v1/runs", Origin=origin)[0], 403, origin)
        image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
        self.assertEqual(board.get("/api/v1/runs", **image)[0], 403)

    def test_nothing_outside_leads_out_of_the_page(self):
        board = self.board()
        (self.directory / "secret.txt").write_text("root: the secret")
        (self.logdir / "link").symlink_to(self.directory)
        targets = ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/..%5csecret.txt",
                   "/link/secret.txt", "//secret.txt", "/%00/secret.txt", "/..;/secret.txt", "/%c0%ae%c0%ae/secret.txt",
                   "/....//secret.txt", "/./../secret.txt", "/%252e%252e/secret.txt", f"/{self.directory}/secret.txt".replace(" ", "%20"),
                   "file:///etc/passwd", "http://127.0.0.1/etc/passwd", "/etc/passwd"]  # fmt: skip
        for target in targets:
            with connect(board.port) as connection:
                connection.sendall(get(target))
                head, body = read_answer(connection)
            self.assertRegex(head, rb"^HTTP/1.1 (400|404) ", target)
            self.assertNotIn(b"root:", body)

    def test_a_token_is_asked_of_everybody(self):
        board = self.board("--token", "s3cret-and-long-enough")
        self.assertIn("token needed", board.line)
        self.assertNotIn("s3cret-and-long-enough", board.line)
        for target in ["/", "/api/v1/runs", "/metrics", "/theme.js", "/nope", "/?token=wrong"]:
            status, headers, body = board.get(target)
            self.assertEqual((status, json.loads(body)["error"]["code"]), (401, "permission_denied"), target)
            self.assertTrue(headers["WWW-Authenticate"].startswith("Bearer"))
        self.assertEqual(board.get("/healthz")[0], 200)
        self.assertEqual(board.get("/api/v1/runs", Authorization="Bearer s3cret-and-long-enough")[0], 200)
        status, headers, _ = board.get("/?token=s3cret-and-long-enough&x=1", Accept="text/html")
        self.assertEqual((status, headers["Location"]), (303, "/?x=1"))
        cookie = headers["Set-Cookie"]
        self.assertIn("HttpOnly; SameSite=Strict", cookie)
        self.assertNotIn("s3cret-and-long-enough", cookie)
        self.assertEqual(board.get("/api/v1/runs", Cookie=cookie.split(";")[0])[0], 200)
        self.assertEqual(board.get("/api/v1/runs", Cookie=cookie.split(";")[0] + "0")[0], 401)

    def test_a_token_may_come_from_a_file_the_environment_or_the_settings(self):
        file = self.directory / "token"
        file.write_text("s3cret-and-long-enough\nnot this\n")
        settings = self.directory / "serve.toml"
        settings.write_text('token = "s3cret-and-long-enough"\nwindow_title = "From the file"\n')
        for arguments in [["--token-file", file], ["--config", settings]]:
            board = self.board(*arguments)
            self.assertEqual(board.get("/api/v1/runs")[0], 401, arguments)
            self.assertEqual(board.get("/api/v1/runs", Authorization="Bearer s3cret-and-long-enough")[0], 200, arguments)
        run = subprocess.run([PROGRAM, "--logdir", "x", "--token-file", str(self.logdir / "missing")], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("missing", run.stderr)

    def test_an_empty_or_short_token_is_refused(self):
        empty = self.directory / "empty.toml"
        empty.write_text('token = ""\n')
        short = self.directory / "short"
        short.write_text("s3cret\n")
        cases = [(["--token", ""], None, "--token: the token is empty"), ([], "", "COMPRESSION_BOARD_TOKEN: the token is empty"),
                 (["--config", empty], None, "the token is empty"), (["--token", "s3cret"], None, "--token: the token has 6 characters"),
                 ([], "fifteen-letters", "the token has 15 characters"), (["--token-file", short], None, "--token-file: the token has 6 characters")]  # fmt: skip
        for arguments, variable, said in cases:
            environment = dict(os.environ) if variable is None else dict(os.environ, COMPRESSION_BOARD_TOKEN=variable)
            command = [PROGRAM, "--logdir", str(self.logdir), "--port", "0", *map(str, arguments)]
            with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                try:
                    _, error = process.communicate(timeout=20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    self.fail(f"it serves: {arguments} {variable!r}")
            self.assertEqual(process.returncode, 2, arguments)
            self.assertIn(said, error)
            self.assertIn("a token needs at least 16 characters. Create one with 'openssl rand -hex 16'", error)

    def test_guesses_are_slowed_down(self):
        board = self.board("--token", "s3cret-and-long-enough")
        cookie = board.get("/?token=s3cret-and-long-enough", Accept="text/html")[1]["Set-Cookie"].split(";")[0]
        statuses = [board.get(f"/api/v1/runs?token=guess-{i}")[0] for i in range(30)]
        self.assertEqual(statuses[:20], [401] * 20)
        self.assertIn(429, statuses)
        status, headers, body = board.get("/api/v1/runs", Authorization="Bearer guess")
        while status == 401:  # Another guess is allowed by now.
            status, headers, body = board.get("/api/v1/runs", Authorization="Bearer guess")
        self.assertEqual(status, 429)
        self.assertIn("too many wrong tokens", json.loads(body)["error"]["message"])
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        # A client behind the same address that has opened the page is not affected; clients without
        # wrong guesses are not affected either.
        self.assertEqual(board.get("/api/v1/runs", Cookie=cookie)[0], 200)
        self.assertEqual(board.get("/api/v1/runs")[0], 401)
        self.assertEqual(board.get("/healthz")[0], 200)

    def test_the_token_is_not_among_the_arguments_of_the_browser(self):
        programs, seen = self.directory / "programs", self.directory / "seen"
        programs.mkdir()
        opener = programs / "xdg-open"
        opener.write_text(f'#!/bin/sh\nfor a; do echo "$a" >>"{seen}.part"; done\nmv "{seen}.part" "{seen}"\n')
        opener.chmod(0o755)
        private = self.directory / "private"
        private.mkdir(0o700)
        given = {"PATH": f"{programs}:{os.environ['PATH']}", "DISPLAY": ":99", "XDG_RUNTIME_DIR": str(private)}
        with unittest.mock.patch.dict(os.environ, given):
            board = self.board("--token", "s3cret-and-long enough&", "--open")
        deadline = time.monotonic() + 30
        while not seen.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        (argument,) = seen.read_text().splitlines()
        self.assertNotIn("s3cret", argument)
        page = pathlib.Path(argument)
        self.assertEqual(stat.S_IMODE(page.stat().st_mode), 0o600)
        target = re.search(rf"url=http://127.0.0.1:{board.port}(/[^\"]*)", page.read_text())[1]
        self.assertEqual(target, "/?token=s3cret-and-long%20enough%26")
        # A browser opens the page from the file, which counts as another site. Cookies are not sent
        # along a redirect from there.
        way = {"Accept": "text/html", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        status, headers, body = board.get(target, **way)
        self.assertEqual(status, 200)
        self.assertIn(b'content="0; url=/"', body)
        self.assertNotIn(b"s3cret", body)
        self.assertEqual(board.get("/", Cookie=headers["Set-Cookie"].split(";")[0])[0], 200)
        self.assertEqual(board.stop(), 0)
        self.assertFalse(page.exists())

    def test_event_streams_need_the_token_and_the_name_too(self):
        board = self.board("--token", "s3cret-and-long-enough")
        cookie = board.get("/?token=s3cret-and-long-enough", Accept="text/html")[1]["Set-Cookie"].split(";")[0]
        refused = [({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Cookie": cookie + "0"}, 401),
                   ({"Cookie": cookie, "Origin": "http://evil.example"}, 403), ({"Cookie": cookie, "host": "evil.example"}, 421)]  # fmt: skip
        for headers, status in refused:
            with connect(board.port) as connection:
                connection.sendall(get("/api/v1/events", **headers))
                head, body = read_answer(connection)
                self.assertIn(f"HTTP/1.1 {status} ".encode(), head, headers)
                self.assertNotIn(b"event:", body)
        for headers in [{"Cookie": cookie}, {"Authorization": "Bearer s3cret-and-long-enough"}]:
            with connect(board.port) as connection:
                connection.sendall(get("/api/v1/events", **headers))
                head, _ = read_answer(connection)
                self.assertIn(b"HTTP/1.1 200 ", head)
                self.assertIn(b"Content-Type: text/event-stream", head)
                self.assertIn(b"X-Content-Type-Options: nosniff", head)
                self.assertIn(b"event: hello\n", connection.recv(4096))

    def test_what_a_link_leads_to_is_never_shown(self):
        """Runs may be links, as in TensorBoard; only event files in their targets are shown."""
        secret = self.directory / "secret.txt"
        secret.write_text("root: the secret\n")
        run = self.logdir / "run"
        with EventFile(run) as file:
            file.scalar("loss", 0.5, 1)
        (run / "events.out.tfevents.1.link").symlink_to(secret)
        (run / "sprite.png").symlink_to(secret)
        (run / "tensor.tsv").symlink_to(secret)
        (run / "meta.tsv").symlink_to(secret)
        (run / "projector_config.pbtxt").write_text(
            'embeddings { tensor_name: "t" tensor_path: "tensor.tsv" metadata_path: "meta.tsv"'
            ' bookmarks_path: "../../secret.txt" sprite { image_path: "sprite.png" single_image_dim: 1 } }'
        )
        (self.logdir / "outside").symlink_to(self.directory)
        board = self.board()
        self.assertTrue(wait_until(lambda: board.json("/api/v1/status")[1]["progress"]["complete"]))
        self.assertEqual(board.json("/api/v1/scalars?run=run&tag=loss")[1]["series"][0]["values"], [0.5])
        targets = ["/api/v1/runs", "/api/v1/tags", "/api/v1/files?run=run", "/api/v1/files?run=outside", "/api/v1/embeddings",
                   *(f"/api/v1/embeddings/{what}?run=run&name=t" for what in ["tensor", "metadata", "bookmarks", "sprite"]),
                   *(f"/data/plugin/projector/{what}?run=run&name=t" for what in ["info", "tensor", "metadata", "bookmarks", "sprite_image"])]  # fmt: skip
        for target in targets:
            status, _, body = board.get(target)
            self.assertIn(status, [200, 400, 403, 404], target)
            self.assertNotIn(b"the secret", body, target)
        for what in ["tensor", "metadata", "bookmarks", "sprite"]:
            self.assertEqual(board.get(f"/api/v1/embeddings/{what}?run=run&name=t")[0], 403, what)

    def test_what_was_logged_is_never_run_by_a_browser(self):
        script = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"
        with EventFile(self.logdir / "run") as file:
            file.image("picture", script, step=1)
            file.scalar("<script>alert(1)</script>", 0.5, 1)
        board = self.board()
        self.assertTrue(wait_until(lambda: board.json("/api/v1/status")[1]["tags"] == 2))
        blob = json.loads(board.get("/data/plugin/images/images?run=run&tag=picture&sample=0")[2])[0]["query"]
        for target in ["/api/v1/blob?run=run&tag=picture", f"/data/plugin/images/individualImage?{blob}"]:
            status, headers, body = board.get(target)
            self.assertEqual((status, body), (200, script))
            self.assertEqual(headers["Content-Type"], "application/octet-stream")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Content-Disposition"], "attachment")
            self.assertIn("sandbox", headers["Content-Security-Policy"])
        for target in ["/api/v1/tags", "/data/plugin/scalars/tags"]:
            self.assertEqual(board.get(target)[1]["Content-Type"], "application/json")

    def listening_addresses(self, pid):
        """Returns local addresses, as the kernel writes them, of the listening sockets of a
        process.
        """
        inodes = set()
        for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            target = str(link.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        addresses = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"]:
            for line in pathlib.Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    addresses.append(fields[1].split(":")[0])
        return addresses

    def test_only_this_machine_can_reach_it_unless_told_otherwise(self):
        self.assertEqual(self.listening_addresses(self.board().process.pid), ["0100007F"])
        everywhere = self.board("--bind_all")
        self.assertIn(self.listening_addresses(everywhere.process.pid), [["0" * 32], ["0" * 8]])
        with socket.create_connection(("127.0.0.1", everywhere.port)) as connection:
            connection.sendall(get("/healthz", host="192.0.2.1:6006"))
            self.assertIn(b"200 OK", read_answer(connection)[0])
        self.assertEqual(everywhere.get("/healthz", Host="evil.example")[0], 421)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_https(self):
        certificate, key = self.directory / "cert.pem", self.directory / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)  # fmt: skip
        board = self.board("--tls-cert", certificate, "--tls-key", key, "--token", "s3cret-and-long-enough")
        self.assertIn("https://127.0.0.1", board.line)
        trusting = ssl.create_default_context(cafile=str(certificate))
        with connect(board.port) as plain, trusting.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
            self.assertIn(connection.version(), ["TLSv1.2", "TLSv1.3"])
            connection.sendall(get("/?token=s3cret-and-long-enough", Accept="text/html"))
            head, _ = read_answer(connection)
            self.assertIn(b"; Secure\r\n", head)
            connection.sendall(get("/healthz"))
            self.assertEqual(read_answer(connection)[1], b"ok\n")
        run = subprocess.run([PROGRAM, "--logdir", "x", "--tls-cert", str(certificate)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
