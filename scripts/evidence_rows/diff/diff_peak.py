"""The change of the peak explained: terms that add up to the byte, and injected causes that must be named first.

Pairs have XLA's own assignments: the CPU programs of two versions of jaxlib, and the training step of consecutive versions.
The change must be the difference of the sizes that XLA prints; values, held and heap bytes must add up term by term.
Injected causes (peak_injections.py) are planned by halo on both sides; only those that raise the memory count. The
first cause must be of the right kind and name the injected value. The quick form takes 3 pairs and 4 causes."""
import json
import pathlib
import random
import re
import subprocess
import tempfile

from common import enough, halo_run, need_shared
from peak_injections import KINDS, Text

ORDER = 126
QUICK_SECONDS = 3
WHAT = "the change of the peak: pairs with XLA's assignments, and injected causes"
BAR = "terms add up to the byte in 40 of 40 pairs; of 50 injected causes the true one first in at least 48"
QUICK_BAR = "terms add up to the byte in 3 of 3 pairs; of 4 injected causes the true one first in all"
LEAST = {"pairs": 40, "causes": 50, "causes of the rarest kind": 8}
QUICK_LEAST = {"pairs": 3, "causes": 4, "causes of the rarest kind": 1}
VERSIONS = ("0.4.30", "0.4.38", "0.6.2", "0.8.0", "0.9.0", "0.10.2", "0.12.0.1")


def compared(a, b):
    run = halo_run("diff", a, b, "--json", "--top", 1)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"halo diff {a} {b}: exit {run.returncode}\n{run.stderr.decode()[:500]}")
    return json.loads(run.stdout).get("peak")


def printed_bytes(module):
    """The sum of the allocations that XLA lists next to a module."""
    listed = pathlib.Path(str(module).removesuffix(".txt") + "-buffer-assignment.txt").read_text(encoding="utf-8")
    return sum(map(int, re.findall(r"^allocation \d+: (?:0x[0-9a-f]+, )?size (\d+)", listed, re.MULTILINE)))


def adds_up(peak, a, b):
    before, after = peak["before"], peak["after"]
    held = [after[key] - before[key] for key in ("held_bytes", "live_bytes", "heap_bytes")]
    terms = sum(peak[key] for key in ("only_after", "only_before", "resized"))
    return (terms == held[0] + held[1] and peak["packing"] == held[2] - held[1]
            and terms + peak["packing"] == peak["bytes"] == printed_bytes(b) - printed_bytes(a)
            and sum(cause["bytes"] for cause in peak["causes"]) == peak["bytes"]
            and all(sum(place["bytes"] for place in cause["places"]) == cause["bytes"] or cause["kind"] == "packing"
                    for cause in peak["causes"])
            and not before["planned_by_halo"] and not after["planned_by_halo"])


def unpacked(archive, folder):
    subprocess.run(["tar", "xf", str(archive), "-C", str(folder)], check=True)


def pairs(folder, quick):
    versions = need_shared("corpus/versions")
    steps = []
    for each in VERSIONS[4:6] if quick else VERSIONS:
        unpacked(versions / f"cpu_{each}.tar.zst", folder)
        steps.append(max((folder / f"cpu_{each}").glob("*cpu_after_optimizations.txt"), key=lambda path: path.stat().st_size))
    yield from zip(steps, steps[1:])
    unpacked(versions / "cpu_0.12.0.1_programs.tar.zst", folder)
    old = need_shared("corpus") / "jax" / "cpu"
    programs = sorted((folder / "cpu_0.12.0.1_programs").rglob("*cpu_after_optimizations.txt"))
    for new in programs[10:12] if quick else programs:
        found = list((old / new.parent.name).glob("*cpu_after_optimizations.txt"))
        if found:
            yield found[0], new


def device_bytes(path):
    run = halo_run("memory", path, "--json", "--no-advice")
    return json.loads(run.stdout) if run.returncode == 0 else None


def is_right(peak, kind, names):
    first = peak["causes"][0] if peak and peak["causes"] else None
    if first is None or first["kind"] != kind or first["bytes"] <= 0:
        return False
    blamed = {place.get(key, "") for place in first["places"] for key in ("after", "because")}
    blamed = {name.split("{")[0] for name in blamed} | set(first["moved"])
    return names is None or any(name in blamed for name in names)


def injections(path, folder, wanted, rounds, most):
    """Yields (kind, right) of injected causes that raise the memory of a module."""
    source = path.read_text(encoding="utf-8")
    if "is_scheduled=true" not in source.split("\n", 1)[0]:
        return
    a, b = folder / "a.txt", folder / "b.txt"
    a.write_text(source)
    memory = device_bytes(a)
    if memory is None or "peak" not in memory:
        return
    text = Text(source)
    peak = text.at.get(memory["peak"]["instruction"])
    if peak is None:
        return
    for kind in wanted:
        options = list(KINDS[kind](text, peak))
        random.Random(len(source)).shuffle(options)
        found_here = 0
        for lines, expected, names in options[:rounds]:
            b.write_text("\n".join(lines) + "\n")
            changed = device_bytes(b)
            if changed is None or changed["device_bytes"] <= memory["device_bytes"]:
                continue
            found = compared(a, b)
            right = is_right(found, expected, names)
            if not right:
                first = found["causes"][0] if found and found["causes"] else {}
                print(f"  {path.parent.name}: {expected} of {names}: first is {first.get('kind')}, {first.get('what')}, "
                      f"{first.get('bytes')} of {changed['device_bytes'] - memory['device_bytes']} bytes")
            yield kind, right
            found_here += 1
            if found_here == most:
                break


def measure(quick):
    exact = total = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for a, b in pairs(folder, quick):
            peak = compared(a, b)
            total += 1
            good = peak is not None and adds_up(peak, a, b)
            exact += good
            if not good:
                print(f"  {a.parent.name} -> {b.parent.parent.name}/{b.parent.name}: terms do not add up")
    most = {kind: 1 if quick else 13 for kind in KINDS}
    done, right = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    corpus = need_shared("corpus") / "jax"
    modules = sorted((corpus / "cpu").rglob("*.cpu_after_optimizations.txt"))
    if not quick:
        modules += sorted((corpus / "gpu").rglob("*gpu_after_optimizations.txt"))
    modules = [path for path in modules if path.stat().st_size < 1_500_000]
    if quick:
        modules = [path for path in modules if path.parent.name in ("mlp_adam", "dot_zoo", "reduce_window_zoo")]
    with tempfile.TemporaryDirectory() as name:
        for path in modules:
            wanted = [kind for kind in KINDS if done[kind] < most[kind]]
            for kind, good in injections(path, pathlib.Path(name), wanted, 8 if quick else 40, 1 if quick else 3):
                done[kind] += 1
                right[kind] += good
    causes, named = sum(done.values()), sum(right.values())
    print("  " + ", ".join(f"{kind} {right[kind]} of {done[kind]}" for kind in KINDS))
    counts = {"pairs": total, "causes": causes, "causes of the rarest kind": min(done.values())}
    held = exact == total and named >= (causes if quick else 0.96 * causes) and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, f"terms add up in {exact} of {total} pairs; the true cause first in {named} of {causes}"
