"""Writes a profile by hand: make_profile.py KIND OUT [HLO_PB...]. KIND is gpu.xplane or tpu.xplane (XSpace), gpu.json
(Chrome trace), nsight.csv or ops.csv. All describe the same executions: two devices run `step` (program 7) three times,
op `fuse` takes 30 us, op `dot` 10 us in each of 5 iterations, another program runs once. The HloProtos, if given, are
embedded in an XSpace as programs 7, 9 and so on."""
import json
import pathlib
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


def nsight_csv():
    rows = ["Name,Projected Start (ns),Projected Duration (ns),Style,PID,TID,NumGPUOps,RangeId,ParentId,RangeStack"]
    identity = 100
    for device in range(DEVICES):
        for step in [*range(STEPS), None]:
            chosen = [each for each in executions(device) if each[:3] == (("other", 9, 0) if step is None else ("step", 7, step))]
            name, number = chosen[0][:2]
            identity += 1
            top, begin, end = identity, chosen[0][4], chosen[-1][4] + chosen[-1][5]
            rows.append(f'"TSL:XlaModule:#hlo_module={name},program_id={number}#",{begin},{end - begin},PushPop,1,{device},'
                        f"{len(chosen)},{top},,:{top}")
            for _, _, _, op, start, duration in chosen:
                identity += 1
                rows.append(f'"TSL:Thunk:#name=jit({name})/""x"",hlo_op={op}#",{start},{duration},PushPop,1,{device},1,'
                            f"{identity},{top},:{top}:{identity}")
    return "\n".join(rows).encode() + b"\n"


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
            "nsight.csv": nsight_csv, "ops.csv": ops_csv}[kind]()
    pathlib.Path(out).write_bytes(made)


main()
