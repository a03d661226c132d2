"""Helpers shared by the rows on exact assignments. bench/assign_compare plans modules of the corpus and
compares with the assignments that XLA printed for them. This is not a row."""
import gzip
import json
import re
import subprocess

from common import assignment_list, enough, need_shared, program


def pairs(folder):
    """Returns (module, texts of its assignment) for each assignment below a folder of corpus/jax."""
    root = need_shared("corpus/jax") / folder
    return [(module, pieces) for _, module, pieces in assignment_list()
            if module is not None and pieces[0].is_relative_to(root)]


def counted(texts):
    """What an assignment's texts have, counted without halo: allocations, values and the total of their sizes."""
    sizes, values = [], 0
    for path in texts:
        if path.name.removesuffix(".gz").endswith(("-live-range.txt", "-values.txt")):
            continue
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        part = data.decode(errors="replace").partition("\nTotal bytes used")[0].partition("\nUsed values")[0]
        sizes += map(int, re.findall(r"^allocation \d+: size (\d+)", part, re.MULTILINE))
        values += len(re.findall(r"^ value: <", part, re.MULTILINE))
    return {"allocations": len(sizes), "values": values, "total": sum(sizes)}


def compare(module, texts, *options):
    return checked(run_compare(*options, module, *texts), texts)


def compare_printed(texts, *options):
    """Like compare(), for an assignment without its module."""
    return checked(run_compare(*options, "--without-module", *texts), texts)


def checked(result, texts):
    """The result, if it speaks of everything in the texts."""
    there = counted(texts)
    if any(result[what] != number for what, number in there.items()):
        raise RuntimeError(f"{texts[0].name} has {there}, but was compared as {result}")
    return result


def run_compare(*arguments):
    run = subprocess.run([str(program("bench/assign_compare")), *map(str, arguments)], capture_output=True, text=True, check=False)
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
    """Returns the result of a row whose dumps must all be exact, at least so many as `least` states."""
    sums = measure_all(backend, lambda module: [f"--backend={backend}"])
    print(f"  {sums['values']} values, {sums['ranges']} live ranges")
    held = sums["same"] == sums["dumps"] and enough(least, {what: sums[what] for what in least})
    return held, (f"{sums['same']} of {sums['dumps']} dumps exact: {sums['same_allocations']} of "
                  f"{sums['allocations']} allocations, {sums['same_values']} of {sums['values']} values")
