"""Tests commands that write to buckets or read single objects, and the sources of keys and
connections.
"""

import http.server
import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from conftest import KEY, SECRET, run, wait_until, write_logs

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "data/torchvision_quantized.json"


def table_of(environment, logdir):
    """Returns all values below a log directory, without the names of files."""
    done = run(environment, "export", "--logdir", logdir, "--format", "csv")
    assert done.returncode == 0, done.stderr
    # Wall times are those of the import, so they differ.
    return sorted(re.sub(r",[0-9.]+(,[^,]*)$", r"\1", line) for line in done.stdout.splitlines())


def test_imports_to_a_bucket_from_a_file_and_from_an_object(tmp_path, store, environment):
    store.put("results/figures.json", FIGURES.read_bytes())
    for source, logdir in ((FIGURES, tmp_path / "local"), (FIGURES, "s3://logs/a"), ("s3://logs/results/figures.json", "s3://logs/b")):
        done = run(environment, "import", source, "--logdir", logdir)
        assert done.returncode == 0, done.stderr
        assert f"compression-board --logdir {logdir}" in done.stdout
    local = table_of(environment, tmp_path / "local")
    assert len(local) > 50
    assert table_of(environment, "s3://logs/a") == local == table_of(environment, "s3://logs/b")
    assert any(key.startswith("a_hparams/") for key in store.keys("a"))
    missing = run(environment, "import", "s3://logs/nothing.json")
    assert missing.returncode == 1 and "there is no object 'nothing.json'" in missing.stderr, missing.stderr


@pytest.fixture(scope="module")
def sensors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensors")
    subprocess.run([sys.executable, ROOT / "examples/tune_sensors.py"], cwd=folder, check=True, timeout=120)
    return folder


def test_compares_into_a_bucket_and_tells_models_apart(tmp_path, store, environment, sensors):
    quantized = tmp_path / "int8.onnx"
    made = run(environment, "quantize", sensors / "sensors.onnx", "--data", sensors / "sensors.npz", "-o", quantized)
    assert made.returncode == 0, made.stderr
    other = tmp_path / "other.onnx"
    other.write_bytes((sensors / "sensors.onnx").read_bytes())
    for logdir in ("s3://logs/compare", tmp_path / "local"):
        for baseline in (sensors / "sensors.onnx", other):
            done = run(environment, "compare", baseline, quantized, "--quick", "--logdir", logdir)
            assert done.returncode in (0, 1) and "Logged; view it with" in done.stdout, done.stderr
    assert table_of(environment, "s3://logs/compare") == table_of(environment, tmp_path / "local")
    # The second model has a separate directory, as on the disk.
    folders = {key.split("/")[1] for key in store.keys("compare/") if key.count("/") > 1}
    assert folders == {path.name for path in (tmp_path / "local").iterdir() if path.is_dir()} and "other" in folders


def test_a_tuning_logs_its_trials_to_a_bucket(tmp_path, store, environment, sensors):
    done = run(environment, "tune", sensors / "sensors.onnx", "--data", sensors / "sensors.npz", "-o", tmp_path / "int8.onnx",
               "--target", "ort-cpu", "--logdir", "s3://logs/eval")  # fmt: skip
    assert (tmp_path / "int8.onnx").exists(), done.stderr
    in_bucket = {key.split("/")[1] for key in store.keys("eval/")}
    assert in_bucket == {path.name for path in (tmp_path / "int8.onnx.logs").iterdir()}
    assert any(re.match(r"tune_1_acc", name) for name in in_bucket), in_bucket
    wrong = run(environment | {"AWS_SECRET_ACCESS_KEY": "wrong"}, "tune", sensors / "sensors.onnx", "--data", sensors / "sensors.npz",
                "-o", tmp_path / "second.onnx", "--logdir", "s3://logs/eval")  # fmt: skip
    assert wrong.returncode == 1 and "the secret key" in wrong.stderr and not (tmp_path / "second.onnx").exists()


