"""Checks `halo lsp` as a process: a session of an editor, columns in UTF-16 and in bytes, edits, and how it ends."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts/evidence_rows/lsp"))
from lsp_client import Client  # noqa: E402

HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
LOOP = (ROOT / "tests/lsp/Inputs/loop.hlo").read_text(encoding="utf-8")
URI = "file:///loop.hlo"


def place(text, found, nth=0):
    """The position of the nth occurrence of a text; columns in UTF-16."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(found, at + 1)
    line = text.count("\n", 0, at)
    begin = text.rfind("\n", 0, at) + 1
    return {"line": line, "character": len(text[begin:at].encode("utf-16-le")) // 2}


class Editor(unittest.TestCase):
    def setUp(self):
        self.client = Client(HALO)
        self.addCleanup(self.client.__exit__)
        self.client.open(URI, LOOP)

    def ask(self, method, found, nth=0, **more):
        return self.client.ask(f"textDocument/{method}", {"textDocument": {"uri": URI}, "position": place(LOOP, found, nth), **more})

    def replace(self, version, old, new):
        begin = place(LOOP, old)
        end = {"line": begin["line"], "character": begin["character"] + len(old)}
        self.client.change(URI, version, [{"range": {"start": begin, "end": end}, "text": new}])

    def codes(self):
        self.client.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
        shown = self.client.diagnostics.get(URI, {"diagnostics": []})["diagnostics"]
        # The text has a loop whose trips cannot be counted.
        return [each["code"] for each in shown if each["code"] != "loop-trip-count"]

    def test_names(self):
        self.assertEqual(place(LOOP, "add (a"), self.ask("definition", "add\n", 0)["range"]["start"])
        self.assertEqual(place(LOOP, "total ="), self.ask("definition", "total), kind")["range"]["start"])
        uses = self.ask("references", "fused (", context={"includeDeclaration": False})
        self.assertEqual([place(LOOP, "fused, control")], [each["range"]["start"] for each in uses])
        changes = self.ask("rename", "a: f32[]", newName="left")["changes"][URI]
        self.assertEqual([place(LOOP, "a: f32[]"), place(LOOP, "a = f32[]"), place(LOOP, "a, f32[] %b")],
                         [each["range"]["start"] for each in changes])
        refused = self.client.refused("textDocument/rename", {"textDocument": {"uri": URI}, "position": place(LOOP, "a = f32"), "newName": "b"})
        self.assertIn("already defined", refused["message"])

    def test_calls(self):
        item = self.ask("prepareCallHierarchy", "body (")[0]
        called = self.client.ask("callHierarchy/outgoingCalls", {"item": item})
        self.assertEqual(["add", "fused"], [each["to"]["name"] for each in called])
        callers = self.client.ask("callHierarchy/incomingCalls", {"item": item})
        self.assertEqual(["main"], [each["from"]["name"] for each in callers])

    def test_hover_and_hints(self):
        self.client.whole()
        hover = self.ask("hover", "scaled")["contents"]["value"]
        for part in ("multiply", "f32[8]", "32B", "model.py:7", "the result of its computation"):
            self.assertIn(part, hover)
        self.assertIn("live from", self.ask("hover", "%y = ")["contents"]["value"])
        lenses = self.client.ask("textDocument/codeLens", {"textDocument": {"uri": URI}})
        self.assertTrue(any("peak of memory here" in each["command"]["title"] for each in lenses), lenses)

    def test_completion(self):
        def labels(found, more):
            at = place(LOOP, found)
            at["character"] += more
            items = self.client.ask("textDocument/completion", {"textDocument": {"uri": URI}, "position": at})["items"]
            return {each["label"]: each.get("detail", "") for each in items}
        self.assertIn("multiply", labels("multiply(", 3))
        self.assertEqual("f32[8]", labels("%x, f32[] %total)", 1)["x"])
        self.assertIn("dimensions", labels("dimensions={0}", 3))
        self.assertIn("fused", labels("%fused, control", 2))
        self.assertIn("LT", labels("LT", 1))

    def test_edits(self):
        self.assertEqual([], self.codes())
        self.replace(2, "multiply(", "multiplyy(")
        self.assertEqual(["unknown-opcode"], self.codes())
        shown = self.client.diagnostics[URI]["diagnostics"]
        actions = self.client.ask("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": shown[0]["range"],
                                                              "context": {"diagnostics": shown, "only": ["quickfix"]}})
        self.assertEqual("Change to 'multiply'", actions[0]["title"])
        self.client.change(URI, 3, [{"text": LOOP}])
        self.assertEqual([], self.codes())
        self.replace(4, "to_apply=%add", "to_apply=%nowhere")
        self.assertEqual(["unknown-computation"], self.codes())

    def test_end(self):
        self.assertEqual(0, self.client.end())
        left = subprocess.run([HALO, "lsp"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual((1, b""), (left.returncode, left.stdout))


class Columns(unittest.TestCase):
    TEXT = 'HloModule a\n\nENTRY main {\n  ROOT p = f32[4]{0} parameter(0), metadata={op_name="😀ä"}, nonsense=7\n}\n'

    def column(self, encodings):
        with Client(HALO, encodings=encodings) as client:
            client.open(URI, self.TEXT)
            client.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
            return client.capabilities["positionEncoding"], client.diagnostics[URI]["diagnostics"][0]["range"]["start"]["character"]

    def test_both(self):
        before = self.TEXT.split("\n")[3].partition("nonsense")[0]
        self.assertEqual(("utf-16", len(before.encode("utf-16-le")) // 2), self.column(["utf-16"]))
        self.assertEqual(("utf-8", len(before.encode())), self.column(["utf-8", "utf-16"]))


if __name__ == "__main__":
    unittest.main()
