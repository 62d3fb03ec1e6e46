"""Sockets that break the rules of browsers, for tests of the server's robustness."""

import contextlib
import resource
import select
import socket
import time


def connect(port, receive_buffer=None):
    connection = socket.socket()
    connection.settimeout(60)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect(("127.0.0.1", port))
    return connection


def get(target, host="localhost", **headers):
    """Returns the bytes of a request."""
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}"] + [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def read_head(connection):
    """Reads up to the end of the headers, one byte at a time so that no byte of the body is lost.
    """
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        if not piece:
            break
        received += piece
    return received


def read_answer(connection):
    """Returns head and body of a response that has a length."""
    head = read_head(connection)
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    body = b""
    while len(body) < length:
        piece = connection.recv(length - len(body))
        if not piece:
            break
        body += piece
    return head, body


def raise_file_limit(wanted):
    """Returns True if this process may open `wanted` files; raises the soft limit if that helps."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted <= hard or hard == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= wanted


@contextlib.contextmanager
def many_connections(port, count):
    """Returns `count` open connections, each of which the server has accepted."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(connect(port))) for _ in range(count)]


def resident_kilobytes(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise AssertionError("no VmRSS")


def wait_until(condition, seconds=60):
    """Polls until `condition()` is true; returns its last result."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        select.select([], [], [], 0.01)
    return value
