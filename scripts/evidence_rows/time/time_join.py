"""Events of profiles joined with modules, counted apart from the command. Of A100 and H100, the tables of Nsight
Systems are read, and the table made from them by another program says what to expect. Two folders have no module;
there it is joined with a module made for it, which has the name of the program and one instruction of each name."""
import csv
import gzip
import json
import pathlib
import tempfile
import time

import profile_events
import time_truth as truth
import xplane_modules
from common import enough, halo, need_shared

ORDER = 26
WHAT = "events of profiles that name an op, joined with an instruction by program and op name"
BAR = "every event in all folders that have events; 10 MB of profile in under 1 s"
LEAST = {"events": 90_000, "programs": 60, "folders": 5}
QUICK_SECONDS = 3
QUICK_BAR = "every event of A100, H100, v5p, the longest program of a trace of 7x and 3 profiles of MI300X"
QUICK_LEAST = {"events": 60_000, "programs": 7, "folders": 5}


def module_of_names(name, ops, folder):
    """A module with one instruction of each name."""
    lines = [f"HloModule {name}, is_scheduled=true", "ENTRY main.entry {", "  p.entry = f32[8]{0} parameter(0)"]
    lines += [f"  %{op} = f32[8]{{0}} negate(p.entry)" for op in sorted(ops)]
    path = pathlib.Path(folder) / f"{len(list(pathlib.Path(folder).iterdir()))}.hlo"
    path.write_text("\n".join([*lines, "  ROOT t.entry = () tuple()", "}"]) + "\n")
    return path


class Joined:
    """Sums over programs."""

    def __init__(self):
        self.events = self.joined = self.programs = 0
        self.folders = set()

    def add(self, folder, expected, profiles, *module):
        """`expected`: {op: events} of the module's program."""
        arguments = [word for each in profiles for word in ("--profile", each)]
        found = json.loads(halo("time", *module, *arguments, "--json", "--top", "10000000"))["measured"]
        events = sum(expected.values())
        counted = {op["name"]: op["events"] for op in found["ops"]}
        wrong = [name for name, number in counted.items() if number != expected[name]]
        wrong += [op["name"] for op in found["unknown_ops"]]
        if found["events"]["joined"] != events or wrong:
            print(f"  {folder}: {found['programs']}: {found['events']}, expected {events}; {wrong[:5]}")
        self.events += events
        self.joined += found["events"]["joined"] if not wrong else 0
        self.programs += 1
        self.folders.add(folder)


def xplanes(quick, joined):
    folder = need_shared("profiles/tracelens_mi300")
    for profile in sorted(folder.glob("*.xplane.pb")):
        if quick and not profile.name.startswith(("te_", "jax_conv")):
            continue
        embedded = xplane_modules.modules(profile)
        for (_, number), expected in sorted(profile_events.xplane(profile).items()):
            assert number in embedded, (profile, number)
            path = f"{profile}/module_{number:04}."
            name = next(line for line in halo("ls", profile, "--files").decode().splitlines() if f"module_{number:04}." in line)
            path += name.split(f"module_{number:04}.")[1].split()[0]
            joined.add(folder.name, expected, [profile], path, "--device", "mi300x", "--backend", "gpu")


def tables(joined):
    for load, folder in ((truth.a100, truth.A100), (truth.h100, truth.H100)):
        module, texts, _ = load()
        expected = profile_events.table(need_shared(folder) / "measured_ops.csv.gz")["", None]
        profiles = sorted(need_shared(folder).rglob("*trace.parquet"))
        joined.add(folder, expected, profiles, module, *texts)


def traces(quick, joined, scratch):
    folder = need_shared("profiles/tpu_inference_traces")
    for profile in sorted(folder.glob("*.trace.json.gz"))[:1 if quick else None]:
        for (name, _), expected in sorted(profile_events.trace(profile).items()):
            if not quick or sum(expected.values()) > 1000:
                joined.add(folder.name, expected, [profile], module_of_names(name, expected, scratch), "--device", "7x")


def golden(joined, scratch):
    """The folder has the mean of each op; a table has one row for each."""
    folder = need_shared("profiles/xprof_golden_tpu_training")
    with gzip.open(folder / "measured_ops.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    expected = {}
    table = pathlib.Path(scratch) / "v5p.csv"
    lines = ["hlo_op,duration_us"]
    for row in rows:
        expected[row["op"]] = expected.get(row["op"], 0) + 1
        lines.append(f"{row['op']},{row['meas']}")
    table.write_text("\n".join(lines) + "\n")
    joined.add(folder.name, expected, [table], module_of_names("jit_train_step", expected, scratch), "--device", "v5p")


def ten_megabytes(scratch):
    """Seconds that a trace of 10 MB takes beyond the command without it."""
    profile = need_shared("profiles/tpu_inference_traces") / "2026_01_12_00_26_20.trace.json.gz"
    text = gzip.open(profile).read()
    plain = pathlib.Path(scratch) / "ten.trace.json"
    plain.write_bytes(text)
    events = profile_events.trace(profile)
    (name, _), expected = max(events.items(), key=lambda each: sum(each[1].values()))
    module = module_of_names(name, expected, scratch)
    seconds = []
    for _ in range(3):
        begin = time.monotonic()
        halo("time", module, "--device", "7x", "--profile", plain)
        seconds.append(time.monotonic() - begin)
    return len(text), min(seconds)


def measure(quick):
    joined = Joined()
    with tempfile.TemporaryDirectory() as scratch:
        xplanes(quick, joined)
        tables(joined)
        traces(quick, joined, scratch)
        golden(joined, scratch)
        size, seconds = (0, 0.0) if quick else ten_megabytes(scratch)
    counts = {"events": joined.joined, "programs": joined.programs, "folders": len(joined.folders)}
    held = joined.joined == joined.events and enough(QUICK_LEAST if quick else LEAST, counts) and seconds < 1.0
    return held, (f"{joined.joined:,} of {joined.events:,} events of {joined.programs} programs in {len(joined.folders)} folders"
                  + ("" if quick else f"; {size / 1e6:.1f} MB in {seconds:.2f} s"))
