"""The real program with sockets of every kind: many, slow, silent, half open, oversized, pipelined.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import tempfile
import unittest
import zlib

from raw_client import connect, get, many_connections, raise_file_limit, read_answer, resident_kilobytes, wait_until
from running_board import PROGRAM, RunningBoard, import_data

# Sanitizers keep records beside every allocation.
MEASURES_MEMORY = not os.environ.get("CBOARD_SANITIZED")


class SocketsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="cboard sockets ")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.logdir = cls.directory / "runs"
        import_data(cls.logdir, "torchvision_quantized.json")

    def board(self, *arguments):
        return self.enterContext(RunningBoard("--logdir", self.logdir, *arguments))

    def metric(self, board, name):
        found = re.search(rf"^{re.escape(name)} (\S+)$", board.get("/metrics")[2].decode(), re.MULTILINE)
        self.assertTrue(found, name)
        return float(found[1])

    def test_pipelined_requests_are_answered_in_order(self):
        board = self.board()
        targets = ["/healthz", "/nope", "/api/v1/files", "/", "/healthz?x"] * 40
        with connect(board.port) as connection:
            connection.sendall(b"".join(map(get, targets)))
            statuses = [read_answer(connection)[0].split(b" ", 2)[1] for _ in targets]
        self.assertEqual(statuses, [b"200", b"404", b"400", b"200", b"200"] * 40)

    def test_text_comes_compressed_and_is_not_sent_twice(self):
        board = self.board()
        for target in ["/", "/api/v1/compression/table"]:
            _, headers, plain = board.get(target)
            if target == "/" and len(plain) < 1024:
                continue  # Fits into one packet without compression.
            _, packed_headers, packed = board.get(target, **{"Accept-Encoding": "gzip, br"})
            self.assertEqual(packed_headers["Content-Encoding"], "gzip")
            self.assertEqual(packed_headers["Vary"], "Accept-Encoding")
            self.assertLess(len(packed), len(plain))
            self.assertEqual(zlib.decompress(packed, wbits=31), plain)
            for tag in [headers["ETag"], packed_headers["ETag"]]:
                status, _, body = board.get(target, **{"If-None-Match": tag})
                self.assertEqual((status, body), (304, b""), target)

    def test_slow_silent_and_half_open_clients_harm_nobody(self):
        board = self.board()
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(connect(board.port, receive_buffer=4096)) for _ in range(300)]
            for i, client in enumerate(clients):
                if i % 3 == 0:
                    client.sendall(b"GET /api/v1/compar")  # The rest is never sent.
                elif i % 3 == 1:
                    client.sendall(get("/api/v1/compression/table") * 50)  # The client never reads.
            for _ in range(200):
                self.assertEqual(board.get("/healthz")[0], 200)
        self.assertTrue(wait_until(lambda: self.metric(board, "cboard_http_connections") <= 1))
        self.assertEqual(board.stop(), 0)

    def test_oversized_requests_are_refused_and_the_next_client_is_served(self):
        board = self.board()
        head = b"POST /api/v1/scalars HTTP/1.1\r\nHost: localhost\r\n"
        oversized = {
            b"413": head + b"Content-Length: 2000000\r\n\r\n" + b"x" * 2_000_000,
            b"414": get("/" + "x" * 9000),
            b"431": get("/", X="x" * 20_000),
        }
        chunks = head + b"Transfer-Encoding: chunked\r\n\r\n" + b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        for status, sent in [*oversized.items(), (b"413", chunks + (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 30)]:
            self.assertTrue(board.exchange(sent).startswith(b"HTTP/1.1 " + status), status)
        self.assertEqual(board.get("/healthz")[0], 200)

    def test_connections_beyond_the_limit_are_told_so(self):
        board = self.board("--max_connections", "10")
        with many_connections(board.port, 10) as connections:
            for connection in connections:
                connection.sendall(get("/healthz"))
                self.assertIn(b" 200 ", read_answer(connection)[0])
            with connect(board.port) as one_more:
                head, body = read_answer(one_more)
            self.assertIn(b"HTTP/1.1 503 ", head)
            self.assertEqual(json.loads(body)["error"]["code"], "resource_exhausted")
        self.assertTrue(wait_until(lambda: board.get("/healthz")[0] == 200))

    def test_ten_thousand_connections(self):
        count = 10_000
        if not raise_file_limit(count + 200):
            self.skipTest(f"this process may not open {count} files; raise the hard limit: ulimit -Hn")
        board = self.board("--max_connections", count + 100)
        board.get("/api/v1/compression/table")
        before = resident_kilobytes(board.process.pid)
        with many_connections(board.port, count) as connections:
            for connection in connections:
                connection.sendall(get("/healthz"))
            for connection in connections:
                self.assertEqual(read_answer(connection)[1], b"ok\n")
            self.assertEqual(self.metric(board, "cboard_http_connections"), count + 1)
            kilobytes = (resident_kilobytes(board.process.pid) - before) / count
            print(f"{kilobytes:.2f} KiB per idle connection")
            if MEASURES_MEMORY:
                self.assertLess(kilobytes, 4)
            self.assertEqual(board.get("/api/v1/runs")[0], 200)
        self.assertTrue(wait_until(lambda: self.metric(board, "cboard_http_connections") <= 1))

    def test_answers_are_logged_and_counted(self):
        log = self.directory / "access.log"
        board = self.board("--access-log", log, "--token", "s3cret-and-long-enough")
        board.get("/api/v1/runs?token=s3cret-and-long-enough")
        board.get("/nope", Authorization="Bearer s3cret-and-long-enough", **{"User-Agent": 'a "b"'})
        board.exchange(b"garbage\r\n\r\n")
        metrics = board.get("/metrics", Authorization="Bearer s3cret-and-long-enough")[2].decode()
        self.assertIn('cboard_http_requests_total{route="api",status="200"} 1\n', metrics)
        self.assertIn('cboard_http_requests_total{route="refused",status="400"} 1\n', metrics)
        self.assertEqual(board.stop(), 0)
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertCountEqual([line["status"] for line in lines], [200, 404, 400, 200])
        by_target = {line["target"]: line for line in lines}
        self.assertEqual((by_target["/api/v1/runs"]["status"], by_target["/api/v1/runs"]["client"]), (200, "127.0.0.1"))
        self.assertEqual(by_target["/nope"]["user_agent"], 'a "b"')
        self.assertNotIn("s3cret-and-long-enough", log.read_text())

    def test_it_stops_in_good_order_whatever_is_connected(self):
        board = self.board()
        with many_connections(board.port, 50) as connections:
            connections[0].sendall(b"GET / HT")
            connections[1].sendall(get("/") * 100)
            self.assertEqual(board.stop(signal.SIGTERM), 0)

    def test_a_taken_port_names_who_has_it(self):
        board = self.board()
        run = subprocess.run([PROGRAM, "--logdir", self.logdir, "--port", str(board.port)], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"process {board.process.pid} (", run.stderr)
        self.assertIn("--port 0", run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
