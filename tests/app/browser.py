"""Chromium, driven through its own pipe: opens pages, evaluates scripts, collects console messages."""
import json
import os
import shutil
import subprocess
import time


class Browser:
    def __init__(self, folder):
        commands, answers = os.pipe(), os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                 "--disable-sync", "--disable-default-apps", "--disable-extensions", "--no-pings", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile"]
        # The browser reads commands from descriptor 3 and answers on 4.
        self._child = subprocess.Popen(["bash", "-c", f'exec 3<&{commands[0]} 4>&{answers[1]}; exec "$@"', "bash", shutil.which("chromium"), *flags, "about:blank"],
                                       pass_fds=(commands[0], answers[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands[0])
        os.close(answers[1])
        self._commands, self._answers = os.fdopen(commands[1], "wb"), answers[0]
        self._rest, self._number, self._session = b"", 0, None
        self.said = []  # messages of the console, errors, refusals of the policy
        self.asked = []  # every address that was asked for
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def _hear(self):
        while b"\0" not in self._rest:
            piece = os.read(self._answers, 1 << 16)
            if not piece:
                raise SystemExit("chromium has ended")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(message)
        kind, facts = message.get("method"), message.get("params", {})
        if kind in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(json.dumps(facts)[:400])
        if kind == "Network.requestWillBeSent":
            self.asked.append(facts["request"]["url"])
        return message

    def call(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params, **({"sessionId": self._session} if self._session else {})}
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = self._hear()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState == 'complete' && location.href != 'about:blank'")

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    def until(self, condition, seconds=30):
        """Waits for it; False: it did not come true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(condition):
                return True
            time.sleep(0.05)
        return False

    def close(self):
        self._session = None
        self.call("Browser.close")
        self._child.wait(20)
