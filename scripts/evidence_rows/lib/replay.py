"""Replays recorded programs: runs `halo run` with a program's recorded inputs and compares with its recorded outputs.

Tolerances are per element type. They allow for the differences between two correct programs that round and
sum in different orders:

  integers, pred, rng bits  none: bit-exact
  f32, c64   1e-5 relative, or 4 ulp of the output's largest magnitude, times the root of the length of the
             module's longest sum (1024 at most): where terms cancel, the error is as large as the terms
  f64, c128  1e-13 relative, or the same
  f16, bf16  2 ulp, or 1 ulp of the largest: between ops of one fusion, XLA's optimiser chooses whether to
             round to f32 or to the narrow type; each such choice moves a result by a step
  f8, f4     1 ulp: one rounding more or less

These are the defaults of `halo run --compare`, without --rtol, --atol or --ulp. XLA's CPU has two known quirks. An
output beyond tolerance is compared again with these exceptions:

  denormals  XLA's CPU treats f32 denormals as zeros. If a recorded input has any, an output may instead agree with
             the run in which those inputs are zero.
  dropped    XLA's optimiser drops roundings to bf16 (excess precision is allowed by default). An unoptimised module
  roundings  that rounds to bf16 may differ by one such rounding (2^-9 relative) if the optimised module, which is
             what ran, is within the tolerance above.
"""
import json
import math
import pathlib
import re
import struct
import tempfile
import time
import zipfile

from common import halo_run


BF16_ROUNDING = 2.0 ** -9
LEAST_NORMAL = 2.0 ** -126


def flushed(archive, folder):
    """Copies the archive with f32 denormals in its inputs replaced by zeros. Returns None if there are none."""
    copy, found = pathlib.Path(folder) / "flushed.npz", False
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("in_") and b"'<f4'" in data[:128]:
                begin = 10 + struct.unpack_from("<H", data, 8)[0]
                count = (len(data) - begin) // 4
                numbers = struct.unpack_from(f"<{count}f", data, begin)
                kept = [0.0 if 0 < abs(number) < LEAST_NORMAL else number for number in numbers]
                if any(old_number != number for old_number, number in zip(numbers, kept) if number == 0):
                    found, data = True, data[:begin] + struct.pack(f"<{count}f", *kept)
            new.writestr(name, data)
    return copy if found else None


class Replay:
    """The replay of one module. `verdict` is the text to print, `ok` whether every output agrees."""

    def __init__(self, name, answer, error, seconds):
        self.name, self.seconds = name, seconds
        self.ok, self.bit_exact = False, False
        self.differing = []
        self.answer = answer
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


def recorded_outputs(archive):
    """{name: dimensions} of the out_* arrays of an archive, from the headers of its members."""
    found = {}
    with zipfile.ZipFile(archive) as members:
        for name in members.namelist():
            if name.startswith("out_"):
                with members.open(name) as member:
                    shape = re.search(rb"'shape': \(([\d, ]*)\)", member.read(256))[1]
                found[name.removesuffix(".npy")] = [int(each) for each in shape.replace(b",", b" ").split()]
    return found


def problem_of(answer, expected):
    """What a document of `halo run --compare` does not say about the archive `expected`, or None: it must name every
    array there with its dimensions, and its verdict must follow from its figures. A module that is not partitioned yet
    yields whole arrays; each is compared with the part of one device, whose dimensions are stated too."""
    outputs = answer["comparison"]["outputs"]
    dims = {each["name"]: each.get("expected_dims", each["dims"]) for each in outputs}
    if dims != recorded_outputs(expected):
        return "other arrays were compared than those recorded"
    if any(each["elements"] != math.prod(dims[each["name"]]) or each["ok"] and each["beyond"] for each in outputs):
        return "an array's figures contradict each other"
    return None if answer["comparison"]["agrees"] == all(each["ok"] for each in outputs) else "the verdict is another"


