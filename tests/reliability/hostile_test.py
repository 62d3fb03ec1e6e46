"""What users meet on bad disks and odd systems: pipes in the place of logs, standard streams that are
closed, few file descriptors, times in any year, names that lead elsewhere. The board goes on, and
shows every point."""

import contextlib
import http.client
import json
import os
import pathlib
import resource
import shutil
import socket
import sys
import tempfile
import threading

from logs import TESTS, VERSION, LogsTest, RunningBoard, scalar_records, served_steps

sys.path.append(str(TESTS / "support"))
from event_file import EventFile  # noqa: E402


class HostileTest(LogsTest):
    def write(self, run, count):
        path = self.event_file(run)
        path.write_bytes(VERSION + scalar_records(count))
        return path

    def append(self, path, first, count):
        with open(path, "ab") as file:
            file.write(scalar_records(count, first=first))

    def assert_shows(self, board, run, count):
        self.wait_until(lambda: served_steps(board, run) == list(range(count)),
                        lambda: f"run '{run}': {len(served_steps(board, run))} of {count} points")

    def test_requests_do_not_wait_for_a_pipe_in_the_place_of_a_log(self):
        with EventFile(self.logdir / "media", wall_time=1000) as file:
            for step in range(3):
                file.image("picture", b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR\0\0\0\1\0\0\0\1", step)
        target = self.directory / "log"
        file.path.rename(target)
        file.path.symlink_to(target)  # Changes behind a link are looked for every few seconds.
        with RunningBoard("--logdir", self.logdir) as board:
            self.wait_until(lambda: board.get("/api/v1/images?run=media&tag=picture")[0] == 200, "the images")
            target.unlink()
            os.mkfifo(target)
            statuses = []
            ask = lambda: statuses.append(board.get("/api/v1/blob?run=media&tag=picture&index=1")[0])  # noqa: E731
            clients = [threading.Thread(target=ask, daemon=True) for _ in range(12)]
            for client in clients:
                client.start()
            try:
                self.wait_until(lambda: len(statuses) == len(clients), lambda: f"{len(statuses)} answers")
            finally:
                os.close(os.open(target, os.O_RDWR))  # Ends all waiting.
            self.assertNotIn(200, statuses)
            self.assertEqual(board.get("/healthz")[0], 200)

    def test_messages_go_nowhere_if_the_standard_streams_are_closed(self):
        self.write("run", 10)
        self.event_file("bad").write_bytes(VERSION + bytes(100))  # The board reports this.
        close = lambda: [os.close(stream) for stream in (0, 2)]  # noqa: E731
        with RunningBoard("--logdir", self.logdir, preexec_fn=close) as board:
            self.assert_shows(board, "run", 10)
            streams = {os.readlink(f"/proc/{board.process.pid}/fd/{stream}") for stream in (0, 2)}
            self.assertEqual(streams, {"/dev/null"})

    def test_many_connections_leave_descriptors_to_the_reader(self):
        path = self.write("run", 10)
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # noqa: E731
        with contextlib.ExitStack() as stack, RunningBoard("--logdir", self.logdir, preexec_fn=few) as board:
            self.assert_shows(board, "run", 10)
            viewer = http.client.HTTPConnection("127.0.0.1", board.port, timeout=60)
            stack.callback(viewer.close)

            def count():
                viewer.request("GET", "/api/v1/scalars?run=run&tag=loss&points=100")
                return json.loads(viewer.getresponse().read())["series"][0]["total"]

            self.assertEqual(count(), 10)
            for _ in range(100):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", board.port)))
                with contextlib.suppress(OSError):  # The board has closed some of them already.
                    client.sendall(b"GET /healthz HTTP/1.1\r\n")  # The board waits for the rest.
            self.append(path, 10, 10)
            self.wait_until(lambda: count() == 20, lambda: f"{count()} of 20 points")

    def test_times_in_any_year(self):
        self.write("run", 10)
        folder = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))  # Most disks store no such times.
        self.addCleanup(shutil.rmtree, folder)
        path = folder / "tfevents"
        path.write_bytes(VERSION + scalar_records(10))
        (self.logdir / "odd").symlink_to(folder)
        count = 10
        with RunningBoard("--logdir", self.logdir) as board:
            for seconds in (95_617_584_000, -95_617_584_000, 4_102_444_800, 0):
                os.utime(path, (seconds, seconds))
                self.assert_shows(board, "odd", count)
                self.append(path, count, 5)
                os.utime(path, (seconds, seconds))
                count += 5
            self.assert_shows(board, "odd", count)
            self.assertEqual(board.stop(), 0)
        with RunningBoard("--logdir", self.logdir) as board:
            self.assert_shows(board, "odd", count)
