"""Checks `halo mcp` as a process: HTTP with its token, cancellation, and that it survives its worker."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
DUMPS = ROOT / "examples"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def call(number, tool, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


class Http(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen([HALO, "mcp", "--http", "--root", DUMPS, "--json"], stdout=subprocess.PIPE)
        self.addCleanup(self.end)
        text = b""
        while not text.endswith(b"\n}\n"):
            text += self.process.stdout.readline()
        self.address = json.loads(text)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(0, self.process.wait(timeout=20))
        self.process.stdout.close()

    def post(self, message, path="/mcp", method="POST", **headers):
        headers.setdefault("Authorization", "Bearer " + self.address["token"])
        connection = http.client.HTTPConnection("127.0.0.1", self.address["port"], timeout=60)
        connection.request(method, path, json.dumps(message), headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data

    def test_answers(self):
        status, data = self.post(PING)
        self.assertEqual((200, {"jsonrpc": "2.0", "id": 1, "result": {}}), (status, json.loads(data)))
        status, data = self.post(call(2, "open", path="cpu_mlp_train"))
        self.assertIn("jit_mlp_train", json.loads(data)["result"]["structuredContent"]["conclusion"])
        self.assertEqual((202, b""), self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def test_strangers_are_refused(self):
        self.assertEqual(401, self.post(PING, Authorization="")[0])
        self.assertEqual(401, self.post(PING, Authorization="Bearer " + "0" * 32)[0])
        self.assertEqual(403, self.post(PING, Origin="http://example.com")[0])
        self.assertEqual(403, self.post(PING, Host="example.com")[0])
        self.assertEqual(404, self.post(PING, path="/other")[0])
        self.assertEqual(405, self.post(PING, method="GET")[0])

    def test_it_ends_at_once_with_clients_that_say_nothing(self):
        port = self.address["port"]
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        silent += [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for each in silent[40:]:
            each.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Length: 999\r\n\r\nx"
                         % (port, self.address["token"].encode()))
        begin = time.monotonic()
        self.assertEqual(200, self.post(PING)[0])
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(0, self.process.wait(timeout=20))
        self.assertLess(time.monotonic() - begin, 5)
        for each in silent:
            each.close()


class Stdio(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen([HALO, "mcp", "--root", DUMPS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end)

    def end(self):
        self.process.stdin.close()
        self.assertEqual(0, self.process.wait(timeout=20))
        self.process.stdout.close()

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def worker(self):
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, check=True).stdout.split()
        self.assertEqual(1, len(listed))
        return int(listed[0])

    def test_a_worker_that_dies_is_replaced(self):
        self.send(call(1, "open", path="cpu_mlp_train"))
        self.assertFalse(self.read()["result"]["isError"])
        os.kill(self.worker(), signal.SIGKILL)
        time.sleep(0.1)
        self.send(call(2, "open", path="cpu_mlp_train"))
        answer = self.read()["result"]
        if answer["isError"]:  # noticed only now
            self.assertIn("ended unexpectedly", answer["content"][0]["text"])
            self.send(call(3, "open", path="cpu_mlp_train"))
            answer = self.read()["result"]
        self.assertFalse(answer["isError"])

    def test_a_cancelled_call_is_not_answered(self):
        self.send(call("a", "advice", program="h100x4_fsdp_mlp_train", thorough=True))
        self.send(call("b", "advice", program="cpu_mlp_train", thorough=True))
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "b"}})
        self.send(call("c", "open", path="cpu_mlp_train"))
        self.assertEqual(["a", "c"], [self.read()["id"], self.read()["id"]])

    def test_answers_come_in_order(self):
        for number in range(8):
            self.send(call(number, "open" if number % 2 else "memory", **{"path" if number % 2 else "program": "cpu_mlp_train"}))
        self.assertEqual(list(range(8)), [self.read()["id"] for _ in range(8)])


class TimeLimit(unittest.TestCase):
    def test_a_call_that_takes_too_long_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = ["HloModule m, is_scheduled=true", "ENTRY e {", "  x0 = f32[8]{0} parameter(0)"]
            lines += [f"  x{i} = f32[8]{{0}} negate(x{i - 1})" for i in range(1, 200_000)]
            lines[-1] = lines[-1].replace("  x", "  ROOT x", 1)
            (pathlib.Path(folder) / "large.hlo").write_text("\n".join(lines) + "\n}\n", encoding="utf-8")
            done = subprocess.run([HALO, "mcp", "--root", folder, "--timeout", "0.01"], input=json.dumps(
                call(1, "memory", program="large.hlo")).encode() + b"\n", capture_output=True, check=True)
            self.assertIn("took longer", json.loads(done.stdout)["result"]["content"][0]["text"])


if __name__ == "__main__":
    unittest.main()
