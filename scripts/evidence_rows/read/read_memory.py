"""Measures the memory of a module after reading: resident bytes of a fresh process, after the text is freed. Freed memory
is given back to the system (malloc_trim) before each look, here and in jaxlib's process."""
import pathlib
import subprocess
import tempfile

from common import enough, jax_script, json_lines, make_large_module, need_shared, program

ORDER = 7
QUICK_SECONDS = 3
WHAT = "a generated module of 4 million instructions (about 1 GB of text), and seed 002 against jaxlib"
BAR = "160 bytes per instruction in all; on 002 at most 1/8 of jaxlib's memory"
QUICK_BAR = "the same for a module of 400,000 instructions"
LEAST = {"instructions": 4_000_000}
QUICK_LEAST = {"instructions": 400_000}

PEER = """
import ctypes, gc, sys
libc = ctypes.CDLL(None)
from jaxlib import _hlo
def resident():
    gc.collect()
    libc.malloc_trim(0)
    return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmRSS')) * 1024
_hlo.hlo_module_from_text('HloModule m\\nENTRY e { ROOT p = f32[] parameter(0) }').to_string()
text = open(sys.argv[1]).read()
before = resident()
module = _hlo.hlo_module_from_text(text)
print('{"resident_bytes": %d}' % (resident() - before))
"""


def read_memory(path):
    tool = program("bench/read_memory")
    run = subprocess.run([str(tool), str(path), "1"], capture_output=True, text=True, check=True)
    return json_lines(run.stdout)[0]


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    count = least["instructions"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.hlo"
        make_large_module(path, count)
        large = read_memory(path)
        size = path.stat().st_size
    per_instruction = large["resident_bytes"] / large["instructions"]
    print(f"  {large['instructions']} instructions, {large['text_bytes'] / 1e6:.0f} MB of text: "
          f"{large['resident_bytes'] / 1e6:.0f} MB resident once read, {large['seconds']:.1f} s, "
          f"peak {large['peak_resident_bytes'] / 1e6:.0f} MB with the text mapped")
    seed = next(need_shared("seeds").glob("002_*"))
    ours = sorted(read_memory(seed)["resident_bytes"] for _ in range(3))[1]
    theirs = sorted(json_lines(jax_script(PEER, seed))[0]["resident_bytes"] for _ in range(3))[1]
    print(f"  seed 002: {ours / 1e6:.2f} MB, jaxlib {theirs / 1e6:.2f} MB")
    ratio = theirs / ours
    held = large["errors"] == 0 and per_instruction <= 160 and ratio >= 8 and large["text_bytes"] == size
    held = held and enough(least, {"instructions": large["instructions"]})
    return held, f"{per_instruction:.0f} bytes per instruction; on 002 1/{ratio:.1f} of jaxlib's memory"
