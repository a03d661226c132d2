"""Checks that the tree uses the field's terms, and that the check finds every old word."""
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, enough
from subject import tree

sys.path.insert(0, str(ROOT / "scripts"))
import check_words  # noqa: E402
from tracked_files import tracked_files  # noqa: E402

ORDER = 61
QUICK_SECONDS = 2
WHAT = "old words of docs/glossary.md in names, comments, messages, documents and tests"
BAR = ("none in at least 1,000 files, searched with at least 20 patterns; each of the old words, written into a copy of a file, "
       "is found at its line, and none of the ordinary uses is")
QUICK_BAR = BAR
LEAST = {"files": 1000, "patterns": 20, "megabytes": 4}
COPIED = "halo/base/strings/text_buffer.h"
# The words that must be found, in the forms in which they were used. Not taken from the check.
OLD = ("struct Room {", "the room of a value", "room_of_[value]", "SourcePlace place;", "the place of an error",
       "const Place& place", "the place of a value", "a stretch of bytes", "ForEachStretch(slot)", "the meeting place",
       "Meeting& meeting", "who came last", "attribute 'x' stands here twice", "this part stands too late",
       "what stands for it", "here a number should stand", "kept as it stands", "whoever dies is named",
       "nobody reads it", "killed by somebody", "inputs are made up", "its shards joined", "JoinShards(parts)",
       "cut by its sharding", "it lies outside the file", "how arrays lie in memory", "LiesIn(array)", "counting order",
       "GroupsKind::kCounting", "columns first", "columns_first = true", "earlier_sieve", "the look of a text",
       "UseLook(true)", "kUnsaid", "MemoryQuestion question;", "RunAnswer answer;", "has_answer", "explain_items.h",
       "SharedWord word;", "MessageFlight flight;", "MakeFewRows(p)", "lib_product_tiles.cc", "XLA is the judge of it",
       "PlainJudge", "it is not said", "if not stated", "a file of its own", "suppose that it is donated",
       "suppositions", "a what-if", "planned anew", "found and mended")
ORDINARY = ("updated in place", "there is room for it", "placement", "a standard stand-in", "look up a name", "lookup",
            "an in-flight operation", "counting loops", "earlier clients", "answers the request", "known owners")


def planted():
    """Returns the old words that the check misses and the ordinary uses that it finds, in copies of one file."""
    text = (ROOT / COPIED).read_text(encoding="utf-8")
    lines = text.count("\n")
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for number, phrase in enumerate(OLD + ORDINARY):
            (root / f"copy_{number}.h").write_text(f"{text}// {phrase}\n", encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        found, _ = check_words.check(root)
    where = {(each.path, each.line) for each in found}
    for number, phrase in enumerate(OLD + ORDINARY):
        if ((f"copy_{number}.h", lines + 1) in where) != (number < len(OLD)):
            wrong.append(f"{'misses' if number < len(OLD) else 'finds'} \"{phrase}\"")
    return wrong


def plant(folder):
    """The fault of the self-test: one old word in one file."""
    with open(folder / COPIED, "a", encoding="utf-8") as header:
        header.write(f"// {OLD[5]}\n")


def measure(quick):
    del quick  # takes seconds
    root = tree(ROOT, tracked_files(ROOT), plant)
    found, files = check_words.check(root)
    size = sum((root / name).stat().st_size for name in tracked_files(root))
    for each in found:
        print(f"  {check_words.describe(each)}")
    wrong = planted()
    for each in wrong:
        print(f"  the check {each}")
    words = len(check_words.WORDS)
    counted = enough(LEAST, {"files": files, "patterns": words, "megabytes": size // 10 ** 6})
    return (not found and not wrong and counted,
            f"{len(found)} old words in {files} files; {words} patterns find {len(OLD)} old words that were planted "
            f"and none of {len(ORDINARY)} ordinary uses" if not wrong else
            f"{len(found)} old words in {files} files; the check errs on {len(wrong)} of {len(OLD) + len(ORDINARY)} lines")
