"""Questions about programs with their answers, computed from the texts alone by small parsers that share nothing with halo. A
question is (what, answer, ask): `ask(client)` finds the answer with the tools of `halo mcp`."""
import collections
import random
import re

LINE = re.compile(r"^\s+(ROOT )?%?([\w.\-]+) = (.*)$")
HEADER = re.compile(r"^(ENTRY )?%?([\w.\-]+)[ (].*\{\s*$")
BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s16": 2, "u16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8, "s64": 8, "u64": 8}

Inst = collections.namedtuple("Inst", "name shape opcode operands line computation rest")


class Text:
    """A module's text, by lines."""

    def __init__(self, path):
        self.path = path
        self.lines = path.read_text(encoding="utf-8").split("\n")
        self.insts, self.computations, self.entry, inside = [], [], None, None
        for number, line in enumerate(self.lines, 1):
            if inside is None:
                head = HEADER.match(line)
                if head and not line.startswith("HloModule"):
                    inside = head[2]
                    self.computations.append(inside)
                    self.entry = inside if head[1] else self.entry
                continue
            if line.startswith("}"):
                inside = None
                continue
            found = LINE.match(line)
            if found:
                self.insts.append(self.parse(found, number, inside))
        self.by_name = collections.defaultdict(list)
        self.users = collections.defaultdict(list)
        for inst in self.insts:
            self.by_name[inst.name].append(inst)
            for operand in dict.fromkeys(inst.operands):
                self.users[inst.computation, operand].append(inst.name)

    @staticmethod
    def balanced(text, at):
        """The position after the bracket that closes the one at `at`."""
        depth = 0
        for i in range(at, len(text)):
            depth += text[i] in "([{"
            depth -= text[i] in ")]}"
            if depth == 0:
                return i + 1
        return len(text)

    def parse(self, found, number, inside):
        rest = found[3]
        end = self.balanced(rest, 0) if rest.startswith("(") else rest.index(" ")
        shape, rest = rest[:end], rest[end:].lstrip()
        opening = rest.index("(")
        close = self.balanced(rest, opening)
        inner = rest[opening:close]
        opcode = rest[:opening]
        operands = [] if opcode in ("constant", "parameter") else re.findall(r"%([\w.\-]+)", inner)
        return Inst(found[2], shape, opcode, operands, number, inside, rest[close:])

    def unique(self, wanted):
        return [inst for inst in self.insts if len(self.by_name[inst.name]) == 1 and wanted(inst)]

    def source(self, inst):
        file = re.search(r'source_file="([^"]+)"', inst.rest)
        line = re.search(r"source_line=(\d+)", inst.rest)
        return f"{'/'.join(file[1].split('/')[-2:])}:{line[1]}" if file and line else None


def dims(shape):
    """The shape without layout and comments."""
    return re.sub(r"\{[^{}]*\}", "", re.sub(r"/\*.*?\*/", "", shape)).replace(" ", "")


def size(shape):
    found = re.match(r"(\w+)\[([\d,]*)\]", shape)
    count = 1
    for each in filter(None, found[2].split(",")):
        count *= int(each)
    return count * BYTES[found[1]]


def rows_of(client, tool, **arguments):
    """The rows of the first pages."""
    rows, cursor = [], None
    for _ in range(3):
        found = client.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        rows += found["rows"]
        cursor = found.get("cursor")
        if cursor is None:
            break
    return rows


