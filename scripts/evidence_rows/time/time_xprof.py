"""`halo time --trace X.xplane.pb`, opened by xprof's Python package: its trace viewer and its table of ops add up to the
prediction. The quick form reads the planes itself. xprof is installed apart from everything else:
`python3 -m venv build/xprof && build/xprof/bin/pip install xprof`; HALO_XPROF names another interpreter that has it."""
import json
import os
import pathlib
import subprocess
import tempfile

from common import ROOT, enough, halo, need, need_shared
from time_perfetto import fields

ORDER = 29
WHAT = "the simulated timeline as .xplane.pb, opened by xprof's package; joined with its own module as a profile"
BAR = ("GPU (seed 002) and TPU: sums of kernels, waits and transfers in xprof's trace viewer equal the prediction to 1e-6, on "
       "TPU those of its table of ops too; as a profile, every event joins and every op's ratio is 1")
QUICK_BAR = "the same sums of the planes, read here; as a profile, every event joins and every op's ratio is 1"
LEAST = QUICK_LEAST = {"events": 3500, "ops": 700}
QUICK_SECONDS = 2
XPROF = """
import json, sys
from xprof.convert import raw_to_tool_data
def ask(tool):
    data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], tool, {})
    return json.loads(data)
lines, events = {}, []
for event in ask("trace_viewer")["traceEvents"]:
    if event.get("ph") == "M" and event["name"] == "thread_name":
        lines[event["pid"], event["tid"]] = event["args"]["name"]
    elif event.get("ph") == "X":
        events.append([event["pid"], event["tid"], event["name"], event["dur"]])
table = ask("hlo_stats")
column = [each["id"] for each in table["cols"]].index("total_self_time")
print(json.dumps({"events": [[lines.get((pid, tid)), name, dur * 1e-6] for pid, tid, name, dur in events],
                  "ops": sum(row["c"][column]["v"] for row in table["rows"]) * 1e-6}))
"""


def read_planes(path):
    """What XPROF prints, without the table of ops."""
    events = []
    for field, plane in fields(path.read_bytes()):
        parts = list(fields(plane)) if field == 1 else []
        names = {}
        for entry in (dict(fields(each)) for number, each in parts if number == 4):
            names[entry[1]] = dict(fields(entry[2]))[2].decode()
        for line in (list(fields(each)) for number, each in parts if number == 3):
            for event in (dict(fields(each)) for number, each in line if number == 4):
                events.append([dict(line)[2].decode(), names[event[1]], event[3] * 1e-12])
    return {"events": events, "ops": None}


def ask_xprof(path):
    python = need(os.environ.get("HALO_XPROF", ROOT / "build/xprof/bin/python"), "an interpreter that has xprof")
    run = subprocess.run([str(python), "-c", XPROF, str(path)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr[-2000:])
    return json.loads(run.stdout.splitlines()[-1])


def check(name, module, device, quick, folder):
    """Whether all sums of one module agree; how many events and ops it has."""
    folder.mkdir()
    path = folder / "step.xplane.pb"
    document = json.loads(halo("time", module, *device, "--trace", path, "--json", "--top", 1000000, "--no-advice"))
    step, ops = document["step"], {op["name"]: op for op in document["ops"]}
    seen = read_planes(path) if quick else ask_xprof(path)
    kernels = next((line for line, _, _ in seen["events"] if line == "XLA Ops" or line.startswith("Stream #1(")), None)
    sums = {"kernels": 0, "waits": 0, "transfers": 0}
    for line, event, seconds in seen["events"]:
        if line == kernels:
            sums["kernels" if event in ops else "waits"] += seconds if event in ops or event == "wait" else 0
        elif line.startswith(("Stream #", "Async XLA Ops")) and event in ops and ops[event]["kind"] == "collective":
            sums["transfers"] += seconds
    expected = {"kernels": step["compute_seconds"] - step["gap_seconds"], "waits": step["exposed_seconds"] + step["stalled_seconds"],
                "transfers": step["exposed_seconds"] + step["hidden_seconds"]}
    held = step["estimate_seconds"] > 0
    if seen["ops"] is not None and name == "TPU":
        sums["ops"], expected["ops"] = seen["ops"], expected["kernels"]
    for what, wanted in expected.items():
        print(f"  {name} {what}: {sums[what]:.9f} s in the profile, {wanted:.9f} s predicted")
        held &= abs(sums[what] - wanted) <= 1e-6 * wanted + 1e-9
    measured = json.loads(halo("time", module, *device, "--profile", path, "--json", "--top", 1000000))["measured"]
    ratios = [op["ratio"] for op in measured["ops"] if op["predicted_seconds"] > 1e-7]
    events = measured["events"]
    print(f"  {name} as a profile: {events['joined']} of {events['named']} events join, {len(ratios)} ops")
    held &= events["joined"] == events["named"] > 0 and all(abs(ratio - 1) < 1e-3 for ratio in ratios)
    return held, len(seen["events"]), len(measured["ops"])


def measure(quick):
    seed = next(need_shared("seeds").glob("002_*"))
    tpu = sorted(need_shared("corpus/jax/tpu/v5e_1/transformer_train_bf16").glob("*after_optimizations.txt"))[0]
    held, events, ops = True, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, module, device in (("GPU", seed, []), ("TPU", tpu, ["--device", "v5e"])):
            good, more_events, more_ops = check(name, module, device, quick, pathlib.Path(scratch) / name)
            held, events, ops = held and good, events + more_events, ops + more_ops
    held &= enough(LEAST, {"events": events, "ops": ops})
    return held, f"{events} events and {ops} ops of 2 programs {'read' if quick else 'in xprof'}, sums {'equal' if held else 'differ'}"
