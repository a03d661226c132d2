"""Whether a plan depends on what a program does and not on what its instructions are called: no rule reads a name,
renamed programs are planned alike, and plans are as exact as they were when one rule still did."""
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, enough, need_shared, program
from memory_exact import compare_printed, counted, exact, measure_all, pairs
from renamed import rename_assignment, rename_module

ORDER = 61
QUICK_SECONDS = 4
WHAT = "planning and explaining by what instructions do, not by their names, on every backend"
BAR = ("no rule of halo/memory or halo/analysis reads an instruction's name; all 152 dumps and both seeds are planned "
       "alike with every name replaced; memory-cpu-exact, memory-gpu-exact and memory-tpu-share not worse")
QUICK_BAR = ("no rule of halo/memory or halo/analysis reads an instruction's name; every fourth dump and both seeds are "
             "planned alike with every name replaced; exactness is not measured")

LEAST = {"sources": 70, "cpu dumps": 38, "gpu dumps": 56, "tpu dumps": 58, "seeds": 2}
QUICK_LEAST = {"sources": 70, "cpu dumps": 9, "gpu dumps": 14, "tpu dumps": 14, "seeds": 2}
BACKENDS = ("cpu", "gpu", "tpu")
# What the rows on exactness measured while a rule for TPU looked at names.
BEFORE = {
    "cpu": {"dumps": 38, "same": 38, "same_allocations": 1800, "same_values": 5066},
    "gpu": {"dumps": 56, "same": 56, "same_allocations": 2824, "same_values": 6828},
    "tpu": {"dumps": 58, "same": 35, "totals": 50, "same_ranges": 16022, "same_values": 12470},
}
OPTIONS = {"cpu": ["--backend=cpu"], "gpu": ["--backend=gpu"], "tpu": ["--backend=tpu", "--presets"]}

# Folders whose business names are: texts, binding by name, the model itself; and the checker's own derivation.
APART = ("halo/memory/text", "halo/memory/bind", "halo/memory/model", "halo/memory/check")
READS_NAME = re.compile(r"\bname_of\(|\b(?:Full)?NameOf\(|\bFindText\(|"
                        r"\btext\([^()]*(?:\.|->)(?:instruction\)|name\)|sequence\[)")
# Where a name is read without deciding anything: how often, and what for.
ALLOWED = {
    "halo/memory/assign/assign.cc": (1, "writes a plan's names"),
    "halo/memory/assign/printed_problem.cc": (3, "links quoted instructions to their operands"),
    "halo/memory/explain/explain.cc": (2, "the instruction that the user asks about, and the one at the peak, as text"),
    "halo/memory/explain/live_entries.cc": (3, "names of values and users, as text"),
    "halo/memory/advise/donation.cc": (1, "a parameter's name, as text"),
    "halo/memory/advise/advice_moves.cc": (3, "what to do, as text"),
}


def check_sources():
    """How many source files were read, and every place where a name is read that is not allowed for."""
    files, problems = 0, []
    for path in sorted([*(ROOT / "halo/memory").rglob("*"), *(ROOT / "halo/analysis").rglob("*")]):
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".cc", ".h") or path.stem.endswith(("_test", "_fuzz")) or name.startswith(APART):
            continue
        files += 1
        code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        found = len(READS_NAME.findall(code))
        allowed, _ = ALLOWED.get(name, (0, ""))
        if found != allowed:
            problems.append(f"{name} reads names {found} times, {allowed} are known")
    return files, problems


def plan(backend, module):
    run = subprocess.run([str(program("bench/plan_offsets")), backend, str(module)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr[:2000])
    return run.stdout


def total_of(plan_text):
    """The bytes of a printed plan: its lines with four columns are the allocations."""
    rows = [line.split() for line in plan_text.splitlines()]
    return sum(int(row[0]) for row in rows if len(row) == 4)


def check_renamed(step, folder):
    """(dumps, planned alike, values) for each backend, over every step-th dump."""
    counts, names = {}, 0
    for backend in BACKENDS:
        dumps = same = values = 0
        for module, texts in pairs(backend)[::step]:
            text, renamed = rename_module(module.read_text(encoding="utf-8"))
            copy = folder / "module.txt"
            copy.write_text(text, encoding="utf-8")
            original, other = plan(backend, module), plan(backend, copy)
            dumps += 1
            # The plans of these backends are XLA's, so they must add up to its total.
            if backend != "tpu" and total_of(original) != counted(texts)["total"]:
                raise RuntimeError(f"{module}: the plan has another total than XLA's")
            same += original == other
            values += original.count("\n")
            names += renamed
            if original != other:
                print(f"  names matter: {module}")
        counts[backend] = (dumps, same, values)
    return counts, names


def check_seeds(folder):
    """Seeds 001 and 003 placed again from renamed texts."""
    same = 0
    for seed, options in (("001", ["--backend=gpu", "--alignment=128"]), ("003", OPTIONS["tpu"])):
        path = sorted(need_shared("seeds").glob(seed + "_*.txt"))[0]
        text, _ = rename_assignment(path.read_text(encoding="utf-8"))
        copy = pathlib.Path(folder) / f"{seed}.txt"
        copy.write_text(text, encoding="utf-8")
        if exact(compare_printed([copy], *options)):
            same += 1
        else:
            print(f"  names matter: seed {seed}")
    return same


def measure(quick):
    files, problems = check_sources()
    for problem in problems:
        print(f"  {problem}")
    step = 4 if quick else 1
    with tempfile.TemporaryDirectory() as folder:
        counts, names = check_renamed(step, pathlib.Path(folder))
        seeds = check_seeds(folder)
    held = not problems and all(same == dumps for dumps, same, _ in counts.values())
    held = held and enough(QUICK_LEAST if quick else LEAST, {
        "sources": files, "seeds": seeds, **{f"{backend} dumps": dumps for backend, (dumps, _, _) in counts.items()}})
    alike = ", ".join(f"{same} of {dumps} {backend}" for backend, (dumps, same, _) in counts.items())
    figure = (f"{len(problems)} rules in {files} sources read a name; renamed ({names:,} names), {alike} dumps and "
              f"{seeds} of 2 seeds are planned alike")
    if quick:
        return held, figure
    for backend, before in BEFORE.items():
        sums = measure_all(backend, lambda module, backend=backend: OPTIONS[backend])
        worse = [f"{key} {sums[key]} of {least}" for key, least in before.items() if sums[key] < least]
        for each in worse:
            print(f"  worse on {backend}: {each}")
        held = held and not worse
        figure += f"; {backend}: {sums['same']} of {sums['dumps']} dumps exact, {sums['same_values']:,} values in place"
    return held, figure
