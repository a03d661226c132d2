"""Modules made from the text of single TPU ops. A profile has the text of each op with the shapes of its operands, at
best with the ops inside a fusion, but no module. Each op becomes an instruction with separate parameters."""
import csv
import gzip
import json
import re

from common import need_shared

V5P = "profiles/xprof_golden_tpu_training"
TRACES = "profiles/tpu_inference_traces"
EXPRESSION = re.compile(r"^%(\S+) = (.*)$", re.DOTALL)
UNNUMBERED = 10**6
REFERENCE = re.compile(r"(calls|to_apply|body|condition)=%([\w.\-]+)")


def split_call(text):
    """Splits `SHAPE opcode(operands), attributes` into its four parts."""
    depth, at = 0, 0
    while at < len(text):  # the shape ends at the first space outside of brackets
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        elif text[at] == " " and depth == 0:
            break
        at += 1
    shape, rest = text[:at], text[at + 1:]
    opcode, _, rest = rest.partition("(")
    depth, end = 1, 0
    for end, letter in enumerate(rest):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            break
    return shape, opcode, rest[:end], rest[end + 1:].lstrip(", ")


def split_operands(text):
    """[(shape, name)] of an operand list whose operands have shapes."""
    parts, depth, begin = [], 0, 0
    for i, letter in enumerate(text + ","):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(re.sub(r"/\*index=\d+\*/", "", text[begin:i]).strip())
            begin = i + 1
    found = []
    for part in parts:
        shape, mark, name = part.rpartition(" %")
        if mark:
            found.append((shape, name))
    return found


class TpuModule:
    """Text of a module that is built op by op."""

    def __init__(self):
        self.computations, self.entry, self.parameters = [], [], 0
        self.reduction = None

    def text(self):
        root = "  ROOT %end = () tuple()"
        return "\n\n".join(["HloModule ops, is_scheduled=true", *self.computations,
                            "ENTRY %main {\n" + "\n".join([*self.entry, root]) + "\n}"]) + "\n"

    def sum(self):
        if self.reduction is None:
            self.reduction = "sum"
            self.computations.append("%sum {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n"
                                     "  ROOT %z = f32[] add(%x, %y)\n}")
        return self.reduction

    def attributes(self, text, body):
        """The attributes with references to computations that exist here."""
        def replace(match):
            return f"{match[1]}=%{body if match[1] == 'calls' and body else self.sum()}"
        text = REFERENCE.sub(replace, text)
        return re.sub(r", (metadata|backend_config|frontend_attributes|sharding|control-predecessors)=.*$", "", text,
                      flags=re.DOTALL)

    def body(self, children):
        """Adds the computation of a fusion from its instructions; returns its name, or None if there are none."""
        instructions, shapes, used = {}, {}, set()
        for child in children:
            match = EXPRESSION.match(child.get("xla", {}).get("expression", ""))
            if match is None:
                continue
            shape, opcode, operands, attributes = split_call(match[2])
            nested = self.body(child.get("children", [])) if opcode == "fusion" else None
            listed = split_operands(operands)
            instructions[match[1]] = (shape, opcode, operands, listed, attributes, nested)
            for operand_shape, name in listed:
                shapes[name] = operand_shape
                used.add(name)
        if not instructions:
            return None
        name = f"fused.{len(self.computations)}"
        lines, done = [], {}
        free = sorted((each for each in used if each not in instructions), key=parameter_number)
        numbers = {parameter_number(each)[0]: each for each in free if parameter_number(each)[0] != UNNUMBERED}
        for each in free:
            if parameter_number(each)[0] == UNNUMBERED:
                numbers[max(numbers, default=-1) + 1] = each
            done[each] = True
        for i in range(max(numbers, default=-1) + 1):  # parameters that nothing uses are not in the profile
            each = numbers.get(i)
            lines.append(f"  %{each} = {shapes[each]} parameter({i})" if each else f"  %unused.{i} = () parameter({i})")
        order = []

        def visit(each):
            if each in done or each not in instructions:
                return
            done[each] = True
            for _, operand in instructions[each][3]:
                visit(operand)
            order.append(each)
        for each in instructions:
            visit(each)
        roots = [each for each in order if each not in used]
        for each in order:
            shape, opcode, operands, listed, attributes, nested = instructions[each]
            inside = ", ".join("%" + operand for _, operand in listed) if listed else operands
            extra = self.attributes(attributes, nested)
            mark = "ROOT " if len(roots) == 1 and each == roots[0] else ""
            lines.append(f"  {mark}%{each} = {shape} {opcode}({inside})" + (f", {extra}" if extra else ""))
        if len(roots) != 1:
            parts = ", ".join(instructions[each][0] for each in roots)
            lines.append(f"  ROOT %root = ({parts}) tuple({', '.join('%' + each for each in roots)})")
        self.computations.append(f"%{name} {{\n" + "\n".join(lines) + "\n}")
        return name

    def product(self, shape, operands, flops):
        """A fusion's computation of which nothing is known but its flops: one product that reads all operands."""
        name = f"fused.{len(self.computations)}"
        lines = [f"  %p.{i} = {each} parameter({i})" for i, (each, _) in enumerate(operands)]
        first = re.match(r"\(?(\w+\[[\d,]*\])", shape)[1]
        kind, dims = re.match(r"(\w+)\[([\d,]*)\]", first).groups()
        m = 1
        for extent in filter(None, dims.split(",")):
            m *= int(extent)
        k = max(int(flops / 2 / m), 1)
        source = re.match(r"(\w+)\[", operands[0][0])[1] if operands else "bf16"
        lines += [f"  %l = {source}[{m},{k}]{{1,0}} bitcast(%p.0)", f"  %r = {source}[{k}]{{0}} bitcast(%p.0)",
                  f"  %d = {kind}[{m}]{{0}} dot(%l, %r), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"]
        rest = ", ".join(f"%p.{i}" for i in range(len(operands)))
        shapes = ", ".join(each for each, _ in operands)
        lines.append(f"  ROOT %t = ({first}, {shapes}) tuple(%d, {rest})")
        self.computations.append(f"%{name} {{\n" + "\n".join(lines) + "\n}")
        return name

    def add(self, name, expression, children=(), flops=0):
        """Adds one op; False if it cannot be made a separate instruction."""
        match = EXPRESSION.match(expression)
        if match is None:
            return False
        shape, opcode, operands, attributes = split_call(match[2])
        if opcode in ("while", "conditional", "call", "async-start", "async-done", "async-update",
                      "copy-start", "copy-done"):
            return False
        listed = split_operands(operands)
        body = None
        if opcode == "fusion":
            body = self.body(children)
            if body is None and flops > 0:
                body = self.product(shape, listed, flops)
        names = []
        for operand_shape, _ in listed:
            names.append(f"%arg.{self.parameters}")
            self.entry.append(f"  {names[-1]} = {operand_shape} parameter({self.parameters})")
            self.parameters += 1
        inside = ", ".join(names) if listed else operands
        extra = self.attributes(attributes, body)
        self.entry.append(f"  %{name} = {shape} {opcode}({inside})" + (f", {extra}" if extra else ""))
        return True


