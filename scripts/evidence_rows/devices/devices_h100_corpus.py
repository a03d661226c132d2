"""Runs programs that XLA compiled for 4 and 8 H100 as one process per device and compares with the evaluator on the
same generated inputs. Programs too large for plain loops are shrunk first (halo shrink)."""
import array
import json
import pathlib
import tempfile
import zipfile

from common import SHARED, enough, halo_run, need_shared
from devices_cpu_corpus import against_evaluator, in_ranks, need_ranks
from replay import BF16_ROUNDING, scaled

ORDER = 72
QUICK_SECONDS = 2
WHAT = "the 4- and 8-device H100 dumps of corpus/jax as one process per device, large ones shrunk"
BAR = ("equal to the one-process evaluator on the same inputs (tolerance of eval-cpu-corpus; where an f32 result was bf16 on "
       "the way, one rounding to bf16)")
LEAST = {"dumps": 12}
QUICK_LEAST = {"dumps": 2}
QUICK_BAR = "the same for two of the dumps"
SMALL, SIZE = {"shmap_collectives"}, "512KiB"
LIMIT = 300  # seconds for the evaluator
# Its eight stages feed each other. With the inputs as generated, an error in the last bit of f32 grows to 4e-6 of the
# largest value, which says nothing about collectives. Inputs scaled by a quarter keep the stages from amplifying it.
FACTORS = {"pipeline_ppermute": 0.25}
# Its f32 results are sums of values that were rounded to bf16, and the last bit of f32 decides which way they round.
# 2^-9 of the largest is half of one bf16 step, which is less than the tolerance of a bf16 result.
ROUNDED = {"mlp_fsdp4_fwd"}
QUICK = ("shmap_collectives", "ring_collective_matmul")


def dumps():
    for kind in ("h100x4", "h100x8"):
        for folder in sorted((SHARED / "corpus/jax/gpu" / kind).iterdir()):
            for module in sorted(folder.glob("*gpu_after_optimizations.txt")):
                yield folder.name, module, int(kind[-1])


def with_factor(archive, copy, factor):
    """Copies the archive with its f32 arrays multiplied by a factor."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if b"'<f4'" in data[:128]:
                begin = 10 + int.from_bytes(data[8:10], "little")
                numbers = array.array("f", data[begin:])
                data = data[:begin] + array.array("f", (factor * number for number in numbers)).tobytes()
            new.writestr(name, data)


def one(name, module, devices, folder):
    if name not in SMALL:
        small = folder / "small.txt"
        run = halo_run("shrink", module, "--to", SIZE, "-o", small)
        if run.returncode != 0:
            return None, "cannot be shrunk: " + (run.stderr or run.stdout).decode(errors="replace").strip()[-200:]
        module = small
    made = inputs = folder / "made.npz"
    fill = ["--fill-elided", "iota", "--timeout", LIMIT]
    run = halo_run("run", module, "--engine", "reference", "--random", 1, "--inputs-only", "--save-inputs", made, *fill)
    if run.returncode != 0:
        return None, run.stderr.decode(errors="replace").strip()[-200:]
    if name in FACTORS:
        inputs = folder / "in.npz"
        with_factor(made, inputs, FACTORS[name])
    result = against_evaluator(name, module, inputs, devices, folder, *fill)
    if result is None:
        return None, f"the evaluator cannot run it, or not within {LIMIT} s"
    if not result.ok and result.differing and name in ROUNDED:
        result.ok = all("problem" not in each and not isinstance(scaled(each), str) and scaled(each) <= BF16_ROUNDING
                        for each in result.differing)
        result.verdict = result.verdict.replace("DIFFERS", "within one rounding to bf16") if result.ok else result.verdict
    return result, result.verdict


def measure(quick):
    need_ranks()
    need_shared("corpus/jax/gpu")
    listed = [each for each in dumps() if not quick or each[0] in QUICK]
    good = collectives = 0
    for name, module, devices in listed:
        with tempfile.TemporaryDirectory() as scratch:
            result, verdict = one(name, module, devices, pathlib.Path(scratch))
        held = result is not None and result.ok and in_ranks(result, devices)
        good += held
        collectives += result.answer["collective_steps"] if held else 0
        because = json.dumps((result.answer or {}).get("not_compiled_because")) if result and not held else ""
        print(f"{name:28} x{devices} {verdict} {because}", flush=True)
    held = good == len(listed) and enough(QUICK_LEAST if quick else LEAST, {"dumps": len(listed)})
    return held, f"{good} of {len(listed)} dumps equal, {collectives} collectives"
