"""Starts data servers as TensorBoard does: ours, and RustBoard from its package."""

import contextlib
import os
import subprocess
import tempfile
import time
from pathlib import Path

import grpc
import tensorboard_data_server
from tensorboard.data.proto import data_provider_pb2 as data
from tensorboard.data.proto import data_provider_pb2_grpc

OURS = os.environ["DATA_SERVER"]
RUSTBOARD = tensorboard_data_server.server_binary()
DEADLINE_SECONDS = 120
MAX_MESSAGE_BYTES = 256 << 20  # TensorBoard's own limit.


class DataServer:
    """A running data server: its process, its port and a stub for its calls."""

    def __init__(self, process, port):
        self.process = process
        self.port = port
        options = [("grpc.max_receive_message_length", MAX_MESSAGE_BYTES)]
        self.channel = grpc.secure_channel(f"localhost:{port}", grpc.local_channel_credentials(), options)
        self.stub = data_provider_pb2_grpc.TensorBoardDataProviderStub(self.channel)

    def runs(self):
        return [run.name for run in self.stub.ListRuns(data.ListRunsRequest()).runs]

    def plugins(self):
        return sorted(plugin.name for plugin in self.stub.ListPlugins(data.ListPluginsRequest()).plugins)

    def call(self, name, plugin, points=None, runs=None, tags=None):
        """Returns the response of a List… or Read… call as {run: {tag: entry}}."""
        request = getattr(data, f"{name}Request")()
        request.plugin_filter.plugin_name = plugin
        if points is not None:
            request.downsample.num_points = points
        if runs is not None:
            request.run_tag_filter.runs.names.extend(runs)
            request.run_tag_filter.runs.SetInParent()
        if tags is not None:
            request.run_tag_filter.tags.names.extend(tags)
            request.run_tag_filter.tags.SetInParent()
        response = getattr(self.stub, name)(request)
        return {run.run_name: {tag.tag_name: tag for tag in run.tags} for run in response.runs}

    def blob(self, key):
        return b"".join(part.data for part in self.stub.ReadBlob(data.ReadBlobRequest(blob_key=key)))


def wait_until(holds, what):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"not within {DEADLINE_SECONDS} s: {what}"
        time.sleep(0.1)


def arguments(binary, logdir, scratch, *flags, reload="1", samples=""):
    """Returns the command line that TensorBoard 2.21 uses."""
    return [
        binary, f"--logdir={logdir}", f"--reload={reload}", f"--samples-per-plugin={samples}", "--port=0",
        f"--port-file={scratch}/port", "--die-after-stdin", f"--error-file={scratch}/startup_error", *flags,
    ]  # fmt: skip


@contextlib.contextmanager
def running(binary, logdir, *flags, **settings):
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, XDG_CACHE_HOME=f"{scratch}/cache")
        command = arguments(binary, logdir, scratch, *flags, **settings)
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
        try:
            port_file = Path(scratch, "port")
            wait_until(lambda: process.poll() is not None or port_file.exists() and port_file.read_text().endswith("\n"),
                       "the port")
            assert process.poll() is None, f"{binary} exited with {process.returncode}"
            server = DataServer(process, int(port_file.read_text()))
            with server.channel:
                yield server
        finally:
            process.stdin.close()
            process.wait(DEADLINE_SECONDS)


def fails_with(binary, logdir, *flags):
    """Returns (exit status, text of the error file, stderr) of a server that does not start."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            arguments(binary, logdir, scratch, *flags), stdin=subprocess.PIPE, capture_output=True, text=True,
            timeout=DEADLINE_SECONDS,
        )  # fmt: skip
        error_file = Path(scratch, "startup_error")
        return done.returncode, error_file.read_text() if error_file.exists() else None, done.stderr
