"""A scripted client of `halo mcp`: messages as lines over pipes, without any SDK. Counts what it asks and what comes back."""
import itertools
import json
import select
import subprocess

from common import need_halo

VERSION = "2025-11-25"
MOST = 8192  # bytes of an answer


class NoAnswer(Exception):
    """Raised if the server ends, stays silent or answers with something that is no message."""


class Client:
    def __init__(self, *roots, options=(), seconds=120):
        words = [str(need_halo()), "mcp", *options]
        for root in roots:
            words += ["--root", str(root)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ids = itertools.count(1)
        self.seconds = seconds
        self.unread = b""
        self.largest = 0  # bytes of a tool's answer
        self.calls = 0
        self.bytes = 0  # of the answers of tools
        self.programs = set()  # asked about

    def __enter__(self):
        self.request("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "row", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def send_bytes(self, line):
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, OSError) as error:
            raise NoAnswer("the server has ended") from error

    def send(self, message):
        self.send_bytes(json.dumps(message).encode())

    def line(self, seconds=None):
        """The next line of the server."""
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], seconds or self.seconds)
            part = self.process.stdout.read1(65536) if ready else b""
            if not part:
                raise NoAnswer("the server has ended" if ready else "the server is silent")
            self.unread += part
        line, self.unread = self.unread.split(b"\n", 1)
        return line

    def message(self, seconds=None):
        line = self.line(seconds)
        try:
            return json.loads(line), len(line) + 1
        except ValueError as error:
            raise NoAnswer(f"no JSON: {line[:80]!r}") from error

    def request(self, method, params):
        number = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message, size = self.message()
            if message.get("jsonrpc") != "2.0" or "method" not in message and message.get("id") != number:
                raise NoAnswer(f"not the answer to request {number}: {str(message)[:80]}")
            if "method" not in message:
                return message, size

    def call(self, tool, **arguments):
        """The result of a tool: its structured content. Raises if it refuses."""
        result = self.result(tool, arguments)
        if result.get("isError"):
            raise NoAnswer(f"{tool} {arguments}: {result['content'][0]['text'][:300]}")
        return result["structuredContent"]

    def result(self, tool, arguments):
        message, size = self.request("tools/call", {"name": tool, "arguments": arguments})
        self.calls += 1
        self.programs.update(arguments[key] for key in ("program", "path", "before") if key in arguments)
        self.bytes += size
        self.largest = max(self.largest, size)
        if "result" not in message:
            raise NoAnswer(f"{tool}: {message.get('error')}")
        return message["result"]
