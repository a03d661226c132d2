#!/usr/bin/env python3
"""Checks every #include in halo/ and tools/ against the layer table in docs/ARCHITECTURE.md.

The table is the first one in that file whose header reads `folder | what it decides | may include`.
A row applies to the files directly in its folder and to those of sub-folders that have no row. Its last
column lists what they may include: folders (`ir`, `memory/model`), libraries (`fmt`), `all above`, or
`api only`; text in parentheses is ignored. Naming a folder allows that folder, its sub-folders and
everything they may include in turn. A sub-folder that names its own parent may include the files directly
in the parent. After a semicolon, `never` lists folders that must not be reachable.

A sub-folder may only reach folders that its layer's row reaches, and no two rows may reach each other.
Tests, fuzz targets and benchmarks may include anything that any folder of their layer may include. The C++
standard library and the system's C headers are always allowed.

The script also checks exceptions: a folder that depends on neither `runtime` nor `codegen` belongs to the
core, which is compiled without exceptions, so `throw`, `try` and `catch` are reported there.
"""

import argparse
import pathlib
import re
import sys

# Maps a library's name in the table to the pattern of its include paths.
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
# Additional libraries that a file may include, by the suffix of its name.
BY_SUFFIX = {"_test.cc": {"gtest"}, "_bench.cc": {"benchmark"}, "_fuzz.cc": set()}
# C, POSIX and compiler headers. Names without a dot or slash are standard C++ headers.
SYSTEM = re.compile(
    r"^((sys|linux|netinet|arpa)/\w+\.h|(assert|cpuid|ctype|dirent|errno|fcntl|fenv|float|ifaddrs|immintrin|inttypes|limits|math|netdb|poll|"
    r"dlfcn|pthread|sched|signal|stdarg|stddef|stdint|stdio|stdlib|string|termios|time|unistd)\.h|"
    r"\w+intrin\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
# Matches string, character and raw string literals and comments, which keyword searches must ignore.
IGNORED = re.compile(
    r'R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL)
EXCEPTIONS = re.compile(r"\b(throw|try|catch)\b")
# Of the public library only the C interface handles exceptions, so that none crosses it.
OUTSIDE_THE_CORE = {"halo/runtime", "halo/codegen", "halo/public"}


class TableError(Exception):
    pass


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Row:
    """One row as written: the folders and libraries it names, and the folders it must never reach."""

    def __init__(self, names, never):
        self.names = names
        self.never = never


def layer_of(folder):
    """Maps halo/memory/check to halo/memory."""
    return "/".join(folder.split("/")[:2])


def split_names(cell):
    prose = re.sub(r"\([^)]*\)", "", cell).replace("`", "")
    words = (re.sub(r"\s+only$", "", part.strip()) for part in prose.split(","))
    return [word for word in words if word.lower() not in ("", "std", "nothing")]


def read_table(text):
    """Returns {folder: Row} in the table's order."""
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
        allowed, _, never = row[2].partition(";")
        never = split_names(never.strip().removeprefix("never ")) if never else []
        for folder in folders:
            if folder in rows:
                raise TableError(f"`{folder}` has two rows")
            rows[folder] = Row(split_names(allowed), never)
    return rows


def below(name, rows):
    """Returns the rows of a folder and of its sub-folders."""
    return {row for row in rows if row == name or row.startswith(name + "/")}


def resolve(folder, row, rows):
    """Returns the rows and libraries that a row names, as a set."""
    found = set()
    for word in row.names:
        name = word if word in rows else "halo/" + word.removeprefix("halo/")
        if word == "all above":
            found |= {other for other in list(rows)[:list(rows).index(folder)] if other.startswith("halo/")}
        elif folder.startswith(name + "/") and name in rows:
            found.add(name)
        elif below(name, rows):
            found |= below(name, rows)
        elif word.lower() in LIBRARIES:
            found.add(word.lower())
        else:
            raise TableError(f"`{folder}` may include “{word}”, which is neither a folder of the table nor "
                             "a library this script knows")
    return found - {folder}


def close(rows):
    """Returns {folder: everything its files may include}, the transitive closure of the rows."""
    direct = {folder: resolve(folder, row, rows) for folder, row in rows.items()}
    closed, open_rows = {}, []

    def reach(folder):
        if folder in closed:
            return closed[folder]
        if folder in open_rows:
            chain = " -> ".join([*open_rows[open_rows.index(folder):], folder])
            raise TableError(f"rows reach each other: {chain}")
        open_rows.append(folder)
        found = {folder} | direct[folder]
        for name in direct[folder]:
            if name in rows:
                found |= reach(name)
        open_rows.pop()
        closed[folder] = found
        return found

    for folder in rows:
        reach(folder)
    for folder, row in rows.items():
        layer = layer_of(folder)
        if layer in rows and folder != layer:
            beyond = (closed[folder] & set(rows)) - below(layer, rows) - closed[layer]
            if beyond:
                raise TableError(f"`{folder}` reaches {', '.join(sorted(beyond))}, which the row of `{layer}` does not")
        for word in row.never:
            for name in below("halo/" + word.removeprefix("halo/"), rows):
                if name in closed[folder]:
                    raise TableError(f"`{folder}` must never reach `{name}`, but its row does")
    return closed


def folder_of(path, rows):
    """Returns the row that applies to a path such as halo/ir/types/shape.h or tools/halo/main.cc, if any."""
    found = [f for f in rows if path == f or path.startswith(f + "/")]
    return max(found, key=len, default=None)


def blank_ignored(text):
    return IGNORED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check_file(path, text, folder, closed, root=None):
    """Yields (line number, message) for each violation in the file."""
    allowed = closed[folder]
    if path.endswith(tuple(BY_SUFFIX)) or "/test/" in path:
        allowed = set().union(*(closed[row] for row in below(layer_of(folder), closed)))
    extra = next((libs for suffix, libs in BY_SUFFIX.items() if path.endswith(suffix)), set())
    if "/test/" in path:  # helpers shared by tests
        extra = {"gtest"}
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, angled = match.groups()
        if quoted:
            # Public headers are included as users include them.
            inner = "include/" + quoted if quoted.startswith("haloscope/") else quoted
            target = folder_of(inner, closed)
            if target is None:
                yield number, f'"{quoted}" is in no folder of the table; write paths from the root'
            elif target not in allowed:
                yield number, f"{folder} may not include {target}: {quoted}"
            elif root is not None and not any((root / top / quoted).exists() for top in ("", "include")):
                yield number, f"no such file: {quoted}"
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
    """Returns (number of files checked, list of problems) for the checkout at root."""
    try:
        rows = read_table((root / "docs/ARCHITECTURE.md").read_text())
        closed = close(rows)
    except TableError as error:
        return 0, [f"docs/ARCHITECTURE.md: {error}"]
    problems, count = [], 0
    for path in sorted(p for top in ("halo", "include", "tools") for p in (root / top).rglob("*")):
        if path.suffix not in (".h", ".cc", ".def", ".inc"):
            continue
        count += 1
        name = path.relative_to(root).as_posix()
        folder = folder_of(name, rows)
        if folder is None:
            problems.append(f"{name}: in no folder of the table")
            continue
        problems += [f"{name}:{line}: {message}"
                     for line, message in check_file(name, path.read_text(), folder, closed, root)]
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
