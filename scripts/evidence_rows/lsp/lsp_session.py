"""Asks `halo lsp` everything it offers about texts, and prints what was found as JSON. Answers are validated by the types
of the protocol (lsprotocol) and compared with what regular expressions find in the text. Run by an interpreter that has
lsprotocol: lsp_session.py HALO POSITIONS FILE..."""
import json
import pathlib
import random
import re
import subprocess
import sys

from lsprotocol import converters, types

from lsp_client import Client, NoAnswer

DEFINES = re.compile(r"^\s+(?:ROOT )?%?([A-Za-z_][\w.\-]*) = ")
HEAD = re.compile(r"^(?:ENTRY )?%?([A-Za-z_][\w.\-]*)? ?[({]")
BOUNDARY = r"(?<![\w.\-]){}(?![\w.\-])"
RESULTS = {
    "textDocument/hover": types.HoverResponse,
    "textDocument/definition": types.DefinitionResponse,
    "textDocument/references": types.ReferencesResponse,
    "textDocument/documentHighlight": types.DocumentHighlightResponse,
    "textDocument/prepareRename": types.PrepareRenameResponse,
    "textDocument/rename": types.RenameResponse,
    "textDocument/documentSymbol": types.DocumentSymbolResponse,
    "textDocument/foldingRange": types.FoldingRangeResponse,
    "textDocument/completion": types.CompletionResponse,
    "textDocument/prepareCallHierarchy": types.CallHierarchyPrepareResponse,
    "callHierarchy/incomingCalls": types.CallHierarchyIncomingCallsResponse,
    "callHierarchy/outgoingCalls": types.CallHierarchyOutgoingCallsResponse,
    "textDocument/semanticTokens/full": types.SemanticTokensResponse,
    "textDocument/semanticTokens/range": types.SemanticTokensRangeResponse,
    "textDocument/inlayHint": types.InlayHintResponse,
    "textDocument/codeLens": types.CodeLensResponse,
    "textDocument/codeAction": types.CodeActionResponse,
    "codeAction/resolve": types.CodeActionResolveResponse,
    "textDocument/formatting": types.DocumentFormattingResponse,
}


