"""Every fact about memory and time is the same, whatever else was asked and by whichever way: corpus programs, with all files of
their dumps and with some of them missing, by `halo memory` and `halo time` with every option that asks for no other fact, by
`halo ask`, `halo mcp`, the Python package (which is the C interface) and `halo scan`."""
import copy
import json
import pathlib
import shutil
import subprocess
import tempfile

from common import ROOT, SHARED, enough, halo, hlo_texts, need_shared, program
from mcp_client import Client, NoAnswer
from python_common import run_python
from small_parquet import read_table
from stated_facts import (MEMORY, NO_FACTS, SCAN, STEP, buffers_of_scan, equal, facts_of_document, figures, flat, map_of_ask, memory_of_ask,
                          memory_of_command, memory_of_mcp, ops_of_ask, scopes_of_mcp, time_of_command, time_of_mcp, times_of_scan,
                          value_of_ask)

ORDER = 62
QUICK_SECONDS = 15
WHAT = "each fact of `halo memory` and `halo time`, with every option that does not ask for another one and in every way of asking"
BAR = ("at least 60 programs, 150 sets of files and 5,000 comparisons of 8 ways and 12 options, 0 differences; each of "
       "at least 200 facts that are altered in an answer is found")
QUICK_BAR = "at least 8 programs, 14 sets of files and 2,000 comparisons, otherwise the same"
LEAST = {"programs": 60, "sets of files": 150, "comparisons": 5000, "ways": 8, "options": 12, "planted differences": 200}
QUICK_LEAST = {"programs": 8, "sets of files": 14, "comparisons": 2000, "ways": 8, "options": 12, "planted differences": 200}

ALL = ("--top", "100000")
# Options, with what they ask for. None of them asks for another fact.
MEMORY_OPTIONS = {
    ("--no-advice",): (),
    ("--check",): ("findings",),
    ("--all",): (),
    ("--ascii",): (),
    ("--by", "opcode"): ("by", "by_reason", "groups"),
    ("--at", "0"): ("at", "roles", "by", "by_reason", "groups", "largest"),
    ("--capacity", "1TiB"): ("capacity", "fits", "verdict/capacity", "verdict/fits", "verdict/spare_bytes"),
    ("--top", "3", "--no-advice"): (),
}
TIME_OPTIONS = {("--no-advice",): (), ("--top", "3"): (), ("--no-advice", "--top", "2"): ()}
SAME_NAME = "duplicate-assignment-entry"
THOROUGH_BYTES = 30_000  # of a program for which all advice is tried

# Answers one line, [file, pieces, question, options], with one document or the reason why there is none.
CHILD = r"""
import json, sys
import haloscope as hs
opened = {}
for line in sys.stdin:
    files, question, options = json.loads(line)
    try:
        key = tuple(files)
        if key not in opened:
            opened.clear()
            opened[key] = hs.open(files[0])
            for piece in files[1:]:
                opened[key].add(piece)
        if question in ("memory", "time"):
            said = json.loads(getattr(opened[key], question)(**options).to_json())
        else:
            said = opened[key].ask(question, **options)
    except hs.HaloError as error:
        said = {"problem": str(error)}
    print(json.dumps(said), flush=True)
"""


class Differs:
    """Compares facts and keeps what differs."""

    def __init__(self):
        self.compared, self.ways, self.options, self.found = 0, set(), set(), []

    def same(self, where, fact, expected, said):
        self.compared += 1
        if not equal(expected, said):
            self.found.append(f"{where}: {fact} is {said!r:.80}, the command says {expected!r:.80}")

    def facts(self, way, where, expected, said):
        """What a way says, each fact by its path, against what the command says."""
        self.ways.add(way)
        for path, value in said.items():
            self.same(f"{way}, {where}", path, expected.get(path, "nothing"), value)


def prefix_of(said, expected):
    """The facts of a document with shorter lists, which begin like the long ones: none may be missing."""
    lists = {path.split("/")[0] for path in expected if path.split("/")[1:2] and path.split("/")[1].isdigit()}
    return {path: value for path, value in expected.items()
            if path in said or path.split("/")[0] not in lists}


class Subject:
    """One set of files of a program, in a separate folder."""

    def __init__(self, name, folder, files, size):
        self.name, self.folder, self.files, self.size = name, folder, files, size
        self.memory = self.time = None  # the command's documents
        self.said = {}  # {way: (what makes facts of a document, document, expected facts)}


def copied(work, name, files):
    folder = work / f"{len(list(work.iterdir())):03d}"
    folder.mkdir()
    paths = [pathlib.Path(shutil.copy(each, folder)) for each in files]
    for each in paths:
        each.chmod(0o644)
    return Subject(name, folder, paths, sum(each.stat().st_size for each in files))


