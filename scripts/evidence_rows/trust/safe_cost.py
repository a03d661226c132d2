"""Measures how the cost of every command grows with hostile input (hostile_inputs.py), with small programs that unfold to very
large ones (shared_computations.py), and with large honest modules of four shapes (large_modules.py).

Costs are user CPU time, the least of several runs (of more if a series grows too fast), and peak memory, both less those of a
tiny input. An exponent is fitted to four sizes; where even the largest input costs under 0.1 s or 24 MB, there is nothing to
fit. As many kinds of input are measured at once as there are processors. A command that takes over 60 s does not hold. A command may refuse what it cannot use; so that a row of refusals proves
nothing, each command must answer most of the programs that are right. `halo info` must also count the instructions that were
written. The quick form takes a sixteenth of the sizes, one run each, and a part of the cases."""
import collections
import json
import multiprocessing
import os
import pathlib
import shutil
import tempfile

from common import enough, halo
from growth import Growth, cost, forked
from hostile_inputs import CASES, ENTRY, root
from large_modules import NEST_SIZE, SHAPES, flat_chain
from shared_computations import CASES as SHARED_CASES

ORDER = 134
QUICK_SECONDS = 8
WHAT = ("cost of 17 commands on hostile input by 50 generators and on 18 kinds of shared computations, nested loops and wide "
        "graphs, and of 10 commands on four shapes of large modules")
BAR = ("hostile input and shared computations at four sizes: time and memory at most as n**1.2; modules of 25 thousand to 1 "
       "million instructions: at most as n**1.15; info, check and memory of 8 million instructions in 60 s of CPU time each; "
       "each command answers at least 8 of the 18 kinds")
QUICK_BAR = ("at most as n**1.6: 8 generators at a sixteenth of the sizes, 5 commands on 4 kinds of shared computations, each of "
             "which answers at least 2; shrink and memory up to 60 thousand instructions")
LEAST = {"hostile": 850, "shared": 306, "honest": 39}
QUICK_LEAST = {"hostile": 8, "shared": 20, "honest": 4}
ANSWERED, QUICK_ANSWERED = 8, 2  # kinds of shared computations that every command must answer
MOST_HOSTILE, MOST_HONEST, MOST_QUICK = 1.2, 1.15, 1.6
SIZES = (25_000, 80_000, 280_000, 1_000_000)
QUICK_SIZES = (15_000, 60_000)
HUGE = 8_000_000
QUICK_CASES = ("unclosed tuples", "frames without end", "one computation name", "bitcasts of one value", "wide in and out",
               "outputs in turns", "bgzip members", "tar archive")
QUICK_SHARED = ("branches twice per level", "calls twice per level", "conditions and bodies twice per level", "nested loops")
PAGE = "<html><!--halo:data--><!--/halo:data--></html>\n"
COMMANDS = {"info": "info {}", "check": "check --no-warnings {}", "memory": "memory {}", "fmt": "fmt {}",
            "convert": "convert {} -o {out}.pb --json", "shrink": "shrink --to 1MB {} -o {out}.hlo --json",
            "report": "report {} --page {page} -o {out}.html", "time": "time {} --device h100", "diff": "diff {} {other}",
            "run": "run {} --engine reference --random 1"}
# What else is asked of small inputs. Passes and ls get a dump in which two states are the input and another of its kind.
EVERY = {**{name: each for name, each in COMMANDS.items() if name not in ("shrink", "run")},
         "shrink": "shrink {} --dim 8=4 -o {out}.hlo --json", "snapshot": "snapshot {} -o {out}.json --json --device h100",
         "passes": "passes {dump}", "plan": "run --plan {}", "compile": "compile {}", "ls": "ls {dump}",
         "scan": "scan {} --to {fresh}", "ask": "ask overview {}", "ask diff": "ask diff {} --against {other}"}
UNFIT = {("flat chains", "run")}  # its arrays are large: what it computes hides what reading and preparing it costs
AGAIN = 3  # times that a series which grows too fast is measured again
QUICK_COMMANDS = ("memory", "shrink")
QUICK_SHAPES = ("flat chains", "wide tuples")
QUICK_EVERY = ("memory", "diff", "snapshot", "scan", "plan")
STATES = ("module_0000.x.before_optimizations.txt", "module_0000.x.0000.p.after_pipeline-start.before_a.txt",
          "module_0000.x.0001.p.after_a.before_b.txt")