def applied(text, edits):
    """A text with edits made to it. All of the text is ASCII here."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(position):
        return min(starts[min(position["line"], len(starts) - 1)] + position["character"], len(text))
    for edit in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


class Session:
    def __init__(self, halo):
        self.halo = halo
        self.client = Client(halo, timeout=120)
        self.converter = converters.get_converter()
        self.problems = []
        self.answers = {}
        self.comparisons = 0
        self.versions = 0

    def check(self, holds, problem):
        self.comparisons += 1
        if not holds:
            self.problems.append(problem)

    def ask(self, method, **params):
        """The result, validated; None if it is refused."""
        response = self.client.answer(self.client.request(method, params))
        self.answers[method] = self.answers.get(method, 0) + 1
        try:
            if "error" in response:
                self.converter.structure(response, types.ResponseErrorMessage)
                return None
            self.converter.structure(response, RESULTS[method])
        except Exception as problem:  # pylint: disable=broad-except
            self.problems.append(f"{method}: not valid by lsprotocol: {problem!r}"[:300])
        return response["result"]

    def published(self, uri, path, text):
        """Compares what was published with what `halo check` reports."""
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([self.halo, "check", "--json", str(path)], capture_output=True, check=False)
        expected = sorted((max(each.get("line", 1) - 1, 0), each["code"]) for each in json.loads(run.stdout)["diagnostics"])
        params = self.client.diagnostics.get(uri, {"diagnostics": []})
        try:
            self.converter.structure({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": uri, **params}},
                                     types.PublishDiagnosticsNotification)
        except Exception as problem:  # pylint: disable=broad-except
            self.problems.append(f"diagnostics: not valid by lsprotocol: {problem!r}"[:300])
        found = sorted((each["range"]["start"]["line"], each["code"]) for each in params["diagnostics"])
        self.check(found == expected, f"{uri}: published {found[:3]} of {len(found)}, halo check {expected[:3]} of {len(expected)}")

    def computations(self, lines):
        """(name, first line, last line) of each."""
        found = []
        for number, line in enumerate(lines):
            if line.endswith("{") and HEAD.match(line):
                found.append([HEAD.match(line).group(1) or "", number, number])
            elif line.startswith("}") and found:
                found[-1][2] = number
        return found

    def everything(self, uri, text, positions, maker):
        """Every request at some places. Answers are compared where the text is well formed."""
        lines = text.split("\n")
        where = {"textDocument": {"uri": uri}}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
        for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"):
            self.ask(f"textDocument/{method}", **where)
        published = self.client.diagnostics.get(uri, {"diagnostics": []})["diagnostics"]
        actions = self.ask("textDocument/codeAction", range=whole, context={"diagnostics": published}, **where) or []
        for action in actions:
            if "data" in action:
                self.ask("codeAction/resolve", **action)
        self.ask("textDocument/formatting", options={"tabSize": 2, "insertSpaces": True}, **where)
        for _ in range(positions):
            line = maker.randrange(len(lines))
            at = {"line": line, "character": maker.randrange(len(lines[line]) + 1)}
            part = {"start": {"line": line, "character": 0}, "end": {"line": line + 40, "character": 0}}
            for method in ("hover", "definition", "documentHighlight", "prepareRename", "completion"):
                self.ask(f"textDocument/{method}", position=at, **where)
            self.ask("textDocument/references", position=at, context={"includeDeclaration": True}, **where)
            self.ask("textDocument/rename", position=at, newName="renamed_to_this", **where)
            self.ask("textDocument/semanticTokens/range", range=part, **where)
            self.ask("textDocument/inlayHint", range=part, **where)
            for item in self.ask("textDocument/prepareCallHierarchy", position=at, **where) or []:
                self.ask("callHierarchy/incomingCalls", item=item)
                self.ask("callHierarchy/outgoingCalls", item=item)

    def meanings(self, uri, text, positions, maker):
        """Compares answers about a well-formed text with what is found in it."""
        lines = text.split("\n")
        where = {"textDocument": {"uri": uri}}
        comps = self.computations(lines)
        symbols = self.ask("textDocument/documentSymbol", **where)
        self.check([(each["name"], each["range"]["start"]["line"]) for each in symbols if each["kind"] == 12]
                   == [(name or "(no name)", first) for name, first, _ in comps], f"{uri}: symbols are not the computations")
        folds = {(each["startLine"], each["endLine"]) for each in self.ask("textDocument/foldingRange", **where)}
        self.check(all((first, last - 1) in folds for _, first, last in comps if last > first + 1), f"{uri}: a computation is not folded")
        for _ in range(positions):
            name, first, last = maker.choice(comps)
            defined = [(number, DEFINES.match(lines[number])) for number in range(first + 1, last)]
            defined = [(number, match) for number, match in defined if match]
            if not defined:
                continue
            number, match = maker.choice(defined)
            inst, column = match.group(1), match.start(1)
            at = {"line": number, "character": column + 1}
            word = re.compile(BOUNDARY.format(re.escape(inst)))
            # Uses: in operands, control predecessors and the signature; names in strings and attributes are none.
            uses = set()
            for row in range(first, last):
                plain = re.sub(r'"(?:[^"\\]|\\.)*"', lambda quoted: " " * len(quoted.group()), lines[row])
                plain = re.sub(r"/\*.*?\*/", lambda comment: " " * len(comment.group()), plain)
                begin = plain.find("(", plain.find(" = ")) if row != first else plain.find("(")
                own = DEFINES.match(lines[row])
                opcode = re.search(r"([a-z][\w\-]*)\(", plain[own.end():]) if own else None
                end = len(plain)
                if own and opcode:
                    begin = own.end() + opcode.end()
                    end = plain.find(")", begin)
                    if opcode.group(1) in ("parameter", "constant"):
                        end = begin
                for found in word.finditer(plain, max(begin, 0), max(end, 0)):
                    after = plain[found.end():found.end() + 1]
                    if row == first and after != ":":
                        continue
                    if after == "[":
                        continue
                    uses.add((row, found.start()))
                for listed in re.finditer(r"control-predecessors=\{([^}]*)\}", plain):
                    for found in word.finditer(plain, listed.start(1), listed.end(1)):
                        uses.add((row, found.start()))
            got = self.ask("textDocument/references", position=at, context={"includeDeclaration": False}, **where)
            places = {(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in got}
            self.check(places == uses, f"{uri}: uses of {inst} in {name}: {sorted(places ^ uses)[:3]}")
            if uses:
                row, column_of_use = maker.choice(sorted(uses))
                target = self.ask("textDocument/definition", position={"line": row, "character": column_of_use}, **where)
                self.check(target is not None and (target["range"]["start"]["line"], target["range"]["start"]["character"])
                           == (number, column), f"{uri}: the definition of {inst} in {name}")
            hover = self.ask("textDocument/hover", position=at, **where)
            shape = re.match(r"\(?[a-z0-9]+\[[^\]]*\]", lines[number][match.end():])
            self.check(hover is not None and inst in hover["contents"]["value"]
                       and (shape is None or shape.group().lstrip("(") in hover["contents"]["value"]), f"{uri}: hover of {inst}")
            opcode = re.search(r" ([a-z][a-z0-9\-]*)\(", lines[number][match.end() - 1:])
            if opcode:
                start = match.end() - 1 + opcode.start(1)
                items = self.ask("textDocument/completion", position={"line": number, "character": start + 2}, **where)["items"]
                labels = [each["label"] for each in items]
                self.check(opcode.group(1) in labels or opcode.group(1).endswith(("-start", "-done", "-update")),
                           f"{uri}: {opcode.group(1)} is not offered after {opcode.group(1)[:2]}")
            edits = self.ask("textDocument/rename", position=at, newName="renamed_to_this", **where)
            places = {(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in edits["changes"][uri]}
            self.check(places == uses | {(number, column)}, f"{uri}: rename of {inst}")
        for name, first, _ in maker.sample(comps, min(len(comps), positions)):
            if not name:
                continue
            at = {"line": first, "character": lines[first].index(name)}
            calls = {(row, found.start()) for row, line in enumerate(lines)
                     for listed in re.finditer(r"(?:to_apply|calls|condition|body|select|scatter|(?:true|false)_computation|"
                                               r"branch_computations|called_computations)=(?:\{[^}]*\}|[^,\s]+)", line)
                     for found in re.compile(BOUNDARY.format(re.escape(name))).finditer(line, listed.start() + listed.group().index("="),
                                                                                       listed.end())}
            got = self.ask("textDocument/references", position=at, context={"includeDeclaration": False}, **where)
            places = {(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in got}
            self.check(places == calls, f"{uri}: calls of {name}: {sorted(places ^ calls)[:3]}")
            items = self.ask("textDocument/prepareCallHierarchy", position=at, **where)
            incoming = self.ask("callHierarchy/incomingCalls", item=items[0])
            self.check(sum(len(each["fromRanges"]) for each in incoming) == len(calls), f"{uri}: incoming calls of {name}")

    def renamed(self, uri, path, text, maker):
        """A computation renamed by the server's edits is still the same program."""
        comps = [each for each in self.computations(text.split("\n")) if each[0]]
        name, first, _ = maker.choice(comps)
        before = len(self.client.diagnostics.get(uri, {"diagnostics": []})["diagnostics"])
        at = {"line": first, "character": text.split("\n")[first].index(name)}
        edits = self.ask("textDocument/rename", textDocument={"uri": uri}, position=at, newName="renamed_to_this")["changes"][uri]
        self.versions += 1
        ordered = sorted(edits, key=lambda each: (each["range"]["start"]["line"], each["range"]["start"]["character"]), reverse=True)
        self.client.change(uri, self.versions, [{"range": each["range"], "text": each["newText"]} for each in ordered])
        self.client.whole()
        text = applied(text, edits)
        self.published(uri, path, text)
        after = len(self.client.diagnostics.get(uri, {"diagnostics": []})["diagnostics"])
        self.check(before == after, f"{uri}: {after} diagnostics after a rename, {before} before")
        return text