def about_text(program, text, seed):
    """Questions about one program."""
    pick = random.Random(seed)
    counts = collections.Counter(inst.opcode for inst in text.insts)
    opcode = pick.choice([name for name, count in counts.items() if count > 3 and not name.endswith(("-start", "-done"))])
    yield (f"how many {opcode}", counts[opcode],
           lambda c: next(row["count"] for row in rows_of(c, "info", program=program) if row["name"] == opcode))
    yield "how many instructions", len(text.insts), lambda c: c.call("open", path=program)["instructions"]
    yield "how many computations", len(text.computations), lambda c: c.call("info", program=program)["computations"]
    simple = text.unique(lambda inst: 1 <= len(inst.operands) <= 6 and len(set(inst.operands)) == len(inst.operands) and len(inst.shape) < 150)
    one = pick.choice(simple)
    yield (f"the shape of {one.name}", dims(one.shape),
           lambda c: c.call("value", program=program, instruction=one.name)["shape"].replace(" ", ""))
    two = pick.choice(simple)
    yield (f"the operands of {two.name}", two.operands,
           lambda c: [row["name"] for row in c.call("value", program=program, instruction="%" + two.name)["rows"] if row["relation"] == "operand"])
    used = pick.choice([inst for inst in simple if 1 <= len(text.users[inst.computation, inst.name]) <= 8])
    yield (f"the users of {used.name}", sorted(text.users[used.computation, used.name]),
           lambda c: sorted(row["name"] for row in c.call("value", program=program, instruction=used.name)["rows"] if row["relation"] == "user"))
    three = pick.choice(simple)
    yield (f"the line of {three.name}", three.line, lambda c: c.call("value", program=program, instruction=three.name)["line"])
    first = pick.randrange(1, len(text.lines) - 20)
    short = next(at for at in range(first, len(text.lines)) if 20 < len(text.lines[at - 1]) < 1400)
    yield (f"line {short}", text.lines[short - 1],
           lambda c: c.call("text", program=program, **{"from": short, "lines": 1})["rows"][0]["text"])
    located = [inst for inst in simple if text.source(inst)]
    if located:
        four = pick.choice(located)
        yield (f"where {four.name} comes from", text.source(four),
               lambda c: c.call("value", program=program, instruction=four.name)["source"])
    near = pick.choice([inst for inst in simple if inst.computation == text.entry])
    before = within(text, near, 2)
    if len(before) <= 25:
        yield (f"what {near.name} depends on within 2 hops", sorted(before),
               lambda c: sorted(row["name"] for row in rows_of(c, "neighbourhood", program=program, instruction=near.name, hops=2,
                                                               direction="operands")))
    parameters = [inst for inst in text.insts if inst.opcode == "parameter" and inst.computation == text.entry]
    largest = max((size(inst.shape) for inst in parameters if not inst.shape.startswith("(")), default=0)
    searched = pick.choice(simple)
    yield (f"the computation of {searched.name}", searched.computation,
           lambda c: next(row["computation"] for row in rows_of(c, "search", program=program, query=f"name:{searched.name}")
                          if row["name"] == searched.name))
    if largest:
        yield ("the bytes of the largest parameter", largest,
               lambda c: max(row.get("bytes", 0) for row in c.call("info", program=program, rows="parameters", sort="bytes")["rows"]))


def within(text, inst, hops):
    names, edge = set(), {inst.name}
    for _ in range(hops):
        edge = {operand for name in edge for each in text.by_name[name] if each.computation == inst.computation for operand in each.operands}
        names |= edge
    return names - {inst.name}


def about_collectives(program, text):
    """How many collectives of each kind; those with nothing between start and done are exposed."""
    kinds = collections.Counter()
    for inst in text.insts:
        base = inst.opcode.removesuffix("-start")
        if base in ("all-gather", "all-reduce", "reduce-scatter", "collective-permute", "all-to-all"):
            kinds[base] += 1
    for kind, count in sorted(kinds.items()):
        yield (f"how many {kind}", count,
               lambda c, kind=kind: next(row["count"] for row in rows_of(c, "info", program=program, rows="collectives") if row["opcode"] == kind))
    order = [inst for inst in text.insts if inst.computation == text.entry]
    for at, inst in enumerate(order[:-1]):
        after = order[at + 1]
        if re.fullmatch(r"(all-gather|all-reduce)-start", inst.opcode) and after.opcode == inst.opcode.replace("start", "done") \
                and after.operands == [inst.name]:
            def ask(c, name=inst.name):
                rows = [row for row in rows_of(c, "time", program=program, rows="exposed") if row["name"] == name]
                return bool(rows) and rows[0]["exposed_seconds"] > 0 and bool(rows[0]["why"])
            yield f"{inst.name} is waited for as soon as it starts: is it exposed, and why", True, ask
            break


def about_total(program, assignment):
    """What XLA assigned: the sum of its allocations."""
    total = sum(map(int, re.findall(r"^allocation \d+: size (\d+)", assignment.read_text(encoding="utf-8"), re.MULTILINE)))
    yield "how many bytes XLA assigned", total, lambda c: c.call("memory", program=program)["device_bytes"]


def frames(lines):
    """{stack frame: "file:line"} by the tables at the beginning of a text."""
    tables, name = collections.defaultdict(dict), None
    for line in lines:
        if line in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
            name = line
        elif name and re.match(r"\d+ ", line):
            number, rest = line.split(" ", 1)
            tables[name][int(number)] = rest
        elif HEADER.match(line) and tables:
            break
    found = {}
    for number, rest in tables["StackFrames"].items():
        place = tables["FileLocations"][int(re.search(r"file_location_id=(\d+)", rest)[1])]
        file = tables["FileNames"][int(re.search(r"file_name_id=(\d+)", place)[1])].strip('"')
        line = re.search(r"[^_]line=(\d+)", place)[1]
        found[number] = "/".join(file.split("/")[-2:]) + ":" + line
    return found


