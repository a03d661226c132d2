"""Parses every HLO text of the corpus with the tree-sitter grammar (editors/tree-sitter-hlo): no tree may have an error.
Texts with a mistake must give one: those of the grammar's own tests, and real texts with one bracket removed."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from common import ROOT, SHARED, enough, hlo_texts, need_shared, python_with
from subject import tree

sys.path.insert(0, str(ROOT / "scripts"))
from tracked_files import tracked_files  # noqa: E402

ORDER = 240
QUICK_SECONDS = 5
WHAT = "the tree-sitter grammar on every HLO text of the corpus, on all archives of versions, on the seeds, and on broken texts"
BAR = "no error node in any HLO text; one in every broken text; every query captures something"
QUICK_BAR = "the same for every 20th text of corpus/jax and corpus/xla, and seed 000"
LEAST = {"texts": 1600, "broken texts": 500, "queries": 6}
QUICK_LEAST = {"texts": 45, "broken texts": 100, "queries": 6}
FOLDER = "editors/tree-sitter-hlo"
EXAMPLE = "examples/h100x4_fsdp_mlp_train"
PARSE = pathlib.Path(__file__).resolve().parents[1] / "lib" / "grammar_parse.py"
# Some files of corpus/xla end in .hlo but are a module as text of a protocol buffer.
TEXT_PROTO = re.compile(rb"(?:\s|[#/][^\n]*\n)*(?:hlo_module\s*\{|name: \")")


def plant(folder):
    """The fault of the self-test: the parser takes another character for the bracket of dimensions."""
    path = folder / FOLDER / "src" / "parser.c"
    path.write_text(path.read_text(encoding="utf-8").replace("'['", "'~'"), encoding="utf-8")


def parse(library, requests):
    """The results of grammar_parse.py, in order."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run([python_with("tree_sitter"), str(PARSE), str(library)], input=lines, capture_output=True, text=True, check=True)
    results = [json.loads(line) for line in run.stdout.splitlines()]
    if len(results) != len(requests):
        raise RuntimeError(f"{len(results)} results for {len(requests)} texts")
    return results


def texts(quick, scratch):
    """The files to parse. In full, those in the archives too."""
    corpus = need_shared("corpus")
    found = [*hlo_texts(corpus / "jax"), *sorted((corpus / "xla").rglob("*.hlo"))]
    seeds = [next((SHARED / "seeds").glob(f"{number}_*")) for number in ("000", "002", "004")]
    if quick:
        return found[::20] + seeds[:1]
    for archive in sorted((corpus / "versions").glob("*.tar.zst")):
        folder = scratch / archive.name.removesuffix(".tar.zst")
        folder.mkdir()
        subprocess.run(["tar", "xf", str(archive), "-C", str(folder)], check=True)
    examples = [path for path in hlo_texts(ROOT / "examples")]
    return found + seeds + [*hlo_texts(corpus / "seeds_logical"), *hlo_texts(scratch)] + examples


def broken_tests(root):
    """The texts of the grammar's tests that must give an error."""
    parts = (root / FOLDER / "test" / "corpus" / "broken.txt").read_text(encoding="utf-8").split("=" * 80 + "\n")
    return [text.split("-" * 80)[0] for text in parts[2::2]]


def damaged(path, count, generator):
    """A real text, up to 20 KB of it, with one bracket removed, `count` times. Brackets in strings and comments stay."""
    text = path.read_text(errors="replace")[:20000]
    text = text[:text.rfind("\n}") + 3]
    plain = re.sub(r'"(?:[^"\\]|\\.)*"|\'[^\'\n]*\'|//[^\n]*|/\*.*?\*/', lambda match: " " * len(match[0]), text, flags=re.DOTALL)
    brackets = [match.start() for match in re.finditer(r"[(){}\[\]]", plain)]
    for at in generator.sample(brackets, min(count, len(brackets))):
        yield text[:at] + text[at + 1:]


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    names = [name for name in tracked_files(ROOT) if name.startswith(FOLDER + "/")]
    root = tree(ROOT, names, plant)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        source = root / FOLDER / "src" / "parser.c"
        if not source.exists():
            return False, "no parser"
        library = scratch / "hlo.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I", str(source.parent), str(source), "-o", str(library)], check=True)
        files = texts(quick, scratch)
        protos = [path for path in files if path.suffix == ".hlo" and TEXT_PROTO.match(path.read_bytes())]
        files = [path for path in files if path not in protos]
        results = parse(library, [{"path": str(path)} for path in files])
        good = 0
        for path, result in zip(files, results):
            good += result["error"] is None
            if result["error"]:
                print("  {}:{}:{}: {}".format(path, *result["error"]))
        generator = random.Random(1)
        from_files = [text for path in files[::5 if quick else 25] for text in damaged(path, 20, generator)]
        wrong = broken_tests(root) + from_files + [path.read_text(errors="replace") for path in protos]
        missed = [text for text, result in zip(wrong, parse(library, [{"text": text} for text in wrong])) if result["error"] is None]
        for text in missed[:5]:
            print(f"  no error node: {text[:300]!r}")
        size = sum(result["bytes"] for result in results)
        queries = sorted((root / FOLDER / "queries").glob("*.scm"))
        captured = parse(library, [{"path": str(next((ROOT / EXAMPLE).glob("*gpu_after_optimizations.txt"))), "query": str(path)} for path in queries])
        idle = [path.name for path, result in zip(queries, captured) if result["captures"] == 0]
        for query in idle:
            print(f"  {query} captures nothing in {EXAMPLE}")
    print(f"  {len(files)} texts, {size / 1e6:.0f} MB; {len(protos)} files are text of protocol buffers and count as broken")
    counted = enough(least, {"texts": len(files), "broken texts": len(wrong), "queries": len(queries)})
    held = counted and good == len(files) and not missed and not idle
    return held, f"{good} of {len(files)} texts without an error node; {len(wrong) - len(missed)} of {len(wrong)} broken texts with one"
