"""The time view in Chromium: its flows (viewer/e2e/time.ts) on the seeds and examples, and its pictures against those in
docs/gallery. A million events are asked for through `halo ask`, at several resolutions. The quick form runs three flows and
takes one picture, which may differ more, because of other fonts and drivers."""
import json
import pathlib
import tempfile
import time

from common import ROOT, enough, halo, need, need_shared
from viewer_common import browser_test, json_line, told

ORDER = 69
QUICK_SECONDS = 8
WHAT = "the time view: flows and pictures in Chromium, and a timeline of a million events"
BAR = ("every one of at least 17 flows passes; 6 pictures alike: at most 2% of pixels differ by more than a tenth in brightness; "
       "slices of a million events add up to the step and come within 1 s of `halo time`")
LEAST = {"flows": 17, "pictures": 6, "events": 1_000_000}
QUICK_LEAST = {"flows": 3, "pictures": 1}
QUICK_BAR = "three flows pass, one picture: at most 15% of pixels differ"
NEEDED = ("overview", "totals", "confidence", "a click selects", "wheel", "exposed", "add up", "would help", "roofline", "device",
          "critical path", "profile", "TPU", "schedule", "saved report", "narrow")
QUICK = ("three totals", "exposed communication", "a profile beside")
QUICK_SHARE = 0.15
KERNELS, TRIPS = 2000, 500
PICTURES = ("002-time", "002-time-dark", "002-time-roofline", "002-time-h100", "000-time", "tpu-time")


def pictures(quick):
    """Returns how many pictures are alike, and the largest share of pixels that differ."""
    need(ROOT / "docs" / "gallery", "the gallery")
    names = PICTURES[:1] if quick else PICTURES
    _, output = browser_test("gallery", "--compare", ROOT / "docs" / "gallery", *names)
    lines = output.strip().splitlines()[:-1]
    for line in lines:
        print(f"  {line}")
    shares = [float(line.split(":")[-1].split("%")[0]) / 100 for line in lines]
    limit = QUICK_SHARE if quick else 0.02
    # The count at the end must be that of the lines.
    told_count = json_line(output)["pictures"] == len(lines)
    return sum(share <= limit for share in shares) if told_count else 0, max(shares, default=1)


def big_module():
    """A loop of TRIPS iterations of KERNELS kernels each."""
    body = "\n".join(f"  k{i} = f32[256] sine({'x' if i == 0 else f'k{i - 1}'})" for i in range(KERNELS))
    return (f"HloModule many, is_scheduled=true\n\ncond {{\n  c = (s32[], f32[256]) parameter(0)\n"
            f"  i = s32[] get-tuple-element(c), index=0\n  n = s32[] constant({TRIPS})\n  ROOT l = pred[] compare(i, n), direction=LT\n}}\n\n"
            f"body {{\n  s = (s32[], f32[256]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n"
            f"  next = s32[] add(i, one)\n  x = f32[256] get-tuple-element(s), index=1\n{body}\n"
            f"  ROOT t = (s32[], f32[256]) tuple(next, k{KERNELS - 1})\n}}\n\n"
            "ENTRY main {\n  p = f32[256] parameter(0)\n  zero = s32[] constant(0)\n  init = (s32[], f32[256]) tuple(zero, p)\n"
            "  w = (s32[], f32[256]) while(init), condition=cond, body=body, "
            f'backend_config={{"known_trip_count":{{"n":"{TRIPS}"}}}}\n'
            "  ROOT out = f32[256] get-tuple-element(w), index=1\n}\n")


def million():
    """Returns the number of events, and whether every picture of them adds up and comes in time."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "many.txt"
        path.write_text(big_module(), encoding="utf-8")
        begin = time.monotonic()
        step = json.loads(halo("time", path, "--json", "--device", "h100"))["step"]
        alone = time.monotonic() - begin
        want = step["compute_seconds"] - step["gap_seconds"]
        good, events = True, 0
        for pixels in (1000, 4000, 20000):
            begin = time.monotonic()
            asked = halo("ask", json.dumps({"ask": "time.timeline", "device": "h100", "pixels": pixels}), path)
            seconds = time.monotonic() - begin
            timeline = json.loads(asked)
            events = timeline["events"]
            busy = sum(busy for busy, track in zip(timeline["busy"], timeline["track"]) if track == 1)
            good = good and abs(busy - want) <= 1e-9 * want and seconds <= alone + 1 and len(timeline["track"]) <= 8 * pixels
            print(f"  {events:.0f} events at {pixels} pixels: {len(timeline['track'])} slices, {seconds:.2f} s (halo time {alone:.2f} s)")
        return events, good


def measure(quick):
    need_shared("seeds")
    if not quick:
        need_shared("corpus/jax/tpu")
    code, output = browser_test("time", *(QUICK if quick else ()))
    passed, failed = told(output)
    lines = [line for line in output.splitlines() if line.startswith("ok")]
    missing = [word for word in (QUICK if quick else NEEDED) if not any(word in line for line in lines)]
    for word in missing:
        print(f"  no flow about: {word}")
    alike, worst = pictures(quick)
    counts = {"flows": passed, "pictures": alike}
    held = code == 0 and failed == 0 and not missing
    told_more = ""
    if not quick:
        counts["events"], good = million()
        held = held and good
        told_more = f"; {counts['events']:,.0f} events add up{'' if good else ': NO'}"
    return (held and enough(QUICK_LEAST if quick else LEAST, counts),
            f"{passed} of {passed + failed} flows pass; {alike} pictures alike, at most {100 * worst:.2f}% differ{told_more}")
