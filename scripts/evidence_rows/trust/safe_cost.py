"""Measures how the cost of every reader, of the verifier, the planner and the index of dumps grows with hostile input
(hostile_inputs.py), and how the cost of every command grows with large honest modules of four shapes (large_modules.py).

Costs are user CPU time, the least of several runs (of more if a series grows too fast), and peak memory, both less those of a
tiny input. An exponent is fitted to four sizes; where even the largest input costs under 0.1 s or 24 MB, there is nothing to
fit. A command that takes over 60 s does not hold. `halo info` must also count the instructions that were written. The quick
form takes a sixteenth of the sizes, one run each, and a part of the cases."""
import json
import pathlib
import tempfile

from common import halo
from growth import Growth, cost
from hostile_inputs import CASES, ENTRY, root
from large_modules import NEST_SIZE, SHAPES, flat_chain

ORDER = 134
QUICK_SECONDS = 6
WHAT = "cost of hostile input by 50 generators, and of 10 commands on four shapes of large modules"
BAR = ("hostile input at four sizes: time and memory at most as n**1.2; modules of 25 thousand to 1 million instructions: at "
       "most as n**1.15; info, check and memory of 8 million instructions in 60 s of CPU time each")
QUICK_BAR = "at most as n**1.6: 8 generators at a sixteenth of the sizes; shrink and memory up to 60 thousand instructions"
LEAST = {"hostile": 60, "honest": 39}
QUICK_LEAST = {"hostile": 8, "honest": 4}
MOST_HOSTILE, MOST_HONEST, MOST_QUICK = 1.2, 1.15, 1.6
SIZES = (25_000, 80_000, 280_000, 1_000_000)
QUICK_SIZES = (15_000, 60_000)
HUGE = 8_000_000
QUICK_CASES = ("unclosed tuples", "frames without end", "one computation name", "bitcasts of one value", "wide in and out",
               "outputs in turns", "bgzip members", "tar archive")
PAGE = "<html><!--halo:data--><!--/halo:data--></html>\n"
COMMANDS = {"info": "info {}", "check": "check --no-warnings {}", "memory": "memory {}", "fmt": "fmt {}",
            "convert": "convert {} -o {out}.pb --json", "shrink": "shrink --to 1MB {} -o {out}.hlo --json",
            "report": "report {} --page {page} -o {out}.html", "time": "time {} --device h100", "diff": "diff {} {other}",
            "run": "run {} --engine reference --random 1"}
UNFIT = {("flat chains", "run")}  # its arrays are large: what it computes hides what reading and preparing it costs
AGAIN = 3  # times that a series which grows too fast is measured again
QUICK_COMMANDS = ("memory", "shrink")


class Costs:
    def __init__(self, folder, quick):
        self.folder, self.quick = folder, quick
        self.broken = []
        self.page, self.out, self.other = folder / "page.html", folder / "out", folder / "other.hlo"
        self.page.write_text(PAGE, encoding="ascii")
        tiny = folder / "tiny.hlo"
        tiny.write_text(ENTRY + root(), encoding="ascii")
        self.base = cost(["memory", tiny], 3)[:2]

    def arguments(self, command, path):
        return command.format(*[path] * command.count("{}"), page=self.page, out=self.out, other=self.other).split()

    def note(self, name, growth, most):
        held = growth.holds(most)
        if not held:
            self.broken.append(name)
        print(f"  {'' if held else 'TOO MUCH: '}{name}: {growth.line()}", flush=True)

    @staticmethod
    def settle(costs, most, sizes, make, arguments):
        """Measures series that grow too fast again, at all their sizes: a moment of other work at the largest looks like growth."""
        for _ in range(AGAIN):
            unsure = {command: growth for command, growth in costs.items() if not growth.problem and not growth.holds(most)}
            for at, n in enumerate(sizes if unsure else ()):
                make(n)
                for command, growth in unsure.items():
                    growth.again(at, arguments(command), 5)

    def hostile(self):
        count = 0
        for name in QUICK_CASES if self.quick else CASES:
            make, file, largest, commands = CASES[name]
            sizes = [largest // 64, largest // 16] if self.quick else [largest // 8, largest // 4, largest // 2, largest]
            costs = {command: Growth(self.base) for command in (commands[-1:] if self.quick else commands)}
            path = self.folder / file
            for n in sizes:
                make(path, n)
                for command, growth in costs.items():
                    growth.add(n, self.arguments(command, path), 1 if self.quick else 3)
            most = MOST_QUICK if self.quick else MOST_HOSTILE
            self.settle(costs, most, sizes, lambda n: make(path, n), lambda command: self.arguments(command, path))
            path.unlink()
            for command, growth in costs.items():
                count += 1
                self.note(f"{name}, {command.split()[0]}", growth, most)
        return count

    def honest(self):
        count = 0
        path = self.folder / "large.hlo"
        for shape, make in SHAPES.items():
            costs = {command: Growth(self.base) for command in (QUICK_COMMANDS if self.quick else COMMANDS)
                     if (shape, command) not in UNFIT}
            if self.quick and shape not in ("flat chains", "wide tuples"):
                continue
            sizes = QUICK_SIZES if self.quick else SIZES

            def make_inputs(n, make=make, costs=costs):
                make(path, n)
                if "diff" in costs:
                    make(self.other, n + n // 100 + NEST_SIZE)  # at least another nest

            for n in sizes:
                make_inputs(n)
                self.count_instructions(shape, path)
                for command, growth in costs.items():
                    growth.add(n, self.arguments(COMMANDS[command], path), 1 if self.quick else 2,
                               codes=(1,) if command == "diff" else (0,))
            most = MOST_QUICK if self.quick else MOST_HONEST
            self.settle(costs, most, sizes, make_inputs, lambda command: self.arguments(COMMANDS[command], path))
            for command, growth in costs.items():
                count += 1
                self.note(f"{shape}, {command}", growth, most)
        return count

    def count_instructions(self, shape, path):
        with open(path, encoding="ascii") as file:
            written = sum(" = " in line for line in file)
        told = json.loads(halo("info", path, "--json"))["modules"][0]["instructions"]
        if told != written:
            self.broken.append(f"{shape}: {told} instructions of {written}")

    def huge(self):
        path = self.folder / "huge.hlo"
        flat_chain(path, HUGE)
        seconds = {}
        for command in ("info", "check", "memory"):
            measured = cost(self.arguments(COMMANDS[command], path), 1)
            seconds[command] = f"{measured[0]:.0f} s" if measured else "over 60 s"
            if measured is None or measured[2] != 0:
                self.broken.append(f"{command} of {HUGE}")
        return ", ".join(f"{command} {each}" for command, each in seconds.items())


def measure(quick):
    with tempfile.TemporaryDirectory() as folder:
        costs = Costs(pathlib.Path(folder), quick)
        counts = {"hostile": costs.hostile(), "honest": costs.honest()}
        huge = "" if quick else f"; 8 million instructions: {costs.huge()}"
    least = QUICK_LEAST if quick else LEAST
    held = not costs.broken and all(counts[each] >= least[each] for each in least)
    return held, (f"{counts['hostile']} hostile and {counts['honest']} honest series, {len(costs.broken)} grow too fast"
                  + (f" ({'; '.join(costs.broken)})" if costs.broken else "") + huge)
