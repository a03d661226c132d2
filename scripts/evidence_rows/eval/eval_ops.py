"""Runs random single-op modules for each opcode and element type with the evaluator and with jaxlib's CPU.
The tolerances are in op_oracle.py. jaxlib's results are cached in build/evidence-ops by its version. After the full form,
scripts/ops_table updates docs/ops.md."""
import collections
import json
import os
import pathlib
import subprocess

from common import ROOT, enough, jax_python, json_lines, reference_version, program

ORDER = 45
QUICK_SECONDS = 8
WHAT = "generated single-op modules for each opcode that jaxlib's CPU runs, evaluator against jaxlib"
BAR = "200 modules of each opcode, every result within the tolerance of its type"
QUICK_BAR = "4 modules of each opcode, every result within the tolerance of its type"
LEAST = {"opcodes": 90, "modules": 18_000}
QUICK_LEAST = {"opcodes": 90, "modules": 360}
HERE = ROOT / "scripts" / "evidence_rows" / "lib"
FOLDER = ROOT / "build" / "evidence-ops"
PER_OP, QUICK_PER_OP = 200, 4


def oracle(*arguments):
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3", PYTHONPATH=str(HERE))
    return subprocess.Popen([jax_python(), str(HERE / "op_oracle.py"), *map(str, arguments)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    out, err = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"jaxlib: exit {process.returncode}\n{err[-2000:]}")
    return out


def evaluate(folder):
    cases = sorted(path.with_suffix("") for path in folder.glob("*.hlo") if path.with_suffix(".want.npz").exists())
    for case in cases:
        case.with_suffix(".got.npz").unlink(missing_ok=True)
    lines = "".join(f"{c}.hlo\t{c}.in.npz\t{c}.got.npz\n" for c in cases)
    run = subprocess.run([str(program("bench/run_many"))], input=lines, capture_output=True,
                         text=True, check=True)
    return dict(zip((case.name for case in cases), run.stdout.splitlines()))


def measure(quick):
    count = QUICK_PER_OP if quick else PER_OP
    folder = FOLDER / reference_version() / ("quick" if quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    half = (count + 1) // 2
    for process in [oracle("make", folder, 0, half), oracle("make", folder, half, count)]:
        finished(process)
    said = evaluate(folder)
    ran, right, unasked = collections.Counter(), collections.Counter(), collections.Counter()
    types = collections.defaultdict(set)
    for row in json_lines(finished(oracle("compare", folder))):
        op = row["op"]
        if "unasked" in row:
            unasked[op] += 1
            continue
        ran[op] += 1
        types[op].update(row["types"])
        if "wrong" not in row:
            right[op] += 1
            continue
        why = said.get(f"{op}-{row['number']}", "ok")
        print(f"  {op}-{row['number']}: {row['wrong'] if why == 'ok' else why}")
    for op in sorted(ran):
        print(f"  {op}: {right[op]} of {ran[op]}, {' '.join(sorted(types[op]))}")
    if not quick:
        coverage = {op: [right[op], ran[op], sorted(types[op])] for op in ran}
        (FOLDER / "coverage.json").write_text(json.dumps(coverage))
    short = sorted(op for op in ran if ran[op] < count)
    if short:
        print("  fewer than asked for: " + ", ".join(f"{op} {ran[op]}" for op in short))
    never = sorted(set(unasked) - set(ran))
    print(f"  not run by jaxlib's CPU: {', '.join(never)}")
    good, whole = sum(right.values()), sum(ran.values())
    held = good == whole and not short and enough(QUICK_LEAST if quick else LEAST, {"opcodes": len(ran), "modules": whole})
    return held, f"{good} of {whole} modules within tolerance, {len(ran)} opcodes, {count} each"
