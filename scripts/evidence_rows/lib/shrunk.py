"""Shrinks a module and checks the small one: it must verify and have the instructions of the large one."""
import collections
import json
import re
import time

from common import halo_run, jax_script

# Compares arrays by name in two archives. Counts how many elements of each result differ from the input with the same
# number, and how many results have a non-finite value. bf16 is stored as uint16.
LOOK = """
import json, sys
import numpy as np
before, after, last = np.load(sys.argv[1]), np.load(sys.argv[2]), int(sys.argv[3])
def floats(a):
    return (a.astype(np.uint32) << 16).view(np.float32) if a.dtype == np.uint16 else a
changed, bad = {}, 0
for name in after.files:
    value = floats(after[name])
    bad += int(value.dtype.kind == "f" and not np.isfinite(value).all())
    number, _, device = name.removeprefix("out_").partition("_d")
    if int(number) >= last:
        continue
    source = f"in_{number}_d{device}" if f"in_{number}_d{device}" in before.files else f"in_{number}"
    changed[number] = changed.get(number, 0) + int((after[name] != before[source]).sum())
print(json.dumps({"changed": changed, "not_finite": bad, "results": len(after.files)}))
"""

INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?[\w.#-]+ = .*? ([a-z][a-z0-9-]*)\(", re.M)


def opcodes(text):
    return collections.Counter(INSTRUCTION.findall(text))


def shrink(source, target, *options):
    """Returns the report of `halo shrink` with its time. Raises an error if it fails."""
    start = time.perf_counter()
    run = halo_run("shrink", source, "-o", target, "--json", *options)
    if run.returncode != 0:
        raise RuntimeError(f"halo shrink {source.name}: exit {run.returncode}\n{run.stdout.decode()[-1500:]}")
    report = json.loads(run.stdout)
    report["seconds"] = time.perf_counter() - start
    return report


def same_structure(source, target):
    """Whether both texts have the same number of instructions of every opcode."""
    return opcodes(source.read_text()) == opcodes(target.read_text())


def verifies(path):
    return halo_run("check", path).returncode == 0


def changed_elements(before, after, arrays):
    return json.loads(jax_script(LOOK, before, after, arrays))


def told(report):
    bytes_of = report["bytes_per_device"]
    devices = report["devices"]
    return (f"{devices['before']} devices with {bytes_of['before'] / 2**30:.1f} GiB each -> {devices['after']} with "
            f"{bytes_of['after'] / 2**20:.1f} MiB, in {report['seconds']:.1f} s")
