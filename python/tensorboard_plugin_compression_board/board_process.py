"""Runs a board for TensorBoard or for a notebook. The board starts on first use and ends with the
process that uses it.
"""

import atexit
import importlib.util
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
from typing import NamedTuple, Optional, Sequence

PROGRAM_VARIABLE = "COMPRESSION_BOARD_PROGRAM"
START_SECONDS = 30
_LISTENING = re.compile(r"https?://[^\s/]+:(\d+)/")
_PR_SET_PDEATHSIG = 1


class BoardError(Exception):
    """Raised if the board cannot run; the message has the reason and the next step, and is shown to
    the user.
    """


class Address(NamedTuple):
    port: int
    # The access token is known only to this process, so that other users of the machine cannot read
    # the logs through this port.
    token: str


def find_program() -> str:
    """Returns the path of the program `compression-board`; raises BoardError."""
    chosen = os.environ.get(PROGRAM_VARIABLE)
    if chosen:
        if os.access(chosen, os.X_OK):
            return chosen
        raise BoardError(
            f"the variable {PROGRAM_VARIABLE} is {chosen!r}, which is not a program; "
            "set it to the path of compression-board, or unset it."
        )
    # Finds the directory of the package without importing the package.
    package = importlib.util.find_spec("compression_board")
    for folder in (package.submodule_search_locations or []) if package else []:
        program = os.path.join(folder, "bin", "compression-board")
        if os.access(program, os.X_OK):
            return program
    found = shutil.which("compression-board")
    if found:
        return found
    raise BoardError(
        "The program compression-board was not found. Install it with 'pip install compression-board', "
        f"or set the variable {PROGRAM_VARIABLE} to its path; then try again."
    )


class BoardProcess:
    """Runs `compression-board` with `arguments`. All methods may be called from any thread."""

    def __init__(self, arguments: Sequence[str]):
        self._arguments = list(arguments)
        self._lock = threading.Lock()
        self._process: Optional[subprocess.Popen] = None
        self._address: Optional[Address] = None

    def address(self) -> Address:
        """Starts the server unless it is running. Raises BoardError."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._address = self._start()
            return self._address

    def stop(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()

    def _start(self) -> Address:
        command = [find_program(), *self._arguments]
        token = secrets.token_hex(16)
        environment = dict(os.environ, COMPRESSION_BOARD_TOKEN=token)
        started: list = []
        ready = threading.Event()

        def run() -> None:
            # Starts the board in a separate thread that lives as long as the board. The operating
            # system ends a child process together with the thread that started it. So no board
            # remains if this process is killed.
            try:
                process = subprocess.Popen(
                    [*_ending_with(os.getpid()), *command], env=environment, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )  # fmt: skip
            except OSError as error:
                started.append(BoardError(f"cannot start {command[0]!r}: {error.strerror}"))
                ready.set()
                return
            started.append(process)
            ready.set()
            process.wait()

        threading.Thread(target=run, name="CompressionBoard", daemon=True).start()
        ready.wait()
        if isinstance(started[0], BoardError):
            raise started[0]
        self._process = started[0]
        atexit.register(self.stop)
        return Address(_port_of(self._process), token)


# Starts the child through a separate interpreter, because code between fork and exec may crash in a
# process with threads of gRPC, such as TensorBoard.
_LAUNCHER = f"""
import ctypes, os, sys
ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, {int(signal.SIGTERM)})
if os.getppid() != int(sys.argv[1]):  # It died in between.
    os._exit(1)
try:
    os.execv(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.exit(f"cannot start {{sys.argv[2]!r}}: {{error.strerror}}")
"""


def _ending_with(parent: int) -> list:
    """Returns the command that starts a program. The operating system ends the program when the
    process `parent` ends.
    """
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(parent)]


def _port_of(process: subprocess.Popen) -> int:
    """Reads the output until it contains the address; the rest is read in the background."""
    said: list = []
    timer = threading.Timer(START_SECONDS, process.terminate)
    timer.start()
    try:
        for line in process.stdout:
            said.append(line)
            if found := _LISTENING.search(line):
                break
        else:
            raise BoardError("compression-board did not start: " + "".join(said).strip())
    finally:
        timer.cancel()
    threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
    return int(found[1])
