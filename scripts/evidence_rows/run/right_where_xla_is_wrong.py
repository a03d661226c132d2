"""Runs programs that some XLA computes wrongly (wrong_programs.py) with both engines and compares with numpy, by the command and by
numpy itself. XLA's own result is stated beside, with the version of jaxlib: which of them is still wrong depends on it,
so it is not part of the bar. docs/wrong_results.md describes the programs."""
import json
import os
import pathlib
import subprocess
import tempfile

from common import enough, halo_run, jax_python, reference_version

ORDER = 139
QUICK_SECONDS = 8
WHAT = "programs that some XLA computes wrongly on CPUs, run by both engines"
BAR = "every result is numpy's, within the tolerance of halo run"
QUICK_BAR = "the same; one program of each defect, without asking XLA"
LEAST = {"programs": 17, "defects": 5, "results": 34}
QUICK_LEAST = {"programs": 5, "defects": 5, "results": 10}
PROGRAMS = pathlib.Path(__file__).with_name("wrong_programs.py")
ENGINES = ("compiled", "reference")


def asked(*arguments, check=True):
    """Runs wrong_programs.py in the environment of the reference jaxlib. Returns its JSON, or the way it ended."""
    run = subprocess.run([jax_python(), str(PROGRAMS), *map(str, arguments)], capture_output=True, text=True, check=False,
                         env=dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3"))
    if run.returncode != 0:
        if check:
            raise RuntimeError(f"wrong_programs.py: exit {run.returncode}\n{run.stderr[-2000:]}")
        return {"verdict": f"crashes (signal {-run.returncode})" if run.returncode < 0 else "fails"}
    return json.loads(run.stdout) if run.stdout else {}


def has_run(folder, engine):
    """Runs the program and writes its result. Whether the command finds it equal to numpy's."""
    run = halo_run("run", folder / "before.txt", "--inputs", folder / "inputs.npz", "--compare", folder / "right.npz",
                   "--engine", engine, "-o", folder / f"{engine}.npz", "--json")
    try:
        answer = json.loads(run.stdout)["comparison"]
        return run.returncode == 0 and answer["agrees"] is True and len(answer["outputs"]) == 1
    except (ValueError, KeyError, TypeError):
        return False


def first_of_each(listed):
    """The index of the first program of each defect."""
    return list({each["defect"]: i for i, each in reversed(list(enumerate(listed)))}.values())[::-1]


def measure(quick):
    listed = asked("list")
    chosen = first_of_each(listed) if quick else range(len(listed))
    right, wrong_in_xla, broken = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        asked("write", folder, *chosen)
        found = {number: [engine for engine in ENGINES if has_run(pathlib.Path(folder) / str(number), engine)] for number in chosen}
        checked = asked("check", folder, *chosen)  # the command's own comparison alone would prove little
    for number, engines in found.items():
        agreeing = [engine for engine in engines if engine in checked[str(number)]]
        right += len(agreeing)
        if len(agreeing) < len(ENGINES):
            broken.append(listed[number]["name"])
        verdict = "not asked" if quick else asked("run", number, check=False)["verdict"]
        wrong_in_xla += verdict not in ("right", "not asked")
        print(f"  {listed[number]['defect']}, {listed[number]['name']}: right by {' and '.join(agreeing) or 'no engine'}; "
              f"XLA: {verdict}", flush=True)
    counts = {"programs": len(chosen), "defects": len({listed[i]["defect"] for i in chosen}), "results": right}
    xla = "" if quick else f"; jaxlib {reference_version()} computes {wrong_in_xla} of them wrongly or crashes"
    return (not broken and enough(QUICK_LEAST if quick else LEAST, counts),
            f"{right} of {len(ENGINES) * len(chosen)} results of {len(chosen)} programs are numpy's{xla}")
