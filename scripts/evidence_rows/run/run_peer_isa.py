"""Times the programs of bench/programs, compiled by halo and by jaxlib, at three levels of vector extensions: AVX2,
AVX-512 without bf16, and all that the machine has. At each level and with one and two threads, jaxlib runs a program
first, then `halo run` runs the same module before optimization with the same inputs. The best time of each counts.
A measurement below 0.8 is made once more, of both, and the best times of the two count: a neighbour on the same core may
slow either down. First runs count too: compiling and running once, where jaxlib's process is warm and ours is new. Results are compared
with those of jaxlib at that level and, where they differ, with the evaluator's: ours must agree with those or deviate
from them at most twice as much as jaxlib's, on this input, or by
geometric mean over several and at most 8 times on one.

XLA is limited by its flag --xla_cpu_max_isa, but that holds for code it generates only; its libraries choose by CPUID,
which is limited for them where the CPU can let it fault (cpu_levels.py). Elsewhere, the table names what each program
has of those. HALO_EVIDENCE_ONLY=level=avx2,threads=1,kind=sparse,name=TEXT restricts a run (each part is optional); a
restricted run never holds. Measurements are appended to build/run_peer_isa.jsonl, which bench/peer/table.py prints as
tables."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, enough, jax_python, jax_script, need_halo, run_options
from cpu_levels import LEVELS, hides_by_cpuid, limited_to
from replay import problem_of

sys.path.insert(0, str(ROOT / "bench" / "peer"))
from table import by_kind, mean  # noqa: E402

ORDER = 54
QUICK_SECONDS = 6
SPEED = True
WHAT = "programs of many kinds against jaxlib limited to the same vector extensions, 1 and 2 threads"
BAR = "by geometric mean at least 2 times as fast, none below 0.8 when repeated, no first run above 1.5 of XLA's; results agree"
LEAST = {"kinds": 12, "programs": 60, "measurements": 360}
QUICK_BAR = "results agree; by geometric mean half as fast at least"
QUICK_LEAST = {"kinds": 2, "programs": 2, "measurements": 2}
QUICK = (("memory", "tiny expressions of 16 numbers"), ("recurrent", "gru infer 200 steps, 1x32"))

INPUTS, MOST_ON_ONE_INPUT = 13, 8
LEAST_RATIO = 0.8

KEPT = ROOT / "build" / "run_peer_isa.jsonl"


def pinned(threads, command):
    return ["taskset", "-c", "0", *command] if threads == 1 else command


class Peer:
    """jaxlib in a separate process, on one core or on all, limited to a level."""

    def __init__(self, level, threads, seconds):
        command = [jax_python(), str(ROOT / "bench" / "peer" / "serve_jax.py"), str(seconds)]
        with limited_to(level):
            environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
            self.process = subprocess.Popen(pinned(threads, command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.programs = [tuple(each) for each in json.loads(self.process.stdout.readline())]

    def time(self, kind, name, folder, write, draw=0):
        self.process.stdin.write(json.dumps({"kind": kind, "name": name, "folder": str(folder), "write": write, "draw": draw}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(folder, level, threads, repeat):
    """The document of `halo run`, with a first run and `repeat` more."""
    command = [str(need_halo()), "run", f"{folder}/module.txt", "--inputs", f"{folder}/in.npz", "--compare", f"{folder}/out.npz",
               "--json", "--repeat", str(repeat + 1), "--threads", str(threads), "--cache", "none"]
    with limited_to(level):
        run = subprocess.run(pinned(threads, [*command, *run_options()]), capture_output=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stdout.decode()[-1500:] + run.stderr.decode()[-1500:])
    answer = json.loads(run.stdout)
    problem = problem_of(answer, f"{folder}/out.npz")
    if problem or len(answer["run_seconds"]) != repeat + 1:
        raise RuntimeError(problem or f"{len(answer['run_seconds'])} runs of {repeat + 1} were timed")
    return answer


# The largest deviation of any output from the evaluator's, relative to the output's largest value: ours and jaxlib's.
DEVIATIONS = """
import json, sys
import numpy as np
exact, ours, theirs = (np.load(path) for path in sys.argv[1:])
def worst(found):
    deviations = [0.0]
    for name in exact.files:
        a, b = (np.asarray(each[name]).astype(np.complex128).reshape(-1) for each in (exact, found))
        if a.size:
            deviations.append(float(np.max(np.abs(b - a))) / max(float(np.max(np.abs(a))), 1e-30))
    return max(deviations)