def sets_of(work, module, serialized):
    """A program with all files of its assignment, and with fewer of them."""
    stem = module.name.removesuffix(".txt")
    pieces = sorted(path for path in module.parent.glob(stem + "-*")
                    if any(part in path.name for part in ("-buffer-assignment", "-live-range")))
    rest = [path for path in pieces if "-values" not in path.name]
    allocations = [path for path in rest if "-live-range" not in path.name]
    for what, some in (("", pieces), (" without values", rest), (" without ranges", allocations), (" alone", [])):
        if what == "" or len(some) < len(pieces):
            yield copied(work, f"{module.parent.name}/{module.name}{what}", [module, *some])
    proto = next(module.parent.glob(stem + ".hlo.pb*"), None)
    if serialized and proto is not None:
        yield copied(work, f"{module.parent.name}/{proto.name}", [proto])


def spread(items, count):
    items = list(items)
    return items[::max(1, len(items) // count)][:count] if items else []


def subjects(work, quick):
    """(number of programs, their sets of files)."""
    jax = need_shared("corpus") / "jax"
    assigned = sorted({path.with_name(path.name.replace("-buffer-assignment.txt", ".txt"))
                       for path in jax.rglob("*after_optimizations-buffer-assignment.txt")})
    assigned = [path for path in assigned if path.exists() and path.stat().st_size < (40_000 if quick else 400_000)]
    by_backend = {name: [path for path in assigned if f"/jax/{name}/" in str(path)] for name in ("cpu", "gpu", "tpu")}
    dumped = [path for paths in by_backend.values() for path in spread(paths, 1 if quick else 16)]
    examples = sorted((ROOT / "examples").glob("*/*after_optimizations.txt"))
    alone = [path for path in hlo_texts(jax / "hand") if path.stat().st_size < 100_000] + \
            [path for path in hlo_texts(SHARED / "corpus" / "xla") if path.stat().st_size < 100_000]
    found = []
    for i, module in enumerate(examples[:1 if quick else None] + dumped):
        found += sets_of(work, module, serialized=i % 3 == 0)
    alone = spread(alone, 4 if quick else 16)
    seeds = [] if quick else sorted(path for path in (SHARED / "seeds").iterdir() if path.is_file())
    found += [copied(work, path.name, [path]) for path in alone + seeds]
    return len(examples[:1 if quick else None]) + len(dumped) + len(alone) + len(seeds), found


def document(*arguments):
    """The JSON document that the command prints; a refusal has no other schema than halo.error.v1."""
    run = subprocess.run([str(program("halo")), *map(str, arguments)], capture_output=True, check=False)
    return json.loads(run.stdout)


def is_refused(said):
    return "problem" in said or said.get("schema") == "halo.error.v1" or said.get("ok") is False


def by_command(subject, differs, quick):
    """Every option against the document without it."""
    for question, options in (("memory", MEMORY_OPTIONS), ("time", TIME_OPTIONS)):
        base = document(question, subject.files[0], "--json", *ALL)
        if is_refused(base):
            continue
        setattr(subject, question, base)
        every = dict(options)
        if question == "memory" and subject.size < THOROUGH_BYTES and not quick:
            every[("--advice",)] = ()
        for option, asked in every.items():
            if quick and option in (("--all",), ("--ascii",)) and differs.options.issuperset({(question, option)}):
                continue
            differs.options.add((question, option))
            more = () if "--top" in option else ALL
            document_said = document(question, subject.files[0], "--json", *more, *option)
            said = flat(document_said, (*NO_FACTS, *asked))
            expected = flat(base, (*NO_FACTS, *asked))
            if "--top" in option:
                expected = prefix_of(said, expected)
            where = f"{subject.name}, {question} {' '.join(option)}"
            differs.same(where, "the set of facts", sorted(expected), sorted(said))
            differs.facts("command", where, expected, said)
            if option == ("--no-advice",):
                subject.said[f"command {question}"] = (facts_of_document, document_said, flat(base, NO_FACTS))
    if subject.memory:
        by_print(subject, differs)
    if subject.time:
        trace = subject.folder / "trace.pftrace"
        said = flat(document("time", subject.files[0], "--json", *ALL, "--trace", trace), NO_FACTS)
        differs.options.add(("time", ("--trace",)))
        differs.facts("command", f"{subject.name}, time --trace", flat(subject.time, NO_FACTS), said)
        trace.unlink(missing_ok=True)


def by_print(subject, differs):
    """--csv and --print show facts in other forms."""
    base, where = subject.memory, f"{subject.name}, memory"
    if base["has_live_ranges"]:
        differs.options.add(("memory", ("--csv",)))
        lines = halo("memory", subject.files[0], "--csv", check=False).decode().splitlines()
        roles = lines[0].split(",")[3:]
        row = lines[1 + base["peak"]["position"]].rsplit(",", len(roles) + 1)
        differs.same(f"{where} --csv", "the peak", base["peak"]["bytes"], int(row[1]))
        differs.same(f"{where} --csv", "the highest total", base["peak"]["bytes"],
                     max(int(line.rsplit(",", len(roles) + 1)[1]) for line in lines[1:]))
        differs.same(f"{where} --csv", "its instruction", base["peak"]["instruction"], row[0].split(",", 1)[1])
    differs.options.add(("memory", ("--print",)))
    printed = subject.folder.parent / "printed.txt"
    printed.write_bytes(halo("memory", subject.files[0], "--print", check=False))
    again = document("memory", printed, "--json", "--no-advice")
    if is_refused(again) and SAME_NAME in json.dumps(again):
        return  # XLA's format names instructions without their computations
    differs.same(f"{where} --print", "the total", base["total_bytes"], again.get("total_bytes"))
    printed.unlink()


def by_ask(subject, ask, way, differs):
    """The requests of the viewer: `ask(request, parameters)` gives the document."""
    if subject.memory:
        expected = memory_of_command(subject.memory)
        said = ask("memory", {"advice": "none", "top": 100000})
        facts = facts_of_document(subject.memory)
        keep(subject, f"{way} memory", lambda said: facts_of_document(said["answer"]), said, facts, differs)
        if subject.memory["has_live_ranges"]:
            items = ask("memory.at", {"top": 1000})
            keep(subject, f"{way} memory.at", memory_of_ask, items, expected, differs)
            first = [i for i, each in enumerate(items.get("items", [])) if each.get("needed_by")][:2] or [0]
            for i in first[:len(items.get("items", []))]:
                found = ask("memory.value", {"value": items["items"][i]["value"]})
                keep(subject, f"{way} memory.value", lambda said, i=i: value_of_ask(said, i), found, expected, differs)
        if len(subject.memory["spaces"]) < 2:  # the map is of one space
            keep(subject, f"{way} memory.map", map_of_ask, ask("memory.map", {"limit": 0}), expected, differs)
    if subject.time:
        keep(subject, f"{way} time.ops", ops_of_ask, ask("time.ops", {}), time_of_command(subject.time), differs)


def keep(subject, way, facts_of, said, expected, differs):
    """Compares, and keeps the document for the planted differences."""
    if is_refused(said):
        differs.same(f"{way}, {subject.name}", "an answer", True, said.get("error") or said.get("problem"))
        return
    subject.said[way] = (facts_of, said, expected)
    differs.facts(way, subject.name, expected, facts_of(said))


def by_halo_ask(subject, differs):
    def ask(request, parameters):
        return document("ask", json.dumps({"ask": request, **parameters}), *subject.files)
    by_ask(subject, ask, "halo ask", differs)


class Python:
    """One interpreter that answers all questions."""

    def __init__(self, found):
        asked = []
        for subject in found:
            files = [str(subject.files[0])]  # the package looks for the others itself
            asked += [(subject, files, "memory", {"advice": depth, "top": 100000}) for depth in ("none", "quick")]
            asked += [(subject, files, "time", {"advice": advice, "top": 100000}) for advice in (False, True)]
            asked += [(subject, files, "memory.at", {"top": 1000}), (subject, files, "time.ops", {})]
        done = run_python(["-c", CHILD], input="".join(json.dumps(each[1:]) + "\n" for each in asked))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        if len(answers) != len(asked):
            raise RuntimeError(f"Python: {len(answers)} answers to {len(asked)} questions\n{done.stderr[-500:]}")
        self.answers = [(subject, question, options, said) for (subject, _, question, options), said in zip(asked, answers)]

    def compare(self, differs):
        for subject, question, options, said in self.answers:
            base = subject.memory if question.startswith("memory") else subject.time
            if base is None:
                differs.same(f"Python, {subject.name}", f"{question} is refused", True, is_refused(said))
            elif question in ("memory", "time"):
                keep(subject, f"Python {question}", facts_of_document, said, facts_of_document(base), differs)
            elif question == "time.ops":
                keep(subject, "Python time.ops", ops_of_ask, said, time_of_command(base), differs)
            elif base["has_live_ranges"]:
                keep(subject, "Python memory.at", memory_of_ask, said, memory_of_command(base), differs)


def by_mcp(client, subject, differs):
    name = str(subject.files[0])
    if subject.memory:
        pages(client, subject, "memory", {"program": name, "rows": "values"}, memory_of_mcp,
              memory_of_command(subject.memory), differs)
    if subject.time:
        expected = time_of_command(subject.time)
        pages(client, subject, "time", {"program": name}, time_of_mcp, expected, differs)
        keep(subject, "MCP scopes", scopes_of_mcp, client.call("time", program=name, rows="scopes"), expected, differs)


def pages(client, subject, tool, arguments, facts_of, expected, differs, most=3):
    found = client.call(tool, **arguments)
    keep(subject, f"MCP {tool}", facts_of, found, expected, differs)
    for _ in range(most - 1):
        if not found.get("cursor"):
            return
        found = client.call(tool, **arguments, cursor=found["cursor"])
        differs.facts(f"MCP {tool}", subject.name, expected, facts_of(found, is_first=False))


def by_scan(work, found, differs):
    """One dataset of all programs. Programs that share their rows are compared once each."""
    with tempfile.TemporaryDirectory() as folder:
        dataset = pathlib.Path(folder) / "dataset"
        halo("scan", work, "--to", dataset, "--json", check=False)
        tables = {table: read_table(dataset, table) for table in ("files", "modules", "buffers", "times")}
    by_path = {row["path"]: row["program"] for row in tables["files"]}
    rows = {table: {} for table in ("modules", "buffers", "times")}
    for table, lists in rows.items():
        for row in tables[table]:
            lists.setdefault(row["program"], []).append(row)
    for subject in found:
        number = by_path.get(str(subject.files[0]))
        if number is None or subject.memory is None:
            continue
        module = rows["modules"][number][0]
        expected = memory_of_command(subject.memory)
        keep(subject, "scan modules", lambda row: figures(MEMORY, SCAN, row),
             module, expected, differs)
        keep(subject, "scan buffers", buffers_of_scan, {"rows": rows["buffers"].get(number, [])}, expected, differs)
        if subject.time:
            expected = time_of_command(subject.time)
            keep(subject, "scan step", lambda row: figures(STEP, SCAN, row), module, expected, differs)
            keep(subject, "scan times", times_of_scan, {"rows": rows["times"].get(number, [])}, expected, differs)


def other(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"not {value}"
    if isinstance(value, list):
        return [other(value[0]), *value[1:]]
    return 1 if value is None else 2 * value + 1


def altered(said, path):
    said = copy.deepcopy(said)
    parts = [int(part) if part.isdigit() else part for part in path.split("/")]
    inner = said
    for part in parts[:-1]:
        inner = inner[part]
    inner[parts[-1]] = other(inner[parts[-1]])
    return said


def planted(found):
    """(differences found, differences planted): each fact of the first document of each way, altered by itself."""
    seen = all_planted = 0
    first = {}
    for subject in found:
        for way, kept in subject.said.items():
            if kept[0](kept[1]):
                first.setdefault(way, (subject, *kept))
    for way, (subject, facts_of, said, expected) in sorted(first.items()):
        of_way = 0
        leaves = [path for path, value in flat(said).items() if value != []]
        for path in spread(leaves, 200):
            said_so = facts_of(altered(said, path))
            if said_so == facts_of(said):
                continue  # no fact
            differs = Differs()
            differs.facts(way, subject.name, expected, said_so)
            all_planted += 1
            of_way += 1
            seen += bool(differs.found)
            if not differs.found:
                print(f"  a difference planted in {way} of {subject.name}, {path}, is not found")
        if not of_way:
            print(f"  no difference can be planted in {way} of {subject.name}")
            all_planted += 1
    return seen, all_planted


def measure(quick):
    differs = Differs()
    with tempfile.TemporaryDirectory(prefix="once-facts-") as temporary:
        work = pathlib.Path(temporary).resolve() / "dumps"
        work.mkdir()
        programs, found = subjects(work, quick)
        for subject in found:
            by_command(subject, differs, quick)
            by_halo_ask(subject, differs)
        Python(found).compare(differs)
        try:
            with Client(work) as client:
                for subject in found:
                    by_mcp(client, subject, differs)
        except (NoAnswer, KeyError) as error:
            differs.same("MCP", "an answer", True, str(error))
        by_scan(work, found, differs)
        used = [subject for subject in found if subject.memory or subject.time]
    for each in differs.found[:20]:
        print(f"  {each}")
    seen, ways = planted(used)
    counts = {"programs": programs, "sets of files": len(used), "comparisons": differs.compared, "ways": len(differs.ways),
              "options": len(differs.options), "planted differences": seen}
    held = not differs.found and seen == ways and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{len(differs.found)} differences in {differs.compared:,} comparisons of {programs} programs in {len(used)} sets of "
                  f"files, {len(differs.options)} options and {len(differs.ways)} ways; {seen} of {ways} planted differences found")
