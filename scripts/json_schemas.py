#!/usr/bin/env python3
"""Generates docs/schemas/halo.*.json, a JSON Schema (draft 2020-12) for each document of the command, from the tables
of docs/json.md, which are the only list of fields. With --check it writes nothing and fails if a file is out of date.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "docs/json.md"
SCHEMAS = ROOT / "docs/schemas"
COMMON = "Parts of every document"
ROW = re.compile(r"^\| `([^`]+)` \| ([a-z ]+)(\??) \| (.*?) ?\|$", re.MULTILINE)
TYPES = {"string": "string", "int": "integer", "number": "number", "bool": "boolean", "null": "null",
         "object": "object"}
SAME = re.compile(r"as `([^`]+)`")


class Node:
    """A field: its types, what it contains, and whether it may be absent."""

    def __init__(self):
        self.types = set()
        self.fields = {}
        self.element = None  # of a list
        self.value = None  # of an object with varying keys
        self.optional = False
        self.meaning = ""

    def child(self, step):
        """Returns the field of one step of a path, such as `modules[]`."""
        name = step.rstrip("[]{}")
        field = self.fields.setdefault(name, Node())
        if step.endswith("[]"):
            field.element = field.element or Node()
            return field, field.element
        if step.endswith("{}"):
            field.value = field.value or Node()
            return field, field.value
        return field, field

    def schema(self):
        """Returns the field as JSON Schema."""
        made = {"description": self.meaning} if self.meaning else {}
        if self.element is not None:
            return made | {"type": "array", "items": self.element.schema()}
        if self.value is not None:
            return made | {"type": "object", "additionalProperties": self.value.schema()}
        types = sorted(TYPES[name] for name in self.types or {"object"})
        made["type"] = types[0] if len(types) == 1 else types
        if self.fields:
            made["properties"] = {name: field.schema() for name, field in self.fields.items()}
            made["required"] = [name for name, field in self.fields.items() if not field.optional]
        return made


def rows(text):
    """Returns the rows of each `## NAME` section: {name: [(path, types, may be absent, meaning)]}. Tables after a
    deeper heading list other things."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, body = part.split("\n", 1)
        body = body.split("\n### ", 1)[0]
        found[name.strip()] = [(path, set(types.split(" or ")), bool(optional), meaning)
                               for path, types, optional, meaning in ROW.findall(body)]
        if len(found[name.strip()]) != body.count("\n| `"):
            raise ValueError(f"{name}: a row is not `field`, type, meaning")
    return found


def add(tree, path, types, optional, meaning):
    unknown = types - set(TYPES)
    if unknown:
        raise ValueError(f"{path}: no such type: {', '.join(sorted(unknown))}")
    at = tree
    steps = path.split(".")
    for step in steps:
        field, at = at.child(step)
    at.types = types
    field.optional = optional
    field.meaning = meaning


def find(tree, path):
    at = tree
    for step in path.split("."):
        _, at = at.child(step)
    return at


def tree_of(name, sections):
    """Returns the fields of a document as a tree."""
    tree = Node()
    listed = sections[COMMON] + sections[name]
    for row in listed:
        add(tree, *row)
    for path, _, _, meaning in listed:
        same = SAME.match(meaning)
        if same and not find(tree, path).fields and find(tree, same[1]).fields:
            find(tree, path).fields = find(tree, same[1]).fields
    return tree


def schemas(text):
    """Returns {document: JSON Schema}."""
    sections = rows(text)
    made = {}
    for name in sections:
        if not name.startswith("halo."):
            continue
        tree = tree_of(name, sections)
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{name}.json", "title": name}
        schema |= tree.schema()
        schema["properties"]["schema"] = {"const": name}
        made[name] = schema
    return made


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    made = {f"{name}.json": json.dumps(schema, indent=1) + "\n"
            for name, schema in schemas(TABLES.read_text(encoding="utf-8")).items()}
    stale = sorted({path.name for path in SCHEMAS.glob("*.json")} - set(made))
    for name, text in made.items():
        path = SCHEMAS / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            SCHEMAS.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if not check:
        for name in set(stale) - set(made):
            (SCHEMAS / name).unlink()
        print(f"{len(made)} schemas, {len(stale)} written or removed")
    elif stale:
        sys.exit(f"out of date: {', '.join(stale)}; run scripts/json_schemas.py")


if __name__ == "__main__":
    main()