def broken(text, maker):
    """The text with a mistake of each kind, one after the other, as (range, new text) and the new text."""
    lines = text.split("\n")
    rows = [number for number, line in enumerate(lines) if DEFINES.match(line)]
    row = maker.choice(rows)
    line = lines[row]
    yield row, line.replace("(", "", 1)
    yield row, line.replace(" = ", " ", 1)
    yield row, line[:max(len(line) // 2, 3)]
    yield row, re.sub(r" [a-z][a-z0-9\-]*\(", " no-such-op(", line, count=1)
    yield row, line + ', metadata={op_name="'
    yield row, line.replace("%", "%missing_", 2)
    yield row, "}"


def main():
    halo, positions, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    maker = random.Random(20261117)
    session = Session(halo)
    work = pathlib.Path(files.pop(0))
    mistakes = 0
    try:
        for number, name in enumerate(files):
            text = pathlib.Path(name).read_text(encoding="ascii")
            path = work / f"{number}.hlo"
            uri = path.as_uri()
            session.versions = 1
            session.client.open(uri, text)
            session.client.whole()
            session.published(uri, path, text)
            session.everything(uri, text, positions, maker)
            session.meanings(uri, text, positions, maker)
            text = session.renamed(uri, path, text, maker)
            for row, line in broken(text, maker):
                lines = text.split("\n")
                mistakes += 1
                for old, new in ((lines[row], line), (line, lines[row])):
                    session.versions += 1
                    session.client.change(uri, session.versions, [{
                        "range": {"start": {"line": row, "character": 0}, "end": {"line": row, "character": len(old)}}, "text": new}])
                    session.client.whole()
                    now = "\n".join(lines[:row] + [new] + lines[row + 1:])
                    session.published(uri, path, now)
                    if new == line:
                        session.everything(uri, now, 2, maker)
            session.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        code = session.client.end()
        session.check(code == 0, f"exit code {code} after shutdown")
    except NoAnswer as problem:
        session.problems.append(str(problem))
    print(json.dumps({"problems": session.problems[:20], "problem_count": len(session.problems), "answers": session.answers,
                      "comparisons": session.comparisons, "texts": len(files), "mistakes": mistakes, "methods": len(RESULTS)}))


if __name__ == "__main__":
    main()