print(json.dumps([worst(ours), worst(theirs)]))
"""


def compared_with_evaluator(folder, level, threads):
    """Whether our results agree with the evaluator's, which computes in double, and how far ours and jaxlib's are from them."""
    run = [str(need_halo()), "run", f"{folder}/module.txt", "--inputs", f"{folder}/in.npz"]
    subprocess.run([*run, "--engine", "reference", "-o", f"{folder}/exact.npz"], capture_output=True, check=True)
    with limited_to(level):
        done = subprocess.run([*run, "--threads", str(threads), "--compare", f"{folder}/exact.npz", "-o", f"{folder}/ours.npz", "--json",
                               *run_options()], capture_output=True, check=False)
    off = json.loads(jax_script(DEVIATIONS, *(folder / f"{each}.npz" for each in ("exact", "ours", "out"))))
    return json.loads(done.stdout)["comparison"]["agrees"], *off


def agrees_with_evaluator(folder, level, threads):
    """Whether our results agree with the evaluator's or are not much further from them than jaxlib's.
    Used where ours and jaxlib's differ: long recurrences and roundings amplify differences in the last bit."""
    agrees, ours_off, theirs_off = compared_with_evaluator(folder, level, threads)
    return agrees or ours_off <= 2 * theirs_off  # not if either is NaN


def agrees_over_inputs(peer, program, level, threads):
    """The same by geometric mean over several inputs, of which the timed one is the first, and on none of them much further away.
    Errors of an ill-conditioned problem differ by factors from one input to the next: those of jaxlib's LU by 3, with its own
    kernels for another CPU."""
    ratios = []
    for draw in range(INPUTS):
        with tempfile.TemporaryDirectory() as name:
            peer.time(*program, name, True, draw)
            _, ours_off, theirs_off = compared_with_evaluator(pathlib.Path(name), level, threads)
            ratios.append(max(ours_off, 1e-30) / max(theirs_off, 1e-30))
            if not ratios[-1] <= MOST_ON_ONE_INPUT:  # or NaN
                return False
    return mean(ratios) <= 2


def measured(peer, program, level, threads, folder, theirs):
    """One line of the table. A program that fails has the ratio of a very slow one."""
    record = {"kind": program[0], "name": program[1], "level": level, "threads": threads, "peer_seconds": theirs["seconds"],
              "peer_first": theirs["compile"] + theirs["first"], "peer_library": theirs["library"],
              "peer_limited": hides_by_cpuid(level)}
    try:
        answer = ours(folder, level, threads, theirs["runs"])
    except RuntimeError as error:
        return record | {"seconds": 1e3, "first": 1e3, "ratio": 1e-6, "first_ratio": 1e6, "evaluated": 0, "agrees": False, "error": str(error)}
    seconds = min(answer["run_seconds"])
    first = answer["prepare_seconds"] + answer["compile_seconds"] + answer["run_seconds"][0]
    return record | {"seconds": seconds, "first": first, "ratio": theirs["seconds"] / seconds, "first_ratio": first / record["peer_first"],
                     "evaluated": answer["reference_steps"],
                     "agrees": answer["comparison"]["agrees"] or agrees_with_evaluator(folder, level, threads)
                     or agrees_over_inputs(peer, program, level, threads)}


def repeated(peer, program, level, threads, folder, record):
    """The measurement with the best times of it and of another one, if it is below the bar."""
    if record["ratio"] >= LEAST_RATIO or "error" in record:
        return record
    theirs = peer.time(*program, folder, False)
    answer = ours(folder, level, threads, theirs["runs"])
    seconds = {"seconds": min(record["seconds"], *answer["run_seconds"]), "peer_seconds": min(record["peer_seconds"], theirs["seconds"])}
    return record | seconds | {"ratio": seconds["peer_seconds"] / seconds["seconds"]}


