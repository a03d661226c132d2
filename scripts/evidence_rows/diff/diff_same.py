"""Every module of the corpus against itself with other names, other numbers, another order and without metadata.

bench/diff_mutations writes the second module; `halo/diff` must find no edit and no other change. Schedules are left out,
since another order of a scheduled module is a change. The quick form takes every 60th module."""
from common import enough
from diff_common import corpus_modules, counts_rightly, mutations

ORDER = 121
QUICK_SECONDS = 4
LEAST, QUICK_LEAST = {"modules": 400}, {"modules": 5}
WHAT = "every corpus module renamed, renumbered, reordered and without metadata"
BAR = "0 edits and no other change in all of at least 400 modules"
QUICK_BAR = "0 edits and no other change in all of at least 5 modules"


def measure(quick):
    modules = corpus_modules()
    done, wrong, values = 0, [], 0
    for path in modules[::60] if quick else modules:
        rows = mutations("same", path, 1)
        if rows is None or rows[0]["refused"]:
            continue
        done += 1
        values += rows[0]["values"]
        if not rows[0]["same"]:
            wrong.append(f"{path.name}: {rows[0]['edits']} edits, {rows[0]['causes']} causes: {rows[0]['first']}")
    for line in wrong[:20]:
        print(f"  {line}")
    held = enough(QUICK_LEAST if quick else LEAST, {"modules": done}) and not wrong and counts_rightly()
    return held, f"{done - len(wrong)} of {done} modules the same, {values} values"