def test_exports_to_an_object_and_to_tables(tmp_path, store, environment):
    store.upload(write_logs(tmp_path / "local"), "runs")
    for target in (tmp_path / "all.csv", "s3://logs/out/all.csv"):
        done = run(environment, "export", "--logdir", "s3://logs/runs", "-o", target)
        assert done.returncode == 0, done.stderr
    assert store.get("out/all.csv") == (tmp_path / "all.csv").read_bytes()
    for target in (f"{tmp_path}/tables/", "s3://logs/tables/"):
        done = run(environment, "export", "--logdir", "s3://logs/runs", "--format", "parquet", "-o", target)
        assert done.returncode == 0, done.stderr
    local = {str(path.relative_to(tmp_path)): path.read_bytes() for path in (tmp_path / "tables").rglob("*.parquet")}
    assert {key: store.get(key) for key in store.keys("tables/")} == local
    assert "tables/scalars/experiment=run%200/scalars.parquet" in local and "tables/layers/layers.parquet" in local
    wrong = run(environment, "export", "--logdir", "s3://logs/runs", "-o", "s3://logs/tables/")
    assert wrong.returncode == 2 and "--format parquet" in wrong.stderr, wrong.stderr


def serve_answers(answers):
    """Runs a server that responds with a function (method, path, headers) -> (status, text)."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, text = answers(self.command, self.path, self.headers)
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        do_PUT = do_GET

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def without_keys(environment):
    return {key: value for key, value in environment.items() if not key.startswith("AWS_")}


def test_keys_come_from_the_role_of_the_machine(tmp_path, store, environment):
    store.upload(write_logs(tmp_path / "local", runs=1), "runs")
    seen = []

    # The second version of the service, which requires a token.
    def metadata(method, path, headers):
        seen.append((method, path))
        if method == "PUT" and path == "/latest/api/token":
            return (200, "t0ken") if headers["x-aws-ec2-metadata-token-ttl-seconds"] else (400, "")
        if headers["x-aws-ec2-metadata-token"] != "t0ken":
            return 401, ""
        if path == "/latest/meta-data/iam/security-credentials/":
            return 200, "reader"
        return 200, json.dumps({"AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": "", "Expiration": "2099-01-01T00:00:00Z"})

    service = serve_answers(metadata)
    role = without_keys(environment) | {"AWS_ENDPOINT_URL": store.endpoint, "no_proxy": "*",
                                        "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"http://127.0.0.1:{service.server_port}"}  # fmt: skip
    done = run(role, "inspect", "--logdir", "s3://logs/runs")
    service.shutdown()
    assert done.returncode == 0, done.stderr
    assert seen[0] == ("PUT", "/latest/api/token") and seen[-1][1].endswith("/reader")


def test_a_session_token_is_sent_and_an_expired_one_is_explained(environment):
    tokens = []

    def expired(method, path, headers):
        tokens.append(headers["x-amz-security-token"])
        return 400, "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"

    service = serve_answers(expired)
    temporary = environment | {"AWS_SESSION_TOKEN": "s3ssion", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{service.server_port}"}
    done = run(temporary, "inspect", "--logdir", "s3://logs/runs")
    service.shutdown()
    assert done.returncode == 1 and "have expired; get new ones" in done.stderr and done.stderr.count("\n") == 1
    assert set(tokens) == {"s3ssion"}


def test_requests_go_through_a_proxy(tmp_path, store, environment):
    store.upload(write_logs(tmp_path / "local", runs=1), "runs")
    asked = []

    def answer(method, path, headers):
        asked.append(path)
        return 503, "<Error><Code>Proxy</Code></Error>"

    service = serve_answers(answer)
    # A host name that only the proxy can resolve.
    done = run(environment | {"http_proxy": f"http://127.0.0.1:{service.server_port}", "no_proxy": "",
                              "AWS_ENDPOINT_URL": "http://store.invalid:7070"}, "inspect", "--logdir", "s3://logs/runs")  # fmt: skip
    service.shutdown()
    assert done.returncode == 1 and asked and asked[0].startswith("http://store.invalid:7070/logs/?"), asked


def test_a_board_that_nobody_looks_at_lists_once_a_minute(tmp_path, store, environment, serve):
    """Requests become frequent as soon as a viewer connects."""
    store.upload(write_logs(tmp_path / "local", runs=1), "runs")
    board = serve("--logdir", "s3://logs/runs")

    def lists():
        return int(re.search(r"^cboard_bucket_list_requests_total (\d+)$", board.text("metrics"), re.M)[1])

    wait_until(lambda: lists() == 1, "the first listing")
    time.sleep(9)
    assert lists() == 1  # /metrics does not count as a viewer.
    with urllib.request.urlopen(board.url + "api/v1/events"):
        wait_until(lambda: lists() >= 3, "listings for an open page", 30)
