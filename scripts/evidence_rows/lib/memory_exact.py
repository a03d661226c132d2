"""Helpers shared by the rows on exact assignments. bench/assign_compare plans modules of the corpus and
compares with the assignments that XLA printed for them. This is not a row."""
import json
import subprocess

from common import BUILD, assignment_list, need, need_shared


def pairs(folder):
    """Returns (module, texts of its assignment) for each assignment below a folder of corpus/jax."""
    root = need_shared("corpus/jax") / folder
    return [(module, pieces) for _, module, pieces in assignment_list()
            if module is not None and pieces[0].is_relative_to(root)]


def compare(module, texts, *options):
    return run_compare(*options, module, *texts)


def compare_printed(texts, *options):
    """Like compare(), for an assignment without its module."""
    return run_compare(*options, "--without-module", *texts)


def run_compare(*arguments):
    program = need(BUILD / "bench" / "assign_compare", "the release build; run cmake --workflow --preset release")
    run = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr[:2000])
    return json.loads(run.stdout)


def exact(result):
    return (result["same_allocations"] == result["allocations"] == result["our_allocations"]
            and result["same_values"] == result["values"] and result["total"] == result["our_total"]
            and result["same_ranges"] == result["ranges"])


def measure_all(folder, options):
    """Sums the results over all dumps of a folder and prints differences. options(module) returns command options."""
    total = {}
    dumps = same = totals = 0
    for module, texts in pairs(folder):
        result = compare(module, texts, *options(module))
        dumps += 1
        same += exact(result)
        totals += result["total"] == result["our_total"]
        for key, value in result.items():
            total[key] = total.get(key, 0) + value
        if not exact(result):
            print(f"  differs: {module.parent.parent.name}/{module.parent.name}: "
                  f"{result['same_values']} of {result['values']} values, "
                  f"{result['same_allocations']} of {result['allocations']} allocations, "
                  f"{result['same_ranges']} of {result['ranges']} live ranges, total "
                  + ("equal" if result["total"] == result["our_total"] else "differs"))
    total.update(dumps=dumps, same=same, totals=totals)
    return total


def measure_exact(backend, least):
    """Returns the result of a row whose dumps, at least `least` of them, must all be exact."""
    sums = measure_all(backend, lambda module: [f"--backend={backend}"])
    print(f"  {sums['values']} values, {sums['ranges']} live ranges")
    held = sums["dumps"] >= least and sums["same"] == sums["dumps"]
    return held, (f"{sums['same']} of {sums['dumps']} dumps exact: {sums['same_allocations']} of "
                  f"{sums['allocations']} allocations, {sums['same_values']} of {sums['values']} values")
