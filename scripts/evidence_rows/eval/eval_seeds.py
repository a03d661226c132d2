"""Seeds 000 and 004 at full size: inputs made up by role, run by `halo run`, and by XLA's CPU from the same
program in plain logical HLO. Both get the same inputs; outputs are compared element by element, with the
tolerances of replay.py. The evaluator sums in double and rounds where the program says; XLA's CPU sums in f32 in
blocks and keeps f32 inside its fusions, so elements near zero differ in all their bits, and are judged by the
steps at the output's largest magnitude."""
import json
import pathlib
import struct
import subprocess
import tempfile
import time
import zipfile

from common import HALO, SHARED, Skipped, jax_script, need_halo, need_shared

ORDER = 43
WHAT = "seeds 000 and 004 at full size with inputs made up by role, against XLA's CPU on the same inputs"
BAR = ("they finish, every output is finite and equal to XLA's: bf16 to 2 ulp or 1 ulp of the output's largest, f32 to "
       "1e-5 relative or 4 ulp of the largest times the root of the longest sum's length, integers exactly; --find-nan "
       "finds none, and finds who overflows when the first input is the largest number of its type")
SEED = 1

XLA = """
import os, sys
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=1'
sys.path.insert(0, sys.argv[1])
import numpy as np, ml_dtypes, jax, time
import hlorun
text = open(sys.argv[2]).read()
exe, devices = hlorun.compile_text(text)
shapes, results, _ = hlorun.entry_sig(text)
archive = np.load(sys.argv[3])
arguments = []
for i, shape in enumerate(shapes):
    array = archive['in_%d' % i]
    arguments.append(array.view(ml_dtypes.bfloat16) if str(shape).startswith('bf16') else array)
start = time.time()
outs = hlorun.run(exe, devices, [arguments])
seconds = time.time() - start
del arguments, archive
view = lambda a: a.view(np.uint16) if a.dtype == ml_dtypes.bfloat16 else a
np.savez(sys.argv[4], **{'out_%d' % i: view(out[0]) for i, out in enumerate(outs)})
print('%.1f' % seconds)
"""


def memory_gib():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) / 2 ** 20
    return 0


def run(*arguments):
    done = subprocess.run([str(HALO), "run", *map(str, arguments), "--engine", "reference", "--json"], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:])
    return done.returncode, json.loads(done.stdout)


def share(output):
    """The largest difference as a share of the largest magnitude."""
    absolute, largest = output["max_absolute"], output["largest_expected"]
    if isinstance(absolute, str):
        return float("inf")
    return absolute / largest if largest else absolute


def one_seed(number, folder, quick):
    seed = next((SHARED / "seeds").glob(number + "_*"))
    logical = SHARED / "corpus/seeds_logical" / f"{number}.logical.txt"
    inputs, expected = folder / "in.npz", folder / "expected.npz"
    run(seed, "--devices", 1, "--random", SEED, "--inputs-only", "--save-inputs", inputs)
    xla_seconds = jax_script(XLA, SHARED / "oracle", logical, inputs, expected).strip()
    start = time.monotonic()
    _, answer = run(seed, "--devices", 1, "--inputs", inputs, "--compare", expected)
    seconds = time.monotonic() - start
    held = True
    worst = {}
    for output in answer["comparison"]["outputs"]:
        kind, good = output["type"], output["ok"]
        held &= good
        if share(output) > worst.get(kind, (-1, ""))[0]:
            worst[kind] = (share(output), output["name"])
        if not good:
            print(f"  {output['name']} {kind}{output['dims']}: {output.get('problem', '')} "
                  f"{share(output):.2e} of its largest, {output['beyond']} of {output['elements']} beyond")
    bad = [each["name"] for each in answer["outputs"] if each["nans"] or each["infinities"]]
    held &= not bad and answer["finished"]
    told = ", ".join(f"{kind} at most {value:.1e} ({name})" for kind, (value, name) in sorted(worst.items()))
    print(f"seed {number}: {answer['instructions_executed']} instructions in {seconds:.0f} s "
          f"({answer['peak_bytes'] / 2 ** 30:.1f} GiB; XLA's CPU {xla_seconds} s), "
          f"{len(answer['outputs'])} outputs, {'all finite' if not bad else 'not finite: ' + ', '.join(bad[:5])}; {told}",
          flush=True)
    if not quick:
        held &= find_nan(number, seed, answer, folder)
    return held, seconds


def npy(dtype, dims, element):
    """An array of one element repeated, as numpy would save it."""
    count = 1
    for dim in dims:
        count *= dim
    shape = "(" + "".join(f"{dim}, " for dim in dims) + ")"
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + element * count


def find_nan(number, seed, answer, folder):
    """None with the inputs as they are; with the largest number of its type as first input, who overflows."""
    code, clean = run(seed, "--devices", 1, "--random", SEED, "--find-nan")
    origin = clean["first_non_finite"]
    print(f"seed {number}: --find-nan: {'none' if origin is None else json.dumps(origin)[:400]}", flush=True)
    first = answer["parameters"][0]
    dtype, largest = {"bf16": ("<u2", b"\x7f\x7f"), "f32": ("<f4", b"\xff\xff\x7f\x7f")}[first["type"]]
    planted = folder / "planted.npz"
    with zipfile.ZipFile(planted, "w") as archive:
        archive.writestr("in_0.npy", npy(dtype, first["dims"], largest))
    planted_code, found = run(seed, "--devices", 1, "--random", SEED, "--inputs", planted, "--find-nan")
    made = found["first_non_finite"]
    finite = made is not None and not any(each["nans"] or each["infinities"] for each in made["operands"])
    print(f"seed {number}: --find-nan with in_0 the largest {first['type']}: "
          + ("none" if made is None else f"{made['is']} by {made['opcode']} %{made['instruction']} from finite operands "
             f"({', '.join(made['path'])}; {made['op_name']} {made['source']})"), flush=True)
    return code == 0 and origin is None and planted_code == 1 and finite


def measure(quick):
    need_halo()
    need_shared("corpus/seeds_logical")
    need_shared("oracle/hlorun.py")
    if memory_gib() < 10:
        raise Skipped(f"{memory_gib():.0f} GiB of memory are free; 10 are needed")
    held, times = True, []
    for number in ("000",) if quick else ("000", "004"):
        with tempfile.TemporaryDirectory() as folder:
            good, seconds = one_seed(number, pathlib.Path(folder), quick)
        held &= good
        times.append(f"{number} {'equal' if good else 'DIFFERENT'} in {seconds:.0f} s")
    return held, "; ".join(times)
