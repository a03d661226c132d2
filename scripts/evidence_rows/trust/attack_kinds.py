"""The attacks of safe_attack.py, one function for each kind: (draw, count, folder) to (variants tried, what succeeded). An attack
succeeds if the command crashes, takes too much time or memory, lets something hostile through, or does what it promises not to do.
No row by itself."""
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import threading
import time

import hostile_text
import output_races
import safe_calls
import safe_serve
import safe_terminal
import shared_computations
import view_links
from common import need_halo, program
from mcp_client import Client, NoAnswer

MOST_SECONDS, MOST_BYTES = 10, 1 << 30  # of CPU time and memory that a small program may cost any command
LIMIT_BYTES = 6 << 30  # of address space, so that a failing command does not take the machine with it
SHARED_COMMANDS = (
    "info {}", "check {}", "memory {}", "fmt {}", "time {} --device h100", "diff {} {}", "snapshot {} -o {out}/s.json",
    "run {} --plan", "run {} --random 1 --engine reference --timeout 5", "compile {} --dump-to {out}/c --timeout 5",
    "shrink {} --to 1KB -o {out}/s.hlo --timeout 5", "ask overview {}", "scan {} --to {out}/d", "ls {}", "convert {} -o {out}/m.pb",
)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (4 * MOST_SECONDS, 4 * MOST_SECONDS))


def costs(arguments, **more):
    """Runs the command within limits. Returns (exit code, CPU seconds, peak bytes) of it and its children, and what it printed."""
    with tempfile.TemporaryFile() as output:
        run = subprocess.Popen([str(need_halo()), *map(str, arguments)], stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               preexec_fn=limit, **more)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return run.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss << 10, output.read()


def too_much(arguments):
    """What a command on a small file costs too much; empty if nothing."""
    code, seconds, peak, printed = costs(arguments)
    if code not in (0, 1, 2) or b"signal" in printed:
        return f"exit code {code}: {printed[-200:]!r}"
    if printed == b"":
        return "says nothing" if arguments[0] not in ("snapshot", "shrink", "convert", "fmt") or code != 0 else ""
    return f"{seconds:.1f} s, {peak >> 20} MiB" if seconds > MOST_SECONDS or peak > MOST_BYTES else ""


def words_of(command, path, out):
    return command.format(*[path] * command.count("{}"), out=out).split()


def shared(draw, count, folder):
    """Computations that are called twice at each of many levels."""
    cases = [make for name, (make, _) in shared_computations.CASES.items() if "twice per level" in name]
    succeeded = []
    for number in range(count):
        make, levels = draw.choice(cases), draw.randint(18, 60)
        command = SHARED_COMMANDS[number % len(SHARED_COMMANDS)]
        path, out = folder / f"{number}.hlo", folder / str(number)
        out.mkdir()
        make(path, levels)
        if problem := too_much(words_of(command, path, out)):
            succeeded.append(f"{make.__name__}, {levels} levels, {command}: {problem}")
    return count, succeeded