def compare(module, inputs, expected, *options):
    """Returns (JSON result, None) or (None, error text)."""
    run = halo_run("run", module, "--inputs", inputs, "--compare", expected, "--json", *options)
    if run.returncode in (0, 1):
        answer = json.loads(run.stdout)
        problem = problem_of(answer, expected)
        return (None, problem) if problem else (answer, None)
    try:
        found = json.loads(run.stdout)["diagnostics"]
        return None, (f"{found[0]['message']} [{found[0]['code']}]" if found else first_error(run))[:300]
    except (ValueError, KeyError):
        return None, first_error(run)[:300]


def with_denormals_as_zeros(module, archive, answer, options):
    """Replaces each output in `answer` that agrees only if denormal inputs are zero. Returns the number of these."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = flushed(archive, folder)
        other = compare(module, inputs, archive, *options)[0] if inputs else None
    if other is None:
        return 0
    outputs, others = answer["comparison"]["outputs"], other["comparison"]["outputs"]
    taken = [i for i, each in enumerate(outputs) if not each["ok"] and others[i]["ok"]]
    for i in taken:
        outputs[i] = others[i]
    answer["comparison"]["agrees"] = all(each["ok"] for each in outputs)
    return len(taken)


def replay(name, module, archive, *options):
    """Runs `module` with the in_* arrays of `archive` and compares with its out_* arrays."""
    start = time.monotonic()
    answer, error = compare(module, archive, archive, *options)
    note = ""
    if answer and not answer["comparison"]["agrees"]:
        zeros = with_denormals_as_zeros(module, archive, answer, options)
        note = f"; {zeros} outputs with denormal inputs as zeros" if zeros else ""
    result = Replay(name, answer, error, time.monotonic() - start)
    result.verdict += note
    return result


def allow_dropped_roundings(result, module, archive, optimised, *options):
    """Compares an unoptimised module that rounds to bf16 again, if its optimised form is within tolerance."""
    if result.ok or optimised is None or not optimised.ok or b"bf16[" not in pathlib.Path(module).read_bytes():
        return
    answer, _ = compare(module, archive, archive, "--rtol", BF16_ROUNDING, "--ulp", 2, "--ulp-of-largest", 1,
                        *options)
    again = {each["name"]: each["ok"] for each in answer["comparison"]["outputs"]} if answer else {}
    if result.differing and all(again.get(each["name"], False) for each in result.differing):
        result.ok = True
        result.verdict = result.verdict.replace("DIFFERS", "within one rounding to bf16 that the optimiser dropped")


def cpu_programs(shared):
    """Yields (name, module, archive) of every CPU program, before and after optimisation, and of hand-written ones."""
    for folder in sorted((shared / "corpus/jax/cpu").iterdir()):
        if not (folder / "io.npz").exists():
            continue
        for stage in ("before_optimizations", "cpu_after_optimizations"):
            for module in sorted(folder.glob(f"*.{stage}.txt")):
                yield f"{folder.name} {stage.split('_')[-2]}", module, folder / "io.npz"
    for folder in sorted((shared / "corpus/jax/hand").iterdir()):
        if (folder / "io.npz").exists():
            yield f"hand {folder.name}", pathlib.Path(folder / "module.txt"), folder / "io.npz"


def gpu_programs(shared):
    """Yields (name, module, archive) of the programs compiled for H100 at the sizes recorded on CPU."""
    for folder in sorted((shared / "corpus/jax/gpu/h100_small").iterdir()):
        archive = shared / "corpus/jax/cpu" / folder.name / "io.npz"
        for module in sorted(folder.glob("*gpu_after_optimizations.txt")):
            yield folder.name, module, archive


def replay_all(programs, engine):
    """Replays the programs and prints a line for each."""
    results = {}
    for name, module, archive in programs:
        results[name] = (replay(name, module, archive, "--engine", engine), module, archive)
    for name, (result, module, archive) in results.items():
        if name.endswith(" before"):
            optimised = results.get(name.removesuffix("before") + "after")
            allow_dropped_roundings(result, module, archive, optimised and optimised[0], "--engine", engine)
        print(f"{name:44} {result.verdict}  ({result.seconds:.1f} s)", flush=True)
    return [result for result, _, _ in results.values()]
