#!/usr/bin/env python3
"""Checks that sources, documents and tests use the terms of docs/glossary.md, not the old words listed there.

Each word has a pattern for its old sense, in prose and in identifiers; ordinary uses do not match ("in place",
"lookup", "room for"). Prints file:line:column, the word and what to write instead, then the number of files
checked. Line 0 is the file's name. Binary files and data that XLA printed are not checked.
"""

import collections
import pathlib
import re
import sys

from tracked_files import tracked_files

ROOT = pathlib.Path(__file__).resolve().parent.parent
# stems: only lines that contain one of them, in lower case, are searched. sample: must be found.
Word = collections.namedtuple("Word", "name stems pattern instead sample")
Found = collections.namedtuple("Found", "path line column word text")


def _word(name, stems, instead, sample, *patterns):
    return Word(name, tuple(stems.split("|")), re.compile("|".join(patterns)), instead, sample)


_COMMANDS = "Memory|Run|Pack|Compile|Check|Info|View|Inst|Table"
_WHERE = "here|there|twice|too|for|in|at|on|below|above|before|after|beside|under|apart|alone|behind|where"
_A = "(?:the |an? |its )?"
WORDS = (
    _word("room", "room", "allocation, workspace or budget", "NewRoom(size);",
          r"\b[Rr]ooms?\b(?! (?:for|to)\b)", r"(?<=[a-z])Rooms?(?![a-z])", r"\brooms?_\w*", r"\w_rooms?\b"),
    _word("place (of a diagnostic)", "place", "location", "diagnostic.place.line",
          r"(?:Source|Instruction)Place\b", r"\b(?:diagnostic|error|finding)s?\.place\b",
          rf"\bplaces? of {_A}(?:error|diagnostic|mistake|warning)s?\b"),
    _word("place (of a value)", "place", "position", "const Place& place = flow.defined(id);",
          r"\bPlaces?[&*>]", r"\b(?:struct|class|interface|const) Places?\b", r"\b(?:Value|Inst|Rank|Array)Place\b",
          rf"\bplaces? of {_A}(?:value|buffer|array|element|operand)s?\b"),
    _word("stretch", "stretch", "chunk or range", "struct Stretch {",  # `align-self: stretch` is CSS
          r"(?<!: )\bstretch(?:es)?\b", r"Stretch(?:es)?(?![a-z])", r"\bstretch(?:es)?_", r"_stretch"),
    _word("meeting, who came", "meeting|who came|whocame", "rendezvous or barrier slot; arrived", "a meeting place",
          r"[Mm]eetings?(?![a-z])", r"\bwho came\b", r"WhoCame"),
    _word("stands", "stand", "is specified, must come before, is, means", "attribute 'a' stands here twice",
          rf"\bstands? (?:{_WHERE})\b", r"\b(?:should|must|may|can) stand\b", r"\bas (?:it|they|the \w+) stands?\b",
          r"(?<![a-z])Stands(?=[A-Z])", r"(?<=[a-z])Stands?(?![a-zI])", r"_stands\b", r"\bstands_"),
    _word("whoever, nobody, somebody", "whoever|nobody|somebody", "the caller, no one that ..., or the component",
          "formatting is left to nobody", r"(?i:whoever|nobody|somebody)"),
    _word("made up", "made|make|making", "generated", "the inputs are made up",
          r"\bma[kd]es?[ -]up\b", r"\bmaking up\b", r"Made_?Up", r"made_up"),
    _word("joined, cut (arrays)", "join|cut", "gathered, sliced", "JoinShards(parts);",
          r"Join(?:Shards|Outputs)", r"OutputJoin", r"\bshards? (?:are |is |were )?joined\b",
          rf"\bjoined (?:from|out of) {_A}(?:shards?|devices)\b",
          rf"\bcut (?:by|into|along) {_A}(?:sharding|shards|devices)\b"),
    _word("lies", "lie|lying", "is stored, is laid out", "the array lies in memory",
          r"\b[Ll]ies?\b", r"\blying\b", r"(?<![a-z])Lies(?=[A-Z])", r"(?<=[a-z])Lies?(?![a-z])",
          r"_lies?\b", r"\blies_"),
    _word("counting order", "counting", "iota order", "devices in counting order",
          r"[Cc]ounting[ _-]?[Oo]rder", r"kCounting\b", r"(?<=[a-z])Counting(?=Order|Groups|\()", r"counting_groups"),
    _word("columns first", "first", "column-major", "an array stored columns first",
          r"[Cc]olumns?[ _-]first\b", r"Columns?First"),
    _word("sieve", "sieve", "Bloom filter", "std::vector<uint64_t> earlier_sieve;", r"[Ss]ieve"),
    _word("look (of a text)", "look", "style", "the look of a module",
          r"\b[Ll]ook of\b", r"\b(?:the|its|their|this|that|same|long|short|by) look\b(?!-| at| for| up| into)",
          r"(?:Use|By)Look\b"),
    _word("unsaid", "unsaid", "unspecified", "AliasKind::kUnsaid", r"[Uu]nsaid"),
    _word("question, answer (types)", "question|answer", "request, result or response", "MemoryAnswer found;",
          rf"(?:{_COMMANDS})(?:Question|Answer)", r"Answer(?:Memory|Run|Compile|Error)", r"decodeAnswer", r"has_answer",
          r"\b(?:struct|class|interface) (?:Question|Answer)\b", r"\b(?:Question|Answer)& "),
    _word("explain items, reasons", "item|reason", "entries, causes", "const LiveItem& item",
          r"explain_items", r"[Ee]xplain items?\b", r"LiveItem", r"AddReason"),
    _word("shared word", "word", "futex word", "struct SharedWord {", r"[Ss]hared[ _]?[Ww]ords?\b"),
    _word("flight", "flight", "in-flight operation, request or transfer", "class SharedFlight {",
          r"(?<!\b[Ii]n[-_ ])(?<!In)[Ff]light"),
    _word("few rows", "row", "skinny GEMM", "MakeFewRows(product);",
          r"(?:Few|Some)Rows", r"(?:few|some)_rows", r"\bfew[- ]rows? (?:kernel|product|path)"),
    _word("tiles (of products)", "tile", "tiled GEMM", "MakeTileProduct(product);",
          r"product_tiles", r"TileProduct", r"\btiles? (?:kernel|product)s?\b"),
    _word("judge", "judg", "reference or oracle; check, compare", "XLA is the judge of it",
          r"(?<!xla_)(?i:judg(?:e|ing|ment))"),
    _word("not said, not stated", "said|stated", "unknown, not specified", "if the layout is not said",
          r"\bnot (?:said|stated)\b", r"Not(?:Said|Stated)"),
    _word("of its own", "own", "separate, dedicated", "in a file of its own",
          r"\bof (?:its|their|our) own\b", r"OfItsOwn"),
    _word("suppose, what-if", "suppos|what", "assume, assumption", "Suppose that nothing is donated",
          r"[Ss]uppos(?!edly)", r"\b[Ww]hat-if\b", r"WhatIf", r"what_if"),
    _word("anew, mended", "anew|mended", "again; fixed", "the module is planned anew", r"\banew\b", r"\b[Mm]ended\b"),
)
# The list itself, its checks, the changelog, which names old codes and keys, and two files whose bytes are the keys of caches.
EXEMPT = {"docs/glossary.md", "CHANGELOG.md", "scripts/check_words.py", "scripts/check_words_test.py",
          "scripts/evidence_rows/house/house_words.py",
          "scripts/evidence_rows/lib/xla_judge.py", "scripts/requirements.txt", "LICENSE"}
