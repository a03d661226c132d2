"""Runs programs for several devices over 2, 3 and 4 hosts (network namespaces) with `halo run --hosts` and compares every
bit of the results with those of the same ranks on one machine. A measurement that was interrupted continues: what this build
gave, right or wrong, is kept in build/ until all programs have run."""
import json
import pathlib
import re
import subprocess
import tempfile
import zipfile

from common import BUILD, ROOT, enough, halo_run, need_halo, need_shared
from devices_cpu_corpus import need_ranks
from devices_h100_corpus import SIZE, SMALL, dumps
from eval_devices import device_count, recorded_programs
from net_hosts import Hosts, need_root
from shrunk import shrink

ORDER = 78
QUICK_SECONDS = 8
WHAT = ("every program for several devices of corpus/jax/cpu and of the H100 dumps (large ones shrunk), seeds 002 and 004 "
        "shrunk, over 2, 3 and 4 hosts")
BAR = ("results equal to those on one machine, bit for bit; compiled; collectives between hosts by messages; nothing left on "
       "any host")
QUICK_BAR = "the same for one program over 2 hosts"
LEAST = {"programs": 28, "runs": 84}
QUICK_LEAST = {"programs": 1, "runs": 1}
COUNTS, QUICK_COUNTS = (2, 3, 4), (2,)
SEEDS = {"002": ("1MB", 16), "004": ("256KiB", 8)}
FILL = ["--fill-elided", "iota"]


def spread(devices, hosts):
    """Ranks per host, the first hosts one more: 8 over 3 is 3, 3, 2."""
    return [devices // hosts + (k < devices % hosts) for k in range(hosts)]


def programs(folder, quick):
    """Yields name, module, options and number of devices."""
    recorded = sorted(recorded_programs(), key=lambda each: pathlib.Path(each[1]).stat().st_size)
    for name, module, archive in recorded[:1] if quick else recorded:
        yield name, module, ["--inputs", archive], device_count(archive)
    if quick:
        return
    for name, module, devices in dumps():
        if name not in SMALL:
            module = shrunk(module, folder / f"{name}.txt", SIZE)
        yield f"{name} x{devices}", module, ["--random", 1, *FILL], devices
    for number, (size, devices) in SEEDS.items():
        seed = next(need_shared("seeds").glob(number + "_*"))
        yield f"seed {number}", shrunk(seed, folder / f"{number}.txt", size), ["--random", 1, *FILL], devices


def shrunk(module, small, size):
    shrink(module, small, "--to", size)
    return small


class Kept:
    """Outcomes of the runs of this build so far, by program and number of hosts. Not for the quick form."""

    def __init__(self, quick):
        identity = re.search(r"[0-9a-f]{32}", (BUILD / "build_id" / "build_id.cc").read_text())[0] if not quick else ""
        self.path = None if quick else ROOT / "build" / f"hosts-corpus-{identity}.json"
        self.outcomes = json.loads(self.path.read_text()) if self.path and self.path.exists() else {}

    def find(self, name, count):
        return self.outcomes.get(f"{name} on {count}")

    def add(self, name, count, outcome):
        self.outcomes[f"{name} on {count}"] = outcome
        if self.path:
            self.path.with_suffix(".tmp").write_text(json.dumps(self.outcomes))
            self.path.with_suffix(".tmp").replace(self.path)

    def end(self):
        if self.path:
            self.path.unlink(missing_ok=True)


def arrays(archive):
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def why(run):
    """The diagnostics of a failed run: the first says what ended it, and what mpirun prints comes later."""
    try:
        said = "; ".join(each["message"] for each in json.loads(run.stdout)["diagnostics"])
    except (ValueError, KeyError):
        said = run.stderr + run.stdout
    return said.strip()[:600]


def on_hosts(hosts, module, options, devices, expected):
    """Returns what is wrong, or None, and the number of collectives that went by messages."""
    output = hosts.folder / "out.npz"
    words = hosts.on(1, need_halo(), "run", module, "--devices", devices, *options, "-o", output, "--json",
                     *hosts.options(spread(devices, hosts.count)))
    run = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    if run.returncode != 0:
        return f"exit {run.returncode}: {why(run)}", 0
    answer = json.loads(run.stdout)
    if answer["engine"] != "compiled" or answer["ranks"] != devices:
        return f"engine {answer['engine']}, {answer['ranks']} ranks", 0
    found = arrays(output)
    output.unlink()
    differing = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if differing:
        return f"{len(differing)} of {len(expected)} results differ: {', '.join(differing[:4])}", 0
    processes = hosts.wait_for_none(1)
    left = {k: hosts.files(k) for k in range(1, hosts.count + 1) if hosts.files(k)}
    if left or processes:
        return f"left behind: {left} {processes}", 0
    return None, answer["collectives_by_messages"]


def measure(quick):
    need_ranks()
    need_root()
    need_shared("corpus/jax/cpu")
    good = total = by_messages = results = 0
    names, kept = set(), Kept(quick)
    counts = QUICK_COUNTS if quick else COUNTS
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        folder = pathlib.Path(scratch)
        for name, module, options, devices in programs(folder, quick):
            expected = None
            if any(kept.find(name, count) is None for count in counts):
                one = folder / "one.npz"
                run = halo_run("run", module, "--devices", devices, *options, "-o", one)
                if run.returncode != 0:
                    print(f"{name}: one machine: {run.stderr.decode(errors='replace').strip()[-300:]}")
                    total += 1
                    continue
                expected = arrays(one)
            names.add(name)
            for count in counts:
                if kept.find(name, count) is None:
                    with Hosts(count, folder) as hosts:
                        problem, messages = on_hosts(hosts, module, options, devices, expected)
                    kept.add(name, count, (problem, messages, len(expected)))
                problem, messages, compared = kept.find(name, count)
                results += compared
                total += 1
                good += problem is None
                by_messages += messages
                print(f"{name:36} {devices:2} devices on {count} hosts: {problem or f'equal, {messages} collectives by messages'}",
                      flush=True)
    kept.end()
    held = good == total and by_messages > 0 and enough(QUICK_LEAST if quick else LEAST, {"programs": len(names), "runs": total})
    return held, (f"{good} of {total} runs of {len(names)} programs bit-identical to one machine ({results} results compared), "
                  f"{by_messages} collectives by messages")
