"""Every tool of `halo mcp` on the largest files of the corpus and on hostile names: no answer is larger than 8 KB, and pages
follow each other until every row has been sent once."""
import pathlib
import tempfile

from common import SHARED, enough, make_large_module, need_shared
from mcp_client import MOST, Client, NoAnswer

ORDER = 231
WHAT = "the size of every answer of `halo mcp`"
BAR = ("at least 1,000 answers of 12 tools on the 12 largest programs of the corpus, the seeds, a module of 200,000 instructions "
       "and one with names and lines of 100 KB: none over 8,192 bytes; lists followed to their end have every row once")
QUICK_BAR = "the same on the two largest seeds, a module of 2,000 instructions and the one with long names: at least 80 answers"
LEAST = {"answers": 1000, "tools": 12, "programs": 15, "lists followed": 3}
QUICK_LEAST = {"answers": 80, "tools": 12, "programs": 4, "lists followed": 3}
QUICK_SECONDS = 4

LISTS = {"info": ("opcodes", "dtypes", "fusions", "custom_calls", "collectives", "loops", "parameters", "outputs", "largest"),
         "memory": ("groups", "values", "kinds"), "time": ("instructions", "exposed", "scopes", "kinds", "sources", "bounds")}
LONG = 100_000


def long_names(path):
    """A module whose names, op_names and lines are far longer than an answer."""
    name, other = "n" * LONG, "o" * LONG
    path.write_text(f'HloModule {name}\n\nENTRY {other} {{\n  {name} = f32[8] parameter(0), metadata={{op_name="{other}" '
                    f'source_file="/{name}.py" source_line=7}}\n  ROOT {other} = f32[8] negate({name}), '
                    f'metadata={{op_name="{name}\u00e4\\"\\"\\"\\"{"é" * 5000}"}}\n}}\n', encoding="utf-8")
    return name


def programs(work, quick):
    seeds = sorted((SHARED / "seeds").glob("*.txt"), key=lambda path: -path.stat().st_size)
    make_large_module(work / "large.hlo", 2000 if quick else 200_000)
    made = [work / "large.hlo", work / "long.hlo"]
    if quick:
        return seeds[:2] + made
    corpus = need_shared("corpus")
    found = sorted((path for path in corpus.rglob("*after_optimizations.txt")), key=lambda path: -path.stat().st_size)
    return seeds + found[:12] + made


def ask_all(client, path, tools):
    """Asks every tool about a program."""
    def ask(tool, **arguments):
        tools.add(tool)
        return client.result(tool, arguments)
    program = str(path)
    ask("open", path=program)
    for tool, lists in LISTS.items():
        for rows in lists:
            ask(tool, program=program, rows=rows)
    for by in ("scope", "source", "opcode", "dtype", "shape", "kind"):
        ask("memory", program=program, by=by)
    ask("check", program=program)
    ask("advice", program=program, about="memory")
    ask("advice", program=program, about="time")
    ask("diff", before=program, after=program)
    found = ask("search", program=program, query="f", sort="bytes")
    rows = found.get("structuredContent", {}).get("rows", [])
    for row in rows[:3]:
        ask("value", program=program, instruction=row["name"])
        ask("neighbourhood", program=program, instruction=row["name"], hops=20)
        ask("text", program=program, instruction=row["name"], lines=50)
    for line in (1, 3, 5):
        ask("text", program=program, **{"from": line, "lines": 10_000})
    ask("value", program=program, instruction="x" * 20_000)
    ask("search", program=program, query="y" * 20_000)
    ask("list", path=str(path.parent))
    ask("list", path=str(path.parent), rows="files")


def follow(client, tool, key, arguments, most):
    """Whether every row of a list comes once."""
    seen, cursor, total = [], None, None
    for _ in range(most):
        found = client.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        total = found["total"]
        if found["from"] != len(seen) or not found["rows"]:
            return False
        seen += [row.get(key) for row in found["rows"]]
        cursor = found.get("cursor")
        if cursor is None:
            break
    return cursor is None and len(seen) == total and len(set(seen)) == total


def measure(quick):
    tools, answers, largest, asked, problems, followed = set(), 0, 0, 0, [], 0
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        long_names(work / "long.hlo")
        for path in programs(work, quick):
            try:
                with Client(SHARED, work, seconds=300) as client:
                    ask_all(client, path, tools)
                    answers += client.calls
                    largest = max(largest, client.largest)
                    asked += 1
                    if client.largest > MOST:
                        problems.append(f"{path.name}: {client.largest} bytes")
            except (NoAnswer, KeyError) as error:
                problems.append(f"{path.name}: {error}")
        with Client(work, seconds=300) as client:
            for tool, key, arguments in (("search", "name", {"program": "large.hlo", "query": "opcode:add"}),
                                         ("info", "number", {"program": "large.hlo", "rows": "parameters"}),
                                         ("text", "line", {"program": "large.hlo", "from": 1, "lines": 300})):
                try:
                    if follow(client, tool, key, arguments, 3000):
                        followed += 1
                    else:
                        problems.append(f"the pages of {tool} {arguments} do not add up")
                except (NoAnswer, KeyError) as error:
                    problems.append(f"{tool}: {error}")
            answers += client.calls
            largest = max(largest, client.largest)
    for each in problems:
        print(f"  {each}")
    counts = {"answers": answers, "tools": len(tools), "programs": asked, "lists followed": followed}
    held = not problems and largest <= MOST and largest > 1000 and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{answers} answers of {len(tools)} tools about {asked} programs, the largest of {largest} bytes; {followed} of 3 "
                  "lists complete")
