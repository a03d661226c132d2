"""Runs multi-device programs that never terminate. They must not hang, and the diagnostic must name the devices and the
instructions."""
import pathlib
import subprocess
import tempfile
import time

from common import enough, need_halo
from devices_cpu_corpus import need_ranks

ORDER = 76
QUICK_SECONDS = 8
WHAT = "wrong programs for several devices as processes: groups that do not match, a permute without a partner, a skipped collective, a rank that fails"
BAR = "each ends with a diagnostic that names instruction and device, well before its time limit"
QUICK_BAR = BAR
LEAST = {"programs": 6}
LIMIT = 45

HEAD = "HloModule wrong, replica_count=4\nadd { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }\n"
# Each device chooses its branch by its id.
BY_NUMBER = """ENTRY e {
  x = f32[8] parameter(0)
  id = u32[] replica-id()
  two = u32[] constant(2)
  is_low = pred[] compare(id, two), direction=LT
  ROOT r = f32[8] conditional(is_low, x, x), true_computation=low, false_computation=high
}
"""

PROGRAMS = {
    # Half of the devices reach one collective over all devices, half reach another.
    "different collectives": (HEAD + """low { p = f32[8] parameter(0)  ROOT first = f32[8] all-reduce(p), replica_groups={}, to_apply=add }
high { p = f32[8] parameter(0)  ROOT second = f32[8] all-reduce(p), replica_groups={}, to_apply=add }
""" + BY_NUMBER, ["first", "second"]),
    # The groups of the two sides do not match: 0 waits for 2, which waits for 3.
    "mismatched groups": (HEAD + """low { p = f32[8] parameter(0)  ROOT pairs = f32[8] all-reduce(p), replica_groups={{0,2},{1,3}}, to_apply=add }
high { p = f32[8] parameter(0)  ROOT halves = f32[8] all-reduce(p), replica_groups={{0,1},{2,3}}, to_apply=add }
""" + BY_NUMBER, ["pairs"]),
    # 0 and 1 send to 2 and 3, which wait in a different permute.
    "permute that deadlocks": (HEAD + """low { p = f32[8] parameter(0)  ROOT there = f32[8] collective-permute(p), source_target_pairs={{0,2},{2,0},{1,3},{3,1}} }
high { p = f32[8] parameter(0)  ROOT back = f32[8] collective-permute(p), source_target_pairs={{2,1},{1,2},{3,0},{0,3}} }
""" + BY_NUMBER, ["there", "back"]),
    # Two of the four devices never arrive.
    "skipped collective": (HEAD + """low { p = f32[8] parameter(0)  ROOT all = f32[8] all-reduce(p), replica_groups={}, to_apply=add }
high { p = f32[8] parameter(0)  ROOT none = f32[8] negate(p) }
""" + BY_NUMBER, ["all", "device"]),
    # Some devices run one more iteration of a loop.
    "different trip counts": (HEAD + """cond { s = (u32[], u32[], f32[8]) parameter(0)  i = u32[] get-tuple-element(s), index=0  n = u32[] get-tuple-element(s), index=1
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (u32[], u32[], f32[8]) parameter(0)  i = u32[] get-tuple-element(s), index=0  k = u32[] constant(1)  j = u32[] add(i, k)
  n = u32[] get-tuple-element(s), index=1  x = f32[8] get-tuple-element(s), index=2
  turn = f32[8] all-reduce(x), replica_groups={}, to_apply=add
  ROOT t = (u32[], u32[], f32[8]) tuple(j, n, turn) }
ENTRY e {
  x = f32[8] parameter(0)
  id = u32[] replica-id()
  zero = u32[] constant(0)
  t = (u32[], u32[], f32[8]) tuple(zero, id, x)
  w = (u32[], u32[], f32[8]) while(t), condition=cond, body=body
  ROOT r = f32[8] get-tuple-element(w), index=2
}
""", ["turn", "device"]),
    # A rank that runs forever is named when the time limit expires.
    "endless rank": (HEAD + """cond { s = (u32[], f32[8]) parameter(0)  i = u32[] get-tuple-element(s), index=0  n = u32[] constant(2)
  ROOT c = pred[] compare(i, n), direction=EQ }
body { s = (u32[], f32[8]) parameter(0)  i = u32[] get-tuple-element(s), index=0  x = f32[8] get-tuple-element(s), index=1
  y = f32[8] sine(x)
  ROOT t = (u32[], f32[8]) tuple(i, y) }
ENTRY e {
  x = f32[8] parameter(0)
  id = u32[] replica-id()
  t = (u32[], f32[8]) tuple(id, x)
  w = (u32[], f32[8]) while(t), condition=cond, body=body
  y = f32[8] get-tuple-element(w), index=1
  ROOT r = f32[8] all-reduce(y), replica_groups={}, to_apply=add
}
""", ["rank 2 is at", "did not finish within"]),
}


def diagnosed(name, text, words, folder):
    module = folder / "wrong.txt"
    module.write_text(text)
    options = ["--timeout", "4"] if name == "endless rank" else []
    begin = time.monotonic()
    try:
        run = subprocess.run([str(need_halo()), "run", module, "--devices", "4", "--random", "1", "-o", folder / "out.npz", *options],
                             capture_output=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        print(f"{name}: HANGS")
        return False
    said = run.stderr.decode(errors="replace").strip()
    held = run.returncode == 2 and all(word in said for word in words) and not (folder / "out.npz").exists()
    print(f"{name}: {'' if held else 'NOT DIAGNOSED, exit ' + str(run.returncode) + ': '}{time.monotonic() - begin:.1f} s: "
          + " ".join(said.split())[:300], flush=True)
    return held


def measure(_quick):
    need_ranks()
    with tempfile.TemporaryDirectory() as name:
        held = [diagnosed(each, *PROGRAMS[each], pathlib.Path(name)) for each in PROGRAMS]
    return all(held) and enough(LEAST, {"programs": len(held)}), f"{sum(held)} of {len(held)} wrong programs diagnosed"