def peak_by_source(text, assignment, ranges):
    """{source line: bytes} of the values live at the peak, by XLA's own offsets and live ranges, and the bytes without one."""
    live = {}
    for line in ranges.read_text(encoding="utf-8").split("\n"):
        found = re.match(r"^\s+([\w.\-]+)\{([\d,]*)\}:(\d+)-(\d+)", line)
        if found:
            live[found[1], found[2]] = int(found[3]), int(found[4])
    table = frames(text.lines)
    values, temporary, kept = [], False, False
    for line in assignment.read_text(encoding="utf-8").split("\n"):
        head = re.match(r"^allocation (\d+): size (\d+)(.*)", line)
        if head:
            kept = "thread-local" not in head[3]
            temporary = "preallocated-temp" in head[3]
            number = int(head[1])
        found = re.match(r"^ value: <\d+ ([\w.\-]+)(?:\{([\d,]*)\})? @\d+> \(size=(\d+),offset=(\d+)\)", line)
        if found and kept and temporary:
            key = found[1], found[2] or ""
            if key in live:
                values.append((number, found[1], int(found[3]), int(found[4]), *live[key]))
    last = max(end for *_, end in values)
    def bytes_at(time):
        cells = collections.defaultdict(int)
        for allocation, _, size_, offset, begin, end in values:
            if begin <= time <= end:
                cells[allocation, offset] = max(cells[allocation, offset], size_)
        return sum(cells.values())
    peak = max(range(last + 1), key=bytes_at)
    groups, unknown = collections.Counter(), 0
    for _, name, size_, _, begin, end in values:
        if not begin <= peak <= end:
            continue
        rest = text.by_name[name][0].rest
        frame = re.search(r"stack_frame_id=(\d+)", rest)
        line = table.get(int(frame[1])) if frame else text.source(text.by_name[name][0])
        if line:
            groups[line] += size_
        else:
            unknown += size_
    return groups, unknown


def about_peak(program, text, assignment, ranges):
    groups, unknown = peak_by_source(text, assignment, ranges)
    best = groups.most_common(2)
    # Only if the answer does not depend on how values that share memory are counted.
    if not best or best[0][1] < 4096 or unknown * 2 > best[0][1] or (len(best) > 1 and best[1][1] * 2 > best[0][1]):
        return
    yield ("which source line owns most temporary bytes at the peak", best[0][0],
           lambda c: next(row["name"] for row in rows_of(c, "memory", program=program, by="source", only="temporary")
                          if row["name"] != "(unknown)"))


def about_mistake(program, text, work, seed):
    """A copy in which an operand is misspelled: which line is wrong?"""
    pick = random.Random(seed)
    inst = pick.choice([each for each in text.insts if each.operands and len(text.lines[each.line - 1]) < 1000])
    lines = list(text.lines)
    at = lines[inst.line - 1].index("(", lines[inst.line - 1].index(" " + inst.opcode + "("))
    lines[inst.line - 1] = lines[inst.line - 1][:at] + lines[inst.line - 1][at:].replace("%" + inst.operands[0], "%mispelled_" + inst.operands[0], 1)
    copy = work / f"mistake_{seed}.txt"
    copy.write_text("\n".join(lines), encoding="utf-8")
    yield f"the line of the mistake in a copy of {program}", inst.line, lambda c: c.call("check", program=str(copy))["rows"][0]["line"]


def about_change(program, text, work, seed):
    """A copy in which one operation is another: what changed? And a copy with other names: nothing."""
    pick = random.Random(seed)
    inst = pick.choice([each for each in text.insts if each.opcode == "add" and re.match(r"(f32|bf16)\[\d", each.shape)])
    lines = list(text.lines)
    lines[inst.line - 1] = lines[inst.line - 1].replace(" add(", " subtract(", 1)
    copy = work / f"changed_{seed}.txt"
    copy.write_text("\n".join(lines), encoding="utf-8")
    def ask(c):
        found = c.call("diff", before=program, after=str(copy))
        return not found["same_values"] and any("add" in row["what"] and "subtract" in row["what"] for row in found["rows"])
    yield f"what changed in a copy of {program}: {inst.name} subtracts", True, ask
    renamed = work / f"renamed_{seed}.txt"
    renamed.write_text(re.sub(r"%([\w.\-]+)", r"%x.\1", "\n".join(text.lines)), encoding="utf-8")
    yield f"what changed in a copy of {program} with other names", True, lambda c: c.call("diff", before=program, after=str(renamed))["same"]
