"""A line-based view of HLO text as XLA prints it: enough structure to change one thing, without semantics."""
import dataclasses
import re

OPEN, CLOSE = "({[<", ")}]>"
INSTRUCTION = re.compile(r"^(\s+)(ROOT )?(%?[^\s=]+) = ")
COMPUTATION = re.compile(r"^(ENTRY )?(%?[^\s(]+)[^=]*\{$")
CALLED = re.compile(r"\b(?:calls|to_apply|condition|body|select|scatter|comparator|true_computation|"
                    r"false_computation)=(%?[\w.-]+)|\b(?:branch_computations|called_computations)=\{([^}]*)\}")


def unquoted(text, at=0):
    """Yields (position, character) of everything outside quotes."""
    quoted = False
    while at < len(text):
        char = text[at]
        if char == '"':
            quoted = not quoted
        elif quoted and char == "\\":
            at += 1
        elif not quoted:
            yield at, char
        at += 1


def split_top(text, separator=","):
    """Splits a list at separators outside brackets and quotes."""
    pieces, depth, start = [], 0, 0
    for at, char in unquoted(text):
        if char in OPEN:
            depth += 1
        elif char in CLOSE and not text.startswith("->", at - 1) and not text.startswith("=>", at - 1):
            depth -= 1
        elif char == separator and depth == 0:
            pieces.append(text[start:at])
            start = at + 1
    pieces.append(text[start:])
    return [piece.strip() for piece in pieces] if text.strip() else []


def closing(text, at):
    """Returns the position where the bracket at `at` closes."""
    depth = 0
    for place, char in unquoted(text, at):
        if char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
            if depth == 0:
                return place
    return -1


@dataclasses.dataclass
class Inst:
    indent: str
    root: bool
    name: str
    shape: str
    opcode: str
    operands: list
    attrs: list  # (key, value)

    def text(self):
        attrs = "".join(f", {key}={value}" if value is not None else f", {key}" for key, value in self.attrs)
        root = "ROOT " if self.root else ""
        return f"{self.indent}{root}{self.name} = {self.shape} {self.opcode}({', '.join(self.operands)}){attrs}"


def read_instruction(line):
    head = INSTRUCTION.match(line)
    if not head:
        return None
    rest = re.sub(r"/\*[^*]*\*/", "", line[head.end():])
    if rest.startswith("("):
        end = closing(rest, 0) + 1
    else:
        end = re.match(r"[\w]+(\[[^\]]*\])?", rest).end()
        while rest[end:end + 1] == "{":
            end = closing(rest, end) + 1
    shape, rest = rest[:end], rest[end:].lstrip()
    opcode = re.match(r"[\w-]+(?=\()", rest)
    if not opcode:
        return None
    end = closing(rest, opcode.end())
    inside = rest[opcode.end() + 1:end]
    operands = [inside] if opcode[0] in ("constant", "parameter") else split_top(inside)
    attrs = [tuple(piece.split("=", 1)) if "=" in piece else (piece, None) for piece in split_top(rest[end + 1:]) if piece]
    return Inst(head[1], bool(head[2]), head[3], shape, opcode[0], operands, attrs)


class View:
    """A module's lines, and the instructions of each computation reachable from the entry, in order."""

    def __init__(self, name, text):
        self.name, self.lines = name, text.rstrip("\n").split("\n")
        self.comps, comp, calls = {}, None, {}
        for number, line in enumerate(self.lines):
            head = COMPUTATION.match(line)
            if head and comp is None:
                comp = head[2]
                self.comps[comp], calls[comp] = [], set()
                if head[1]:
                    self.entry = comp
            elif line.startswith("}"):
                comp = None
            elif comp is not None:
                inst = read_instruction(line)
                if inst is not None:
                    self.comps[comp].append((number, inst))
                    for one, many in CALLED.findall(line):
                        calls[comp].update([one] if one else re.split(r",\s*", many))
        self.reached, stack = set(), [self.entry]
        while stack:
            comp = stack.pop()
            if comp in calls and comp not in self.reached:
                self.reached.add(comp)
                stack.extend(calls[comp])

    def instructions(self):
        for comp in self.comps:
            if comp in self.reached:
                for number, inst in self.comps[comp]:
                    yield comp, number, inst

    def with_lines(self, changed):
        """Returns the text with some lines replaced: number -> line."""
        return "\n".join(changed.get(number, line) for number, line in enumerate(self.lines)) + "\n"
