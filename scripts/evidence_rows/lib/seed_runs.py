"""Runs a seed with the compiled engine and with XLA's CPU on the same inputs, compares outputs, and times both."""
import atexit
import functools
import json
import pathlib
import shutil
import tempfile

from common import SHARED, Skipped, enough, halo_run, jax_script, need_halo, need_shared
from replay import problem_of

SEED = 1  # of the generated inputs
REPEAT, QUICK_REPEAT = 5, 2  # timed runs, of XLA's as of ours

XLA = """
import os, sys
os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_force_host_platform_device_count=1'
sys.path.insert(0, sys.argv[1])
import numpy as np, ml_dtypes, jax, time, json
import hlorun
text = open(sys.argv[2]).read()
start = time.time()
exe, devices = hlorun.compile_text(text)
compiled = time.time() - start
shapes, results, _ = hlorun.entry_sig(text)
archive = np.load(sys.argv[3])
arguments = []
for i, shape in enumerate(shapes):
    array = archive['in_%d' % i]
    array = array.view(ml_dtypes.bfloat16) if str(shape).startswith('bf16') else array
    arguments.append(jax.device_put(array, devices[0]))
jax.block_until_ready(arguments)
times = []
for _ in range(int(sys.argv[5])):
    start = time.perf_counter()
    outs = [out[0] for out in exe.execute_sharded(arguments).disassemble_into_single_device_arrays()]
    jax.block_until_ready(outs)
    times.append(time.perf_counter() - start)
view = lambda a: a.view(np.uint16) if a.dtype == ml_dtypes.bfloat16 else a
np.savez(sys.argv[4], **{'out_%d' % i: view(np.asarray(out)) for i, out in enumerate(outs)})
lines = [line for module in exe.hlo_modules() for line in module.to_string().splitlines() if ' = ' in line]
library = [line for line in lines if '__ynn_fusion' in line or '__xnn_fusion' in line or '__onednn' in line]
print(json.dumps({'compile': compiled, 'times': times, 'instructions': len(lines), 'library': len(library)}))
"""


def run(*arguments):
    done = halo_run("run", *arguments, "--json")
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:])
    return json.loads(done.stdout)


def memory_gib():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) / 2 ** 20
    return 0


def share(output):
    """Returns the largest difference relative to the largest magnitude."""
    absolute, largest = output["max_absolute"], output["largest_expected"]
    if isinstance(absolute, str):
        return float("inf")
    return absolute / largest if largest else absolute


@functools.cache
def archives(number):
    """A folder with the generated inputs of a seed, and what XLA's CPU made of them so far. Rows on the same seed share it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halo-seed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    seed = next((SHARED / "seeds").glob(number + "_*"))
    run(seed, "--devices", 1, "--random", SEED, "--inputs-only", "--save-inputs", folder / "in.npz")
    return folder, {}


def on_xla(number, repeat, level="best"):
    """Runs a seed with XLA's CPU at least so often, unless a row has done so before at this level, to which the caller
    has limited it. Returns the archives `inputs` and `outputs`, the seconds of each run (`times`) and those of compiling,
    and how many instructions XLA's program has, and library calls among them."""
    folder, levels = archives(number)
    known, out = levels.setdefault(level, {}), folder / f"out_{level}.npz"
    if len(known.get("times", ())) < repeat:
        logical = SHARED / "corpus/seeds_logical" / f"{number}.logical.txt"
        known.update(json.loads(jax_script(XLA, SHARED / "oracle", logical, folder / "in.npz", out, repeat)))
    return {"inputs": folder / "in.npz", "outputs": out, **known}


def measure_seed(number, bar, least, quick, level="best", repeat=REPEAT):
    """Checks that at least so many outputs agree and that XLA's minimum time is at least `bar` times ours."""
    need_halo()
    need_shared("corpus/seeds_logical")
    need_shared("oracle/hlorun.py")
    if memory_gib() < 10:
        raise Skipped(f"{memory_gib():.0f} GiB of memory are free; 10 are needed")
    seed = next((SHARED / "seeds").glob(number + "_*"))
    xla = on_xla(number, QUICK_REPEAT if quick else repeat, level)
    answer = run(seed, "--devices", 1, "--inputs", xla["inputs"], "--compare", xla["outputs"], "--engine", "compiled",
                 "--repeat", len(xla["times"]), "--cache", "none")
    problem = problem_of(answer, xla["outputs"])
    if problem:
        print(f"  {problem}")
    held = problem is None and len(answer["run_seconds"]) == len(xla["times"]) and answer["engine"] == "compiled" and answer["finished"] and answer["comparison"]["agrees"]
    for output in answer["comparison"]["outputs"]:
        if not output["ok"]:
            print(f"  {output['name']} {output['type']}{output['dims']}: {output.get('problem', '')} "
                  f"{share(output):.2e} of its largest, {output['beyond']} of {output['elements']} beyond")
    bad = [each["name"] for each in answer["outputs"] if each["nans"] or each["infinities"]]
    ours, theirs = min(answer["run_seconds"]), min(xla["times"])
    print(f"outputs: {sum(each['ok'] for each in answer['comparison']['outputs'])} of {len(answer['outputs'])} equal"
          + (f", not finite: {', '.join(bad[:5])}" if bad else ", all finite"))
    print(f"times here {', '.join(f'{each:.3f}' for each in answer['run_seconds'])} s; "
          f"XLA's CPU {', '.join(f'{each:.3f}' for each in xla['times'])} s")
    print(f"compiled here in {answer['prepare_seconds'] + answer['compile_seconds']:.2f} s, by XLA in {xla['compile']:.2f} s; "
          f"{answer['kernel_steps']} kernel, {answer['library_steps']} library, {answer['reference_steps']} evaluated steps")
    held &= not bad and theirs >= bar * ours and enough(least, {"outputs": len(answer["outputs"])})
    return held, f"{len(answer['outputs'])} outputs {'equal' if answer['comparison']['agrees'] else 'DIFFERENT'}; {ours:.3f} s against {theirs:.3f} s, {theirs / ours:.1f} times as fast"
