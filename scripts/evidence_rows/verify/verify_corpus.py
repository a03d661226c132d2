"""Runs the verifier on every module of the seeds and the corpus: no errors where XLA's own verifier has none.

A module in which halo finds an error is given to XLA's verifier (see xla_judge.py), each module of a file separately.
If XLA accepts it, the error is a false positive. Modules that jaxlib cannot read are listed and not counted. The same
applies to modules whose only error is an entry_computation_layout that contradicts the entry computation: XLA's
verifier compares the two, but xla_judge.py must replace the header's layout and cannot check it. Every warning that
has a line is recomputed here from the text alone: the groups, the trip count, the bytes copied, the element types."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, SHARED, enough, halo_run, jax_python, need_shared

ORDER = 40
QUICK_SECONDS = 3
WHAT = "seeds and corpus: every module that XLA's verifier accepts, and every warning"
BAR = "no error from ours on a module that XLA accepts; every warning true"
QUICK_BAR = "the same for every twentieth file"
LEAST = {"files": 1_900, "warnings": 200}
QUICK_LEAST = {"files": 95, "warnings": 2}

UNSEEN = {"entry-layout-count", "entry-layout-shape"}  # about the header's layout, which xla_judge.py replaces
SUFFIXES = (".txt", ".hlo", ".pb", ".gz", ".zst")
BITS = {"pred": 8, "c64": 64, "c128": 128}
LARGE = 64 << 20
SHAPE = re.compile(r"\b([a-z]+\d*\w*)\[([\d,<=]*)\]")
ITEM = re.compile(r"^\s*(?:ROOT\s+)?%?([\w.\-]+) = (.*)$")


def files():
    roots = [need_shared("corpus") / "jax", need_shared("corpus") / "xla", need_shared("corpus") / "seeds_logical",
             need_shared("seeds")]
    return sorted(path for root in roots for path in root.rglob("*") if path.name.endswith(SUFFIXES))


def bits(element):
    found = re.match(r"[a-z]+(\d+)", element)
    return BITS.get(element) or (int(found[1]) if found else 0)


def checked(paths):
    """Returns the findings of `halo check` from the verifier's rules, without those of the readers."""
    rules = {row["code"] for row in json.loads(halo_run("check", "--rules", "--json").stdout)["rules"]
             if row["reported_by"] == "verifier"}
    for start in range(0, len(paths), 50):
        answer = json.loads(halo_run("check", "--json", *paths[start:start + 50]).stdout)
        yield from (row for row in answer["diagnostics"] if row["code"] in rules)


def expand(groups):
    """Returns the sizes of the groups as written; None if they are not written out."""
    listed = re.match(r"\{(\{.*?\})?\}", groups)
    if listed:
        return [len(group.split(",")) for group in re.findall(r"\{([\d,]+)\}", groups)]
    counting = re.match(r"\[(\d+),(\d+)\]", groups)
    return [int(counting[2])] * int(counting[1]) if counting else None


def line_is_alone(line):
    found = re.search(r"replica_groups=((?:\{\{.*?\}\})|(?:\[[\d,]+\]))", line)
    sizes = expand(found[1]) if found else None
    return bool(sizes) and all(size == 1 for size in sizes)


def copied_bytes(line):
    element, dims = SHAPE.search(line).groups()
    count = 1
    for dim in filter(None, dims.replace("<=", "").split(",")):
        count *= int(dim)
    return count * bits(element) // 8


def shapes_by_name(lines):
    found = {}
    for line in lines:
        item = ITEM.match(line)
        if item:
            found[item[1]] = item[2].split(" ")[0]
    return found


