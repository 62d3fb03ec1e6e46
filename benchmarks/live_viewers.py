"""Runs viewers of a server's event stream, and a program that writes at the same time.

    python3 live_viewers.py write RUN_DIRECTORY COUNT INTERVAL_SECONDS     # A separate process.
"""

import contextlib
import http.client
import json
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests/support"))
from event_file import EventFile  # noqa: E402

TAG = "loss"


def write(directory, count, interval):
    """Writes an event every `interval` seconds, whose wall time is the moment before it is written.
    """
    with EventFile(directory) as file:
        begin = time.monotonic() + 0.5
        for step in range(count):
            time.sleep(max(0.0, begin + step * interval - time.monotonic()))
            file.scalar(TAG, float(step), step)


def start_writer(directory, count, interval):
    return subprocess.Popen([sys.executable, "-B", __file__, "write", directory, str(count), str(interval)])


def percentile(values, share):
    return statistics.quantiles(values, n=1000, method="inclusive")[round(share * 1000) - 1]


class Viewer:
    """One event stream. Counts the events, and parses them only on request."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.received = b""

    def close(self):
        self.socket.close()

    def changes(self):
        """Returns the data of complete `change` events, after waiting for bytes."""
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("the server ended the event stream")
        self.received += piece
        *messages, self.received = self.received.split(b"\n\n")
        return [message for message in messages if b"event: change" in message]


def arrival_seconds(port, directory, count, interval):
    """Returns for every event the time from its wall time until the viewer received the change, and
    until it had the value.
    """
    run = pathlib.Path(directory).name
    heard, held, done = [], [], 0
    with contextlib.closing(Viewer(port)) as viewer, contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as questions:
        with start_writer(directory, count, interval):
            while done < count:
                if not viewer.changes():
                    continue
                moment = time.time()
                questions.request("GET", f"/api/v1/scalars?run={run}&tag={TAG}&from={done}&points=1000")
                response = questions.getresponse()
                body = json.loads(response.read())
                if response.status != 200:  # The file exists, but not yet its first scalar.
                    continue
                series = body["series"][0]
                now = time.time()
                heard += [moment - written for written in series["wall_times"]]
                held += [now - written for written in series["wall_times"]]
                done += len(series["steps"])
    return heard, held


def fan_out_seconds(port, directory, viewers, count, interval):
    """Returns the times from an event's wall time until each of many viewers received it: `count`
    times `viewers` values.
    """
    run = pathlib.Path(directory).name
    taken = []
    with contextlib.ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        for _ in range(viewers):
            viewer = stack.enter_context(contextlib.closing(Viewer(port)))
            selector.register(viewer.socket, selectors.EVENT_READ, viewer)
        moments = {id(key.data): [] for key in selector.get_map().values()}
        with start_writer(directory, count, interval) as writer:
            quiet_since = None
            while quiet_since is None or time.monotonic() - quiet_since < 1:
                ready = selector.select(timeout=0.1)
                now = time.time()
                for key, _ in ready:
                    moments[id(key.data)] += [now] * len(key.data.changes())
                if ready or writer.poll() is None:
                    quiet_since = None if writer.poll() is None else time.monotonic()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as questions:
            questions.request("GET", f"/api/v1/scalars?run={run}&tag={TAG}&points=100000")
            written = json.loads(questions.getresponse().read())["series"][0]["wall_times"]
        for heard in moments.values():
            for moment in written:
                after = next((at for at in heard if at >= moment), None)
                if after is None:
                    raise SystemExit("a viewer missed an event")
                taken.append(after - moment)
    return taken


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] != "write":
        sys.exit(__doc__)
    write(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
