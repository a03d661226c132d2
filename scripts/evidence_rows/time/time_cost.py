"""Compares flops, transcendentals and bytes of `halo time` with XLA's own cost analysis, which jaxlib exposes."""
import json
import pathlib
import re
import tempfile

from common import enough, halo, jax_script, need_shared

ORDER = 10
WHAT = "cost of the CPU programs, beside XLA's own cost analysis"
BAR = ("38 programs: flops and transcendentals equal XLA's; bytes within 1 % or below for a stated reason; loops count as "
       "often as they run")
QUICK_SECONDS = 5
QUICK_BAR = "the same for every fifth program"
LEAST, QUICK_LEAST = {"programs": 38}, {"programs": 8}
ORACLE = """
import json, sys
import jax
from jax._src.lib import xla_client
from jaxlib import _hlo
client = jax.devices("cpu")[0].client
for path in sys.argv[1:]:
    module = _hlo.hlo_module_from_text(open(path).read())
    cost = xla_client._xla.hlo_module_cost_analysis(client, module)
    print(json.dumps([cost.get(key, 0.0) for key in ("flops", "transcendentals", "bytes accessed")]))
"""
LOOP = """HloModule loop, is_scheduled=true
%body { %x = f32[1000]{0} parameter(0)
  ROOT %y = f32[1000]{0} add(%x, %x) }
%condition { %x.1 = f32[1000]{0} parameter(0)
  ROOT %go = pred[] constant(true) }
ENTRY %main { %p = f32[1000]{0} parameter(0)
  ROOT %loop = f32[1000]{0} while(%p), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"7"}} }
"""


def tables(text):
    """Bytes of the pointer tables that XLA counts for tuples outside of fusions."""
    fused = set(re.findall(r"fusion\(.*calls=%?([\w.\-]+)", text))
    total, inside = 0, False
    for line in text.splitlines():
        if line and not line.startswith((" ", "}")):
            inside = re.sub(r"^(ENTRY )?%?", "", line).split(" ")[0] in fused
        match = re.search(r" = \(.*\) tuple\((.*)\)", line)
        if match and not inside:
            total += 8 * match[1].count("%")
    return total


def measure(quick):
    folders = sorted(need_shared("corpus/jax/cpu").iterdir())
    chosen = folders[::5] if quick else folders
    paths = [next(folder.glob("*cpu_after_optimizations.txt")) for folder in chosen]
    truth = [json.loads(line) for line in jax_script(ORACLE, *paths).splitlines()]
    failures, equal_bytes, below = [], 0, 0
    for path, (flops, functions, moved) in zip(paths, truth, strict=True):
        name, text = path.parent.name, path.read_text()
        cost = json.loads(halo("time", path, "--json"))["cost_once"]
        calls = text.count("custom_call_target=")  # XLA adds -1 for each call that it does not know
        if cost["flops"] != flops + calls:
            failures.append(f"{name}: {cost['flops']} flops, XLA {flops}")
        if cost["transcendentals"] != functions:
            failures.append(f"{name}: {cost['transcendentals']} transcendentals, XLA {functions}")
        ours = cost["bytes_read"] + cost["bytes_written"]
        wanted = moved - tables(text)
        if 0.99 * wanted <= ours <= 1.01 * moved:  # of a conditional's tables, XLA counts one branch's
            equal_bytes += 1
        elif ours < wanted or calls:
            # XLA counts an operand once for each use by an instruction or a fusion, and a call as -1 bytes.
            below += 1
            print(f"  {name}: {ours:.0f} bytes, XLA {moved:.0f} without {tables(text)} of tuple tables: "
                  + ("calls are unknown to XLA" if calls else "each byte is counted once here, once per use there"))
        else:
            failures.append(f"{name}: {ours} bytes, XLA {moved}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "loop.hlo"
        path.write_text(LOOP)
        document = json.loads(halo("time", path, "--json"))
        if (document["cost"]["flops"], document["cost_once"]["flops"]) != (7000, 1000):
            failures.append(f"a loop of 7 iterations has {document['cost']['flops']} flops")
    for failure in failures:
        print(f"  FAILED: {failure}")
    return (not failures and enough(QUICK_LEAST if quick else LEAST, {"programs": len(chosen)}),
            f"flops and transcendentals equal on {len(chosen) - len(failures)} of {len(chosen)}; bytes within 1 % on "
            f"{equal_bytes}, {below} differ as stated")
