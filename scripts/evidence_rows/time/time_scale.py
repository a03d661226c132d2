"""`halo time` at other scales. Random programs with loops, groups and permutes across nodes are replayed here device by
device and iteration by iteration, from the times that halo states for single ops, and must give the same step. Then a
hundred thousand devices, for seed 002 and a 405B training step."""
import json
import math
import pathlib
import random
import resource
import tempfile
import time

from common import enough, halo, need_shared

ORDER = 29
WHAT = "a step on many devices: against a replay of every device; 100,000 devices for seed 002 and a 405B program"
BAR = "30 programs at 8 to 512 devices equal to 1e-9; 100,000 devices in 2 s and 500 MB; twice the devices at most 1.2 times as long"
LEAST = {"programs": 30, "with several kinds of devices": 10}
QUICK_LEAST = {"programs": 4, "with several kinds of devices": 2}
QUICK_SECONDS = 3
QUICK_BAR = "4 programs equal to 1e-9; 100,000 devices for seed 002 in 4 s"
B405 = "corpus/xla/xla/tools/benchmarks/hlo/hlo_llama31_405b_bf16_64x8.hlo"


class Program:
    """A scheduled program of kernels and collectives, as text and as a list of steps to replay."""

    def __init__(self, choose, devices):
        self.devices, self.groups, self.number = devices, {}, 0
        before, inside, after = (self.part(choose, name) for name in ("main", "body", "end"))
        self.trips = choose.randint(2, 40)
        self.steps = [*before[0], *[("k", "go"), *inside[0], ("k", "next")] * self.trips, ("k", "go"), *after[0]]
        state = "(s32[], f32[65536]{0})"
        self.text = "\n".join([
            f"HloModule job, is_scheduled=true, num_partitions={devices}",
            "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }",
            f"body {{ s = {state} parameter(0)\n i = s32[] get-tuple-element(s), index=0",
            " x.body = f32[65536]{0} get-tuple-element(s), index=1\n one = s32[] constant(1)", *inside[1],
            f" next = s32[] add(i, one)\n ROOT t = {state} tuple(next, {inside[2]}) }}",
            f"cond {{ s.1 = {state} parameter(0)\n i.1 = s32[] get-tuple-element(s.1), index=0",
            f" n = s32[] constant({self.trips})\n ROOT go = pred[] compare(i.1, n), direction=LT }}",
            "ENTRY main { x.main = f32[65536]{0} parameter(0)\n zero = s32[] constant(0)", *before[1],
            f" init = {state} tuple(zero, {before[2]})",
            f" loop = {state} while(init), condition=cond, body=body",
            " x.end = f32[65536]{0} get-tuple-element(loop), index=1", *after[1],
            f" ROOT r = f32[65536]{{0}} copy({after[2]}) }}"]) + "\n"
        self.steps.append(("k", "r"))

    def part(self, choose, name):
        """(steps, lines, last value) of a few instructions; a collective may run beside the next kernels."""
        steps, lines, value, flying = [], [], f"x.{name}", None
        for _ in range(choose.randint(3, 9)):
            self.number += 1
            this = f"v{self.number}"
            kind = choose.choice(("kernel", "kernel", "reduce", "permute", "start"))
            if kind == "kernel":
                lines.append(f" {this} = f32[65536]{{0}} negate({value})")
                steps.append(("k", this))
            elif kind == "start" and flying is None:
                lines.append(f" {this} = (f32[65536]{{0}}, f32[65536]{{0}}) collective-permute-start({value}), "
                             f"source_target_pairs={self.pairs(choose, this)}")
                steps.append(("s", this))
                flying = this
                continue
            elif kind == "permute":
                lines.append(f" {this} = f32[65536]{{0}} collective-permute({value}), "
                             f"source_target_pairs={self.pairs(choose, this)}")
                steps.append(("c", this))
            else:
                lines.append(f" {this} = f32[65536]{{0}} all-reduce({value}), replica_groups={self.lists(choose, this)}, "
                             "to_apply=add, channel_id=1, use_global_device_ids=true")
                steps.append(("c", this))
            value = this
        if flying is not None:
            lines += [f" {flying}d = f32[65536]{{0}} collective-permute-done({flying})",
                      f" {flying}a = f32[65536]{{0}} add({flying}d, {value})"]
            steps += [("d", flying), ("k", f"{flying}a")]
            value = f"{flying}a"
        return steps, lines, value

    def pairs(self, choose, name):
        some = choose.sample(range(self.devices), choose.randint(2, self.devices))
        pairs = list(zip(some, some[1:] + ([some[0]] if choose.random() < 0.5 else [])))
        self.groups[name] = ("pairs", pairs)
        return "{" + ",".join(f"{{{a},{b}}}" for a, b in pairs) + "}"

    def lists(self, choose, name):
        size = choose.choice([each for each in (2, 4, 8, self.devices) if self.devices % each == 0])
        stride = choose.choice((True, False))
        count = self.devices // size
        lists = [[g + i * count if stride else g * size + i for i in range(size)] for g in range(count)]
        self.groups[name] = ("lists", lists)
        return "{" + ",".join("{" + ",".join(map(str, each)) + "}" for each in lists) + "}"


