"""Our data server with damaged and incomplete files, many runs and hostile clients, used by stock
TensorBoard.
"""

import os
import random
import socket
import struct
from pathlib import Path

import pytest
from boards import tensorboard
from servers import OURS, running, wait_until
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def write_run(directory, count=20):
    writer = EventFileWriter(str(directory))
    for step in range(count):
        value = summary_pb2.Summary.Value(tag="loss", simple_value=step)
        writer.add_event(event_pb2.Event(wall_time=1.7e9 + step, step=step, summary=summary_pb2.Summary(value=[value])))
    writer.close()
    (file,) = Path(directory).iterdir()
    return file


def steps(server, run):
    series = server.call("ReadScalars", "scalars", 1000).get(run, {}).get("loss")
    return list(series.data.step) if series else []


def records(content):
    """Returns (begin, end) of the records of an event file."""
    found, at = [], 0
    while at < len(content):
        end = at + 16 + struct.unpack_from("<Q", content, at)[0]
        found.append((at, end))
        at = end
    return found


def test_a_record_that_is_half_written_is_shown_when_it_is_whole(tmp_path):
    file = write_run(tmp_path / "run")
    content = file.read_bytes()
    file.write_bytes(content[:-7])
    with running(OURS, tmp_path) as server:
        wait_until(lambda: steps(server, "run") == list(range(19)), "the whole records")
        with open(file, "ab") as end:
            end.write(content[-7:])
        wait_until(lambda: steps(server, "run") == list(range(20)), "the last record")


def test_a_damaged_record_costs_one_point(tmp_path):
    file = write_run(tmp_path / "run")
    content = bytearray(file.read_bytes())
    begin, _ = records(content)[10]  # The first record is the version, so this is step 9.
    content[begin + 20] ^= 0xFF
    file.write_bytes(content)
    write_run(tmp_path / "other")
    with running(OURS, tmp_path) as server:
        wait_until(lambda: len(steps(server, "other")) == 20, "the other run")
        wait_until(lambda: steps(server, "run") == [step for step in range(20) if step != 9], "the rest")


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes_in_files_do_not_end_the_server(tmp_path, seed):
    chance = random.Random(seed)
    content = write_run(tmp_path / "whole").read_bytes()
    for number in range(40):
        directory = tmp_path / f"run_{number}"
        directory.mkdir()
        damaged = bytearray(content)
        for _ in range(chance.randrange(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        (directory / "events.out.tfevents.1.x").write_bytes(damaged[: chance.randrange(len(damaged))])
    with running(OURS, tmp_path) as server:
        wait_until(lambda: len(steps(server, "whole")) == 20, "the whole run")
        for call in ("ListScalars", "ListTensors", "ListBlobSequences"):
            server.call(call, "scalars")
        assert server.process.poll() is None


def test_ten_thousand_runs(tmp_path):
    content = write_run(tmp_path / "template", 3).read_bytes()
    for number in range(10_000):
        directory = tmp_path / f"group_{number % 100}" / f"run_{number}"
        directory.mkdir(parents=True)
        (directory / "events.out.tfevents.1.x").write_bytes(content)
    with running(OURS, tmp_path) as server:
        wait_until(lambda: len(server.runs()) == 10_001, "all runs")
        wait_until(lambda: len(server.call("ListScalars", "scalars")) == 10_001, "all tags")
        # A request that names every run is larger than gRPC's default limit for messages of many names.
        assert len(server.call("ReadScalars", "scalars", 1000, runs=server.runs())) == 10_001


def hostile_requests(chance):
    """Sends bytes that no gRPC client sends: frames with wrong lengths, types, stream numbers and
    headers.
    """
    yield b""
    yield b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(500)  # TLS.
    yield PREFACE + b"\xff" * 5000
    for _ in range(150):
        frames = PREFACE + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
        for _ in range(chance.randrange(1, 12)):
            payload = chance.randbytes(chance.choice([0, 1, 5, 8, 40, 300]))
            length = chance.choice([len(payload), len(payload), 0, 0xFFFFFF])
            frames += struct.pack(">I", length)[1:] + bytes([chance.randrange(12), chance.randrange(256)])
            frames += struct.pack(">I", chance.choice([0, 1, 3, 0x7FFFFFFF, 0xFFFFFFFF])) + payload
        yield frames
    for _ in range(50):
        yield chance.randbytes(chance.randrange(1, 3000))


def test_hostile_bytes_to_the_port(tmp_path):
    write_run(tmp_path / "run")
    with running(OURS, tmp_path) as server:
        wait_until(lambda: len(steps(server, "run")) == 20, "the run")
        for content in hostile_requests(random.Random(31)):
            with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
                try:
                    client.sendall(content)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(65536):
                        pass
                except OSError:
                    pass  # The server closed the connection, or waits for more bytes.
            assert server.process.poll() is None, content[:100]
        assert len(steps(server, "run")) == 20


@pytest.mark.parametrize("seed", range(3))
def test_random_messages_are_errors(tmp_path, seed):
    """Sends well-formed calls whose message is random bytes."""
    chance = random.Random(seed)
    write_run(tmp_path / "run")
    with running(OURS, tmp_path) as server:
        for name in ("ListScalars", "ReadScalars", "ReadTensors", "ReadBlobSequences", "ListBlobSequences"):
            call = server.channel.unary_unary(f"/tensorboard.data.TensorBoardDataProvider/{name}")
            for _ in range(60):
                try:
                    call(chance.randbytes(chance.randrange(200)), timeout=10)
                except Exception as error:  # noqa: BLE001: any status is an answer.
                    assert "UNAVAILABLE" not in str(error), error
        wait_until(lambda: len(steps(server, "run")) == 20, "the run")


def test_connections_that_say_nothing_do_not_stop_others(tmp_path):
    write_run(tmp_path / "run")
    with running(OURS, tmp_path) as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        wait_until(lambda: len(steps(server, "run")) == 20, "the run")
        for client in silent:
            client.close()


def test_growth_is_visible_at_the_next_reload_of_tensorboard(tmp_path):
    write_run(tmp_path / "first")
    os.environ["TENSORBOARD_DATA_SERVER_BINARY"] = OURS
    try:
        with tensorboard(tmp_path, "true", lambda board: board.json("runs") == ["first"]) as board:
            write_run(tmp_path / "second")
            wait_until(lambda: board.json("runs") == ["first", "second"], "the second run")
            path = "plugin/scalars/scalars"
            wait_until(lambda: len(board.json(path, run="second", tag="loss")) == 20, "its points")
    finally:
        del os.environ["TENSORBOARD_DATA_SERVER_BINARY"]
