"""Writes a profile by hand: make_profile.py KIND OUT [HLO_PB...]. KIND is gpu.xplane or tpu.xplane (XSpace), gpu.json
(Chrome trace), nsight.csv, nsight.parquet, nsight.sqlite or ops.csv. All describe the same executions: two devices run `step` (program 7) three times,
op `fuse` takes 30 us, op `dot` 10 us in each of 5 iterations, another program runs once. The HloProtos, if given, are
embedded in an XSpace as programs 7, 9 and so on."""
import json
import pathlib
import sqlite3
import sys

STEPS, DEVICES, ITERATIONS = 3, 2, 5
FUSE, DOT, GAP = 30_000, 10_000, 1_000  # nanoseconds


def executions(device):
    """Yields (program, id, step, op, start, duration); nanoseconds."""
    at = 1_000_000 * (device + 1)
    for step in range(STEPS):
        yield "step", 7, step, "fuse", at, FUSE
        at += FUSE + GAP
        for _ in range(ITERATIONS):
            yield "step", 7, step, "dot", at, DOT
            at += DOT + GAP
        at += 100_000
    yield "other", 9, 0, "fuse", at, 5_000


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


class Plane:
    """An XPlane; names are entered in its tables as they are used."""

    def __init__(self, name):
        self.name, self.lines, self.events, self.stats = name, [], {}, {}

    def stat_id(self, name):
        return self.stats.setdefault(name, len(self.stats) + 1)

    def stat(self, name, value):
        key = field(1, self.stat_id(name))
        if isinstance(value, int):
            return key + field(3, value)
        if isinstance(value, bytes):
            return key + field(6, value)
        return key + field(7, self.stat_id(value))

    def event_id(self, name, stats=()):
        if name not in self.events:
            self.events[name] = (len(self.events) + 1, list(stats))
        return self.events[name][0]

    def line(self, name, events):
        """`events`: [(metadata id, start, duration, stats)]; nanoseconds."""
        body = field(2, name) + field(3, 1000)
        for key, start, duration, stats in events:
            event = field(1, key) + field(2, (start - 1000) * 1000) + field(3, duration * 1000)
            body += field(4, event + b"".join(field(4, each) for each in stats))
        self.lines.append(body)

    def encode(self):
        out = field(2, self.name) + b"".join(field(3, each) for each in self.lines)
        for name, (key, stats) in self.events.items():
            out += field(4, field(1, key) + field(2, field(1, key) + field(2, name) +
                                                  b"".join(field(5, each) for each in stats)))
        for name, key in self.stats.items():
            out += field(5, field(1, key) + field(2, field(1, key) + field(2, name)))
        return field(1, out)


def programs(protos):
    plane = Plane("/host:metadata")
    for i, proto in enumerate(protos):
        number = 7 + 2 * i
        plane.event_id(f"{'step' if i == 0 else 'other'}({number})", [plane.stat("Hlo Proto", proto)])
    return plane


def gpu_xplane(protos):
    planes = [programs(protos)]
    for device in range(DEVICES):
        plane = Plane(f"/device:GPU:{device}")
        events = [(plane.event_id(op + "_kernel"), start, duration,
                   [plane.stat("hlo_op", op), plane.stat("hlo_module", name), plane.stat("program_id", number)])
                  for name, number, _, op, start, duration in executions(device)]
        plane.line("Stream #1(Kernel)", events)
        plane.line("Stream #2(MemcpyH2D)", [(plane.event_id("MemcpyH2D"), 2_000, 500, [])])
        plane.line("XLA Ops", events)  # the same executions, which must not count twice
        planes.append(plane)
    host = Plane("/host:CPU")
    host.line("python", [(host.event_id("cuLaunchKernel"), 2_000, 100,
                          [host.stat("hlo_op", "fuse"), host.stat("hlo_module", "step")])])
    return b"".join(plane.encode() for plane in [*planes, host])


def tpu_xplane(protos):
    planes = [programs(protos)]
    for device in range(DEVICES):
        plane = Plane(f"/device:TPU:{device}")
        ops, runs = [], {}
        for name, number, step, op, start, duration in executions(device):
            text = f"%{op} = f32[8]{{0}} fusion()"
            ops.append((plane.event_id(text, [plane.stat("hlo_category", "fusion")]), start, duration, []))
            begin, end = runs.get((name, number, step), (start, 0))
            runs[name, number, step] = begin, max(end, start + duration)
        plane.line("XLA Modules", [(plane.event_id(f"{name}({number})"), begin, end - begin, [])
                                   for (name, number, _), (begin, end) in runs.items()])
        plane.line("XLA Ops", ops)
        planes.append(plane)
    return b"".join(plane.encode() for plane in planes)


