"""What each way of asking calls a fact about memory or time, and the facts that a document of each way gives: {path: value},
by the same paths for all ways. `halo memory --json` and `halo time --json` are the documents that the others are compared with."""

# What each way of asking calls a fact of a value in memory, None where it leaves it out. The command's names are those of
# Python and C.
COMMAND, ASK, MCP, SCAN = range(4)
VALUE = {
    "name": ("name", "name", "name", "name"),
    "bytes": ("bytes", "bytes", "bytes", "bytes"),
    "shape": ("shape", "shape", "shape", "shape"),
    "kind": ("kind", "kind", None, "kind"),
    "role": ("role", "role", "role", "role"),
    "opcode": ("opcode", "opcode", None, "opcode"),
    "op_name": ("op_name", "op_name", "op_name", "op_name"),
    "source": ("source", "source", "source", "source"),
    "from": ("from", "from", "from", "from"),
    "to": ("to", "to", "to", "to"),
    "needed_by": ("needed_by", "needed_by", "needed_by", "needed_by"),
    "needed_at": ("needed_at", "needed_at", None, "needed_at"),
}
# The same of the program's memory: the path in the command's document, in `memory.map` (a picture, which leaves thread-local
# memory out), the figure, the column.
MEMORY = {
    "total": ("total_bytes", "total_bytes", None, None),
    "device": ("device_bytes", "device_bytes", "device_bytes", "memory_bytes"),
    "temporary": ("device_bytes_by_kind/temp", None, None, "temp_bytes"),
    "peak": ("peak/bytes", None, "peak_bytes", "peak_bytes"),
    "live at the peak": ("temp_live_at_peak", "peak/live_bytes", None, None),
    "peak position": ("peak/position", "peak/position", "peak_position", None),
    "peak instruction": ("peak/instruction", "peak/instruction", "peak_instruction", "peak_instruction"),
    "last position": ("last_position", "last", "last_position", None),
    "donated": ("donated", None, "donated", None),
    "parameters": ("parameters", None, "parameters", None),
}
# Of the step.
STEP = {
    "estimate": ("step/estimate_seconds", None, "step_estimate_seconds", "seconds"),
    "floor": ("step/floor_seconds", None, "step_floor_seconds", None),
    "exposed": ("step/exposed_seconds", None, "step_exposed_seconds", None),
    "flops": ("cost/flops", None, "cost_flops", "flops"),
    "device": ("device/name", None, "device_name", "device"),
}
# Of an instruction that takes time. The command's `all_exposed` is what kernels wait for in all runs.
OP = {
    "name": ("name", "names", "name", "name"),
    "seconds": ("seconds", "seconds", "seconds", None),
    "all seconds": ("total_seconds", None, "total_seconds", "seconds"),
    "runs": ("runs", "runs", "runs", "runs"),
    "exposed": ("exposed_seconds", "exposed", "exposed_seconds", None),
    "all exposed": ("all_exposed", None, None, "exposed_seconds"),
    "critical": ("critical_seconds", "critical", None, "critical_seconds"),
    "floor": ("floor_seconds", "floor", None, None),
    "kind": ("kind", "kind", "kind", "kind"),
    "bound": ("bound", "bound", "bound", "bound"),
    "estimated by": ("estimated_by", "source", "estimated_by", "estimated_by"),
    "confidence": ("confidence", "confidence", "confidence", None),
    "shape": ("shape", None, "shape", None),
    "op_name": ("op_name", None, "op_name", "op_name"),
    "source": ("source", "lines", "source", "source"),
}
SCOPE = {"name": ("name", None, "name", None), "seconds": ("seconds", None, "seconds", None)}

# Of a document, what is no fact about the program.
NO_FACTS = ("advice", "inputs", "diagnostics", "halo_version", "verdict/text", "verdict/best_change")


def equal(expected, said):
    """Long texts are shortened by some ways, and MCP gives four digits."""
    if isinstance(said, Digits):
        return f"{expected:.4g}" == f"{said:.4g}" if isinstance(expected, (int, float)) else False
    if isinstance(expected, str) and isinstance(said, str):
        for mark in ("...", "\u2026"):
            if said.endswith(mark) and len(said) > 20 and expected.startswith(said[:-len(mark)]):
                return True
    return type(expected) in (int, float) and type(said) in (int, float) and expected == said or \
        type(expected) is type(said) and expected == said


class Digits(float):
    """A number with four significant digits."""


def flat(document, without=(), prefix=""):
    """The leaves of a document by their paths. Lists of numbers are one leaf."""
    leaves = {}
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        path = f"{prefix}{key}"
        if path in without:
            continue
        if isinstance(value, dict) or isinstance(value, list) and any(isinstance(each, dict) for each in value):
            leaves.update(flat(value, without, path + "/"))
        else:
            leaves[path] = value
    return leaves


def facts_of_document(document):
    return flat(document, NO_FACTS)