# Data: printed by XLA, generated by tools, or kept byte for byte.
DATA = re.compile(r"^examples/(?!c/|cpp/)[^/]+/|^docs/guides/dumps/[^/]+/|(^|/)Inputs/|^tests/fuzz/|package-lock\.json$"
                  r"|\.(?:csv|svg|debug_options)$|(?<!CMakeLists)\.txt$")


def find(path, text):
    """Returns every old word in a text, and in the path as line 0."""
    text = f"{path}\n{text}\n"
    lower = text.lower()
    found = []
    for word in WORDS:
        begins = set()
        for stem in word.stems:
            at = lower.find(stem)
            while at >= 0:
                begins.add(lower.rfind("\n", 0, at) + 1)
                at = lower.find(stem, lower.find("\n", at))
        for begin in sorted(begins):
            line = text[begin:text.find("\n", begin)]
            found += [Found(path, text.count("\n", 0, begin), match.start() + 1, word, match.group())
                      for match in word.pattern.finditer(line)]
    return sorted(found, key=lambda each: (each.line, each.column))


def is_checked(name):
    return name not in EXEMPT and not DATA.search(name)


def check(root=ROOT):
    """Returns (what was found, number of files checked) for the checkout at root."""
    found, count = [], 0
    for name in filter(is_checked, tracked_files(root)):
        try:
            text = (root / name).read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            count += 1
            found += find(name, text)
    return found, count


def describe(each):
    return f'{each.path}:{each.line}:{each.column}: "{each.text}" ({each.word.name}): write {each.word.instead}'


def main():
    found, count = check()
    for each in found:
        print(describe(each))
    print(f"words: {count} files, {len(WORDS)} words, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
