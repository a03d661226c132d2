"""Runs every command in tmux at several widths and looks at the screen: no line is wrapped by the terminal, no figure
and no shape is cut."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unicodedata

from common import ROOT, Skipped, enough, need_halo, need_shared

ORDER = 70
WHAT = "every command on every seed it applies to, in a terminal (tmux) of 60, 80, 120 and 200 columns"
BAR = ("no line is wrapped by the terminal, every size printed to a pipe is also on the screen, no shape lacks a dimension; "
       "at least 250 screens; a planted long line, a cut size and a cut shape are found")
QUICK_BAR = "the same at 60 and 120 columns with the cheap commands"
QUICK_SECONDS = 10
LEAST = {"screens": 250}
QUICK_LEAST = {"screens": 90}
PARALLEL = 4
DONE = "[screen complete]"
SIZE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:B|[KMGT]iB)\b")
SHAPE = re.compile(r"\b(?:pred|token|bf16|[su]\d{1,2}|[fc]\d{1,3}\w*)\[([^\]\"]*)([\]\"]?)")
CUT_FIGURE = re.compile(r"[(\s]\d[\d,]*(?:\.\.\.|…)")


class Terminal:
    """A tmux server without a configuration of the user, and screens of any width."""

    def __init__(self, folder):
        self.socket = str(folder / "tmux")
        self.config = folder / "tmux.conf"
        # The server outlives its last screen, or the next one could meet a server that is ending.
        self.config.write_text("set -g exit-empty off\nset -g history-limit 100000\nset -g status off\n"
                               "set -g default-terminal screen-256color\n")
        self.count = 0

    def tmux(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if key not in ("TMUX", "COLUMNS", "NO_COLOR")}
        return subprocess.run(["tmux", "-S", self.socket, "-f", str(self.config), *arguments], capture_output=True,
                              text=True, env=dict(environment, LC_ALL="C.UTF-8"), check=False)

    def start(self, arguments, columns):
        self.count += 1
        name = f"screen{self.count}"
        # The mark comes after all that the command prints; then the shell waits to be looked at.
        script = f'"$@"; printf "\\n{DONE}\\n"; exec sleep 600'
        done = self.tmux("new-session", "-d", "-s", name, "-x", str(columns), "-y", "50", "-c", str(ROOT),
                         "sh", "-c", script, "sh", *arguments)
        if done.returncode != 0:
            raise RuntimeError(f"tmux: {done.stderr}")
        return name

    def is_done(self, name):
        return DONE in self.tmux("capture-pane", "-p", "-t", name).stdout

    def take(self, name):
        """Returns the lines as the command printed them: -J joins what the terminal has wrapped."""
        text = self.tmux("capture-pane", "-p", "-J", "-S", "-", "-E", "-", "-t", name).stdout
        self.tmux("kill-session", "-t", name)
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and lines[-1] in ("", DONE):
            lines.pop()
        return lines

    def close(self):
        self.tmux("kill-server")


def width_of(line):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def joined(lines):
    """The text with wrapped shapes put together again."""
    return re.sub(r"(\[[\d,<=?]*,)\s*\n\s*(?=[\d<?])", r"\1", "\n".join(lines))


def faults(lines, columns, wide):
    """What is wrong with a screen; `wide` is the same output printed to a pipe."""
    found = [f"{width_of(line)} columns: {line[:70]}" for line in lines if width_of(line) > columns]
    text = joined(lines)
    missing = collections.Counter(SIZE.findall(wide)) - collections.Counter(SIZE.findall(text))
    found += [f"{size} is missing" for size in missing]
    for shape in SHAPE.finditer(text):
        # A quotation mark ends a query in the help of halo ask.
        if not shape[2] or not re.fullmatch(r"[\d,<=?]*", shape[1]):
            found.append(f"a cut shape: {shape[0][:40]}")
    found += [f"a cut figure: {cut.strip()}" for cut in CUT_FIGURE.findall(text)]
    return found


def commands(folder, quick):
    """(name, arguments, compares sizes) of every command with each seed it applies to."""
    seeds = {path.name[:3]: path for path in sorted(need_shared("seeds").glob("0*.txt"))}
    modules, assignments = ("000", "002", "004"), ("001", "003")
    cpu = ROOT / "examples/cpu_mlp_train"
    step = cpu / "module_0000.jit_mlp_train.cpu_after_optimizations.txt"
    listed = []

    def add(*arguments, sizes=True):
        listed.append((" ".join(pathlib.Path(str(a)).name for a in arguments), [str(a) for a in arguments], sizes))

    names = [line.split()[0] for line in subprocess.run([str(need_halo()), "--help"], capture_output=True, text=True,
                                                        check=True).stdout.splitlines() if re.match(r"  [a-z]+ ", line)]
    if len(names) < 14:
        raise RuntimeError(f"halo --help lists only {names}")
    add()
    add("--help")
    add("--version")
    add("help", "memroy")
    add("run", "--sead", "1", step)
    add("memory", step, "--capacity", "much")
    for name in names:
        add("help", name)
    for seed in seeds.values():
        add("info", seed)
        add("check", seed)
        add("memory", seed, "--no-advice")
        add("info", seed, "--top", "2")
    for name in modules:
        add("fmt", seeds[name], "--check", "--style=short")
    add("ls", seeds["000"].parent)
    add("ls", ROOT / "examples")
    add("ls", ROOT / "examples", "--files")
    add("ls", cpu, "--module", "all")
    add("check", ROOT / "examples/broken.hlo")
    add("check", "--rules")
    add("info", cpu)
    add("memory", cpu, "--device", "h100")
    add("info", folder / "missing.txt")
    add("run", step, "--random", "1", sizes=False)
    add("run", step, "--random", "1", "--find-nan", sizes=False)
    add("run", step, "--random", "1", "--inputs-only", "--show-inputs")
    add("run", step, "--random", "1", "--profile", sizes=False)
    add("pack", *sorted(cpu.glob("*-buffer-assignment.txt")), *sorted(cpu.glob("*-live-range.txt")), "--steps", "1000")
    add("compile", step, "--dump-to", folder / "compiled")
    add("compile", step, "--decisions")
    add("shrink", step, "--to", "8KB", "-o", folder / "small.txt")
    add("convert", step, "-o", folder / "step.unknown")
    add("report", cpu, "-o", folder / "report.html", sizes=False)
    add("view", folder / "missing")
    # halo ask prints JSON, also for wrong usage, which no terminal width changes.
    if quick:
        return listed
    for seed in seeds.values():
        add("memory", seed)
        add("memory", seed, "--all")
        add("info", seed, "--all")
    for name in assignments:
        add("memory", seeds[name], "--repack", "--seconds", "0.5", sizes=False)
        add("memory", seeds[name], "--check")
    for name in modules:
        add("shrink", seeds[name], "--to", "64MB", "-o", folder / f"{name}.small.txt")
        add("convert", seeds[name], "-o", folder / f"{name}.hlo.pb")
        add("report", seeds[name], "-o", folder / f"{name}.html", sizes=False)
    add("run", seeds["004"], "--random", "1", sizes=False)
    add("compare", ROOT / "examples/h100x4_fsdp_mlp_train", "--ranks", "--devices", "4", "--random", "1", sizes=False)
    add("run", ROOT / "examples/h100x4_fsdp_mlp_train", "--devices", "4", "--random", "1", sizes=False)
    return listed


def self_check(terminal):
    """The faults that must be found, shown by the same terminal."""
    planted = {
        "a long line": ("x" * 61, ""),
        "a cut size": ("  total  1.50Gi", "total  1.50GiB"),
        "a cut shape": ("  f32[4,16,2048,20...2,3,1,0:T(8,128)}", ""),
        "a cut figure": ("  planned for gpu (109...)", ""),
    }
    missed = []
    for what, (text, wide) in planted.items():
        name = terminal.start(["printf", "%s\\n", text], 60)
        while not terminal.is_done(name):
            time.sleep(0.01)
        if not faults(terminal.take(name), 60, wide):
            missed.append(what)
    name = terminal.start(["printf", "%s\\n", "x" * 60, "  1.50GiB  f32[4,16,", "           2048]"], 60)
    while not terminal.is_done(name):
        time.sleep(0.01)
    if wrong := faults(terminal.take(name), 60, "1.50GiB f32[4,16,2048]"):
        missed.append(f"a good screen: {wrong}")
    return missed


def measure(quick):
    need_halo()
    if shutil.which("tmux") is None:
        raise Skipped("tmux is not installed; run scripts/setup")
    shown, bad = 0, 0
    with tempfile.TemporaryDirectory(prefix="halo-width-") as name:
        folder = pathlib.Path(name)
        terminal = Terminal(folder)
        try:
            missed = self_check(terminal)
            environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
            waiting = []
            for what, arguments, sizes in commands(folder, quick):
                wide = ""
                if sizes:
                    run = subprocess.run([str(need_halo()), *arguments], capture_output=True, text=True, errors="replace",
                                         env=environment, stdin=subprocess.DEVNULL, cwd=ROOT, check=False)
                    wide = run.stdout + run.stderr
                    # Screens are compared with this output, so it must be the right one itself.
                    if arguments[:1] == ["info"] and len(arguments) == 2 and os.path.basename(arguments[1]) not in wide:
                        missed.append(f"{what}: its output does not name the file")
                waiting += [(what, arguments, wide, columns) for columns in ((60, 120) if quick else (60, 80, 120, 200))]
            running = []
            while waiting or running:
                while waiting and len(running) < PARALLEL:
                    what, arguments, wide, columns = waiting.pop(0)
                    running.append((terminal.start([str(need_halo()), *arguments], columns), what, wide, columns))
                finished = [each for each in running if terminal.is_done(each[0])]
                if not finished:
                    time.sleep(0.02)
                for each in finished:
                    running.remove(each)
                    screen, what, wide, columns = each
                    lines = terminal.take(screen)
                    silent = what.startswith(("convert", "--version")) and not wide
                    wrong = faults(lines, columns, wide) if lines or silent else ["it printed nothing"]
                    shown += 1
                    if wrong:
                        bad += 1
                        print(f"  halo {what} at {columns} columns: {'; '.join(wrong[:3])}")
        finally:
            terminal.close()
    for each in missed:
        print(f"  the check is wrong about {each}")
    return (not bad and not missed and enough(QUICK_LEAST if quick else LEAST, {"screens": shown}),
            f"{shown} screens, {bad} with a fault; {4 - min(4, len(missed))} of 4 planted faults found")
