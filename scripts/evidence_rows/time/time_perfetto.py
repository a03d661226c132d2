"""`halo time --trace`, read back by Perfetto's own engine: no import errors, and the slices add up to the prediction. The
quick form reads the packets itself. time-xprof has the same for xprof."""
import json
import pathlib
import tempfile
import time

import perfetto_ui
from common import enough, halo, need_shared
from wire import fields

ORDER = 28
WHAT = "the trace of seed 002 and of a million events, read by Perfetto's own engine"
BAR = "sums equal the prediction to 1e-5, no import errors; a million events written in 3 s, all of them read"
LEAST = {"slices of the million": 1000000, "slices": 3000, "names": 400}
QUICK_LEAST = {"slices": 3000, "names": 400}
QUICK_SECONDS = 3
QUICK_BAR = "seed 002: sums of the packets equal the prediction to 1e-5, every op has a slice, memory is counted"
KERNELS, TRIPS = 2000, 500
QUERIES = ["select count(*) from stats where value > 0 and severity in ('error', 'data_loss')",
           "select category, count(*), sum(dur) from slice group by category",
           "select count(*) from counter", "select distinct name from slice"]


def read_packets(path):
    """What QUERIES ask for, from the packets: errors, slices by category, values of the counter."""
    names, slices, open_slices, sums, counts, errors = {}, [], {}, {}, 0, 0
    for _, packet in fields(path.read_bytes()):
        parts = dict(fields(packet))
        for field, text in fields(parts.get(12, b"")):
            if field == 1:
                entry = dict(fields(text))
                names[entry[1]] = entry[2].decode()
            elif field == 2:
                slices.append([dict(fields(text))[2].decode()])
        if 11 not in parts:
            continue
        event = dict(fields(parts[11]))
        track = open_slices.setdefault(event[11], [])
        if event[9] == 1:
            track.append((parts[8], names[event[3]]))
        elif event[9] == 2 and track:
            begin, category = track.pop()
            count, total = sums.get(category, (0, 0))
            sums[category] = (count + 1, total + parts[8] - begin)
        elif event[9] == 4:
            counts += 1
        else:
            errors += 1
    errors += sum(map(len, open_slices.values()))
    return [[[errors]], [[category, *each] for category, each in sums.items()], [[counts]], slices]


def compare(document, answers):
    """Whether the slices add up to the step and all ops have one; how many slices and ops there are."""
    step = document["step"]
    [[errors]], categories, [[counted]], names = answers
    ops = {op["name"] for op in document["ops"]}
    missing = ops - {name for name, in names}
    sums = {category: (count, total * 1e-9) for category, count, total in categories}

    def total(*names):
        return sum(sums.get(name, (0, 0))[1] for name in names)
    expected = {"kernels": (total("kernel", "critical kernel"), step["compute_seconds"] - step["gap_seconds"]),
                "waits": (total("wait"), step["exposed_seconds"] + step["stalled_seconds"]),
                "transfers": (total("transfer", "critical transfer"), step["exposed_seconds"] + step["hidden_seconds"])}
    for name, (found, wanted) in expected.items():
        print(f"  {name}: {found:.6f} s in the trace, {wanted:.6f} s predicted")
    equal = all(abs(found - wanted) <= 1e-5 * wanted + 1e-9 for found, wanted in expected.values())
    held = equal and errors == 0 and counted > 0 and step["estimate_seconds"] > 0 and not missing
    return held, sum(count for count, _ in sums.values()), len(ops)


def million(folder):
    """A loop of 500 iterations with 2,000 kernels each."""
    lines = ["HloModule million, is_scheduled=true", "body {", "  s = (s32[], f32[1024]{0}) parameter(0)",
             "  i = s32[] get-tuple-element(s), index=0", "  k0 = f32[1024]{0} get-tuple-element(s), index=1",
             "  one = s32[] constant(1)", "  next = s32[] add(i, one)"]
    lines += [f"  k{n + 1} = f32[1024]{{0}} negate(k{n})" for n in range(KERNELS)]
    lines += [f"  ROOT r = (s32[], f32[1024]{{0}}) tuple(next, k{KERNELS})", "}",
              "cond {", "  s = (s32[], f32[1024]{0}) parameter(0)", "  i = s32[] get-tuple-element(s), index=0",
              f"  n = s32[] constant({TRIPS})", "  ROOT go = pred[] compare(i, n), direction=LT", "}",
              "ENTRY e {", "  p = f32[1024]{0} parameter(0)", "  zero = s32[] constant(0)",
              "  init = (s32[], f32[1024]{0}) tuple(zero, p)",
              "  ROOT w = (s32[], f32[1024]{0}) while(init), condition=cond, body=body", "}"]
    path = pathlib.Path(folder) / "million.hlo"
    path.write_text("\n".join(lines) + "\n")
    return path


def measure(quick):
    seed = next(need_shared("seeds").glob("002_*"))
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "step.pftrace"
        document = json.loads(halo("time", seed, "--trace", trace, "--json", "--top", 1000000))
        held, slices, names = compare(document, read_packets(trace) if quick else perfetto_ui.ask(trace, QUERIES))
        figure = f"seed 002: {slices} slices, sums {'equal' if held else 'differ'}"
        counts = {"slices": slices, "names": names}
        if quick:
            return held and enough(QUICK_LEAST, counts), figure
        large = million(folder)
        begin = time.monotonic()
        document = json.loads(halo("time", large, "--device", "a100", "--trace", trace, "--trace-events", 2000000, "--json"))
        seconds = time.monotonic() - begin
        equal, slices, _ = compare(document, perfetto_ui.ask(trace, QUERIES, 300))
        held &= equal and seconds <= 3 and enough(LEAST, {**counts, "slices of the million": slices})
        return held, f"{figure}; {slices} slices in {seconds:.1f} s, {trace.stat().st_size / 1e6:.0f} MB, " \
                     f"sums {'equal' if equal else 'differ'}"
