"""A scripted client of `halo mcp --http`: one message per POST, answers as JSON or as a stream of events."""
import http.client
import json
import signal
import subprocess
import threading
import urllib.parse

from common import need_halo
from mcp_client import VERSION, NoAnswer

BOTH = "application/json, text/event-stream"


class HttpClient:
    def __init__(self, root):
        self.process = subprocess.Popen([str(need_halo()), "mcp", "--http", "--json", "--root", str(root)], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        text = ""
        for line in self.process.stdout:
            text += line
            if line == "}\n":
                break
        try:
            told = json.loads(text)
        except ValueError as error:
            self.process.kill()
            raise NoAnswer(f"no address: {text[:80]!r}") from error
        self.address = urllib.parse.urlsplit(told["url"])
        self.token = told["token"]

    def __enter__(self):
        self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "row", "version": "1"}}})
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def response(self, message, accept=BOTH, seconds=120):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=seconds)
        connection.request("POST", self.address.path, json.dumps(message), {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": accept})
        return connection.getresponse()

    def post(self, message, accept=BOTH):
        """The status, the type and the messages of an answer."""
        response = self.response(message, accept)
        kind = response.headers.get_content_type()
        body = response.read().decode()
        if kind == "text/event-stream":
            return response.status, kind, [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: ")]
        return response.status, kind, [json.loads(body)] if body and kind == "application/json" else []

    def stream(self, message, arrived):
        """Reads a stream of events in another thread, which calls `arrived` for each message, and returns that thread."""
        response = self.response(message)

        def read():
            for line in response:
                if line.startswith(b"data: "):
                    arrived(json.loads(line[6:]))
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread
