"""Runs every command with --json on valid and invalid input and on wrong usage: each must print exactly one JSON
document, valid by its schema (`halo describe --schemas`), with the exit code that docs/exit_codes.md promises."""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from common import BUILD, ROOT, enough, halo, halo_run, need_halo, python_with

ORDER = 81
WHAT = "every command with --json on valid, broken and missing input and on wrong usage"
BAR = ("at least 120 runs of 21 commands and all 30 documents, each with exactly one document, valid by its schema, that "
       "gives the names and sizes of the files that were read, and the expected exit code; every planted failure (no "
       "document, two, a field missing, a wrong type) is found")
QUICK_BAR = BAR
LEAST = {"runs": 120, "commands": 21, "documents": 30, "planted failures": 16, "files described": 30}
QUICK_SECONDS = 10

EXAMPLES = ROOT / "examples"
FOLDER = EXAMPLES / "cpu_mlp_train"
CPU = FOLDER / "module_0000.jit_mlp_train.cpu_after_optimizations.txt"
ASSIGNMENT = CPU.with_name(CPU.stem + "-buffer-assignment.txt")
BROKEN = EXAMPLES / "broken.hlo"
TINY = """HloModule tiny
ENTRY main {
  p = f32[4]{0} parameter(0)
  ROOT r = f32[4]{0} add(p, p)
}
"""
# What each command needs besides its file.
MORE = {"run": ["--random", "1", "--engine", "reference"], "compare": ["--ranks", "--random", "1", "--engine", "reference"],
        "shrink": ["--to", "1MiB"], "pack": ["--steps", "1"], "memory": ["--no-advice"]}
COMMANDS = ("ls", "info", "fmt", "convert", "check", "memory", "pack", "run", "compare", "compile", "ask", "shrink",
            "report", "view", "time", "diff", "snapshot", "passes", "scan", "mcp", "lsp", "describe")
# The page that `halo report` and `halo view` fill, without the viewer.
PAGE = "<html><!--halo:data--><!--/halo:data--></html>"


# Reads one document per line and prints the first thing that is wrong with it by its schema, or null.
VALIDATE = """
import json, pathlib, sys
import jsonschema
known = {}
for path in pathlib.Path(sys.argv[1]).glob("*.json"):
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    known[schema["title"]] = jsonschema.Draft202012Validator(schema)
for line in sys.stdin:
    document = json.loads(line)
    error = next(iter(known[document["schema"]].iter_errors(document)), None)
    print(json.dumps(error and f"{error.json_path}: {error.message[:200]}"), flush=True)
"""


