"""Headless Chromium, over a pipe of the DevTools protocol (--remote-debugging-pipe): JSON texts, each ended by NUL.

SHOTS=FOLDER keeps pictures.
"""
import base64
import json
import os
import subprocess
import sys


class Browser:
    def __init__(self, program, profile):
        to_read, self.write_to = os.pipe()
        self.read_from, to_write = os.pipe()

        def place():  # the browser reads at 3 and writes at 4
            os.dup2(to_read, 10), os.dup2(to_write, 11)
            os.dup2(10, 3), os.dup2(11, 4)
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
             "--proxy-server=127.0.0.1:9", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(to_write)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.read_from, 1 << 16)
            if not more:
                sys.exit("the browser ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, url, width, scheme, scripts=True):
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")
        if scripts:
            self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def picture(self, name):
        if os.environ.get("SHOTS"):
            data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
            with open(f"{os.environ['SHOTS']}/{name}.png", "wb") as out:
                out.write(base64.b64decode(data))