class Costs:
    """Measures one kind of input in a separate folder."""

    def __init__(self, folder, quick, base):
        self.folder, self.quick, self.base = folder, quick, base
        self.broken = []
        self.page, self.out, self.other = folder / "page.html", folder / "out", folder / "other.hlo"
        self.dump, self.datasets = folder / "dump", 0
        self.page.write_text(PAGE, encoding="ascii")

    def arguments(self, command, path):
        self.datasets += "{fresh}" in command
        return command.format(*[path] * command.count("{}"), page=self.page, out=self.out, other=self.other, dump=self.dump,
                              fresh=self.folder / f"dataset{self.datasets}").split()

    def note(self, name, growth, most):
        held = growth.holds(most)
        if not held:
            self.broken.append(name)
        print(f"  {'' if held else 'TOO MUCH: '}{name}: {growth.line()}", flush=True)

    def settle(self, costs, most, sizes, make, commands):
        """Measures series that grow too fast again, at all their sizes: a moment of other work at the largest looks like growth."""
        for _ in range(AGAIN):
            unsure = {name: growth for name, growth in costs.items() if not growth.problem and not growth.holds(most)}
            for at, n in enumerate(sizes if unsure else ()):
                path = make(n)
                for name, growth in unsure.items():
                    for _ in range(5):
                        growth.again(at, self.arguments(commands[name], path), 1)

    def series(self, what, commands, sizes, make, most, repeat):
        """Measures commands on inputs of several sizes, which `make` writes. Returns the growth of each command."""
        costs = {name: Growth(self.base) for name in commands}
        for n in sizes:
            path = make(n)
            for name, growth in costs.items():
                growth.add(n, self.arguments(commands[name], path), repeat)
        self.settle(costs, most, sizes, make, commands)
        for name, growth in costs.items():
            self.note(f"{what}, {name}", growth, most)
        return costs

    def make_dump(self, path, other):
        """A dump of three states of one module, two of which are the same."""
        shutil.rmtree(self.dump, ignore_errors=True)
        self.dump.mkdir()
        for number, state in enumerate((path, other, path)):
            os.link(state, self.dump / STATES[number])

    def sizes(self, largest):
        parts = (64, 16) if self.quick else (8, 4, 2, 1)
        return [largest // part for part in parts]

    def hostile(self, name):
        make, file, largest, own = CASES[name]
        path = self.folder / file

        def make_inputs(n):
            make(path, n)
            make(self.other, n + n // 100 + 1)
            self.make_dump(path, self.other)
            return path

        commands = {}
        for each in own:
            word = each.split()[0]
            commands[each if word in commands else word] = each
        if self.quick:
            commands = dict(list(commands.items())[-1:])
        else:
            commands |= {each: EVERY[each] for each in EVERY if each not in commands}
        return self.series(name, commands, self.sizes(largest), make_inputs, MOST_QUICK if self.quick else MOST_HOSTILE, 1)

    def shared(self, name):
        path = self.folder / "shared.hlo"
        commands = {each: EVERY[each] for each in (QUICK_EVERY if self.quick else EVERY)}
        make, largest = SHARED_CASES[name]

        def make_inputs(n):
            make(path, n)
            make(self.other, n + n // 100 + 1)
            self.make_dump(path, self.other)
            return path

        return self.series(name, commands, self.sizes(largest), make_inputs, MOST_QUICK if self.quick else MOST_HOSTILE, 1)

    def honest(self, shape):
        path, make = self.folder / "large.hlo", SHAPES[shape]
        commands = {each: COMMANDS[each] for each in (QUICK_COMMANDS if self.quick else COMMANDS)
                    if (shape, each) not in UNFIT}
        sizes = QUICK_SIZES if self.quick else SIZES

        def make_inputs(n):
            make(path, n)
            if "diff" in commands:
                make(self.other, n + n // 100 + NEST_SIZE)  # at least another nest
            return path

        costs = {command: Growth(self.base) for command in commands}
        for n in sizes:
            make_inputs(n)
            self.count_instructions(shape, path)
            for command, growth in costs.items():
                growth.add(n, self.arguments(commands[command], path), 1 if self.quick else 2,
                           codes=(1,) if command == "diff" else (0,))
        most = MOST_QUICK if self.quick else MOST_HONEST
        self.settle(costs, most, sizes, make_inputs, commands)
        for command, growth in costs.items():
            self.note(f"{shape}, {command}", growth, most)
        return costs

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


def cost_of_tiny():
    """Seconds and bytes that a command takes on hardly any input."""
    with tempfile.TemporaryDirectory() as folder:
        tiny = pathlib.Path(folder) / "tiny.hlo"
        tiny.write_text(ENTRY + root(), encoding="ascii")
        return cost(["memory", tiny], 3)[:2]


def measure_kind(task):
    """Measures one kind of input. Returns (sort, number of series, commands that answered all sizes, what is broken)."""
    sort, name, quick, base = task
    with tempfile.TemporaryDirectory() as folder:
        costs = Costs(pathlib.Path(folder), quick, base)
        series = getattr(costs, sort)(name)
        return sort, len(series), [each for each, growth in series.items() if growth.answered], costs.broken


def measure_huge(base):
    with tempfile.TemporaryDirectory() as folder:
        costs = Costs(pathlib.Path(folder), False, base)
        return costs.huge(), costs.broken


def measure(quick):
    base = cost_of_tiny()
    kinds = {"shared": QUICK_SHARED if quick else SHARED_CASES, "hostile": QUICK_CASES if quick else CASES,
             "honest": QUICK_SHAPES if quick else SHAPES}
    counts, answered, broken = collections.Counter(), collections.Counter(), []
    # Processes, since a thread must not be forked while another one runs.
    forked.work = measure_kind
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        tasks = [(sort, name, quick, base) for sort, names in kinds.items() for name in names]
        for sort, series, commands, too_much in pool.imap_unordered(forked, tasks):
            counts[sort] += series
            answered.update(commands if sort == "shared" else ())
            broken += too_much
    huge = ""
    if not quick:
        seconds, too_much = measure_huge(base)
        huge, broken = f"; 8 million instructions: {seconds}", broken + too_much
    least_answered = min(answered[each] for each in (QUICK_EVERY if quick else EVERY))
    held = (not broken and enough(QUICK_LEAST if quick else LEAST, counts)
            and least_answered >= (QUICK_ANSWERED if quick else ANSWERED))
    return held, (f"{counts['hostile']} hostile, {counts['shared']} shared and {counts['honest']} honest series, each command "
                  f"answers at least {least_answered} kinds of shared computations; {len(broken)} grow too fast"
                  + (f" ({'; '.join(broken)})" if broken else "") + huge)
