"""Known edit scripts: ops changed, deleted and inserted, names hidden, order shuffled, fusions dissolved.

bench/diff_mutations makes them and knows which value became which. Equal values count as one. A script changes, deletes
and inserts 20 values each; in modules of less than 1,000 distinct values one for every 50, so that at most 6% of a module
is edited. The quick form takes 4 modules and 3 scripts each."""
from common import enough
from diff_common import counts_rightly, mutations, optimized_modules

ORDER = 123
QUICK_SECONDS = 4
WHAT = "known edit scripts over 30 optimized modules, names hidden, order shuffled, fusions dissolved"
BAR = "1,000 scripts; precision and recall of matched values at least 0.99, of the worst module at least 0.97"
QUICK_BAR = "12 scripts over 4 modules; precision and recall at least 0.985, of the worst module at least 0.96"
MODULES, SCRIPTS = 30, 34
LEAST, QUICK_LEAST = {"scripts": 1000, "modules": MODULES}, {"scripts": 12, "modules": 4}
VALUES_PER_EDIT = 50


def measure(quick):
    total = [0, 0, 0]
    worst = (1.0, "")
    scripts = modules = 0
    for path in optimized_modules():
        if modules == (4 if quick else MODULES):
            break
        if quick and path.stat().st_size > 3_000_000:
            continue
        size = mutations("same", path, 1)
        if size is None or size[0]["values"] < 30:
            continue
        edits = min(20, max(1, size[0]["values"] // VALUES_PER_EDIT))
        rows = mutations("edits", path, 11, 3 if quick else SCRIPTS, edits)
        matched, right, possible = (sum(row[key] for row in rows) for key in ("matched", "right", "possible"))
        modules += 1
        scripts += len(rows)
        total = [total[0] + matched, total[1] + right, total[2] + possible]
        lower = min(right / matched, right / possible)
        print(f"  {path.parent.name}/{path.name[:40]}: {size[0]['values']} values, precision {right / matched:.4f}, "
              f"recall {right / possible:.4f}")
        worst = min(worst, (lower, path.parent.name))
    precision, recall = total[1] / total[0], total[1] / total[2]
    low, lowest = (0.985, 0.96) if quick else (0.99, 0.97)
    held = (enough(QUICK_LEAST if quick else LEAST, {"scripts": scripts, "modules": modules})
            and precision >= low and recall >= low and worst[0] >= lowest and counts_rightly())
    return held, (f"{scripts} scripts over {modules} modules: precision {precision:.4f}, recall {recall:.4f}; "
                  f"worst module {worst[0]:.4f} ({worst[1]})")
