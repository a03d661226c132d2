"""Replaying recorded programs: `halo run` with a program's recorded inputs against its recorded outputs.

Tolerances are per element type, and what two right programs may differ by when they round and sum in
different orders:

  integers, pred, rng bits  nothing: bit-exact
  f32, c64   1e-5 relative, or 4 ulp of the output's largest magnitude, times the root of the length of the
             module's longest sum: where terms cancel, the error is as large as the terms
  f64, c128  1e-13 relative, or the same
  f16, bf16  2 ulp, or 1 ulp of the largest: XLA's CPU rounds to f32 between ops of one fusion or to the
             narrow type, as its optimiser decided; each such choice moves a result by a step
  f8, f4     1 ulp: one rounding more or less

They are those of `halo run --compare` without --rtol, --atol or --ulp.
"""
import json
import pathlib
import time

from common import halo_run


class Replay:
    """One module replayed. `verdict` is what to print, `ok` whether every output agrees."""

    def __init__(self, name, answer, error, seconds):
        self.name, self.seconds = name, seconds
        self.ok, self.bit_exact = False, False
        self.differing = []
        if error:
            self.verdict = "FAILS: " + error
            return
        outputs = answer["comparison"]["outputs"]
        self.ok = answer["comparison"]["agrees"] and bool(outputs)
        self.bit_exact = self.ok and not any(each["different"] for each in outputs)
        self.differing = [each for each in outputs if not each["ok"]]
        self.verdict = self.describe(outputs)

    def describe(self, outputs):
        if self.bit_exact:
            return f"bit-exact, {len(outputs)} outputs"
        problems = [f"{each['name']}: {each['problem']}" for each in outputs if "problem" in each]
        if problems:
            return "DIFFERS: " + "; ".join(problems[:3])
        worst = max(outputs, key=lambda each: (not each["ok"], each["max_ulp"]))
        relative = worst["worst"][0]["relative"] if worst["worst"] else 0
        return (f"{'within' if self.ok else 'DIFFERS'}, {len(outputs)} outputs, worst {worst['name']} "
                f"({worst['type']}): {worst['max_ulp']} ulp, {number(relative)} relative, "
                f"{number(scaled(worst))} of its largest; {worst['beyond']} of {worst['elements']} beyond")


def number(value):
    return value if isinstance(value, str) else f"{value:.1e}"


def scaled(output):
    absolute, largest = output["max_absolute"], output["largest_expected"]
    return absolute if isinstance(absolute, str) or not largest else absolute / largest


def first_error(run):
    text = run.stderr.decode(errors="replace").strip().splitlines()
    return next((line for line in text if ": error:" in line), text[0] if text else f"exit {run.returncode}")


def replay(name, module, archive, *options):
    """Runs `module` with the in_* of `archive` and compares with its out_*."""
    start = time.monotonic()
    run = halo_run("run", module, "--inputs", archive, "--compare", archive, "--json", *options)
    seconds = time.monotonic() - start
    if run.returncode not in (0, 1):
        try:
            found = json.loads(run.stdout)["diagnostics"]
            error = f"{found[0]['message']} [{found[0]['code']}]" if found else first_error(run)
        except (ValueError, KeyError):
            error = first_error(run)
        return Replay(name, None, error[:300], seconds)
    return Replay(name, json.loads(run.stdout), None, seconds)


def cpu_programs(shared):
    """(name, module, archive) of every CPU program, before and after optimisation, and the hand-written."""
    for folder in sorted((shared / "corpus/jax/cpu").iterdir()):
        if not (folder / "io.npz").exists():
            continue
        for stage in ("before_optimizations", "cpu_after_optimizations"):
            for module in sorted(folder.glob(f"*.{stage}.txt")):
                yield f"{folder.name} {stage.split('_')[-2]}", module, folder / "io.npz"
    for folder in sorted((shared / "corpus/jax/hand").iterdir()):
        if (folder / "io.npz").exists():
            yield f"hand {folder.name}", pathlib.Path(folder / "module.txt"), folder / "io.npz"


def replay_all(programs):
    """Replays and prints a line for each."""
    results = []
    for name, module, archive in programs:
        result = replay(name, module, archive)
        results.append(result)
        print(f"{name:44} {result.verdict}  ({result.seconds:.1f} s)", flush=True)
    return results
