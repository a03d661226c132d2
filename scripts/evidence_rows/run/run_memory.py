"""Compares the peak memory of a compiled run with its plan. The fixed overhead of every run (the command, LLVM, oneDNN)
is measured on a program with one addition and subtracted. The command generates the inputs."""
import json
import os
import pathlib
import subprocess
import tempfile

from common import SHARED, Skipped, enough, need_halo, need_shared

ORDER = 57
QUICK_SECONDS = 8
WHAT = "peak resident memory of compiled runs against the plan"
BAR = "within 10 % of the plan plus the fixed overhead of a run that adds two numbers"
QUICK_BAR = "the same without seed 000"
LEAST = {"programs": 2}
QUICK_LEAST = {"programs": 1}
TINY = "HloModule t\nENTRY e {\n  a = f32[] parameter(0)\n  ROOT b = f32[] add(a, a)\n}\n"
BIG = """HloModule b
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[8192,8192] parameter(0)
  b = f32[8192,8192] parameter(1)
  c = f32[8192,8192] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  t = f32[8192,8192] transpose(c), dimensions={1,0}
  s = f32[8192,8192] add(t, a)
  zero = f32[] constant(0)
  ROOT r = f32[8192] reduce(s, zero), dimensions={1}, to_apply=sum
}
"""


def peak(module, *options):
    """Returns (JSON result, peak resident bytes) of one run."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(need_halo()), "run", str(module), "--random", "1", "--json", "--cache", "none",
                                    *map(str, options)], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read()
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(text.decode()[-1500:])
    return json.loads(text), usage.ru_maxrss * 1024


def measure(quick):
    need_halo()
    need_shared("seeds")
    held, told = True, []
    with tempfile.TemporaryDirectory() as folder:
        tiny, big = pathlib.Path(folder) / "tiny.txt", pathlib.Path(folder) / "big.txt"
        tiny.write_text(TINY)
        big.write_text(BIG)
        _, overhead = peak(tiny)
        print(f"overhead {overhead / 2 ** 20:.0f} MiB")
        programs = [("product and sum", big, [])]
        if not quick:
            programs.append(("seed 000", next((SHARED / "seeds").glob("000_*")), ["--devices", 1]))
        for name, module, options in programs:
            answer, most = peak(module, *options)
            if answer["engine"] != "compiled":
                raise Skipped(answer.get("not_compiled_because", ""))
            if name == "product and sum":
                held &= [each["dims"] for each in answer["outputs"]] == [[8192]] and answer["planned_bytes"] >= 3 * 4 * 8192 ** 2
            allowed = 1.1 * answer["planned_bytes"] + overhead
            print(f"{name}: planned {answer['planned_bytes'] / 2 ** 20:.0f} MiB, peak {most / 2 ** 20:.0f} MiB, "
                  f"{(most - overhead) / answer['planned_bytes']:.3f} of the plan without the overhead")
            held &= most <= allowed
            told.append(f"{name} {(most - overhead) / answer['planned_bytes']:.2f} of the plan")
    return held and enough(QUICK_LEAST if quick else LEAST, {"programs": len(told)}), ", ".join(told)