def holds(row, lines):
    """Whether a warning is correct according to the text; None if the text does not tell."""
    if "line" not in row:
        return None
    line = lines[row["line"] - 1]
    head = next((each for each in lines if each.startswith("HloModule")), "")
    scheduled = "is_scheduled=true" in head
    if row["code"] == "group-of-one":
        return line_is_alone(line)
    if row["code"] == "loop-trip-count":
        return scheduled and " while(" in line and "known_trip_count" not in line
    if row["code"] == "large-copy":
        tiled = "T(" in line.split(" copy(")[0]  # tiles only ever add bytes
        return scheduled and " copy(" in line and (copied_bytes(line) >= LARGE or tiled)
    if row["code"] == "lone-f64":
        doubles = sum(bool(re.search(r" = (?:f64|c128)\[", each)) for each in lines)
        singles = sum(bool(re.search(r" = (?:f32|bf16|f16)\[", each)) for each in lines)
        return 0 < doubles * 10 <= singles
    if row["code"] == "mixed-precision":
        known = shapes_by_name(lines)
        operands = re.findall(r"%?([\w.\-]+)", line[line.find("("):line.find(")")])
        floats = {known[name].split("[")[0] for name in operands if re.match(r"(?:bf|f)\d", known.get(name, ""))}
        return len(floats) > 1
    return None


def modules_of(path):
    """Returns the text of each module of a file; a serialized module is converted to text first."""
    if not path.name.endswith((".txt", ".hlo")):
        return [halo_run("convert", path, "--to", "text").stdout.decode(errors="replace")]
    text = path.read_text(errors="replace")
    starts = [match.start() for match in re.finditer(r"^HloModule ", text, re.MULTILINE)]
    if len(starts) < 2:
        return [text]
    return [text[begin:end] for begin, end in zip(starts, starts[1:] + [len(text)])]


def verdicts(paths, folder):
    """Returns XLA's verdict on each text."""
    listed, results = folder / "list", folder / "results"
    listed.write_text("".join(f"{path}\talias\n" for path in paths))
    subprocess.run([jax_python(), str(ROOT / "scripts/evidence_rows/lib/xla_judge.py"), "verify", str(listed), str(results)],
                   check=True, env=dict(os.environ, JAX_PLATFORMS="cpu"), capture_output=True)
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    return {row["path"]: row for row in rows}


def check_errors(paths):
    """Returns the false positives, the correct errors, and the modules without a verdict by XLA."""
    false, right, unread = [], 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pieces = {}
        for number, path in enumerate(paths):
            for index, text in enumerate(modules_of(path)):
                piece = folder / f"{number}_{index}.hlo"
                piece.write_text(text)
                pieces[str(piece)] = path
        wrong = {}
        for row in checked(sorted(pieces)):
            if row["severity"] == "error":
                wrong.setdefault(row["path"], set()).add(row["code"])
        if not wrong:
            return false, right, unread
        for piece, row in verdicts(sorted(wrong), folder).items():
            where = str(pieces[piece]).removeprefix(str(SHARED) + "/")
            if wrong[piece] <= UNSEEN:
                unread.append(f"{where}: the header's layout contradicts the entry computation")
            elif row["verdict"] == "accept":
                false.append(where)
            elif row["verdict"] == "reject" and row["stage"] != "read":
                right += 1
            else:
                unread.append(f"{where}: {row['message'][:90]!r}")
    return false, right, unread


def measure(quick):
    paths = files()
    if quick:
        paths = paths[::20]
    errors, warnings = set(), []
    for row in checked(paths):
        if row["severity"] == "error":
            errors.add(pathlib.Path(row["path"]))
        else:
            warnings.append(row)
    false, right, unread = check_errors(sorted(errors))
    for where in false:
        print(f"  XLA accepts, halo does not: {where}")
    for where in unread:
        print(f"  no verdict: {where}")
    texts, counted, untrue = {}, 0, 0
    for row in warnings:
        path = row["path"]
        if path not in texts and path.endswith((".txt", ".hlo")):
            texts = {path: pathlib.Path(path).read_text(errors="replace").split("\n")}
        verdict = holds(row, texts[path]) if path in texts else None
        counted += verdict is not None
        if verdict is False:
            untrue += 1
            print(f"  not so: {path}:{row['line']}: {row['message']} [{row['code']}]")
    print(f"  {len(paths)} files; XLA rejects {right} modules that halo finds errors in, has no verdict on {len(unread)}")
    figure = (f"{len(false)} false alarms in {len(paths)} files; {len(warnings)} warnings, "
              f"{counted} of them counted again, {untrue} untrue")
    held = enough(QUICK_LEAST if quick else LEAST, {"files": len(paths), "warnings": len(warnings)})
    return held and not false and not untrue, figure
