"""A plain client of `halo lsp`: messages with a Content-Length over pipes, each answer awaited for a bounded time."""
import json
import os
import queue
import subprocess
import threading
import time

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"inlayHint": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}},
    "textDocument": {"publishDiagnostics": {"versionSupport": True}},
}


class NoAnswer(Exception):
    """The server ended, or did not answer in time."""


def framed(text):
    return b"Content-Length: %d\r\n\r\n" % len(text) + text


def encoded(message):
    return framed(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


class Client:
    def __init__(self, halo, timeout=60, encodings=None, start=True):
        self.process = subprocess.Popen([str(halo), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.timeout = timeout
        self.next = 0
        self.arrived = queue.Queue()
        self.diagnostics = {}  # the last published by URI
        self.requests = []  # methods that the server asked for
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()
        self.capabilities = None
        if start:
            asked = json.loads(json.dumps(CAPABILITIES))
            if encodings:
                asked["general"]["positionEncodings"] = encodings
            self.capabilities = self.ask("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": asked})["capabilities"]
            self.notify("initialized", {})

    def _drain(self):
        self.errors = self.process.stderr.read()

    def _read(self):
        stream = self.process.stdout
        try:
            while True:
                length = None
                while True:
                    line = stream.readline()
                    if not line:
                        raise EOFError
                    if line == b"\r\n":
                        break
                    key, _, value = line.partition(b":")
                    if key.lower() == b"content-length":
                        length = int(value)
                body = stream.read(length)
                if len(body) != length:
                    raise EOFError
                self.arrived.put((time.perf_counter(), json.loads(body)))
        except (EOFError, ValueError, TypeError) as problem:
            self.arrived.put((time.perf_counter(), problem))

    def send_bytes(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError as problem:
            raise NoAnswer(f"the server is gone: {problem}") from problem

    def notify(self, method, params):
        self.send_bytes(encoded({"jsonrpc": "2.0", "method": method, "params": params}))

    def request(self, method, params):
        self.next += 1
        self.send_bytes(encoded({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))
        return self.next

    def take(self, timeout):
        """The next message; published diagnostics and the server's requests are kept aside and returned too."""
        try:
            at, message = self.arrived.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(message, Exception):
            raise NoAnswer(f"the server ended: {type(message).__name__} {message}")
        self.at = at
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]
        elif "method" in message and "id" in message:
            self.requests.append(message["method"])
            self.send_bytes(encoded({"jsonrpc": "2.0", "id": message["id"], "result": None}))
        return message

    def answer(self, number):
        """The whole response to a request."""
        until = time.monotonic() + self.timeout
        while (left := until - time.monotonic()) > 0:
            message = self.take(left)
            if message is not None and message.get("id") == number and "method" not in message:
                return message
        raise NoAnswer(f"no answer within {self.timeout} s")

    def ask(self, method, params):
        message = self.answer(self.request(method, params))
        if "error" in message:
            raise NoAnswer(f"{method}: {message['error']}")
        return message["result"]

    def refused(self, method, params):
        """The error of a request that is to be refused; None if it is not."""
        return self.answer(self.request(method, params)).get("error")

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "hlo", "version": version, "text": text}})

    def change(self, uri, version, changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def settle(self, quiet=1.0, limit=60):
        """Waits until nothing has come for a while, as after a pause in typing."""
        until = time.monotonic() + limit
        while time.monotonic() < until:
            if self.take(quiet) is None:
                return
        raise NoAnswer("the server does not come to rest")

    def whole(self, limit=60):
        """Waits until a whole text was read: the server then asks for lenses to be refreshed."""
        count = self.requests.count("workspace/codeLens/refresh")
        until = time.monotonic() + limit
        while time.monotonic() < until:
            self.take(0.2)
            if self.requests.count("workspace/codeLens/refresh") > count:
                return
        raise NoAnswer("the whole text was not read in time")

    def end(self):
        """Shuts the server down as it should be; returns its exit code."""
        try:
            self.ask("shutdown", None)
            self.notify("exit", None)
            self.process.stdin.close()
            return self.process.wait(timeout=self.timeout)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
