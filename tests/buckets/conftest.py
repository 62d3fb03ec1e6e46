"""Provides a real S3 server, logs in it, and the board that reads them."""

import contextlib
import http.client
import http.server
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

sys.path.append(os.environ["OBJECT_STORE"] + "/python")  # Behind the packages of the test environment.
BOARD = os.environ["COMPRESSION_BOARD"]
KEY, SECRET = "AKIDTEST", "secret/with+signs"


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"waited {seconds} s for: {what}")


class Store:
    """Runs versitygw with a bucket called logs."""

    def __init__(self, folder):
        import boto3
        import botocore.config

        (folder / "data").mkdir()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.log = open(folder / "store.log", "wb")
        self.process = subprocess.Popen(
            [os.environ["OBJECT_STORE"] + "/bin/versitygw", "--access", KEY, "--secret", SECRET, "--port",
             f"127.0.0.1:{self.port}", "--quiet", "posix", "--sidecar", str(folder), str(folder / "data")],
            stdout=self.log, stderr=self.log)  # fmt: skip
        self.client = boto3.client("s3", endpoint_url=self.endpoint, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
                                   region_name="us-east-1", config=botocore.config.Config(retries={"max_attempts": 1}))  # fmt: skip

        def is_up():
            assert self.process.poll() is None, (folder / "store.log").read_text()
            with contextlib.suppress(Exception):
                self.client.create_bucket(Bucket="logs")
                return True

        wait_until(is_up, "the object store")

    def put(self, key, data):
        self.client.put_object(Bucket="logs", Key=key, Body=data)

    def get(self, key):
        return self.client.get_object(Bucket="logs", Key=key)["Body"].read()

    def keys(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="logs", Prefix=prefix)
        return sorted(entry["Key"] for page in pages for entry in page.get("Contents", []))

    def upload(self, folder, prefix):
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.put(f"{prefix}/{file.relative_to(folder)}", file.read_bytes())

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "store"
    folder.mkdir()
    store = Store(folder)
    yield store
    store.close()


@pytest.fixture(scope="module")
def store_of_module(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    yield store
    store.close()


def environment_for(home, store):
    """Returns an environment with the access keys and a separate home directory."""
    return os.environ | {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "AWS_ACCESS_KEY_ID": KEY,
                         "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": store.endpoint,
                         "AWS_EC2_METADATA_DISABLED": "true"}  # fmt: skip


@pytest.fixture
def environment(tmp_path, store):
    return environment_for(tmp_path, store)


@pytest.fixture
def environment_of_module(tmp_path, store_of_module):
    return environment_for(tmp_path, store_of_module)


def run(environment, *arguments):
    return subprocess.run([BOARD, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=300)


class Board:
    """compression-board serve."""

    def __init__(self, environment, *arguments):
        self.process = subprocess.Popen([BOARD, "serve", "--port", "0", *map(str, arguments)], env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        line = self.process.stdout.readline()
        self.url = line.split(" at ")[1].split(" ")[0]

    def text(self, path):
        with urllib.request.urlopen(self.url + path) as response:
            return response.read().decode()

    def get(self, path):
        return json.loads(self.text("api/v1/" + path))

    def loaded(self):
        def is_loaded():
            source = self.get("sources")
            return all(source["loaded"]) and self.get("status")["progress"]["complete"]

        wait_until(is_loaded, "the logs")
        return self

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)


@pytest.fixture
def serve(environment):
    boards = []

    def start(*arguments, changed=()):
        boards.append(Board(environment | dict(changed), *arguments))
        return boards[-1]

    yield start
    for board in boards:
        board.close()


class FaultyProxy:
    """A proxy that disturbs some of the requests. The store itself is real."""

    def __init__(self, port, share, seed=1):
        rng, lock, counts = random.Random(seed), threading.Lock(), {"passed": 0, "refused": 0, "cut": 0}
        self.counts = counts

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_PUT(self):
                self.do_GET(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def do_GET(self, sent=None):
                with lock:
                    fate = rng.random() / share if share else 2
                    fate = "refused" if fate < 0.5 else "cut" if fate < 1 else "passed"
                    counts[fate] += 1
                if fate == "refused":
                    body = b"<Error><Code>SlowDown</Code></Error>"
                    self.send_response(503)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                    return
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(sent)
                response = connection.getresponse()
                body = response.read()
                # The store has the data, but the client gets no response.
                if fate == "cut" and sent is not None:
                    self.close_connection = True
                    return
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if fate == "cut":
                    self.wfile.write(body[: len(body) // 2])
                    self.close_connection = True
                else:
                    self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def write_logs(folder, runs=3, steps=200):
    """Logs with another program: tensorboardX."""
    import numpy as np
    from tensorboardX import SummaryWriter

    for i in range(runs):
        writer = SummaryWriter(str(Path(folder) / f"run {i}" / "ü+x"))
        for step in range(steps):
            writer.add_scalar("loss", 1 / (step + i + 1), step)
        writer.add_histogram("weights", np.random.default_rng(i).normal(size=500), 0)
        writer.add_image("picture", np.full((3, 8, 8), i / 3), 0)
        writer.add_text("note", f"run {i}", 0)
        writer.close()
    return Path(folder)


def write_every_kind(folder):
    """Logs a run with values of every kind with tensorboardX."""
    import numpy as np
    from tensorboardX import SummaryWriter

    rng = np.random.default_rng(0)
    writer = SummaryWriter(str(folder))
    writer.add_audio("sound", rng.uniform(-1, 1, 800), 0, sample_rate=8000)
    writer.add_pr_curve("curve", rng.integers(0, 2, 50), rng.random(50), 0)
    writer.add_mesh("cube", rng.random((1, 8, 3)), faces=np.array([[[0, 1, 2]]]), global_step=0)
    writer.add_embedding(rng.random((10, 3)), metadata=[str(i) for i in range(10)])
    writer.add_custom_scalars_multilinechart(["net/accuracy/fp32", "net/accuracy/int8"])
    for variant, accuracy, size in (("fp32", 0.76, 44.0), ("int8", 0.75, 11.5)):
        writer.add_scalar(f"net/metrics/accuracy/{variant}", accuracy, 0)
        writer.add_scalar(f"net/metrics/model_size_mb/{variant}", size, 0)
        writer.add_scalar(f"net/layers/conv1/sqnr_db/{variant}", 31.5, 0)
        writer.add_histogram(f"net/layers/conv1/weight/{variant}", rng.normal(size=500), 0)
        writer.add_histogram(f"net/layers/conv1/output/{variant}", rng.normal(size=500), 0)
    writer.add_hparams({"bits": 8}, {"accuracy": 0.75}, name="trial")
    writer.close()