def gpu_json():
    events = []
    for device in range(DEVICES):
        pid = device + 1
        events.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": f"/device:GPU:{device}"}})
        events.append({"ph": "M", "pid": pid, "tid": 1, "name": "thread_name", "args": {"name": "Stream #1(Kernel)"}})
        events += [{"ph": "X", "pid": pid, "tid": 1, "ts": start / 1000, "dur": duration / 1000, "name": op + "_kernel",
                    "args": {"hlo_op": op, "hlo_module": name, "program_id": str(number)}}
                   for name, number, _, op, start, duration in executions(device)]
        events.append({"ph": "X", "pid": pid, "tid": 1, "ts": 1, "dur": 1, "name": "MemcpyH2D"})
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}).encode()


def nsight_rows():
    """[(name, start, duration, device, kernels, range, stack)]."""
    rows = []
    identity = 100
    for device in range(DEVICES):
        for step in [*range(STEPS), None]:
            chosen = [each for each in executions(device) if each[:3] == (("other", 9, 0) if step is None else ("step", 7, step))]
            name, number = chosen[0][:2]
            identity += 1
            top, begin, end = identity, chosen[0][4], chosen[-1][4] + chosen[-1][5]
            rows.append((f"TSL:XlaModule:#hlo_module={name},program_id={number}#", begin, end - begin, device, len(chosen),
                         top, f":{top}"))
            for _, _, _, op, start, duration in chosen:
                identity += 1
                rows.append((f'TSL:Thunk:#name=jit({name})/"x",hlo_op={op}#', start, duration, device, 1, identity,
                             f":{top}:{identity}"))
    return rows


def nsight_csv():
    rows = ["Name,Projected Start (ns),Projected Duration (ns),Style,PID,TID,NumGPUOps,RangeId,RangeStack"]
    for name, start, duration, device, kernels, identity, stack in nsight_rows():
        quoted = name.replace('"', '""')
        rows.append(f'"{quoted}",{start},{duration},PushPop,1,{device},{kernels},{identity},{stack}')
    return "\n".join(rows).encode() + b"\n"


def thrift(fields):
    """A struct in Thrift's compact protocol: {id: int, bytes, list, or a struct as a dict}."""
    out, last = b"", 0
    for key, value in sorted(fields.items()):
        kind = 6 if isinstance(value, int) else 8 if isinstance(value, bytes) else 12 if isinstance(value, dict) else 9
        out += bytes([(key - last) << 4 | kind]) + thrift_value(value)
        last = key
    return out + b"\0"


def thrift_value(value):
    if isinstance(value, int):
        return varint(value << 1)
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if isinstance(value, dict):
        return thrift(value)
    kind = 12 if isinstance(value[0], dict) else 8 if isinstance(value[0], bytes) else 6
    return bytes([0xF0 | kind]) + varint(len(value)) + b"".join(map(thrift_value, value))


def snap(data):
    """Snappy with literals, and a copy where bytes repeat."""
    out, at = varint(len(data)), 0
    while at < len(data):
        run = 0
        while at > 0 and run < 60 and at + run < len(data) and data[at + run] == data[at - 1]:
            run += 1
        if run >= 4:
            out += bytes([(run - 1) << 2 | 2, 1, 0])
            at += run
            continue
        piece = data[at:at + 40]
        out += bytes([(len(piece) - 1) << 2]) + piece
        at += len(piece)
    return out


