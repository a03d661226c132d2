"""`halo lsp` validated by the types of the protocol and by what regular expressions find, on texts and on broken ones."""
import json
import os
import subprocess
import tempfile

from common import ROOT, SHARED, enough, need_halo, python_with
from lsp_client import Client, NoAnswer, encoded, framed

ORDER = 233
WHAT = "every feature of `halo lsp` on the seeds, the examples and broken texts; messages that are malformed"
BAR = ("every answer valid by the protocol's types (lsprotocol); published diagnostics equal those of `halo check`; definitions, uses, "
       "calls, renames, symbols, folds, hovers and completions equal what is found in the text by regular expressions; 500 malformed messages "
       "do not end the server")
QUICK_BAR = "the same on the examples only, with 100 malformed messages"
LEAST = {"texts": 9, "methods": 19, "answers": 5000, "comparisons": 1300, "mistakes": 63, "malformed": 500}
QUICK_LEAST = {"texts": 4, "methods": 19, "answers": 1000, "comparisons": 200, "mistakes": 28, "malformed": 100}
QUICK_SECONDS = 10


def texts(quick):
    found = sorted((ROOT / "examples").rglob("*optimizations.txt"), key=lambda path: path.stat().st_size)
    if quick:
        return found[:4]
    seeds = sorted(path for path in (SHARED / "seeds").glob("*.txt") if path.stat().st_size < 64 << 20)
    return found + [path for path in seeds if path.read_bytes().startswith(b"HloModule")]


def malformed(halo, count):
    """How many malformed messages the server survived, answering a good request after each tenth."""
    bad = [framed(b"{"), framed(b"[]"), framed(b"7"), framed(b'{"jsonrpc":"2.0"}'), b"Content-Type: x\r\n\r\n", framed(b"\xff\xfe"),
           framed(b'{"jsonrpc":"2.0","id":[],"method":"x"}'), framed(b'{"jsonrpc":"2.0","id":1,"method":"nonsense"}'),
           encoded({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 7}}),
           encoded({"jsonrpc": "2.0", "method": "textDocument/didChange",
                    "params": {"textDocument": {"uri": "file:///a"}, "contentChanges": [{"range": {"start": 1}, "text": 3}]}}),
           encoded({"jsonrpc": "2.0", "id": "h", "method": "textDocument/hover",
                    "params": {"textDocument": {"uri": "file:///a"}, "position": {"line": -1, "character": 10**30}}}),
           encoded({"jsonrpc": "2.0", "id": "r", "method": "textDocument/semanticTokens/range", "params": {"textDocument": {"uri": "file:///a"}}}),
           encoded({"jsonrpc": "2.0", "id": "i", "method": "callHierarchy/incomingCalls", "params": {"item": {"uri": "file:///a", "name": 3}}}),
           encoded({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///b"}}})]
    survived = 0
    with Client(halo) as client:
        client.open("file:///a", "HloModule a\nENTRY main {\n  ROOT p = f32[4]{0} parameter(0)\n}\n")
        for number in range(count):
            client.send_bytes(bad[number % len(bad)])
            survived += 1
            if number % 10 == 9:
                symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": "file:///a"}})
                if [each["name"] for each in symbols] != ["a", "main"]:
                    return survived, "a good request is answered wrongly after malformed ones"
        if client.end() != 0:
            return survived, "the exit code after malformed messages"
    return survived, ""


def measure(quick):
    halo = need_halo()
    files = texts(quick)
    with tempfile.TemporaryDirectory() as work:
        try:
            run = subprocess.run([python_with("lsprotocol", os.environ.get("HALO_LSP_PYTHON", "")),
                                  str(ROOT / "scripts/evidence_rows/lsp/lsp_session.py"), str(halo),
                                  "5" if quick else "20", work, *map(str, files)], capture_output=True, text=True, timeout=3000, check=False)
            result = json.loads(run.stdout)
        except ValueError:
            return False, f"the session ended: {run.stderr[-300:]}"
    for problem in result["problems"]:
        print(f"  {problem}")
    try:
        survived, problem = malformed(halo, 100 if quick else 500)
    except NoAnswer as ended:
        survived, problem = 0, str(ended)
    if problem:
        print(f"  {problem}")
    counts = {"texts": result["texts"], "methods": len(result["answers"]), "answers": sum(result["answers"].values()),
              "comparisons": result["comparisons"], "mistakes": result["mistakes"], "malformed": survived}
    held = enough(QUICK_LEAST if quick else LEAST, counts) and result["problem_count"] == 0 and not problem
    return held, (f"{counts['answers']:,} answers to {counts['methods']} methods about {counts['texts']} texts valid, "
                  f"{result['comparisons'] - result['problem_count']:,} of {result['comparisons']:,} comparisons equal, "
                  f"{counts['mistakes']} mistakes made and fixed, {survived} malformed messages survived")
