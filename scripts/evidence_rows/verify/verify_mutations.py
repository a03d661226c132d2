"""Single mutations of corpus modules: our verifier must reject what XLA's rejects and accept what XLA's accepts.

XLA's verdict comes from xla_judge.py: jaxlib reads, loads and verifies the module. Ours comes from `halo check`: a
mutant is rejected if there is an error. Mutants on which XLA aborts have no verdict and are counted separately.
jaxlib's verdicts are cached in build/mutations by content. Each class of disagreement has a reason below; a
disagreement that matches none is printed as unexplained."""
import collections
import concurrent.futures
import hashlib
import itertools
import json
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, enough, halo_run, jax_python, reference_version
from mutants import corpus_texts, mutants, view_of
from mutation_reasons import REASONS

ORDER = 20
QUICK_SECONDS = 7
WHAT = "single mutations of corpus modules, our verifier against XLA's"
BAR = "at least 20,000 mutants checked by both, agreement at least 99 %, each disagreement with a reviewed reason"
QUICK_BAR = "600 mutants of every third module, agreement at least 99 %, each disagreement with a reviewed reason"
LEAST = {"mutants": 20_000}
QUICK_LEAST = {"mutants": 540}

COUNT, QUICK_COUNT, QUICK_STEP, SEED = 22_000, 600, 3, 5
ORACLE = ROOT / "scripts" / "evidence_rows" / "lib" / "xla_judge.py"
CACHE = ROOT / "build" / "mutations"
FILES_PER_CALL = 400


def run_oracle(mode, files, folder):
    """Returns the verdicts by path. Runs two processes, each on every other file."""
    python, results = jax_python(), []

    def one(part):
        listed, answers = folder / f"list.{part}", folder / f"answers.{part}"
        listed.write_text("\n".join(files[part::2]))
        subprocess.run([python, str(ORACLE), mode, str(listed), str(answers)], check=True, capture_output=True)
        return [json.loads(line) for line in answers.read_text().splitlines()]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for rows in pool.map(one, range(2)):
            results += rows
    return {row["path"]: row for row in results}


class Verdicts:
    """Caches jaxlib's verdict on a text, keyed by its version, the text's content and the source of xla_judge.py."""

    def __init__(self, mode):
        self.mode = mode
        stamp = hashlib.sha256(ORACLE.read_bytes()).hexdigest()[:12]
        self.path = CACHE / f"{mode}-{reference_version()}-{stamp}.jsonl"
        self.known = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                key, row = json.loads(line)
                self.known[key] = row

    def of(self, texts):
        """Returns a verdict for each key of `texts`, which maps key -> (text, alias)."""
        missing = {key: value for key, value in texts.items() if key not in self.known}
        if missing:
            CACHE.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as name, open(self.path, "a", encoding="utf-8") as cache:
                folder = pathlib.Path(name)
                files = []
                for key, (text, alias) in missing.items():
                    (folder / key).write_text(text)
                    files.append(f"{folder / key}\talias" if alias else str(folder / key))
                rows = run_oracle(self.mode, files, folder)
                for key in missing:
                    row = rows[str(folder / key)]
                    del row["path"]
                    if self.mode == "normal" and row["verdict"] == "accept":
                        row["text"] = (folder / key).read_text()
                    self.known[key] = row
                    cache.write(json.dumps([key, row]) + "\n")
        return {key: self.known[key] for key in texts}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def bases(step):
    """Returns those of every step-th corpus module that XLA's verifier accepts, as XLA prints them, and those of them
    whose aliases it can verify."""
    texts = {}
    for name, text in itertools.islice(corpus_texts(), 0, None, step):
        texts.setdefault(digest(text), (name, text))
    verdicts = Verdicts("normal").of({key: (text, False) for key, (_, text) in texts.items()})
    views = [view_of(name, verdicts[key]["text"]) for key, (name, _) in texts.items()
             if verdicts[key]["verdict"] == "accept" and verdicts[key]["stage"] == ""]
    plain = {digest(text): view for view in views
             if ("before_optimizations" in view.name or "/hand/" in view.name)
             and len(text := view.with_lines({})) < 30_000}
    answers = Verdicts("verify").of({"alias" + key: (view.with_lines({}), True) for key, view in plain.items()})
    return views, [view for key, view in plain.items() if answers["alias" + key]["verdict"] == "accept"]


def ours(found):
    """Returns the codes of the errors that halo reports, by the mutant's key."""
    errors = {mutant.key(): [] for mutant in found}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for mutant in found:
            (folder / mutant.key()).write_text(mutant.text)
        paths = sorted(folder.iterdir())
        for first in range(0, len(paths), FILES_PER_CALL):
            run = halo_run("check", "--json", *paths[first:first + FILES_PER_CALL])
            for row in json.loads(run.stdout)["diagnostics"]:
                if row["severity"] == "error":
                    errors[pathlib.Path(row["path"]).name].append((row["code"], row["message"]))
    return errors


