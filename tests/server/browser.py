"""Chromium by its debugging pipe, with nothing but the standard library.

    with Browser(profile_directory) as browser:
        browser.open("http://127.0.0.1:6006/")
        browser.wait_for("document.querySelectorAll('tbody tr').length > 0")
        browser.evaluate("document.title")
"""

import json
import os
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
INSTALLED = os.access(CHROMIUM, os.X_OK)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


class Browser:
    def __init__(self, profile, width=1440, height=900):
        self.arguments = [CHROMIUM, *FLAGS, "--remote-debugging-pipe", f"--window-size={width},{height}",
                          f"--user-data-dir={profile}", "about:blank"]  # fmt: skip
        self.problems = []  # Errors of scripts and of the content policy.
        self.pending = b""
        self.last_id = 0

    def __enter__(self):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def place():  # Chromium reads commands from 3 and writes answers to 4.
            low, high = os.dup(commands), os.dup(answers)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            self.arguments, preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)
        os.close(self.commands)
        os.close(self.answers)

    def call(self, method, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self):
        while b"\0" not in self.pending:
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                raise AssertionError("the browser is gone")
            self.pending += piece
        text, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(text)
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"])
        if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"])
        return message

    def open(self, url):
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                raise AssertionError(f"never became true: {condition}\n{self.evaluate('document.body.innerText')[:2000]}")
            time.sleep(0.02)

    def move_to(self, selector):
        """Points at the middle of the first element that matches."""
        x, y = self.evaluate(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                             " return [box.x + box.width / 2, box.y + box.height / 2]; })()")  # fmt: skip
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'nearest'}})")
        x, y = self.move_to(selector)
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 and kind == "keyDown" else "")

    def screenshot(self, path):
        """For looking at a page while a test is written."""
        import base64

        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
