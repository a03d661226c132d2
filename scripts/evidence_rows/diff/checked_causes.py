"""The causes in checked_causes.tsv, each checked by reading both HLO texts. This is not a row: diff_versions.py uses it.

The sample: of all causes of all pairs, the first 40 of version pairs, 30 of programs and 30 of passes by the SHA-256 of
"PAIR<tab>KIND<tab>CAUSE". A pair is "TARGET OLD NEW" (versions), a program's name (jaxlib 0.10.2 and 0.12.0.1), or two
states of the compilation in allpass, by number where both have one."""
import csv
import pathlib
import re
import subprocess
import tempfile

from common import hlo_texts, need_shared

TABLE = pathlib.Path(__file__).with_suffix(".tsv")
VERDICTS = ("right", "misleading", "wrong")
RIGHT = 95


def checked():
    """The rows of the table, by pair."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if any(row["verdict"] not in VERDICTS or not row["why"] for row in rows):
        raise RuntimeError(f"{TABLE.name}: a row without a verdict or a reason")
    if len({(row["pair"], row["kind"], row["cause"]) for row in rows}) != len(rows):
        raise RuntimeError(f"{TABLE.name}: a cause is listed twice")
    pairs = {}
    for row in rows:
        pairs.setdefault(row["pair"], []).append(row)
    return pairs


def verdicts(pairs):
    """How many causes were checked, and how many of them right."""
    rows = [row for group in pairs.values() for row in group]
    return len(rows), sum(row["verdict"] == "right" for row in rows)


def missing(rows, found):
    """The checked causes of a pair that a comparison no longer reports, or not for the instruction that was read."""
    names = {}
    for cause in found["causes"]:
        listed = names.setdefault((cause["kind"], cause["what"]), {"-"})
        listed.update(name for place in cause["places"] for name in place.values())
    return [row for row in rows if row["example"] not in names.get((row["kind"], row["cause"]), ())]


def state_name(path, other):
    numbers = [re.search(r"\.(\d{4})\.", each.name) for each in (path, other)]
    return numbers[0].group(1) if all(numbers) else path.name


def texts_of(pairs):
    """Yields each pair of the table with its two inputs."""
    corpus = need_shared("corpus")
    steps = sorted(hlo_texts(corpus / "jax" / "allpass"))
    states = {f"{state_name(a, b)} {state_name(b, a)}": (a, b) for a, b in zip(steps, steps[1:])}
    with tempfile.TemporaryDirectory() as folder:
        archive = corpus / "versions" / "cpu_0.12.0.1_programs.tar.zst"
        subprocess.run(["tar", "xf", str(archive), "-C", folder], check=True)
        for pair in pairs:
            words = pair.split()
            if pair in states:
                yield pair, *states[pair]
            elif len(words) == 3:
                yield pair, *(corpus / "versions" / f"{words[0]}_{each}.tar.zst" for each in words[1:])
            else:
                programs = (corpus / "jax" / "cpu", pathlib.Path(folder) / archive.name.removesuffix(".tar.zst"))
                yield pair, *(next((each / pair).glob("*cpu_after_optimizations.txt")) for each in programs)
