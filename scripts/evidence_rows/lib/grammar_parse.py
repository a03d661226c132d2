"""Parses texts with the tree-sitter grammar, in an interpreter that has the package tree_sitter:

  python grammar_parse.py LIBRARY < REQUESTS

Each request is a line of JSON: {"path": FILE} or {"text": TEXT}. For each, prints a line of JSON: {"bytes", "error"}, where
error is null or the first ERROR or MISSING node: [line, column, what]. With "query": FILE, the line also has "captures": how
many nodes the query captures."""
import ctypes
import json
import pathlib
import sys

from tree_sitter import Language, Parser, Query, QueryCursor


def load(path):
    """The language in a shared library, in the capsule that tree_sitter takes."""
    function = ctypes.CDLL(path).tree_sitter_hlo
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return Language(capsule(function(), b"tree_sitter.Language", None))


def first_error(node):
    """The first ERROR or MISSING node of a tree that has one."""
    while True:
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if node.is_error or node.is_missing or inner is None:
            return [node.start_point[0] + 1, node.start_point[1] + 1, f"missing {node.type}" if node.is_missing else node.type]
        node = inner


def main():
    language = load(sys.argv[1])
    parser = Parser(language)
    for line in sys.stdin:
        request = json.loads(line)
        data = pathlib.Path(request["path"]).read_bytes() if "path" in request else request["text"].encode()
        root = parser.parse(data).root_node
        result = {"bytes": len(data), "error": first_error(root) if root.has_error else None}
        if "query" in request:
            query = Query(language, pathlib.Path(request["query"]).read_text(encoding="utf-8"))
            result["captures"] = sum(map(len, QueryCursor(query).captures(root).values()))
        print(json.dumps(result))


if __name__ == "__main__":
    main()
