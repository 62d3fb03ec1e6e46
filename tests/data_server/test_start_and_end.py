"""Behaviour that TensorBoard relies on when it starts and ends a data server."""

import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from servers import OURS, RUSTBOARD, arguments, fails_with, running, wait_until
from tensorboard.data.proto import data_provider_pb2 as data
from tensorboard.summary.writer.event_file_writer import EventFileWriter


def is_open(port, host="127.0.0.1"):
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((host, port)) == 0


@pytest.mark.parametrize("logdir", ["", "s3://bucket/runs", "no-such-scheme://x"])
def test_a_bad_log_directory_ends_with_status_8_and_a_text(logdir):
    status, text, stderr = fails_with(OURS, logdir)
    assert status == 8 == fails_with(RUSTBOARD, logdir)[0]
    assert text and text.endswith("\n") and (logdir in text)
    assert stderr == ""


def test_a_file_is_no_log_directory(tmp_path):
    (tmp_path / "file").write_text("x")
    status, text, _ = fails_with(OURS, tmp_path / "file")
    assert status == 8 and "is a file" in text


def test_without_an_error_file_the_text_is_on_stderr():
    done = subprocess.run([OURS, "--logdir="], capture_output=True, text=True)
    assert done.returncode == 8 and "pass --logdir" in done.stderr


def test_a_missing_directory_is_waited_for(tmp_path):
    with running(OURS, tmp_path / "later" / "logs") as server:
        assert server.runs() == []
        writer = EventFileWriter(str(tmp_path / "later" / "logs" / "run"))
        writer.flush()
        wait_until(lambda: server.runs() == ["run"], "the new run")
        writer.close()


def test_it_exits_when_stdin_is_closed(tmp_path):
    with running(OURS, tmp_path) as server:
        assert is_open(server.port)
        server.process.stdin.close()
        assert server.process.wait(60) == 0
        assert not is_open(server.port)


PARENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
print(server.pid, flush=True)
time.sleep(1000)
"""


def test_it_is_gone_when_its_parent_is_killed(tmp_path):
    """A parent that dies of SIGKILL tells nobody; the system closes its end of stdin."""
    command = [sys.executable, "-c", PARENT, *arguments(OURS, tmp_path, tmp_path)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    server = int(parent.stdout.readline())
    wait_until((tmp_path / "port").exists, "the port")
    parent.kill()
    parent.wait()
    wait_until(lambda: not Path(f"/proc/{server}").exists(), "the end of the server")


def test_a_port_that_is_taken_ends_with_status_9(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with tempfile.TemporaryDirectory() as scratch:
            command = [OURS, f"--logdir={tmp_path}", f"--port={port}", "--host=127.0.0.1", f"--error-file={scratch}/e"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            assert done.returncode == 9
            assert "in use" in Path(scratch, "e").read_text()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_only_loopback_is_served(tmp_path, host):
    status, text, _ = fails_with(OURS, tmp_path, f"--host={host}")
    assert status == 9 and "loopback" in text


def test_the_port_is_closed_to_other_addresses_of_the_machine(tmp_path):
    addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    others = [address for address in addresses if "." in address]
    with running(OURS, tmp_path) as server:
        for address in others:
            assert not is_open(server.port, address)


def test_two_servers_on_one_directory(logdir):
    with running(OURS, logdir) as first, running(OURS, logdir) as second:
        assert first.port != second.port
        wait_until(lambda: sorted(first.runs()) == sorted(second.runs()) != [], "both")


def test_an_unwritable_port_file_is_an_error(tmp_path):
    command = [OURS, f"--logdir={tmp_path}", "--port=0", f"--port-file={tmp_path}/no/such/port"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "port" in done.stderr


def test_it_answers_before_anything_is_loaded(logdir):
    with running(OURS, logdir) as server:
        response = server.stub.GetExperiment(data.GetExperimentRequest(), timeout=5)
        assert response.data_location == str(logdir)


def test_samples_per_plugin(logdir):
    samples = "scalars=7,images=all,text=0"
    with running(OURS, logdir, samples=samples) as ours, running(RUSTBOARD, logdir, samples=samples) as rustboard:
        for server in (ours, rustboard):
            wait_until(lambda: server.call("ListScalars", "scalars").get("long"), "the runs")
        for call, plugin in (("ReadScalars", "scalars"), ("ReadBlobSequences", "images")):
            expected, actual = (s.call(call, plugin, 9999, runs=["long"])["long"] for s in (rustboard, ours))
            assert {tag: entry.data for tag, entry in actual.items()} == {t: e.data for t, e in expected.items()}
        assert ours.call("ListTensors", "text") == rustboard.call("ListTensors", "text") == {}


def test_help_and_version():
    shown = subprocess.run([OURS, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0 and "TENSORBOARD_DATA_SERVER_BINARY" in shown.stdout
    version = subprocess.run([OURS, "--version"], capture_output=True, text=True)
    assert version.returncode == 0 and version.stdout.startswith("compression-board-data-server ")
    assert subprocess.run([OURS, "--no-such-flag"], capture_output=True).returncode == 2
