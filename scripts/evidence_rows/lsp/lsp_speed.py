"""`halo lsp` on a text of 100 MB over its protocol: opening, every request, edits, and memory. Positions are in the entry,
which is a third of the text, and in small computations. Each answer is compared with what the text has there."""
import pathlib
import re
import tempfile
import time

from common import enough, make_large_module, need_halo
from lsp_client import Client, NoAnswer, encoded

ORDER = 234
QUICK_SECONDS = 5
SPEED = True
WHAT = "`halo lsp` on a generated text of 100 MB: opening, 17 kinds of requests, and edits, in a small computation and in the entry of 37 MB"
BAR = ("opened within 1 s; each answer, also while the whole text is read, within 100 ms; each edit and the problems it makes or mends "
       "within 100 ms; at most 6 bytes of memory per byte of text")
LEAST = {"MB": 100, "methods": 17, "answers": 180, "edits": 60}
QUICK_BAR = "ten times these times, on 10 MB; 30 bytes of memory per byte"
QUICK_LEAST = {"MB": 10, "methods": 17, "answers": 80, "edits": 12}
BYTES_EACH = 230  # of an instruction of the generated text, a little less than it has
URI = "file:///large.hlo"


class Wrong(Exception):
    """An answer that is not what the text says."""


class Text:
    """The text as lines, and where its computations are."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.computations = [number for number, line in enumerate(self.lines) if line.endswith(" {")]
        self.entry = next(number for number in self.computations if self.lines[number].startswith("ENTRY"))

    def places(self, count):
        """Lines of instructions with operands: of small computations, and of the entry."""
        small = [self.computations[1 + (len(self.computations) - 3) * i // (count - 1)] + 6 for i in range(count)]
        rest = len(self.lines) - self.entry - 10
        entry = [self.entry + 4 + rest * i // (count - 1) for i in range(count)]
        while not self.lines[entry[-1]].startswith("  %"):
            entry[-1] -= 1
        return [(number, "small") for number in small] + [(number, "entry") for number in entry]


def name_of(line):
    return re.match(r"\s*(?:ROOT )?%([\w.-]+)", line)[1]


class Timed:
    """Asks a client, and keeps the milliseconds of each answer by method."""

    def __init__(self, client, text):
        self.client, self.text = client, text
        self.times = {}
        self.version = 1

    def ask(self, method, params, label=None):
        start = time.perf_counter()
        answer = self.client.ask(method, {"textDocument": {"uri": URI}, **params})
        self.times.setdefault(label or method.rsplit("/", 1)[-1], []).append((self.client.at - start) * 1e3)
        return answer

    def every_request(self, number, where):
        """Each request about one line, its answers compared with the line."""
        line = self.text.lines[number]
        name = name_of(line)
        at = {"position": {"line": number, "character": line.index("%") + 2}}
        operand = re.search(r"\((%)([\w.-]+)", line)
        use = {"position": {"line": number, "character": operand.start(1) + 2}}
        window = {"range": {"start": {"line": max(number - 30, 0), "character": 0}, "end": {"line": number + 30, "character": 0}}}

        def expect(what, truth):
            if not truth:
                raise Wrong(f"{what} at line {number + 1} in the {where}")
        expect("hover", f"**{name}**" in self.ask("textDocument/hover", at)["contents"]["value"])
        found = self.ask("textDocument/definition", use)
        defined = self.text.lines[found["range"]["start"]["line"]]
        expect("definition", name_of(defined) == operand[2])
        for method in ("textDocument/references", "textDocument/documentHighlight"):
            found = self.ask(method, {**use, "context": {"includeDeclaration": True}})
            expect(method, len(found) >= 2 and all(operand[2] in self.text.lines[each["range"]["start"]["line"]] for each in found))
        expect("prepareRename", self.ask("textDocument/prepareRename", at)["placeholder"] == name)
        expect("rename", self.ask("textDocument/rename", {**at, "newName": "fresh.name"})["changes"][URI])
        items = self.ask("textDocument/completion", use)
        expect("completion", items["items"] if isinstance(items, dict) else items)
        item = self.ask("textDocument/prepareCallHierarchy", at)[0]
        expect("calls from outside", where == "entry" or self.ask("callHierarchy/incomingCalls", {"item": item}))
        if where == "small":
            self.ask("callHierarchy/outgoingCalls", {"item": item})
        expect("semantic tokens", len(self.ask("textDocument/semanticTokens/range", window)["data"]) > 30 * 5)
        expect("inlay hints", self.ask("textDocument/inlayHint", window))
        expect("code actions", self.ask("textDocument/codeAction", {**window, "context": {"diagnostics": []}}))

    def whole_text(self):
        """Requests about the whole text."""
        if len(self.ask("textDocument/documentSymbol", {})) < len(self.text.computations):
            raise Wrong("symbols")
        if len(self.ask("textDocument/foldingRange", {})) < len(self.text.computations):
            raise Wrong("folds")
        self.ask("textDocument/codeLens", {})
        self.ask("textDocument/semanticTokens/full", {})
        item = self.ask("textDocument/prepareCallHierarchy", {"position": {"line": self.text.entry, "character": 8}})[0]
        if not self.ask("callHierarchy/outgoingCalls", {"item": item}, "outgoingCalls of the entry"):
            raise Wrong("calls of the entry")

    def edit(self, number, begin, end, inserted, wants_problem, where):
        """One edit, until the next answer and until its problems are shown."""
        line = self.text.lines[number]
        self.text.lines[number] = line[:begin] + inserted + line[end:]
        self.version += 1
        start = time.perf_counter()
        self.client.change(URI, self.version, [{"range": {"start": {"line": number, "character": begin},
                                                          "end": {"line": number, "character": end}}, "text": inserted}])
        self.ask("textDocument/hover", {"position": {"line": number, "character": 4}}, f"answer after an edit in the {where}")
        while True:
            shown = self.client.diagnostics.get(URI, {"diagnostics": []})["diagnostics"]
            if any(each["range"]["start"]["line"] == number for each in shown) == wants_problem:
                break
            if self.client.take(10) is None:
                raise Wrong(f"no problems after an edit at line {number + 1} in the {where}")
        self.times.setdefault(f"problems of an edit in the {where}", []).append((max(self.client.at, start) - start) * 1e3)

    def edits(self, number, where):
        """Types an operand that does not exist, then takes it back."""
        line = self.text.lines[number]
        at = re.search(r"\(%[\w.-]+", line).end()
        self.edit(number, at, at, "x", True, where)
        self.edit(number, at, at + 1, "", False, where)


def memory_of(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024


def during_whole(timed, number):
    """Hovers while the whole text is read; nothing if it was not seen to begin and to end."""
    client = timed.client
    before = client.requests.count("workspace/codeLens/refresh")
    until = time.monotonic() + 120
    while client.requests.count("workspace/codeLens/refresh") == before:
        if time.monotonic() > until:
            raise NoAnswer("the whole text was not read within 2 minutes")
        timed.ask("textDocument/hover", {"position": {"line": number, "character": 4}}, "hover while the whole text is read")
        time.sleep(0.05)


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.hlo"
        make_large_module(path, least["MB"] * 1_000_000 // BYTES_EACH)
        data = path.read_text(encoding="utf-8")
    text = Text(data)
    opened = encoded({"jsonrpc": "2.0", "method": "textDocument/didOpen",
                      "params": {"textDocument": {"uri": URI, "languageId": "hlo", "version": 1, "text": data}}})
    size = len(data.encode())
    del data
    problem = ""
    with Client(need_halo(), timeout=120) as client:
        timed = Timed(client, text)
        try:
            start = time.perf_counter()
            client.send_bytes(opened)
            timed.ask("textDocument/hover", {"position": {"line": text.computations[3] + 6, "character": 4}}, "first hover")
            opening = client.at - start
            del timed.times["first hover"]
            during_whole(timed, text.computations[3] + 6)
            timed.whole_text()
            places = text.places(3 if quick else 6)
            for number, where in places:
                timed.every_request(number, where)
            for _ in range(1 if quick else 3):
                for number, where in places:
                    timed.edits(number, where)
            during_whole(timed, places[-1][0])
            client.settle(limit=120)
            if client.diagnostics.get(URI, {"diagnostics": []})["diagnostics"]:
                raise Wrong("problems are left after all edits were taken back")
        except (NoAnswer, Wrong) as ended:
            problem = str(ended)
            opening = float("inf")
        memory = memory_of(client.process) / size if client.process.poll() is None else float("inf")
    if problem:
        print(f"  {problem}")
        return False, problem
    for label, times in sorted(timed.times.items(), key=lambda each: -max(each[1])):
        print(f"  {label}: {len(times)} times, median {sorted(times)[len(times) // 2]:.1f} ms, longest {max(times):.1f} ms")
    edits = [each for label, times in timed.times.items() if "edit" in label for each in times]
    answers = [each for label, times in timed.times.items() if "edit" not in label for each in times]
    longest, edit = max(answers), max(edits)
    slack = 10 if quick else 1
    methods = sum(" " not in label for label in timed.times)
    counts = {"MB": size // 1_000_000, "methods": methods, "answers": len(answers), "edits": len(edits) // 2}
    held = (enough(least, counts) and opening <= slack and longest <= 100 * slack and edit <= 100 * slack
            and memory <= (30 if quick else 6))
    return held, (f"{size / 1e6:.0f} MB opened in {opening * 1e3:.0f} ms; {len(answers)} answers of {methods} methods within {longest:.0f} ms; "
                  f"{len(edits) // 2} edits within {edit:.0f} ms; {memory:.1f} times the text in memory")