class Schemas:
    """The schemas of all documents by title, and a process that validates documents: only the project's environment
    has jsonschema. The schemas are those of the build, since a broken command describes nothing."""

    def __init__(self):
        folder = BUILD / "share/haloscope/schemas"
        self.titles = {json.loads(path.read_text(encoding="utf-8"))["title"] for path in folder.glob("*.json")}
        self.process = subprocess.Popen([python_with("jsonschema"), "-c", VALIDATE, str(folder)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def error(self, document):
        """What is wrong with a document, None if nothing is."""
        self.process.stdin.write(json.dumps(document) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.communicate()


def problem_of(output, schemas):
    """Returns (document, None), or (None, what is wrong with the output)."""
    try:
        text = output.decode()
        document, end = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        return None, f"no JSON document: {error}"
    if text[end:].strip():
        return None, f"more than one document: {text[end:].strip()[:60]!r}"
    if not isinstance(document, dict) or document.get("schema") not in schemas.titles:
        return None, "the document names no known schema"
    error = schemas.error(document)
    if error is not None:
        return None, f"{document['schema']}: {error}"
    return document, None


def untrue(document, arguments):
    """What a document says about the files of its command line that is not so, and how many files it describes. It names
    a file that it read by the path given, with the size on disk."""
    given = {str(each) for each in arguments if str(each).endswith((".txt", ".hlo")) and pathlib.Path(each).is_file()}
    described = {each["path"]: each["stored_bytes"] for each in document.get("inputs", []) if "stored_bytes" in each}
    wrong = [path for path, size in described.items() if pathlib.Path(path).is_file() and size != pathlib.Path(path).stat().st_size]
    if given and len(described) == 1:
        wrong += [path for path in described if path not in given]
    return wrong, len(described)


def command_line(command, *files):
    request = ["overview"] if command == "ask" else []
    return [command, *request, *MORE.get(command, []), *files]


def cases(work):
    """Yields (arguments, exit codes that are right)."""
    tiny, text, empty = work / "tiny.hlo", work / "notes.txt", work / "empty"
    page = work / "page.html"
    paged = ["--page", page]
    for command in COMMANDS:
        if command in ("ls", "report", "view"):
            extra = [] if command == "ls" else list(paged)
            if command != "view":
                extra += ["-o", work / "report.html"] if command == "report" else []
                for path in (FOLDER, EXAMPLES, work / "dump.tar"):
                    yield [command, path, *extra], {0, 1}
            for path in (work / "missing", work / "missing.tar"):
                yield [command, path, *extra], {2}
            yield [command, FOLDER, *extra, "--module", "no_such_module"], {2}
        elif command == "scan":
            yield [command, FOLDER, "--to", work / "dataset"], {0}
            yield [command, FOLDER, work / "dump.tar", "--to", work / "dataset"], {0}
            yield [command, FOLDER], {2}
            yield [command, FOLDER, "--to", work / "tiny.hlo"], {2}
            yield [command, work / "missing", "--to", work / "other"], {0, 1, 2}
        elif command == "lsp":
            yield [command], {0}
        elif command == "describe":
            yield from (([command], {0}), ([command, "memory"], {0}), ([command, "no-such-document"], {2}))
        elif command == "mcp":
            yield [command], {2}  # without --http, standard output belongs to the protocol
            yield [command, "--root", work / "missing", "--http"], {2}
        elif command == "diff":
            yield [command, CPU, CPU], {0}
            yield [command, FOLDER, work / "dump.tar"], {0}
            yield [command, CPU, tiny], {1}
            for path in (BROKEN, work / "missing", text, empty, work / "cut.hlo.gz", work / "bare"):
                yield [command, CPU, path], {2}
                yield [command, path, CPU], {2}
            yield [command, FOLDER, FOLDER, "--module", "no_such_module"], {2}
            yield [command, CPU], {2}
            for option in ("--ranks", "--recompiles"):
                yield [command, option, FOLDER], {0}
                yield [command, option, work / "missing"], {2}
            yield [command, CPU, CPU, "--fail-on", "peak>+1%,new:all-gather,new:copy>64MiB,time>+3%"], {0}
            yield [command, CPU, tiny, "--fail-on", "changed"], {1}
            yield [command, CPU, CPU, "--fail-on", "peek>1"], {2}
            yield [command, "--passes", FOLDER, work / "dump.tar"], {0}
            yield [command, "--passes", FOLDER, work / "missing"], {2}
            yield [command, CPU, CPU, "--run"], {0}
            yield [command, CPU, BROKEN, "--run"], {2}
            yield ["passes", FOLDER, "--run"], {0}
        else:
            good = ASSIGNMENT if command == "pack" else tiny if command in ("run", "compare", "compile", "shrink") else CPU
            yield command_line(command, good), {0}
            if command in ("fmt", "info", "check"):
                yield command_line(command, good, BROKEN, work / "missing"), {2}
            if command not in ("compare", "run", "compile"):
                yield command_line(command, FOLDER), {0}
                yield command_line(command, work / "dump.tar"), {0}
            yield command_line(command, BROKEN), {1} if command in ("check", "info") else {0, 2}
            for path in (work / "missing", text, empty, work / "cut.hlo.gz", work / "bare"):
                # The overview says what any file is.
                expected = {0} if path in (text, empty) and command == "ask" else {2}
                yield command_line(command, path), expected
            yield command_line(command, FOLDER, "--module", "no_such_module"), {2}
            yield command_line(command, tiny, "--stage", "before"), {2}
        yield [command, "--no-such-option"], {2}
        yield [command, "--no-such-option", FOLDER], {2}
        if command not in ("ls", "mcp", "lsp", "describe"):
            yield [command], {2}
    unwritable = work / "missing" / "output"
    yield ["fmt", CPU, "-o", unwritable], {2}
    yield ["fmt", "--check", "--style=short", CPU], {1}
    yield ["fmt", "--style=nonsense", CPU], {2}
    yield ["convert", CPU, "-o", f"{unwritable}.pb"], {2}
    yield ["convert", CPU, "-o", work / "x.unknown"], {2}
    yield ["convert", CPU, "--to", "proto"], {0}
    yield ["pack", ASSIGNMENT, "--steps", "1", "-o", unwritable], {2}
    yield ["pack", work / "buffers.csv", "--steps", "1", "--capacity", "1"], {1}
    yield ["shrink", tiny, "--to", "1MiB", "-o", unwritable], {2}
    yield ["snapshot", tiny, "-o", unwritable], {2}
    yield ["shrink", tiny], {2}
    yield ["shrink", tiny, "--dim", "4"], {2}
    yield ["run", tiny, *MORE["run"], "-o", unwritable], {2}
    yield ["run", tiny, "--engine", "reference"], {2}
    yield ["run", tiny, *MORE["run"], "--find-nan", "--trace", "r"], {0}
    yield ["run", tiny, *MORE["run"], "-o", "-"], {0}
    yield ["compile", tiny, "--dump-to", work / "tiny.hlo"], {2}
    yield ["compile", tiny, "--dump-to", work / "compiled", "--decisions"], {0}
    yield ["report", FOLDER, *paged, "-o", unwritable], {2}
    yield ["report", FOLDER, *paged, "-o", "-"], {0}
    yield ["report", FOLDER, "--page", text, "-o", work / "report.html"], {2}
    yield ["time", "--calibrate", work / "cpu.json", "--threads", 1], {0}
    yield ["time", CPU, "--device", work / "missing.json"], {2}
    yield ["memory", CPU, "--no-advice", "--capacity", "1"], {1}
    yield ["memory", CPU, "--no-advice", "--device", "nonsense"], {2}
    yield ["memory", CPU, "--no-advice", "--check"], {0}
    yield ["memory", CPU, "--csv"], {2}
    yield ["memory", CPU, "--donate", "9999"], {2}
    yield ["check", "--rules"], {0}
    yield ["check", EXAMPLES], {1}
    yield ["check", CPU, "--sarif"], {2}
    yield ["ls", FOLDER, "--files"], {0}
    yield ["ask", '{"ask":"table","of":"collectives"}', CPU], {0}
    yield ["ask", '{"ask":"nonsense"}', CPU], {2}
    yield ["ask", '{"ask":', CPU], {2}
    yield ["ask", "memory.map", FOLDER], {0}
    yield ["no-such-command"], {2}
    yield [CPU], {2}
    yield [], {2}


def served(words, schemas):
    """Returns the document that a server prints before it is stopped, and what is wrong with it."""
    process = subprocess.Popen([str(need_halo()), *map(str, words), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    head = b""
    while problem_of(head, schemas)[1] is not None:
        line = process.stdout.readline()
        if not line:
            break
        head += line
    process.terminate()
    rest, _ = process.communicate(timeout=10)
    return problem_of(head + rest, schemas)


def planted_found(schemas):
    """Returns (found, planted) of damaged outputs that must be recognised as such."""
    found = planted = 0
    good = halo_run("check", CPU, "--json").stdout
    document, problem = problem_of(good, schemas)
    if problem is not None:
        return 0, 1
    damaged = [b"", good + good, good[:-3], b"[]", b"{}", b"halo: no such file\n" + good]
    for key in ("schema", "halo_version", "inputs", "diagnostics", "errors", "warnings"):
        damaged.append(json.dumps({name: each for name, each in document.items() if name != key}).encode())
    for key, value in (("errors", "0"), ("inputs", {}), ("diagnostics", [{"path": "x"}]), ("schema", "halo.nonsense.v1")):
        damaged.append(json.dumps(dict(copy.deepcopy(document), **{key: value})).encode())
    for output in damaged:
        planted += 1
        found += problem_of(output, schemas)[1] is not None
    return found, planted


def measure(quick):
    del quick
    need_halo()
    schemas = Schemas()
    commands = re.findall(r"^  ([a-z]+) ", halo("--help").decode().split("Subcommands:")[-1].lower(), re.MULTILINE)
    runs, good, seen, described = 0, 0, set(), 0
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        (work / "tiny.hlo").write_text(TINY, encoding="utf-8")
        (work / "notes.txt").write_text("Dear diary,\n", encoding="utf-8")
        (work / "empty").write_bytes(b"")
        (work / "bare").mkdir()
        (work / "buffers.csv").write_text("id,lower,upper,size\na,0,2,64\nb,1,3,64\n", encoding="utf-8")
        (work / "cut.hlo.gz").write_bytes(b"\x1f\x8b\x08\x00")
        (work / "page.html").write_text(PAGE, encoding="utf-8")
        subprocess.run([sys.executable, "-m", "tarfile", "-c", str(work / "dump.tar"), FOLDER.name], check=True,
                       cwd=EXAMPLES)
        for arguments, codes in cases(work):
            runs += 1
            run = halo_run(*arguments, "--json")
            document, problem = problem_of(run.stdout, schemas)
            if problem is None:
                seen.add(document["schema"])
                if run.returncode not in codes:
                    problem = f"exit {run.returncode}, not {sorted(codes)}"
                elif run.returncode == 2 and not document["diagnostics"]:
                    problem = "exit 2, but the document does not say why"
                wrong, count = untrue(document, arguments) if run.returncode != 2 else ([], 0)
                described += count
                problem = problem or (f"it describes {wrong[0]} wrongly" if wrong else None)
            good += problem is None
            if problem is not None:
                line = " ".join(map(str, arguments)).replace(str(work), "WORK").replace(str(EXAMPLES), "examples")
                print(f"  halo {line} --json: {problem}")
        for words in (["view", FOLDER, "--page", work / "page.html"], ["mcp", "--http", "--root", FOLDER]):
            runs += 1
            document, problem = served(words, schemas)
            good += problem is None
            seen |= {document["schema"]} if document else set()
            if problem is not None:
                print(f"  halo {words[0]}: {problem}")
    found, planted = planted_found(schemas)
    schemas.close()
    unseen = sorted(schemas.titles - seen)
    missed = sorted(set(commands) - set(COMMANDS) - {"help", "completion", "man"})
    if unseen or missed:
        print(f"  documents not seen: {unseen}; commands not run: {missed}")
    counts = {"runs": runs, "commands": len(set(commands) & set(COMMANDS)), "documents": len(seen), "planted failures": planted,
              "files described": described}
    held = good == runs and found == planted and not unseen and not missed and enough(LEAST, counts)
    return held, (f"{good} of {runs} runs of {len(COMMANDS)} commands print one valid document with the right exit code; "
                  f"{len(seen)} of {len(schemas.titles)} documents seen; {found} of {planted} planted failures found")
