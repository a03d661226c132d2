"""Changes that raise the peak of a scheduled module, made in its text: a donation dropped, a fusion split, an instruction
moved behind the peak, a copy in another layout. Each is returned with the kind of cause and the value it must be blamed
on. No row by itself."""
import re

LINE = re.compile(r"^  (ROOT )?%?([\w.\-]+) = (\([^=]*?\)|[a-z0-9]+\[[^\]]*\](?:\{[^}]*\})?) ([\w\-]+)\((.*)$")
ALIAS = re.compile(r"\{[\d, ]*\}: \(\d+, \{[\d, ]*\}(?:, [a-z\-]+)?\)")
CONTROL = ("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while", "conditional", "call", "copy-start",
           "copy-done", "async-start", "async-done", "custom-call", "infeed", "outfeed", "after-all", "domain")


class Text:
    """A module's lines, the entry's instructions in order, and who reads what."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.begin = next(i for i, line in enumerate(self.lines) if line.startswith("ENTRY ")) + 1
        self.end = next(i for i in range(self.begin, len(self.lines)) if self.lines[i].startswith("}"))
        self.entry, self.at = [], {}
        for i in range(self.begin, self.end):
            match = LINE.match(self.lines[i])
            if match:
                root, name, shape, opcode, rest = match.groups()
                depth, close = 1, 0
                while close < len(rest) and depth:
                    depth += {"(": 1, ")": -1}.get(rest[close], 0)
                    close += 1
                operands = re.findall(r"%([\w.\-]+)", rest[:close]) if opcode not in ("parameter", "constant") else []
                self.at[name] = len(self.entry)
                self.entry.append({"line": i, "name": name, "shape": shape, "opcode": opcode, "operands": operands,
                                   "root": bool(root), "rest": rest, "close": close})
        self.users = {each["name"]: [] for each in self.entry}
        for index, each in enumerate(self.entry):
            for operand in dict.fromkeys(each["operands"]):
                if operand in self.users:
                    self.users[operand].append(index)


def size(shape):
    match = re.match(r"([a-z]+)(\d*)\w*\[([\d,]*)\]", shape)
    if not match:
        return 0
    count = 1
    for each in filter(None, match[3].split(",")):
        count *= int(each)
    return count * max(1, int(match[2] or 8) // 8)


def replaced(line, old, new):
    head, tail = line.split(" = ", 1)
    return head + " = " + re.sub(rf"%{re.escape(old)}(?![\w.\-])", f"%{new}", tail)


def donations(text, _peak):
    header = text.lines[0]
    for entry in ALIAS.findall(header):
        shorter = header.replace(entry + ", ", "", 1) if entry + ", " in header else header.replace(", " + entry, "", 1)
        if shorter != header:
            yield [shorter] + text.lines[1:], "donation", None


def moves(text, peak):
    """An instruction whose result is only read after the peak runs right before its first reader."""
    for index in range(peak - 1, -1, -1):
        each = text.entry[index]
        users = text.users[each["name"]]
        if each["opcode"] in CONTROL or not users or min(users) <= peak or each["root"] or "control-pred" in each["rest"]:
            continue
        held = [operand for operand in each["operands"] if operand in text.at
                and text.entry[text.at[operand]]["opcode"] not in CONTROL and max(text.users[operand]) == index]
        if sum(size(text.entry[text.at[operand]]["shape"]) for operand in held) <= size(each["shape"]):
            continue
        lines = list(text.lines)
        line = lines.pop(each["line"])
        lines.insert(text.entry[min(users)]["line"] - 1, line)
        yield lines, "live range", held + [each["name"]]
    # One that runs after the peak runs as soon as its operands exist.
    for index in range(peak + 1, len(text.entry)):
        each = text.entry[index]
        ready = max([text.at[operand] for operand in each["operands"] if operand in text.at], default=len(text.entry))
        if each["opcode"] in CONTROL or ready >= peak or each["root"] or "control-pred" in each["rest"]:
            continue
        lines = list(text.lines)
        line = lines.pop(each["line"])
        lines.insert(text.entry[ready]["line"] + 1, line)
        yield lines, "live range", [each["name"]]


def copies(text, peak):
    """The last reader of a value that is live at the peak reads a copy of it in another layout."""
    for index, each in enumerate(text.entry[:peak]):
        users = text.users[each["name"]]
        layout = re.search(r"\{([\d,]+)\}", each["shape"])
        if len(users) < 2 or not layout or each["shape"].startswith("(") or each["opcode"] in CONTROL[1:]:
            continue
        reader = text.entry[max(users)]
        if max(users) <= peak or reader["opcode"] in CONTROL or sorted(users)[-2] < peak:
            continue
        order = layout[1].split(",")
        shape = each["shape"].replace(layout[0], "{" + ",".join(reversed(order)) + "}")
        lines = list(text.lines)
        lines[reader["line"]] = replaced(lines[reader["line"]], each["name"], "injected")
        lines.insert(each["line"] + 1 if each["opcode"] != "parameter" else text.entry[peak]["line"],
                     f"  %injected = {shape} copy(%{each['name']})")
        yield lines, "copy", ["injected"]


def splits(text, peak):
    """A part of a fusion becomes a fusion that runs as soon as its operands exist."""
    for index, each in enumerate(text.entry):
        called = re.search(r"calls=%?([\w.\-]+)", each["rest"])
        if each["opcode"] != "fusion" or not called or each["shape"].startswith("("):
            continue
        ready = max([text.at[operand] for operand in each["operands"] if operand in text.at], default=-1)
        if index <= peak or ready >= peak:
            continue
        begin = next((i for i, line in enumerate(text.lines) if re.match(rf"%?{re.escape(called[1])} ", line)), None)
        if begin is None or sum(f"calls=%{called[1]}," in line for line in text.lines) != 1:
            continue
        end = next(i for i in range(begin, len(text.lines)) if text.lines[i].startswith("}"))
        inner = [(i, LINE.match(text.lines[i])) for i in range(begin + 1, end)]
        for number, (i, match) in enumerate(inner):
            if not match or match[1] or match[4] in CONTROL + ("broadcast", "iota", "reshape"):
                continue
            if match[3].startswith("(") or size(match[3]) < 256:
                continue
            count = len(each["operands"])
            part = ["%injected_part " + text.lines[begin].split(" ", 1)[1].rsplit("->", 1)[0] + f"-> {match[3]} {{"]
            part += [text.lines[j] for j, _ in inner[:number]] + [text.lines[i].replace("  ", "  ROOT ", 1), "}", ""]
            whole = list(text.lines)
            whole[i] = f"  %{match[2]} = {match[3]} parameter({count})"
            head = whole[begin]
            whole[begin] = head.replace(") ->", f", injected_p: {match[3]}) ->", 1)
            operands, rest = each["rest"][:each["close"] - 1], each["rest"][each["close"]:]
            line = whole[each["line"]]
            whole[each["line"]] = line.replace(each["rest"], operands + ", %injected)" + rest)
            kind = re.search(r"kind=\w+", each["rest"])[0]
            made = f"  %injected = {match[3]} fusion({operands}), {kind}, calls=%injected_part"
            whole.insert(text.entry[ready]["line"] + 1, made)
            yield whole[:begin] + part + whole[begin:], "fusion", ["injected"]


KINDS = {"donation": donations, "live range": moves, "copy": copies, "fusion": splits}