def line_of(record):
    library = ", ".join(f"{count} {name}" for name, count in record["peer_library"].items())
    return (f"{record['level']:6} {record['threads']}T {record['kind'] + ': ' + record['name']:64} {1e3 * record['seconds']:9.3f} ms, "
            f"XLA {1e3 * record['peer_seconds']:9.3f}: {record['ratio']:6.2f}; first {record['first_ratio']:5.2f} of XLA's"
            + (f"; {record['evaluated']} steps evaluated" if record["evaluated"] else "")
            + (f"; XLA not limited in {library}" if library and record["level"] != "best" and not record["peer_limited"] else "")
            + ("" if record["agrees"] else "; RESULTS DIFFER") + (f"; {record['error'][:300]}" if "error" in record else ""))


def chosen(programs, quick):
    """(levels, numbers of threads, programs) of this run."""
    if quick:
        return ["best"], [2], list(QUICK)
    only = dict(part.split("=", 1) for part in os.environ.get("HALO_EVIDENCE_ONLY", "").split(",") if part)
    kinds = only.get("kind", "").split("+")
    return ([level for level in LEVELS if level in only.get("level", level).split("+")],
            [threads for threads in (1, 2) if str(threads) in only.get("threads", str(threads))],
            [each for each in programs if (kinds == [""] or each[0] in kinds) and only.get("name", "") in each[1]])


def measure(quick):
    need_halo()
    levels, counts_of_threads, _ = chosen([], quick)
    records = []
    with tempfile.TemporaryDirectory() as name:
        peers = {(level, threads): Peer(level, threads, 0.1 if quick else 0.4) for level in levels for threads in counts_of_threads}
        first = next(iter(peers.values()))
        for number, program in enumerate(chosen(first.programs, quick)[2]):
            folder = pathlib.Path(name) / str(number)
            folder.mkdir()
            for (level, threads), peer in peers.items():
                theirs = peer.time(*program, folder, peer is first)
                record = measured(peer, program, level, threads, folder, theirs)
                records.append(record if quick else repeated(peer, program, level, threads, folder, record))
                print(line_of(records[-1]), flush=True)
                if not quick:
                    with open(KEPT, "a", encoding="utf-8") as file:
                        file.write(json.dumps(records[-1]) + "\n")
            for file in folder.iterdir():
                file.unlink()
        for peer in peers.values():
            peer.close()
    for level in [] if quick else levels:
        here = [each for each in records if each["level"] == level]
        print(f"\n{level}:\n{by_kind(here)}")
        whole = [each for each in here if each["peer_limited"] or not each["peer_library"]]
        if level != "best" and whole:
            print(f"XLA limited in all of its code: {len(whole)} measurements, {mean([each['ratio'] for each in whole]):.2f} times as fast, "
                  f"{sum(each['ratio'] < LEAST_RATIO for each in whole)} below {LEAST_RATIO}")
    ratio = mean([each["ratio"] for each in records])
    slowest = min(records, key=lambda each: each["ratio"])
    wrong = sorted({each["name"] for each in records if not each["agrees"]})
    if wrong:
        print("results differ: " + ", ".join(wrong))
    late = [each for each in records if each["first_ratio"] > 1.5]
    fast = ratio >= 0.5 if quick else ratio >= 2 and slowest["ratio"] >= LEAST_RATIO and not late
    found = {"kinds": len({each["kind"] for each in records}), "programs": len({(each["kind"], each["name"]) for each in records}),
             "measurements": len(records)}
    whole = quick or not os.environ.get("HALO_EVIDENCE_ONLY")
    return fast and not wrong and whole and enough(QUICK_LEAST if quick else LEAST, found), (
        f"{ratio:.2f} times as fast by geometric mean over {found['programs']} programs of {found['kinds']} kinds, "
        f"{sum(each['ratio'] < LEAST_RATIO for each in records)} of {len(records)} measurements below {LEAST_RATIO}, the slowest {slowest['ratio']:.2f} "
        f"({slowest['name']}, {slowest['level']}, {slowest['threads']} threads); first runs {mean([each['first_ratio'] for each in records]):.2f} "
        f"of XLA's, {len(late)} above 1.5")
