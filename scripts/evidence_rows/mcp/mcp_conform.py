"""`halo mcp` against the official Python SDK, malformed messages, cancellation and paths outside its folders."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import threading
import time

from common import ROOT, enough, make_large_module, need_halo, python_with
from mcp_client import MOST, Client, NoAnswer
from mcp_http import BOTH, HttpClient

ORDER = 230
WHAT = "`halo mcp` with the official SDK as the client; malformed messages; cancellation; files outside its folders"
BAR = ("the SDK (mcp 2.3.0) negotiates 2025-11-25 and calls each of the 14 tools, every result valid by its schema; a long call reports "
       "growing progress; a cancelled one is never answered and the next answer comes within 5 s, both also over HTTP; 1,000 malformed messages are each "
       "answered by one JSON-RPC error and none ends the server; of at least 60 ways out of the folders none reads a file")
QUICK_BAR = "the same with 200 malformed messages"
LEAST = {"tools": 14, "valid results": 18, "malformed": 1000, "ways out": 60, "cancelled": 3}
QUICK_LEAST = {**LEAST, "malformed": 200}
QUICK_SECONDS = 10

TINY = "HloModule tiny\nENTRY main {\n  p = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} add(p, p)\n}\n"
SECRET = "HloModule secret_module\nENTRY main {\n  ROOT secret_value = f32[4]{0} parameter(0)\n}\n"


def sdk_python():
    """An interpreter that has the SDK."""
    return python_with("mcp, jsonschema", os.environ.get("HALO_MCP_PYTHON", ""))


def make_folder(work):
    """What the server may read, and beside it what it may not."""
    inside = work / "inside"
    shutil.copytree(ROOT / "examples/cpu_mlp_train", inside / "dump")
    shutil.copy(ROOT / "examples/broken.hlo", inside / "broken.hlo")
    (inside / "tiny.hlo").write_text(TINY, encoding="utf-8")
    make_large_module(inside / "large.hlo", 400_000)
    outside = work / "outside"
    outside.mkdir()
    (outside / "secret.hlo").write_text(SECRET, encoding="utf-8")
    (inside / "link.hlo").symlink_to(outside / "secret.hlo")
    (inside / "folder").symlink_to(outside)
    (inside / "up").symlink_to("..")
    (inside / "beside.hlo").write_text(TINY, encoding="utf-8")
    (inside / "beside-buffer-assignment.txt").symlink_to(outside / "secret.hlo")
    return inside, outside


def with_sdk(inside):
    run = subprocess.run([sdk_python(), str(ROOT / "scripts/evidence_rows/mcp/mcp_sdk_session.py"), str(need_halo()), str(inside)],
                         capture_output=True, text=True, timeout=300, check=False)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {"problems": [f"the SDK's session ended: {run.stderr[-300:]}"]}


def malformed(count):
    """Yields messages that are no requests the server knows, and whether an answer is due."""
    maker = random.Random(20251125)
    good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "memory", "arguments": {"program": "tiny.hlo", "by": "source"}}})
    fixed = [b"{", b"[]", b"null", b"7", b'"text"', b"\xff\xfe", b"{" * 5000, b"[" * 5000 + b"]" * 5000, b'{"jsonrpc":"2.0"}',
             b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":[],"method":"ping"}',
             b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"method":"nonsense"}',
             b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}',
             b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nonsense"}}',
             b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
             b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"nonsense"}}',
             b'{"jsonrpc":"2.0","id":"' + b"i" * 9000 + b'","method":"ping"}', b"x" * (2 << 20)]
    yield from fixed
    made = len(fixed)
    while made < count:
        text = bytearray(good.encode())
        kind = maker.randrange(3)
        if kind == 0:
            text = text[:maker.randrange(1, len(text))]
        elif kind == 1:
            for _ in range(maker.randrange(1, 4)):
                text[maker.randrange(len(text))] = maker.choice(b'{}[]",:\\\x00\xff0a')
        else:
            at = maker.randrange(len(text))
            text[at:at] = bytes(maker.choice(b'{}[]",:\\\x01') for _ in range(maker.randrange(1, 9)))
        line = bytes(text).replace(b"\n", b" ")
        try:
            parsed = json.loads(line)
            if isinstance(parsed, dict) and parsed.get("method") and parsed.get("jsonrpc") == "2.0":
                continue  # still a request or a notification
        except ValueError:
            pass
        made += 1
        yield line


def survive(inside, count):
    """How many malformed messages are answered by exactly one error."""
    right = 0
    with Client(inside) as client:
        for number, line in enumerate(malformed(count)):
            client.send_bytes(line)
            client.send({"jsonrpc": "2.0", "id": f"after-{number}", "method": "ping"})
            answers = []
            while True:
                message, _ = client.message()
                if message.get("id") == f"after-{number}":
                    break
                answers.append(message)
            # Answers that the worker gives may come after the ping.
            if not answers:
                answers.append(client.message()[0])
            right += len(answers) == 1 and "error" in answers[0] and isinstance(answers[0]["error"]["code"], int)
    return right


def ways_out(inside, outside):
    """How many requests for files outside the folder there are, and those that were answered with anything of them."""
    secret = str(outside / "secret.hlo")
    paths = [secret, "../outside/secret.hlo", "link.hlo", "folder/secret.hlo", "up/outside/secret.hlo", "dump/../../outside/secret.hlo",
             "./../outside/secret.hlo", "/etc/passwd", "../../../../../../etc/passwd", f"{inside}/../outside/secret.hlo",
             "beside.hlo", "tiny.hlo/../../outside/secret.hlo", "/proc/self/environ", f"{inside}/link.hlo", "link.hlo/x"]
    asked, leaks = 0, []
    with Client(inside) as client:
        for path in paths:
            for tool, arguments in (("open", {"path": path}), ("list", {"path": path}), ("memory", {"program": path}),
                                    ("diff", {"before": "tiny.hlo", "after": path}), ("text", {"program": path, "from": 1}),
                                    ("check", {"program": path})):
                asked += 1
                result = client.result(tool, arguments)
                # The program itself may be read, its neighbour not.
                may_answer = path == "beside.hlo"
                if not (may_answer or result.get("isError")) or "secret_" in json.dumps(result) or "root:" in json.dumps(result):
                    leaks.append(f"{tool} {path}")
            for uri in (f"halo://text/1/{path}", f"halo://report/memory/{path.replace('.', '%2E')}"):
                asked += 1
                message, _ = client.request("resources/read", {"uri": uri})
                if ("error" not in message and path != "beside.hlo") or "secret_" in json.dumps(message):
                    leaks.append(uri)
        for arguments in ({}, {"rows": "files"}):
            asked += 1
            if "secret" in json.dumps(client.result("list", arguments)):
                leaks.append("list")
        if client.largest > MOST:
            leaks.append("an answer over 8 KB")
    return asked, leaks


def cancel(inside, times):
    """How often a long call, cancelled, is never answered, and the next one answers soon."""
    right, slowest = 0, 0.0
    with Client(inside) as client:
        for number in range(times):
            client.send({"jsonrpc": "2.0", "id": f"long-{number}", "method": "tools/call", "params": {
                "name": "advice", "arguments": {"program": "large.hlo", "about": "memory", "thorough": True},
                "_meta": {"progressToken": number}}})
            while client.message()[0].get("method") != "notifications/progress":
                pass
            time.sleep(0.3)
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"long-{number}"}})
            begin = time.monotonic()
            client.send({"jsonrpc": "2.0", "id": f"next-{number}", "method": "tools/call",
                         "params": {"name": "open", "arguments": {"path": "tiny.hlo"}}})
            answered = []
            while not answered or answered[-1] != f"next-{number}":
                message, _ = client.message(30)
                if "id" in message:
                    answered.append(message["id"])
            slowest = max(slowest, time.monotonic() - begin)
            right += answered == [f"next-{number}"]
    return right, slowest


def over_http(inside):
    """Problems of a call that reports progress, of one that is cancelled, and of one without events, over HTTP."""
    def call(number, tool, token=None, **arguments):
        meta = {} if token is None else {"_meta": {"progressToken": token}}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments, **meta}}
    problems = []
    with HttpClient(inside) as client:
        status, kind, messages = client.post(call(1, "memory", "m", program="dump"))
        numbers = [each["params"]["progress"] for each in messages if each.get("method") == "notifications/progress"]
        if (status, kind) != (200, "text/event-stream") or len(numbers) < 2 or numbers != sorted(set(numbers)) or messages[-1].get("id") != 1:
            problems.append(f"HTTP: no growing progress before the answer: {status} {kind} {numbers}")
        for accept, token in (("application/json", "t"), (BOTH, None)):
            status, kind, messages = client.post(call(2, "open", token, path="tiny.hlo"), accept)
            if (status, kind, [each.get("id") for each in messages]) != (200, "application/json", [2]):
                problems.append(f"HTTP: not one answer as JSON: {status} {kind} {messages}")
        begun, seen = threading.Event(), []
        thread = client.stream(call(3, "advice", "a", program="large.hlo", about="memory", thorough=True),
                               lambda message: (seen.append(message), begun.set()))
        begun.wait(60)
        status, _, _ = client.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})
        thread.join(5)
        if status != 202 or thread.is_alive() or not seen or any("id" in each for each in seen):
            problems.append(f"HTTP: a cancelled call is not ended without an answer: {status} {seen[-1:]}")
        if [each.get("id") for each in client.post(call(4, "open", path="tiny.hlo"))[2]] != [4]:
            problems.append("HTTP: no answer after a cancelled call")
    return problems


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    need_halo()
    sdk_python()
    with tempfile.TemporaryDirectory() as temporary:
        inside, outside = make_folder(pathlib.Path(temporary).resolve())
        said = with_sdk(inside)
        problems = list(said["problems"])
        try:
            right = survive(inside, least["malformed"])
            asked, leaks = ways_out(inside, outside)
            cancelled, slowest = cancel(inside, least["cancelled"])
            problems += over_http(inside)
        except (NoAnswer, KeyError, OSError) as error:
            problems.append(str(error))
            right = asked = cancelled = 0
            leaks, slowest = [], 99.0
    problems += [f"read outside its folders: {each}" for each in leaks]
    # A call has two stages, each reported; more comes once a second while one lasts, which a fast machine never sees.
    expected = (said.get("version") == "2025-11-25", said.get("refused"), said.get("prompt"), said.get("resource"),
                said.get("progress", 0) >= 2, said.get("progress_grows"), len(said.get("prompts", [])) == 4,
                "212.2KiB" in said.get("conclusions", {}).get("memory", ""), said.get("conclusions", {}).get("open", "").startswith("jit_mlp_train"),
                slowest <= 5)
    if not all(expected):
        problems.append(f"not as expected: {expected}")
    for each in problems:
        print(f"  {each}")
    counts = {"tools": len(set(said.get("valid", [])) & set(said.get("tools", []))), "valid results": len(said.get("valid", [])),
              "malformed": right, "ways out": asked, "cancelled": cancelled}
    held = not problems and enough(least, counts)
    return held, (f"{counts['tools']} tools called by the SDK, {counts['valid results']} results valid; {right} of {least['malformed']} malformed "
                  f"messages answered by one error; {len(leaks)} of {asked} ways out lead to a file; {cancelled} of {least['cancelled']} "
                  f"cancelled calls unanswered, the next answer after {slowest:.1f} s at most; progress and cancellation over HTTP")