def parameter_number(name):
    match = re.match(r"param_(\d+)", name)
    return (int(match[1]) if match else UNNUMBERED, name)


def v5p():
    """Returns (module text, {op: (seconds, executions)}) of the training step. Parts of megacore fusions run on one of
    a chip's two cores, which their text does not say; they are left out."""
    folder = need_shared(V5P)
    profile = json.loads(gzip.open(folder / "op_profile.json.gz").read())
    children = {}

    def walk(node):
        if "xla" in node and node.get("children"):
            children.setdefault(node["name"], node["children"])
        for child in node.get("children", []):
            walk(child)
    walk(profile["byProgram"])
    module, measured = TpuModule(), {}
    with gzip.open(folder / "measured_ops.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            name = f"{row['op']}.in.{row['program'][-4:]}"
            if "in_megacore_fusion" in name or name in measured:
                continue
            if not module.add(name, row["hlo"], children.get(row["op"], ())):
                continue
            measured[name] = (float(row["meas"]) * 1e-6, int(float(row["count"])))
    return module.text(), measured


def tpu7x(run):
    """The same for one of the traces of an inference server."""
    folder = need_shared(TRACES)
    trace = json.loads(gzip.open(folder / f"{run}.trace.json.gz").read())["traceEvents"]
    process = {e["pid"]: e["args"]["name"] for e in trace if e.get("ph") == "M" and e["name"] == "process_name"}
    thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace
              if e.get("ph") == "M" and e["name"] == "thread_name"}
    module, measured = TpuModule(), {}
    for event in trace:
        if event.get("ph") != "X" or thread.get((event["pid"], event["tid"])) != "XLA Ops" \
                or process[event["pid"]] != "/device:TPU:0":
            continue
        args = event["args"]
        name, seconds = event["name"], float(args["device_duration_ps"]) * 1e-12
        flops = float(args.get("model_flops") or 0) if args["hlo_category"] == "convolution fusion" else 0
        if name in measured:
            measured[name][0] += seconds
            measured[name][1] += 1
        elif seconds > 0.02e-6 and module.add(name, args["long_name"], (), flops):
            measured[name] = [seconds, 1]
    return module.text(), {name: (total / count, count) for name, (total, count) in measured.items()}