def terminal(draw, count, folder):
    """Names and contents that act on a terminal."""
    page = folder / "page.html"
    page.write_text(safe_terminal.PAGE, encoding="utf-8")
    lines = []
    for number, (what, text) in enumerate(draw.sample(hostile_text.TEXTS, min(len(hostile_text.TEXTS), 2 + count // 10))):
        place = folder / str(number)
        place.mkdir()
        paths = hostile_text.write_files(place, text)
        lines += [(what, place, safe_terminal.Run(arguments, text, "terminal", sent))
                  for arguments, sent in safe_terminal.command_lines(paths, text, page)]
    chosen, succeeded, shown = draw.sample(lines, min(count, len(lines))), [], 0
    for what, place, run in chosen:
        run.go(place)
        shown += run.is_hostile()
        succeeded += [f"{what}: halo {run.command}: {wrong[:120]}" for wrong in run.faults()]
    if shown * 8 < len(chosen):
        succeeded.append(f"only {shown} of {len(chosen)} commands print the hostile text at all")
    return len(chosen), succeeded


SHAPES = ("()", "f32[0]", "f32[4,4]", "s32[4]", "(f32[4,4])", "(f32[4,4], u8[16])", "((f32[4]), s8[2])", "pred[]", "c64[3,3]", "token[]")


def targets():
    """Every target that the evaluator or the engine knows, as the generator of `safe-calls` lists them."""
    done = subprocess.run([str(safe_calls.tester()[0]), "--calls", "1", "200"], capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"^target (\S+):", done.stdout, re.MULTILINE)))


def calls(draw, count, folder):
    """Library calls with results and operands that their target does not expect."""
    known, succeeded = targets(), []
    if len(known) < 100:
        return 0, [f"only {len(known)} targets"]
    for number in range(count):
        target = known[number * 7 % len(known)]
        operands = [draw.choice([each for each in SHAPES if each != "token[]"]) for _ in range(draw.randint(0, 3))]
        result = "()" if number % 2 else draw.choice(SHAPES)
        lines = "".join(f"  p{i} = {shape} parameter({i})\n" for i, shape in enumerate(operands))
        config = draw.choice(["", ', backend_config="{}"', ', backend_config="{\\"alpha_real\\":1}"', ", api_version=API_VERSION_TYPED_FFI"])
        path = folder / f"{number}.hlo"
        path.write_text(f"HloModule calls\n\nENTRY e {{\n{lines}  ROOT r = {result} custom-call("
                        f"{', '.join(f'p{i}' for i in range(len(operands)))}), custom_call_target=\"{target}\"{config}\n}}\n")
        engine = draw.choice(["reference", "compiled"])
        code, _, _, printed = costs(["run", path, "--random", "1", "--engine", engine, "--cache", "none"])
        if code not in (0, 2) or b"signal" in printed or printed == b"":
            succeeded.append(f"{target} with {operands} to {result}, {engine}: exit code {code}: {printed[-120:]!r}")
    return count, succeeded


LOOP = """HloModule busy
body {{
  b = (s32[], f32[{n}]) parameter(0)
  i = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[{n}] get-tuple-element(b), index=1
  y = f32[{n}] sine(x)
  ROOT t = (s32[], f32[{n}]) tuple(j, y)
}}
more {{
  b = (s32[], f32[{n}]) parameter(0)
  i = s32[] get-tuple-element(b), index=0
  limit = s32[] constant({times})
  ROOT less = pred[] compare(i, limit), direction=LT
}}
ENTRY e {{
  x = f32[{n}] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[{n}]) tuple(zero, x)
  w = (s32[], f32[{n}]) while(t), condition=more, body=body
  ROOT r = f32[{n}] get-tuple-element(w), index=1
}}
"""


def probe(draw, count, folder):
    """System calls of a worker that was taken over."""
    del draw, count
    module, output = folder / "small.hlo", folder / "probe.txt"
    module.write_text(LOOP.format(n=4, times=3))
    library = program("bench/libsandbox_probe.so")
    environment = dict(os.environ, LD_PRELOAD=str(library), HALO_PROBE_OUTPUT=str(output))
    subprocess.run([str(need_halo()), "run", str(module), "--random", "1", "--cache", "none"], capture_output=True, check=False,
                   env=environment)
    lines = output.read_text(encoding="utf-8", errors="replace").splitlines() if output.exists() else []
    refused = [line for line in lines if line.startswith("PROBE refused ")]
    allowed = [line for line in lines if line.startswith("PROBE allowed ")]
    return len(refused) + len(allowed), allowed + ([] if lines else ["the probe was not reached"])


def outputs(draw, count, folder):
    """Another user exchanges names in the folder of an output."""
    counts, problems = output_races.races(need_halo(), folder, count, draw.getrandbits(32))
    return sum(counts.values()) + len(problems), problems


def clients(draw, count, folder):
    """Slow, broken and greedy clients of both servers."""
    del draw
    safe_serve.prepare(folder)
    tried, succeeded = 0, []
    for make in (safe_serve.Viewer, safe_serve.Agent):
        try:
            asked, unkind, _, _, wrong = safe_serve.one_round(make, folder, 2 + count / 40)
        except RuntimeError as error:
            asked, unkind, wrong = 0, 0, [str(error)]
        tried += unkind if asked else 0
        succeeded += [f"{make.__name__}: {each}" for each in wrong]
    return tried, succeeded


class Watch(threading.Thread):
    """Looks for processes below the given one that compute without a filter of system calls."""

    ALLOWED_TICKS = 12  # of 10 ms: what reading a module and starting may take

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.found, self.ended = pid, set(), False
        self.start()

    def below(self, pid):
        try:
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                for child in (task / "children").read_text().split():
                    yield child
                    yield from self.below(child)
        except OSError:
            return

    def run(self):
        while not self.ended:
            for pid in self.below(self.pid):
                try:
                    status = pathlib.Path(f"/proc/{pid}/status").read_text()
                    ticks = sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
                    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if "Seccomp:\t0" in status and ticks > self.ALLOWED_TICKS and (b"run" in words or b"compare" in words):
                    self.found.add(pid)
            time.sleep(0.02)


def front_ends(draw, count, folder):
    """What an agent asks for that would run a program without the sandbox."""
    for devices in (1, 2, 4):
        text = LOOP.format(n=64, times=3000000)
        (folder / f"m{devices}.hlo").write_text(text.replace("HloModule busy", f"HloModule busy, replica_count={devices}", 1))
    succeeded, answered = [], 0
    with Client(folder, options=["--allow-run"], seconds=60) as client:
        watch = Watch(client.process.pid)
        for _ in range(count):
            arguments = {"program": str(folder / f"m{draw.choice([1, 2, 4])}.hlo"), "timeout": 2}
            if draw.random() < 0.7:
                arguments["devices"] = draw.choice([1, 2, 3, 4, 8])
            if draw.random() < 0.5:
                arguments["engine"] = draw.choice(["compiled", "reference"])
            tool = draw.choice(["run", "run", "compare"])
            before = len(watch.found)
            try:
                result = client.result(tool, arguments)
            except NoAnswer as error:
                return answered, [*succeeded, f"{tool} {arguments}: {error}"]
            answered += 1
            figures = json.dumps(result.get("structuredContent", {}))
            if len(watch.found) > before:
                succeeded.append(f"{tool} {arguments}: a process computes without a filter of system calls")
            elif not result.get("isError") and '"confinement"' not in figures:
                succeeded.append(f"{tool} {arguments}: does not say what held the run")
        watch.ended = True
    return answered, succeeded


KINDS = {"shared computations": shared, "terminal": terminal, "library calls": calls, "system calls": probe, "outputs": outputs,
         "served links": view_links.links, "servers": clients, "front ends": front_ends}