class Parquet:
    """A file with one row group; each column is one page, after a dictionary if it has one."""

    def __init__(self):
        self.out, self.schema, self.columns = b"PAR1", [], []

    def page(self, kind, header, data, compressed):
        stored = snap(data) if compressed else data
        offset = len(self.out)
        self.out += thrift({1: kind, 2: len(data), 3: len(stored), 7 if kind == 2 else 5: header}) + stored
        return offset

    def add(self, name, values, dictionary=False, optional=False):
        text = isinstance(values[0], str)
        plain = (lambda v: len(v.encode()).to_bytes(4, "little") + v.encode()) if text else (lambda v: v.to_bytes(8, "little"))
        compressed = text
        begin = len(self.out)
        levels = varint(len(values) << 1) + b"\1"
        levels = len(levels).to_bytes(4, "little") + levels if optional else b""
        metadata = {1: 6 if text else 2, 2: [0], 3: [name.encode()], 4: int(compressed), 5: len(values)}
        if dictionary:
            distinct = sorted(set(values))
            metadata[11] = self.page(2, {1: len(distinct), 2: 0}, b"".join(map(plain, distinct)), compressed)
            width = max(1, (len(distinct) - 1).bit_length())
            bits = sum(distinct.index(v) << (i * width) for i, v in enumerate(values))
            groups = -(-len(values) // 8)
            data = bytes([width]) + varint(groups << 1 | 1) + bits.to_bytes(groups * width, "little")
            metadata[9] = self.page(0, {1: len(values), 2: 8, 3: 3, 4: 3}, levels + data, compressed)
        else:
            metadata[9] = self.page(0, {1: len(values), 2: 0, 3: 3, 4: 3}, levels + b"".join(map(plain, values)), compressed)
        metadata[6] = metadata[7] = len(self.out) - begin
        self.schema.append({1: metadata[1], 3: int(optional), 4: name.encode()})
        self.columns.append({2: begin, 3: metadata})

    def encode(self, rows):
        schema = [{4: b"schema", 5: len(self.schema)}, *self.schema]
        footer = thrift({1: 1, 2: schema, 3: rows, 4: [{1: self.columns, 2: len(self.out), 3: rows}]})
        return self.out + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def nsight_parquet():
    rows = nsight_rows()
    table = Parquet()
    names, starts, durations, devices, kernels, identities, stacks = map(list, zip(*rows))
    table.add("Name", names, dictionary=True, optional=True)
    table.add("Projected Start", starts)
    table.add("Projected Duration", durations, dictionary=True)
    table.add("Style", ["PushPop"] * len(rows), dictionary=True)
    table.add("TID", devices, dictionary=True, optional=True)
    table.add("NumGPUOps", kernels)
    table.add("RangeId", identities, optional=True)
    table.add("RangeStack", stacks)
    return table.encode(len(rows))


def nsight_sqlite(out):
    """As `nsys export --type sqlite` lays it out, with the columns that matter and some that do not. Each op is launched by a
    call within its range; the range of `step` has a long name, which continues on other pages."""
    pathlib.Path(out).unlink(missing_ok=True)
    base = sqlite3.connect(out)
    base.executescript("""
        PRAGMA page_size = 1024;
        CREATE TABLE StringIds (
            -- Consolidation of repetitive string values.
            id   INTEGER   NOT NULL   PRIMARY KEY,  -- ID reference value (key).
            value   TEXT   NOT NULL
        );
        CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
            category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER,
            textId INTEGER REFERENCES StringIds(id), domainId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
            globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
            streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, shortName INTEGER NOT NULL);
        CREATE INDEX later ON NVTX_EVENTS (start);
        CREATE VIEW calls AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;""")
    strings = {}
    string = lambda text: strings.setdefault(text, len(strings) + 1)
    calls = 0
    process = 1 << 48 | 77 << 24
    base.execute("INSERT INTO NVTX_EVENTS (start, eventType, text, domainId) VALUES (0, 75, 'TSL', 1)")
    for device in range(DEVICES):
        thread = process | device
        at = 1000  # on the host
        rows = nsight_rows()
        for name, start, duration, where, _, _, stack in rows:
            if where != device:
                continue
            text = name.removeprefix("TSL:").replace("jit(step)", "jit(step)" + "/x" * 900)
            if "XlaModule" in name:
                inside = sum(each[6].startswith(stack + ":") for each in rows)
                base.execute("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (?, ?, 59, ?, ?)",
                             (at, at + 1000 * inside + 50, text, thread))
                at += 100
                continue
            base.execute("INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid) VALUES (?, ?, 59, ?, ?)",
                         (at, at + 500, string(text), thread))
            # Two kernels, launched by two calls; a third call launches nothing.
            for piece, (begin, end) in enumerate([(start, start + duration // 3), (start + duration // 2, start + duration), (0, 0)]):
                calls += 1
                base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 1, ?, ?, ?)",
                             (at + 10 * piece, at + 10 * piece + 5, thread, calls, string("cuLaunchKernelEx")))
                if end:
                    base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 7, ?, ?, ?)",
                                 (begin, end, device, calls, process, string("kernel")))
            # Kernels of other processes may have the same correlation ids.
            base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7, ?, ?, 1)", (calls, process + (1 << 24)))
            at += 1000
        at += 1000
    base.executemany("INSERT INTO StringIds VALUES (?, ?)", [(key, text) for text, key in strings.items()])
    base.commit()
    base.close()
    return pathlib.Path(out).read_bytes()


def ops_csv():
    rows = ["device,module,program_id,hlo_op,start_us,duration_us"]
    for device in range(DEVICES):
        rows += [f"{device},{name},{number},{op},{start / 1000},{duration / 1000}"
                 for name, number, _, op, start, duration in executions(device)]
    return "\n".join(rows).encode() + b"\n"


def main():
    kind, out, *protos = sys.argv[1:]
    protos = [pathlib.Path(each).read_bytes() for each in protos]
    made = {"gpu.xplane": lambda: gpu_xplane(protos), "tpu.xplane": lambda: tpu_xplane(protos), "gpu.json": gpu_json,
            "nsight.csv": nsight_csv, "nsight.parquet": nsight_parquet,
            "nsight.sqlite": lambda: nsight_sqlite(out), "ops.csv": ops_csv}[kind]()
    pathlib.Path(out).write_bytes(made)


main()
