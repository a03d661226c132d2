"""Checks that docs/examples/mixtral-time.md matches the command's current output and says about the schedule of seed 002
what its text says."""
import json
import re
import sys

from common import ROOT, enough, halo, halo_run, need_shared

sys.path.append(str(ROOT / "scripts/evidence_rows/memory"))
from memory_mixtral import blocks  # noqa: E402

ORDER = 32
QUICK_SECONDS = 1
WHAT = "seed 002, a training step of Mixtral 8x22B on 16 GPUs, explained by `halo time`"
BAR = "docs/examples/mixtral-time.md is the command's output; what it says about four all-to-alls follows from the dump"
QUICK_BAR = BAR
LEAST = {"commands": 3, "checks": 7}
DOCUMENT = ROOT / "docs" / "examples" / "mixtral-time.md"
BYTES = 805306368


def windows(text):
    """{start: instructions between it and its done} of the all-to-alls in the computation that has most of them unhidden:
    the body of the forward loop, which is the first that has any."""
    for computation in re.split(r"^}$", text, flags=re.MULTILINE):
        lines = [line.strip().removeprefix("ROOT ") for line in computation.splitlines()]
        found = {}
        for number, line in enumerate(lines):
            start = re.match(r"%(all-to-all-start[\w.]*) = ", line)
            if start is None:
                continue
            done = next(i for i in range(number, len(lines)) if re.search(rf"-done\(%{re.escape(start[1])}\)", lines[i]))
            found[start[1]] = lines[number + 1:done]
        if "all-to-all-start" in found:
            return found
    return {}


def measure(_quick):
    seed = next(need_shared("seeds").glob("002_*"))
    failures = []
    document = DOCUMENT.read_text()
    shown = list(blocks(document))
    for command, wanted in shown:
        arguments = [str(seed) if word == "mixtral.txt" else word for word in command.split()]
        printed = halo_run(*arguments, width=100).stdout.decode().replace(str(seed), "mixtral.txt")
        if printed != wanted:
            failures.append(f"halo {command} prints something else now")
    answer = json.loads(halo("time", "--json", "--top", "100000", seed))
    between = windows(seed.read_text())
    ops = {op["name"]: op for op in answer["ops"]}
    four = [ops[f"all-to-all.{number}.1"] for number in range(40, 44)]
    listed = [float(each) for each in re.findall(r"^\| `all-to-all-start.* \| ([\d.]+) ms \|$", document, re.MULTILINE)]
    step = answer["step"]
    checks = {
        "the forward loop has four all-to-alls": len(between) == 4,
        "of 805 MB each": all(op["payload_bytes"] == BYTES for op in four),
        "no product between start and done": bool(between) and not any("matmul" in line for inside in between.values() for line in inside),
        "one window is empty": [] in between.values(),
        "they are exposed as listed": listed == [round(1e3 * op["exposed_seconds"], 2) for op in four],
        "the step is kernels and waiting": abs(step["compute_seconds"] + step["exposed_seconds"] + step["stalled_seconds"]
                                                    - step["estimate_seconds"]) < 1e-5,
        "the scopes add up to the serial bound": abs(sum(each["seconds"] for each in answer["scopes"]) + step["gap_seconds"]
                                                     - step["serial_seconds"]) < 1e-3,
    }
    failures += [name for name, holds in checks.items() if not holds]
    for failure in failures:
        print(f"  FAILED: {failure}")
    enough_shown = enough(LEAST, {"commands": len(shown), "checks": len(checks)})
    return not failures and enough_shown, f"{len(shown)} commands as documented, {len(checks)} checks, {len(failures)} failures"
