"""Returns the peak memory of a program, as the kernel counts it."""

import json
import subprocess
import sys
from typing import NamedTuple

# A small process starts the program, because the kernel also counts the memory of the process
# before exec.
_STARTER = """
import json, os, resource, subprocess, sys
for what, most in json.loads(sys.argv[2]).items():
    resource.setrlimit(getattr(resource, what), (most, most))
process = subprocess.Popen(sys.argv[3:])
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
with open(sys.argv[1], "w") as file:
    json.dump([process.returncode, usage.ru_maxrss * 1024], file)
"""


class Peak(NamedTuple):
    returncode: int
    stdout: str
    stderr: str
    bytes: int


def run_measured(command, folder, timeout=300, limits=None):
    """Runs `command` to its end; `folder` is for a file of its own. `limits` are the kernel's, by
    name: RLIMIT_AS, RLIMIT_CPU."""
    measured = folder / "peak_memory.json"
    starter = [sys.executable, "-I", "-S", "-c", _STARTER, measured, json.dumps(limits or {}), *command]
    result = subprocess.run(
        list(map(str, starter)), capture_output=True, text=True, errors="replace", timeout=timeout
    )
    returncode, peak = json.loads(measured.read_text())
    return Peak(returncode, result.stdout, result.stderr, peak)
