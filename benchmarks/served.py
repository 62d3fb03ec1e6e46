"""Runs a server that is measured, from start to stop: ours or TensorBoard.

    with Server("ours", [program, "--logdir", logdir], ready="/healthz") as server:
        server.first_answer_ms
        server.load([Request("GET", "/api/v1/runs")], seconds=5, connections=64, scratch=scratch)
"""

import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclasses.dataclass
class Request:
    """A request. COUNTER in path or body is replaced by a new number each time, so that the request
    was never sent before.
    """

    method: str
    path: str
    headers: dict = dataclasses.field(default_factory=dict)
    body: str = ""


@dataclasses.dataclass
class Load:
    requests_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us_per_request: float
    bytes_per_answer: int
    failures: int


# Requests are created before they are sent, unless they have a number to insert.
WRK_SCRIPT = """
local list = %s
local made, sent = {}, 0
local function format(request, number)
  local fill = function(text) return (text:gsub("COUNTER", tostring(number))) end
  return wrk.format(request.method, fill(request.path), request.headers, fill(request.body))
end
request = function()
  sent = sent + 1
  local at = (sent - 1) %% #list + 1
  if list[at].counts then return format(list[at], sent) end
  made[at] = made[at] or format(list[at], 0)
  return made[at]
end
"""


def lua(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"[{json.dumps(key)}]={lua(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ",".join(map(lua, value)) + "}"
    return json.dumps(value)


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 60e3}[unit]


class Server:
    def __init__(self, name, command, ready, environment=None):
        self.name, self.command, self.ready = name, command, ready
        self.environment = {**os.environ, **(environment or {})}
        self.port = free_port()

    def __enter__(self):
        started = time.monotonic()
        self.process = subprocess.Popen(
            [*map(str, self.command), "--port", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment,
        )  # fmt: skip
        while not self.answers():
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} ended with {self.process.returncode}: {' '.join(map(str, self.command))}")
            time.sleep(0.0005)
        self.first_answer_ms = (time.monotonic() - started) * 1000
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.ask(Request("GET", self.ready))[0] == 200
        return False

    def ask(self, request):
        """Status and body."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(request.method, request.path, request.body or None, request.headers)
            response = connection.getresponse()
            return response.status, response.read()

    def wait_for(self, path, condition, seconds=300):
        """Sends requests until `condition` holds for the JSON of the response."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status, body = self.ask(Request("GET", path))
            if status == 200 and condition(json.loads(body)):
                return
            time.sleep(0.05)
        raise SystemExit(f"{self.name}: {path} did not give the expected response")

    def family(self):
        """Returns the process and its child processes: TensorBoard reads logs in a separate
        process.
        """
        pids, found = [self.process.pid], []
        while pids:
            pid = pids.pop()
            found.append(pid)
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    pids += map(int, pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split())
        return found

    def cpu_seconds(self):
        ticks = 0
        for pid in self.family():
            with contextlib.suppress(OSError):
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        total = 0
        for pid in self.family():
            with contextlib.suppress(OSError):
                found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
                total += 1024 * int(found[1]) if found else 0
        return total

    def load(self, requests, seconds, connections, scratch):
        """Sends the requests in turns, over connections that stay open, as fast as responses
        arrive.
        """
        status, body = self.ask(dataclasses.replace(requests[0], body=requests[0].body.replace("COUNTER", "0")))
        if status != 200:
            raise SystemExit(f"{self.name}: {requests[0].path} responds with {status}: {body[:200]!r}")
        script = pathlib.Path(scratch) / "requests.lua"
        script.write_text(WRK_SCRIPT % lua([
            dataclasses.asdict(request) | {"counts": "COUNTER" in request.path + request.body} for request in requests
        ]))  # fmt: skip
        cpu = self.cpu_seconds()
        run = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "120s", "-s", script, f"http://127.0.0.1:{self.port}"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        cpu = self.cpu_seconds() - cpu
        answered = int(re.search(r"(\d+) requests in", run.stdout)[1])
        return Load(
            requests_per_second=float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout)[1]),
            p50_ms=milliseconds(re.search(r"50%\s+([\d.]+\w+)", run.stdout)[1]),
            p99_ms=milliseconds(re.search(r"99%\s+([\d.]+\w+)", run.stdout)[1]),
            cpu_us_per_request=1e6 * cpu / max(answered, 1),
            bytes_per_answer=len(body),
            failures=sum(map(int, re.findall(r"(?:connect|read|write|timeout|responses:) (\d+)", run.stdout))),
        )
