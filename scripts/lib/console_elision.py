"""Matches shown output, parts of which are left out as …, against what a command prints, and writes it again.

A line of … alone represents any number of lines, … inside a line any text. `refreshed` carries the choice of what is
shown over to a changed output: each shown line is paired with the most similar printed line, in order; what a reader
did not see before stays left out, except for a few new lines between shown ones."""
import collections
import difflib
import re

MARK = "…"
LEAST_ALIKE = 0.45  # of two lines that are taken for the same one
SHORT_GAP = 3  # new lines between shown ones that are shown too


def shows_part_of(shown, output):
    """True if the shown lines, some of them or parts of them left out as …, match the output."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == MARK else
                      ".*".join(map(re.escape, line.rstrip().split(MARK))) + r"\n"
                      for line in shown.splitlines())
    return re.fullmatch(pattern, output) is not None


def line_matches(shown, line):
    return re.fullmatch(".*".join(map(re.escape, shown.rstrip().split(MARK))), line) is not None


def _words(line):
    """The words of a line, with all numbers alike, so that a changed figure does not make a line another one."""
    return collections.Counter(re.sub(r"\d+(?:[.,]\d+)*", "0", word) for word in re.findall(r"[\w.%+-]+|[^\w\s]+", line))


def _likeness(shown, line):
    """Dice's coefficient of the words, from 0 to 1. A line that matches is as similar as can be."""
    if line_matches(shown, line):
        return 1.0
    one, other = _words(shown.replace(MARK, " ")), _words(line)
    size = one.total() + other.total()
    alike = 2 * (one & other).total() / size if size else 1.0
    if MARK in shown:  # the rest of the line is left out, so only what is shown counts
        alike = max(alike, (one & other).total() / max(one.total(), 1) * 0.9)
    return alike


def _paired(shown, lines):
    """Returns for each shown line the number of the line that it has become, or None. Numbers increase."""
    best = [[0.0] * (len(lines) + 1) for _ in range(len(shown) + 1)]
    alike = [[_likeness(one, other) for other in lines] for one in shown]
    for i in range(len(shown) - 1, -1, -1):
        for j in range(len(lines) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1],
                             best[i + 1][j + 1] + alike[i][j] if alike[i][j] >= LEAST_ALIKE else 0.0)
    pairs, j = [], 0
    for i in range(len(shown)):
        while j < len(lines) and best[i][j] == best[i][j + 1] and best[i][j] != best[i + 1][j]:
            j += 1
        if j < len(lines) and best[i][j] != best[i + 1][j]:
            pairs.append(j)
            j += 1
        else:
            pairs.append(None)
    return pairs


def _elided(shown, line):
    """Returns the line with the parts left out that the shown line leaves out."""
    if MARK not in shown or line_matches(shown, line):
        return shown.rstrip() if MARK in shown else line
    old, new = re.findall(r"\s+|[^\s…]+|…", shown), re.findall(r"\s+|\S+", line)
    if shown.rstrip().endswith(MARK) and len(line) > len(shown):
        return line[:len(shown.rstrip()) - 1].rstrip() + MARK
    parts = []
    for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        hidden = MARK in old[a:b]
        parts.append(MARK if hidden and what != "equal" else "".join(new[c:d]))
    result = re.sub(f"{MARK}+", MARK, "".join(parts))
    return result if line_matches(result, line) else line


def refreshed(shown, output):
    """Returns (the shown text for this output, shown lines that have no counterpart in it any more)."""
    old, lines = shown.splitlines(), output.splitlines()
    kept = [line for line in old if line.strip() != MARK]
    pairs = dict(zip([i for i, line in enumerate(old) if line.strip() != MARK], _paired(kept, lines), strict=True))
    lost = [old[i] for i, j in pairs.items() if j is None]
    result, at, open_gap = [], 0, False  # open_gap: the document leaves out what comes before the next shown line
    indent = next((line.split(MARK)[0] for line in old if line.strip() == MARK), "")

    def skip(to, limit):
        nonlocal at
        if to - at > limit:
            result.append(indent + MARK)
        else:
            result.extend(lines[at:to])
        at = to

    for i, line in enumerate(old):
        if line.strip() == MARK:
            open_gap, indent = True, line.split(MARK)[0]
        elif pairs[i] is not None:
            skip(pairs[i], 0 if open_gap else SHORT_GAP)
            result.append(_elided(line, lines[at]))
            at, open_gap = at + 1, False
    skip(len(lines), 0 if open_gap else SHORT_GAP)
    text = "".join(line.rstrip() + "\n" for line in result)
    return text, lost