def replay(program, copies, per_node, kernels, gap, collectives):
    """The step of every device, one after the other."""
    total = program.devices * copies
    now, free, flying = [0.0] * total, [0.0] * total, {}

    def run(name):
        """The end of a collective on each device: it begins when all partners are there."""
        kind, groups = program.groups[name]
        partners, nodes = [None] * total, [1] * total
        for base in range(0, total, program.devices):
            if kind == "lists":
                for group in groups:
                    members = [base + each for each in group]
                    spans = len({each // per_node for each in members})
                    for each in members:
                        partners[each], nodes[each] = members, spans
            else:
                for a, b in groups:
                    for each, other in ((base + a, base + b), (base + b, base + a)):
                        partners[each] = [*(partners[each] or [each]), other]
                        if each // per_node != other // per_node:
                            nodes[each] = 2
        ready = [max(now[d], free[d]) for d in range(total)]
        ends = list(now)
        for d in range(total):
            if partners[d] is not None:
                ends[d] = free[d] = max(ready[each] for each in partners[d]) + collectives[name, nodes[d]]
        return ends
    for kind, name in program.steps:
        if kind == "k":
            for d in range(total):
                now[d] += kernels[name] + gap
        elif kind == "s":
            flying[name] = run(name)
        else:
            ends = flying.pop(name) if kind == "d" else run(name)
            for d in range(total):
                now[d] = max(now[d], ends[d])
    return max(max(now), max(free))


def exact(seconds):
    return math.floor(seconds * 2**46 + 0.5) / 2**46


def worst_of_programs(count, folder):
    """The largest relative difference over random programs, and how many had devices of several kinds."""
    choose, worst, several = random.Random(19), 0.0, 0
    for i in range(count):
        devices = choose.choice((8, 12, 16, 24, 64))
        copies = choose.choice((1, 2, 4, 8))
        nodes = choose.choice((1, 2, 3, 4, 5))  # copies may begin within a node
        program = Program(choose, devices)
        path = pathlib.Path(folder) / f"job{i}.hlo"
        path.write_text(program.text)
        document = json.loads(halo("time", path, "--device", "h100", "--data-parallel", copies, "--nodes", nodes, "--json",
                                   "--top", 100000))
        scale = document["scale"]
        kernels = {op["name"]: exact(op["seconds"]) for op in document["ops"]}
        collectives = {(each["name"], each["nodes"]): each["seconds"] for each in scale["collectives"]}
        runs = sum(op["runs"] for op in document["ops"] if op["kind"] != "collective")
        gap = exact(document["step"]["gap_seconds"] / runs)
        wanted = replay(program, copies, -(-devices // nodes), kernels, gap, collectives)
        found = scale["step_seconds"] - scale["gradient_seconds"]
        difference = abs(found - wanted) / wanted if found > 0 else 1.0
        worst, several = max(worst, difference), several + (scale["classes"] > 1)
        print(f"  {scale['devices']} devices, {scale['classes']} classes: {found * 1e3:.6f} ms, replayed {wanted * 1e3:.6f} ms")
    return worst, several


def large(path, devices):
    """Seconds and largest memory so far of `halo time` at about so many devices, and its result."""
    one = json.loads(halo("time", path, "--data-parallel", 1, "--device", "h100", "--json"))["scale"]["devices"]
    begin = time.monotonic()
    scale = json.loads(halo("time", path, "--data-parallel", devices // one, "--device", "h100", "--json"))["scale"]
    seconds = time.monotonic() - begin
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, scale


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    count = least["programs"]
    with tempfile.TemporaryDirectory() as folder:
        worst, several = worst_of_programs(count, folder)
    figures = [f"{count} programs, {several} with several kinds of devices: at most {worst:.1e} apart"]
    held = worst <= 1e-9 and enough(least, {"programs": count, "with several kinds of devices": several})
    programs = [("seed 002", next(need_shared("seeds").glob("002_*")))]
    if not quick:
        programs.append(("405B", need_shared(B405)))
    for name, path in programs:
        seconds, memory, scale = large(path, 100000)
        held &= seconds <= (4 if quick else 2) and memory <= 500 and scale["devices"] >= 99000
        figures.append(f"{name}: {scale['devices']} devices, {scale['classes']} classes, {seconds:.1f} s, {memory:.0f} MB")
        if not quick:
            times = sorted(large(path, 100000)[0] for _ in range(3))[0], sorted(large(path, 200000)[0] for _ in range(3))[0]
            held &= times[1] <= 1.2 * times[0]
            figures.append(f"twice the devices {times[1] / times[0]:.2f} times as long")
    return held, "; ".join(figures)
