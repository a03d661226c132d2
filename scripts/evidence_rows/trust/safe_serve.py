"""Starts `halo view` and `halo mcp --http` and holds 200 connections of slow, broken and greedy clients to each (kinds in
unkind_clients.py), with and without the token. Meanwhile honest clients ask; then the server gets SIGINT while all of them
are connected. Every honest request must be answered within a second, and the server must end within a second."""
import http.client
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

from common import enough, make_large_module, need_halo
from mcp_client import VERSION

ORDER = 62
QUICK_SECONDS = 9
WHAT = "`halo view` and `halo mcp --http` under 200 slow, broken and greedy clients at a time, with and without the token"
BAR = ("each of at least 2,000 honest requests answered within 1 s, under at least 5,000 unkind clients; after SIGINT, with all "
       "of them connected, each server ends within 1 s, at least 6 times")
QUICK_BAR = "at least 60 honest requests, 500 unkind clients and 2 ends; the same"
CLIENTS, LIMIT = 200, 1.0
LEAST = {"honest requests": 2000, "unkind clients": 5000, "ends": 6}
QUICK_LEAST = {"honest requests": 60, "unkind clients": 500, "ends": 2}
ROUNDS, SECONDS, QUICK_SECONDS_EACH = 3, 20, 2
UNKIND = pathlib.Path(__file__).resolve().with_name("unkind_clients.py")
PAGE = "<!doctype html><head></head><body><!--halo:data--><!--/halo:data--></body>"
SMALL = "HloModule jit_small\n\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] sine(p)\n}\n"


class Server:
    """A server on a free port, and what it may be asked: (method, path, headers, body) of honest requests."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen([str(need_halo()), *map(str, arguments), "--json"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=folder)
        text = b""
        for line in self.process.stdout:
            text += line
            if line == b"}\n":
                break
        try:
            self.told = json.loads(text)
            self.address = urllib.parse.urlsplit(self.told["url"])
            self.port = self.told["port"]
            self.host = {"Host": f"127.0.0.1:{self.port}"}
            self.honest, self.admitted = self.requests()
        except (ValueError, KeyError, OSError, http.client.HTTPException) as error:
            self.process.kill()
            self.process.communicate()
            raise RuntimeError(f"no server: {error!r}, {text[:80]!r}") from error

    def ask(self, method, path, headers, body):
        """The status, the body and the seconds."""
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), time.monotonic() - begin
        finally:
            connection.close()


class Viewer(Server):
    def __init__(self, folder):
        super().__init__(folder, "view", "dump", "--page", "page.html")

    def requests(self):
        base = self.address.path
        _, manifest, _ = self.ask("GET", base + "manifest.json", {}, None)
        manifest = json.loads(manifest)
        numbers = {file["name"]: file["url"] for file in manifest["files"]}
        small = next(url for name, url in numbers.items() if "jit_small" in name)
        large = next(url for name, url in numbers.items() if "jit_large" in name)
        program = next(i for i, each in enumerate(manifest["programs"]) if each["module"] == "jit_small")
        honest = [("GET", base, {}, None), ("GET", base + small, {}, None),
                  ("POST", f"{base}ask?program={program}", {}, json.dumps({"ask": "overview"}))]
        return honest, [(path, self.host) for path in (base, base + small, base + large)]


class Agent(Server):
    def __init__(self, folder):
        super().__init__(folder, "mcp", "--http", "--root", "dump")

    def requests(self):
        headers = {"Authorization": f"Bearer {self.told['token']}", "Content-Type": "application/json",
                   "Accept": "application/json"}
        begin = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "row", "version": "1"}}
        messages = [("initialize", begin), ("ping", {}), ("tools/list", {}),
                    ("tools/call", {"name": "list", "arguments": {}})]
        honest = [("POST", "/mcp", headers, json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": values}))
                  for i, (method, values) in enumerate(messages)]
        return honest, [("/mcp", {**self.host, **headers})]


def one_round(make, folder, seconds):
    """Returns (honest requests, unkind clients, slowest answer, seconds to the end, problems)."""
    server, problems, asked, slowest = make(folder), [], 0, 0.0
    unkind = subprocess.Popen([sys.executable, str(UNKIND), str(server.port), str(CLIENTS), json.dumps(server.admitted)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        unkind.stdout.readline()
        end = time.monotonic() + seconds
        while time.monotonic() < end and len(problems) < 5:
            request = server.honest[asked % len(server.honest)]
            try:
                status, body, took = server.ask(*request)
                if status != 200 or not body:
                    problems.append(f"{request[0]} {request[1][-20:]}: status {status}")
            except OSError as error:
                took = LIMIT + 30
                problems.append(f"{request[0]} {request[1][-20:]}: {error!r}")
            asked += 1
            slowest = max(slowest, took)
            if took > LIMIT:
                problems.append(f"{request[0]} {request[1][-20:]}: {took:.2f} s")
            time.sleep(0.01)
        unkind.stdin.write("\n")
        unkind.stdin.flush()
        counts = json.loads(unkind.stdout.readline())
        begin = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        try:
            code = server.process.wait(timeout=15)
            took = time.monotonic() - begin
        except subprocess.TimeoutExpired:
            code, took = None, 15.0
        if code != 0 or took > LIMIT:
            problems.append(f"the end: exit code {code} after {took:.2f} s")
        return asked, sum(counts.values()), slowest, took, problems
    finally:
        for process in (unkind, server.process):
            process.kill()
            process.communicate()


def prepare(folder):
    (folder / "page.html").write_text(PAGE)
    (folder / "dump").mkdir()
    (folder / "dump" / "module_0001.jit_small.before_optimizations.txt").write_text(SMALL)
    make_large_module(folder / "dump" / "module_0002.jit_large.before_optimizations.txt", 50000)


def measure(quick):
    need_halo()
    totals, slowest, last, problems = dict.fromkeys(LEAST, 0), 0.0, 0.0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        for make in (Viewer, Agent) * (1 if quick else ROUNDS):
            try:
                asked, unkind, slow, end, wrong = one_round(make, folder, QUICK_SECONDS_EACH if quick else SECONDS)
            except RuntimeError as error:
                return False, str(error)
            print(f"{make.__name__}: {asked} honest requests, {unkind} unkind clients; slowest answer {slow:.2f} s, "
                  f"end after {end:.2f} s", flush=True)
            for each in wrong:
                print(f"  {each}", flush=True)
            problems += wrong
            totals["honest requests"] += asked
            totals["unkind clients"] += unkind
            totals["ends"] += 1
            slowest, last = max(slowest, slow), max(last, end)
    held = not problems and enough(QUICK_LEAST if quick else LEAST, totals)
    return held, (f"{totals['honest requests']} honest requests under {totals['unkind clients']} unkind clients, the slowest "
                  f"answered in {slowest:.2f} s; {totals['ends']} servers ended in at most {last:.2f} s"
                  + (f"; {len(problems)} problems" if problems else ""))
