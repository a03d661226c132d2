"""Pairs of compilations that differ in one known way, and what `halo diff --recompiles` says is different. The full form
compiles them with every JAX that HALO_JAX_PYTHONS names (interpreters separated by colons, besides the one of build/venv)
and needs three versions; the quick form reads the dump that the guides use, made in the same way by one version."""
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile

from common import ROOT, Skipped, enough, halo_run, jax_python

ORDER = 128
QUICK_SECONDS = 1
WHAT = "`halo diff --recompiles`: 120 pairs of jits with ten known causes, compiled by three versions of JAX"
BAR = "at least 118 of 120 causes named first, on at least three versions; metadata is never blamed for another cause"
QUICK_BAR = "all 10 causes of the guides' dump, made by one version"
LEAST = {"pairs": 118, "versions": 3, "causes": 10}
QUICK_LEAST = {"pairs": 10, "versions": 1, "causes": 10}
PAIRS = pathlib.Path(__file__).resolve().parent / "recompile_pairs.py"
DUMP = ROOT / "docs/guides/dumps/recompiles/run.tar.gz"


def names_in(dump):
    """The names of the files in a dump, which contain those of its functions."""
    if dump.is_dir():
        return [path.name for path in dump.rglob("*")]
    with tarfile.open(dump) as archive:
        return archive.getnames()


def named(folder):
    """Returns (pairs, right ones, causes seen, how often metadata was blamed for another cause)."""
    run = halo_run("diff", "--recompiles", folder, "--json")
    if run.returncode != 1:
        raise RuntimeError(f"exit code {run.returncode}: {run.stderr.decode(errors='replace')[-500:]}")
    pairs = right = blamed = 0
    causes = set()
    files = "\n".join(names_in(pathlib.Path(folder)))
    for each in json.loads(run.stdout)["list"]:
        if "predecessor" not in each or "_pair_" not in each["function"]:
            continue
        cause = each["function"].rsplit("_", 1)[1]
        first = each["changes"][0]["cause"].split()[0]
        pairs += 1
        right += first == cause and each["function"] in files
        causes.add(cause)
        blamed += cause != "metadata" and any(change["cause"] in ("metadata only", "identical") for change in each["changes"])
        if first != cause:
            print(f"  {each['function']}: {each['changes']}")
    return pairs, right, causes, blamed


def measure(quick):
    pairs = right = blamed = 0
    versions, causes = set(), set()
    with tempfile.TemporaryDirectory() as name:
        folders = [DUMP]
        if quick:
            versions.add("of the guides")
        else:
            folders = []
            pythons = [jax_python(), *filter(None, os.environ.get("HALO_JAX_PYTHONS", "").split(":"))]
            if len(pythons) < 3:
                raise Skipped("set HALO_JAX_PYTHONS to interpreters with two other versions of JAX")
            for number, python in enumerate(pythons):
                folder = pathlib.Path(name) / str(number)
                run = subprocess.run([python, str(PAIRS), str(folder)], capture_output=True, text=True, check=False)
                if run.returncode != 0:
                    raise RuntimeError(f"{python}: {run.stderr[-500:]}")
                versions.add(run.stdout.split()[-1])
                folders.append(folder)
        for folder in folders:
            found = named(folder)
            pairs, right, blamed = pairs + found[0], right + found[1], blamed + found[3]
            causes |= found[2]
    held = enough(QUICK_LEAST if quick else LEAST, {"pairs": right, "versions": len(versions), "causes": len(causes)})
    held = held and blamed == 0 and pairs - right <= (0 if quick else 2)
    return held, (f"{right} of {pairs} pairs named, {len(causes)} causes, JAX {', '.join(sorted(versions))}; metadata blamed "
                  f"for another cause {blamed} times")