OUTCOMES = ("both reject", "both accept", "only XLA rejects", "only we reject", "XLA aborts")


def outcome(row, errors):
    if row["verdict"] == "crash":
        return "XLA aborts"
    if row["verdict"] == "skip":
        return None
    if bool(errors) == (row["verdict"] == "reject"):
        return "both reject" if errors else "both accept"
    return "only we reject" if errors else "only XLA rejects"


def xla_says(row):
    """Returns XLA's message without names and numbers, for grouping."""
    text = row["message"].split("during context [Unknown]: ")[-1]
    if row["stage"] == "read":
        text = (re.findall(r"error: (.*)", text) or [text])[-1]
    text = re.sub(r"RET_CHECK failure \(\S*/(\w+\.cc):\d+\)", r"\1", text.split("\n")[0])
    text = re.sub(r"\(?\b(?:pred|token|[a-z]+\d\w*)\[[^ ]*(?:, [a-z]\w*\[[^ ]*)*", "SHAPE", text)
    return row["stage"] + ": " + re.sub(r"%[\w.-]+", "%", re.sub(r"-?\d+", "N", text))[:110]


def reason_of(mutant, row, errors, what):
    """Returns the first reviewed reason that matches by side, our code or XLA's message, class and opcode."""
    said = errors[0][0] if errors else xla_says(row)
    for reason in REASONS:
        if reason["side"] == what and re.search(reason["said"], said) and \
                re.search(reason.get("mutation", ""), f"{mutant.kind} {mutant.detail} {mutant.opcode}") and \
                re.search(reason.get("line", ""), mutant.line) and re.search(reason.get("message", ""), errors[0][1] if errors else row["message"]):
            return reason
    return None


def print_table(table):
    print(f"  {'mutation':22}" + "".join(f"{name:>18}" for name in OUTCOMES))
    for kind in sorted(table):
        print(f"  {kind:22}" + "".join(f"{table[kind][name]:18}" for name in OUTCOMES))
    total = sum(table.values(), collections.Counter())
    print(f"  {'all':22}" + "".join(f"{total[name]:18}" for name in OUTCOMES))
    return total


def print_disagreements(disagreements):
    explained, unexplained = collections.defaultdict(list), collections.defaultdict(list)
    for mutant, row, errors, what in disagreements:
        reason = reason_of(mutant, row, errors, what)
        if reason is not None:
            explained[reason["why"]].append((reason, mutant, row, errors, what))
        else:
            said = errors[0][0] if errors else xla_says(row)
            unexplained[what, said].append((mutant, row, errors))
    for why, cases in sorted(explained.items(), key=lambda item: -len(item[1])):
        reason, mutant, row, errors, what = cases[0]
        print(f"  {len(cases):5} {what}; right: {reason['right']}: {why}\n        e.g. {mutant.line[:150]}  ({mutant.base})")
    for (what, said), cases in sorted(unexplained.items(), key=lambda item: -len(item[1])):
        mutant, row, errors = cases[0]
        print(f"  {len(cases):5} {what}; UNEXPLAINED: {said}\n        e.g. {mutant.line[:150]}  ({mutant.base})")
    return sum(map(len, unexplained.values()))


def check_all(count, step):
    views, alias_views = bases(step)
    found = mutants(views, alias_views, count, SEED)
    verdicts = Verdicts("verify").of({mutant.key(): (mutant.text, mutant.alias) for mutant in found})
    errors = ours(found)
    return views, [(mutant, verdicts[mutant.key()], errors[mutant.key()]) for mutant in found]


def measure(quick):
    views, checked = check_all(*(QUICK_COUNT, QUICK_STEP) if quick else (COUNT, 1))
    table, disagreements = collections.defaultdict(collections.Counter), []
    for mutant, row, errors in checked:
        what = outcome(row, errors)
        table[mutant.kind][what] += 1
        if what in OUTCOMES[2:4]:
            disagreements.append((mutant, row, errors, what))
    opcodes = len({mutant.opcode for mutant, _, _ in checked} - {""})
    print(f"  {len(checked)} mutants of {len(views)} modules, {opcodes} opcodes, seed {SEED}")
    total = print_table(table)
    unexplained = print_disagreements(disagreements)
    agreed, asked = total["both reject"] + total["both accept"], sum(total[name] for name in OUTCOMES[:4])
    held = agreed >= 0.99 * asked and not unexplained and enough(QUICK_LEAST if quick else LEAST, {"mutants": asked})
    return held, (f"{agreed} of {asked} agree ({100 * agreed / asked:.2f}%), {len(disagreements) - unexplained} disagreements "
                  f"explained, {unexplained} not; XLA aborts on {total['XLA aborts']} more")
