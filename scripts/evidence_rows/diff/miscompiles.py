"""Miscompiles of one instruction, made in the text of a module. No row by itself.

An edit is given by the instruction's name, so that the same one can be made in every later state of a compilation."""
import re

OTHER = {"add": "subtract", "multiply": "add", "subtract": "add", "maximum": "minimum", "divide": "multiply", "exponential": "tanh",
         "sqrt": "rsqrt", "rsqrt": "sqrt", "tanh": "exponential", "and": "or", "minimum": "maximum"}
SWAPPED = ("subtract", "divide", "select", "compare", "power")
DROPPED = ("negate", "exponential", "sqrt", "rsqrt", "tanh", "log", "multiply", "subtract")
LINE = re.compile(r"^  (?:ROOT )?%([\w.\-]+) = ([a-z0-9]+\[[\d,]*\])(?:\{[^}]*\})? ([\w\-]+)\(([^()]*)\)(.*)$", re.MULTILINE)
KINDS = ("op", "swap", "constant", "reducer", "direction", "dropped")


class Program:
    """The instructions of a module text by name."""
    def __init__(self, text):
        self.text = text
        # Ops of a computation that is applied to elements are no values: the op that applies it is one.
        applied = {name for line in text.splitlines() if " call(" not in line for name in re.findall(r"to_apply=%([\w.\-]+)", line)}
        parts = re.split(r"^(?=%|ENTRY )", text, flags=re.MULTILINE)
        starts = [sum(map(len, parts[:i])) for i in range(len(parts))]
        self.lines = {}
        for start, part in zip(starts, parts):
            named = re.match(r"%([\w.\-]+)", part)
            if named and named[1] in applied:
                continue
            for match in LINE.finditer(text, start, start + len(part)):
                self.lines[match[1]] = match

    def reducers(self, line):
        """Computations that apply an op to two scalars, by that op."""
        found = {}
        for match in re.finditer(r"^%([\w.\-]+) \([^)]*\) -> f32\[\] \{\n(?:.*\n)*?  ROOT %[\w.\-]+ = f32\[\]\S* (\w+)\(", self.text,
                                 re.MULTILINE):
            found.setdefault(match[2], match[1])
        return found

    def shape(self, name):
        return self.lines[name][2] if name in self.lines else None

    def readers(self, name):
        return {each for each, line in self.lines.items() if f"%{name}" in re.split(r",\s*", line[4])}

    def possible(self, kind):
        """The names of instructions that an edit of this kind can be made at."""
        return sorted(name for name in self.lines if self.edited(kind, name) is not None)

    def edited(self, kind, name):
        """The text after the edit; None if there is nothing to edit."""
        line = self.lines.get(name)
        if line is None:
            return None
        operands = re.split(r",\s*", line[4])
        opcode, start = line[3], line.start(3)
        replaced = None
        if kind == "op" and opcode in OTHER and not line[2].startswith(("s32", "u32", "s64")):
            replaced = OTHER[opcode] + self.text[line.end(3):line.end(0)]
        elif kind == "swap" and opcode in SWAPPED and len(operands) >= 2:
            i, j = (1, 2) if opcode == "select" else (0, 1)
            if operands[i] != operands[j] and self.shape(operands[i][1:]) == self.shape(operands[j][1:]) is not None:
                operands[i], operands[j] = operands[j], operands[i]
                replaced = f"{opcode}({', '.join(operands)}){line[5]}"
        elif kind == "constant" and opcode == "constant" and line[2] == "f32[]" and re.fullmatch(r"-?[\d.e+\-]+", line[4]):
            replaced = f"constant({float(line[4]) * 1.5 + 0.27183:g}){line[5]}"
        elif kind == "reducer" and opcode == "reduce" and line[2].startswith("f32"):
            reducers = self.reducers(line)
            applied = re.search(r"to_apply=%([\w.\-]+)", line[5])
            other = reducers.get("maximum") if applied and reducers.get("add") == applied[1] else reducers.get("add")
            if applied and other and other != applied[1] and applied[1] in reducers.values():
                replaced = f"reduce({line[4]}){line[5].replace('%' + applied[1], '%' + other)}"
        elif kind == "direction" and opcode == "compare" and "direction=" in line[5]:
            ways = {"LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT", "EQ": "NE", "NE": "EQ"}
            replaced = f"compare({line[4]})" + re.sub(r"direction=(\w\w)", lambda m: "direction=" + ways[m[1]], line[5])
        elif kind == "dropped" and opcode in DROPPED and operands and not line[0].startswith("  ROOT"):
            if self.shape(operands[0][1:]) != line[2] or not self.readers(name):
                return None
            pattern = re.compile(r"(?<=[(\s])%" + re.escape(name) + r"(?=[,)])")
            return self.text[:line.end()] + pattern.sub(operands[0], self.text[line.end():])
        if replaced is None:
            return None
        return self.text[:start] + replaced + self.text[line.end():]

    def truth(self, kind, name):
        """The values that are wrong first."""
        if kind != "dropped":
            return {name}
        # A reshape, bitcast or copy computes nothing: halo takes it for its operand, and the first value is what reads it.
        found, open_names = set(), [name]
        while open_names:
            fresh = self.readers(open_names.pop()) - found
            found |= fresh
            open_names += [each for each in fresh if self.lines[each][3] in ("reshape", "bitcast", "copy")]
        return found
