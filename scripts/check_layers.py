#!/usr/bin/env python3
"""Checks every #include in halo/ and tools/ against the layer table in docs/ARCHITECTURE.md.

The table is the first one in that file whose header reads `folder | what it decides | may include`.
A folder may include itself, what its row names, and whatever those may include in turn. A row's last
column names layers (`ir`), libraries (`fmt`), `all above`, or says `api only`; text in parentheses
is prose. The C++ standard library and the system's C headers are always allowed.

Beyond the includes: a folder that stands neither on `runtime` nor on `codegen` belongs to the core,
which is compiled without exceptions, so `throw`, `try` and `catch` are reported there.
"""

import argparse
import pathlib
import re
import sys

# The spelling of a library in the table, and how its headers are included.
LIBRARIES = {
    "benchmark": r"benchmark/",
    "cli11": r"CLI/",
    "fmt": r"fmt/",
    "highway": r"hwy/",
    "gtest": r"(gtest|gmock)/",
    "llvm": r"(llvm|llvm-c|mlir)/",
    "mpi": r"mpi\.h$",
    "nanobind": r"nanobind/",
    "onednn": r"(oneapi/)?dnnl",
    "tl::expected": r"tl/",
    "zlib": r"zlib\.h$",
    "zstd": r"zstd(_errors)?\.h$",
}
# What a file may include because of what it is.
BY_SUFFIX = {"_test.cc": {"gtest"}, "_bench.cc": {"benchmark"}}
# C and POSIX headers, and the compiler's own; everything without a dot or slash is standard C++.
SYSTEM = re.compile(
    r"^((sys|linux|netinet)/\w+\.h|(assert|cpuid|ctype|dirent|errno|fcntl|fenv|float|immintrin|inttypes|limits|math|poll|"
    r"dlfcn|pthread|sched|signal|stdarg|stddef|stdint|stdio|stdlib|string|termios|time|unistd)\.h|"
    r"\w+intrin\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
# A string, character or raw string literal, or a comment: what to ignore when looking for words.
IGNORED = re.compile(
    r'R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL)
EXCEPTIONS = re.compile(r"\b(throw|try|catch)\b")
OUTSIDE_THE_CORE = {"halo/runtime", "halo/codegen"}


class TableError(Exception):
    pass


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read_table(text):
    """Returns {folder: set of folders and library names its row allows}, in the table's order."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if line.startswith("|") and [c.lower() for c in cells(line)] == [
                "folder", "what it decides", "may include"]:
            break
    else:
        raise TableError("no table with the header: folder | what it decides | may include")
    rows = {}
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        row = cells(line)
        if len(row) != 3:
            raise TableError(f"a row needs three cells: {line}")
        folders = [name.rstrip("/") for name in re.findall(r"`([^`]+)`", row[0])]
        if not folders:
            raise TableError(f"a row must name its folder in backticks: {line}")
        above = [name for name in rows if name.startswith("halo/")]
        allowed = set()
        prose = re.sub(r"\([^)]*\)", "", row[2]).replace("`", "")
        for word in (part.strip() for part in prose.split(",")):
            word = re.sub(r"\s+only$", "", word)
            if word.lower() in ("", "std", "nothing"):
                continue
            if word == "all above":
                allowed.update(above)
            elif "halo/" + word.removeprefix("halo/") in rows:
                allowed.add("halo/" + word.removeprefix("halo/"))
            elif word.lower() in LIBRARIES:
                allowed.add(word.lower())
            else:
                raise TableError(f"`{folders[0]}` may include “{word}”, which is neither a folder "
                                 "of an earlier row nor a library this script knows")
        for folder in folders:
            if folder in rows:
                raise TableError(f"`{folder}` has two rows")
            rows[folder] = allowed
    return rows


def close(rows):
    """The table with everything a folder reaches through others; rows name earlier rows only."""
    closed = {}
    for folder, allowed in rows.items():
        reach = {folder} | allowed
        for name in allowed:
            reach |= closed.get(name, set())
        closed[folder] = reach
    return closed


def folder_of(path, rows):
    """The row that governs a path such as halo/ir/module.h or tools/halo/main.cc, if any."""
    found = [f for f in rows if path == f or path.startswith(f + "/")]
    return max(found, key=len, default=None)


def blank_ignored(text):
    return IGNORED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check_file(path, text, folder, closed):
    """Yields (line number, message) for each rule the file breaks."""
    allowed = closed[folder]
    extra = next((libs for suffix, libs in BY_SUFFIX.items() if path.endswith(suffix)), set())
    if "/test/" in path:  # what tests share
        extra = {"gtest"}
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, angled = match.groups()
        if quoted:
            target = folder_of(quoted, closed)
            if target is None:
                yield number, f'"{quoted}" is in no folder of the table; write paths from the root'
            elif target not in allowed:
                yield number, f"{folder} may not include {target}: {quoted}"
            continue
        if ("." not in angled and "/" not in angled) or SYSTEM.match(angled):
            continue
        library = next((n for n, p in LIBRARIES.items() if re.match(p, angled)), None)
        if library is None:
            yield number, f"<{angled}> belongs to no library this script knows"
        elif library not in allowed | extra:
            yield number, f"{folder} may not include {library}: <{angled}>"
    core = folder.startswith("halo/") and not OUTSIDE_THE_CORE & allowed
    if core and not path.endswith(tuple(BY_SUFFIX)):
        for number, line in enumerate(blank_ignored(text).splitlines(), 1):
            if not line.lstrip().startswith("#") and (word := EXCEPTIONS.search(line)):
                yield number, f"`{word.group()}` in the core, which has no exceptions"


def check(root):
    """Returns (files looked at, list of problems) for the checkout at root."""
    try:
        rows = read_table((root / "docs/ARCHITECTURE.md").read_text())
    except TableError as error:
        return 0, [f"docs/ARCHITECTURE.md: {error}"]
    closed = close(rows)
    problems, count = [], 0
    for path in sorted(p for top in ("halo", "tools") for p in (root / top).rglob("*")):
        if path.suffix not in (".h", ".cc", ".def", ".inc"):
            continue
        count += 1
        name = path.relative_to(root).as_posix()
        folder = folder_of(name, rows)
        if folder is None:
            problems.append(f"{name}: in no folder of the table")
            continue
        problems += [f"{name}:{line}: {message}"
                     for line, message in check_file(name, path.read_text(), folder, closed)]
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    count, problems = check(parser.parse_args().root)
    for problem in problems:
        print(problem)
    print(f"layers: {count} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
