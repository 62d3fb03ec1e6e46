"""The processes of a soak. Each works for a while and then prints what it did as a line of JSON.

    python3 soak_roles.py write DIRECTORY SECONDS       {"run": {"tag": events}} that were written
    python3 soak_roles.py read PORT SECONDS CLIENTS     {"answers": {"200": n}, "problems": [...]}
    python3 soak_roles.py churn DIRECTORY SECONDS       {"directories": n} that came and went
    python3 soak_roles.py vandalize PORT SECONDS        {"connections": n}
"""

import collections
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import sys
import threading
import time
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from event_file import EventFile  # noqa: E402

BINARY = "application/vnd.compression-board.series"
EVENTS_PER_SECOND = 40


def write(directory, seconds):
    """Writes one run after another, each in one file or in several, at the speed of a fast
    training.
    """
    directory, seconds = pathlib.Path(directory), float(seconds)
    written = collections.defaultdict(collections.Counter)
    begin = time.monotonic()
    step = 0
    while time.monotonic() - begin < seconds:
        run = f"run_{step // 2000}"
        with EventFile(directory / run, name=f"events.out.tfevents.{1_700_000_000 + step}.host.{os.getpid()}.{step}") as file:
            for _ in range(500):
                if time.monotonic() - begin > seconds:
                    break
                file.scalar("loss" if step % 2 else "accuracy", 1 / (step + 1), step)
                written[f"{directory.name}/{run}"]["loss" if step % 2 else "accuracy"] += 1
                step += 1
                time.sleep(max(0.0, begin + step / EVENTS_PER_SECOND - time.monotonic()))
    return written


class Client:
    """Sends the requests of a page: lists, then curves of their entries; sometimes conditionally.
    """

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.tags = {}

    def ask(self, method, target, body=None, **headers):
        self.connection.request(method, target, body, headers)
        response = self.connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()

    def look(self):
        """Sends one request; returns its target and status."""
        kind = random.randrange(8)
        names = random.sample(sorted(self.tags), min(len(self.tags), 20))
        gzip = {"Accept-Encoding": random.choice(["gzip", "identity"])}
        if kind == 0 or not names:
            target = "/api/v1/runs"
            status, headers, _ = self.ask("GET", target, **gzip)
            if status == 200:
                status, _, _ = self.ask("GET", target, **{"If-None-Match": headers["ETag"]})
        elif kind == 1:
            target = "/api/v1/scalars"
            series = [[name, tag] for name in names for tag in self.tags[name]]
            status, _, body = self.ask("POST", target, json.dumps({"series": series, "points": 500}), Accept=BINARY)
            if status == 200 and not body.startswith(b"CBSR"):
                raise AssertionError(f"a binary answer begins with {body[:8]!r}")
        elif kind == 2:
            target = "/data/plugin/scalars/scalars?" + urllib.parse.urlencode({"run": names[0], "tag": "loss"})
            status, _, _ = self.ask("GET", target)
        else:
            target = random.choice(["/", "/theme.js", "/healthz", "/metrics", "/api/v1/status", "/api/v1/compression/table",
                                    "/api/v1/hardware", "/api/v1/tags?run=nope", "/data/runs", "/nope"])  # fmt: skip
            status, _, _ = self.ask("GET", target, **gzip)
        if kind == 3 or not self.tags:
            status, _, body = self.ask("GET", "/api/v1/tags?kind=scalar", **{"Accept-Encoding": "identity"})
            tags = json.loads(body)
            self.tags = {}
            for name, runs in zip(tags["names"], tags["run_lists"]):
                for run in runs:
                    self.tags.setdefault(tags["runs"][run], []).append(name)
        return target, status


def read(port, seconds, clients):
    end = time.monotonic() + float(seconds)
    answers, problems = collections.Counter(), []

    def browse():
        target = ""
        try:
            client = Client(int(port))
            while time.monotonic() < end:
                target, status = client.look()
                answers[status] += 1
                # 404 is correct for runs that were deleted since they were listed.
                if status not in (200, 304, 404):
                    problems.append(f"{target}: {status}")
                time.sleep(random.uniform(0.02, 0.2))
        except Exception as error:  # Any exception is a finding of the soak test.
            problems.append(f"{target}: {error!r}")

    threads = [threading.Thread(target=browse) for _ in range(int(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"answers": answers, "problems": problems}


def churn(directory, seconds):
    """Directories with events are created, renamed and deleted."""
    end = time.monotonic() + float(seconds)
    count = 0
    while time.monotonic() < end:
        coming = pathlib.Path(directory) / f"coming_{os.getpid()}_{count}"
        with EventFile(coming / "nested") as file:
            for step in range(20):
                file.scalar("loss", 0.5, step)
        time.sleep(random.uniform(0, 0.2))
        going = coming.with_name(f"going_{os.getpid()}_{count}")
        coming.rename(going)
        time.sleep(random.uniform(0, 0.2))
        shutil.rmtree(going)
        count += 1
    return {"directories": count}


def vandalize(port, seconds):
    """Sends garbage, floods without reading, requests that never end, and viewers that leave."""
    end = time.monotonic() + float(seconds)
    count = 0
    slow = collections.deque(maxlen=20)
    request = b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"
    choices = [lambda: b"", lambda: b"GET", lambda: os.urandom(2000), lambda: request * 50,
               lambda: b"POST /api/v1/scalars HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
               lambda: b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"]  # fmt: skip
    while time.monotonic() < end:
        connection = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
        connection.sendall(random.choice(choices)())
        if random.random() < 0.3:
            slow.append(connection)  # Closed when it is removed from the end of the queue.
        else:
            connection.close()
        count += 1
        time.sleep(0.02)
    return {"connections": count}


if __name__ == "__main__":
    roles = {function.__name__: function for function in (write, read, churn, vandalize)}
    if len(sys.argv) < 4 or sys.argv[1] not in roles:
        sys.exit(__doc__)
    print(json.dumps(roles[sys.argv[1]](*sys.argv[2:])))