def at(document, path):
    for part in path.split("/"):
        if not isinstance(document, dict) or part not in document:
            return None
        document = document[part]
    return document


def named(table, way, row):
    """{fact: value} of what this way gives of a row."""
    return {fact: row.get(names[way], "") for fact, names in table.items() if names[way]}


def figures(table, way, document):
    found = {fact: at(document, names[way]) for fact, names in table.items() if names[way]}
    return {fact: value for fact, value in found.items() if value is not None}


# Memory, by each way: the facts that its document gives, as {path: value}, a value's by its position among the largest.


def memory_of_command(document):
    facts = figures(MEMORY, COMMAND, document)
    rows = document.get("largest", [])
    facts.update({"all bytes": sum(row[VALUE["bytes"][COMMAND]] for row in rows), "values": len(rows)})
    for i, row in enumerate(rows):
        facts.update({f"{i} {fact}": value for fact, value in named(VALUE, COMMAND, row).items()})
        name = row[VALUE["name"][COMMAND]]
        facts.update({f"of {name} {fact}": value for fact, value in named(VALUE, COMMAND, row).items()})
    return facts


def memory_of_ask(document):
    return {f"{i} {fact}": value for i, row in enumerate(document["items"]) for fact, value in named(VALUE, ASK, row).items()}


def map_of_ask(document):
    return figures(MEMORY, ASK, document)


def memory_of_mcp(found, is_first=True):
    facts = figures(MEMORY, MCP, found) if is_first else {}
    for i, row in enumerate(found["rows"], found["from"]):
        said = named(VALUE, MCP, row)
        if said["from"] == "":
            said.update({"from": -1, "to": -1})
        facts.update({f"{i} {fact}": value for fact, value in said.items()})
    return facts


def value_of_ask(document, item):
    """Facts of one value by `memory.value`: a use at the time of the last one is why it stays."""
    uses = document["uses"]
    last = max((use["time"] for use in uses), default=-1)
    by = next((use["name"] for use in uses if use["time"] == last and last >= 0), "")
    allocation = document.get("allocation", {})
    said = {"name": document["name"], "shape": document["shape"], "role": document["role"], "opcode": document["opcode"],
            "op_name": document["op_name"], "from": document["from"], "to": document["to"], "needed_at": last, "needed_by": by,
            "kind": allocation.get("kind")}
    return {f"{item} {fact}": value for fact, value in said.items()}


# Time.


def time_of_command(document):
    facts = figures(STEP, COMMAND, document)
    for i, row in enumerate(document["ops"]):
        row = {**row, "all_exposed": row["exposed_seconds"] * row["runs"]}
        facts.update({f"op {i} {fact}": value for fact, value in named(OP, COMMAND, row).items()})
        facts.update({f"op {row['name']} {fact}": value for fact, value in named(OP, COMMAND, row).items()})
    for i, row in enumerate(document["scopes"]):
        facts.update({f"scope {i} {fact}": value for fact, value in named(SCOPE, COMMAND, row).items()})
    return facts


def ops_of_ask(document):
    words = {"kind": document["op_kinds"], "bound": document["bounds"], "source": document["sources"],
             "confidence": document["confidences"]}
    facts = {}
    for i in range(len(document["names"])):
        row = {name: document[name][i] for name in (names[ASK] for names in OP.values()) if name}
        row.update({name: texts[row[name]] if row[name] < len(texts) else row[name] for name, texts in words.items()})
        facts.update({f"op {i} {fact}": value for fact, value in named(OP, ASK, row).items()})
    return facts


def digits(value):
    return Digits(value) if isinstance(value, float) or type(value) is int else value


def time_of_mcp(found, is_first=True):
    facts = {fact: digits(value) for fact, value in figures(STEP, MCP, found).items()} if is_first else {}
    for i, row in enumerate(found["rows"], found["from"]):
        said = named(OP, MCP, {"exposed_seconds": 0, **row})
        facts.update({f"op {i} {fact}": digits(value) for fact, value in said.items()})
    return facts


def scopes_of_mcp(found):
    return {f"scope {i} {fact}": digits(value) for i, row in enumerate(found["rows"], found["from"])
            for fact, value in named(SCOPE, MCP, row).items()}


def buffers_of_scan(document):
    """Values are found by their names. Items that differ only in their number are one row, with the name of the first."""
    rows = document["rows"]
    facts = {"all bytes": sum(row["bytes"] for row in rows), "values": sum(row["count"] for row in rows)} if rows else {}
    for row in rows:
        said = named(VALUE, SCAN, row)
        if row["count"] > 1:
            del said["bytes"]
        facts.update({f"of {said['name']} {fact}": value for fact, value in said.items()})
    return facts


def times_of_scan(document):
    return {f"op {row['name']} {fact}": value for row in document["rows"] for fact, value in named(OP, SCAN, row).items()}
