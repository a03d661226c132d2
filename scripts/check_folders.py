#!/usr/bin/env python3
"""Checks that one can find one's way: no folder holds more than 30 files directly, no two headers have
the same base name, and no class, enum or function of namespace halo is declared by two headers. The public
headers in include/ are counted by themselves: users see only them, in namespace halo::v0. Names local to a file
are defined once in a folder, because builds with HALO_UNITY compile its files together.

A function may be overloaded across headers if each overload takes a type that its own header declares
(`TextOf(Opcode)`, `TextOf(FileKind)`), or another type of the public interface (`RequestOf(v0::TimeRequest)`).
"""

import collections
import pathlib
import re
import sys

from check_layers import IGNORED
from tracked_files import tracked_files

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES = 30
SOURCES = (".h", ".cc", ".def", ".inc", ".c", ".py", ".ts", ".tsx", ".hlo", ".test", ".cmake", "")
# Fuzz inputs are data, not sources.
EXEMPT = ("tests/fuzz/",)
TYPE = re.compile(r"^(?:class|struct|enum class|enum) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: :.*)? ?\{")
ALIAS = re.compile(r"^using (\w+) =")
CONSTANT = re.compile(r"(?:inline |constexpr |const |static |thread_local )+[\w:<>, *&]+? "
                      r"(\w+)(?:\[.*\])*(?: =| \{|$)")
FUNCTION = re.compile(r"^(?:inline |constexpr |static |extern |const )*[\w:<>,&*\s\[\]]+?[\s&*]+(\w+)\((.*)")


def folder_sizes(names):
    """Returns {folder: number of source files directly in it}."""
    counted = [name for name in names if pathlib.PurePath(name).suffix in SOURCES and not name.startswith(EXEMPT)]
    return collections.Counter(str(pathlib.PurePath(name).parent) for name in counted)


def is_public(name):
    return name.startswith("include/")


def headers_by_name(names):
    found = collections.defaultdict(list)
    for name in names:
        if name.endswith(".h"):
            found[is_public(name), pathlib.PurePath(name).name].append(name)
    return found


def without_prefix(statement):
    """The declaration without its template parameters and attributes."""
    return re.sub(r"^template ?<.*?> (?=\w)", "", re.sub(r"\[\[\w+\]\] ?", "", statement))


def is_of_halo(scopes):
    return bool(scopes) and all(scope in ("halo", "inline v0") for scope in scopes)


def is_local(scopes):
    """True in an unnamed namespace, directly."""
    return bool(scopes) and scopes[-1] == "" and "body" not in scopes


def statements(text, wanted=is_of_halo):
    """Yields the declarations directly in the wanted namespaces, by default halo or its inline namespace v0,
    without bodies."""
    text = IGNORED.sub(" ", text)
    text = text.replace("HALO_V0_BEGIN", "inline namespace v0 {").replace("HALO_V0_END", "}").replace("HALO_EXPORT", "")
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)
    scopes, statement = [], ""
    for char in text:
        if char not in "{};":
            statement += char
            continue
        words = " ".join(statement.split())
        inside = wanted(scopes)
        if char == "{":
            space = re.fullmatch(r"(inline )?namespace ?([\w:]*)", words)
            if space:
                scopes.append((space[1] or "") + space[2])
            else:
                if inside:
                    yield words + " {"
                scopes.append("body")
        elif char == "}" and scopes:
            scopes.pop()
        elif char == ";" and inside:
            yield words
        statement = ""


def declared(text):
    """Returns (types, functions with their parameters) that a header declares in namespace halo."""
    types, functions = set(), []
    for statement in map(without_prefix, statements(text)):
        if match := TYPE.match(statement) or ALIAS.match(statement):
            types.add(match[1])
        elif not re.match(r"(class|struct|enum|using|friend|extern template)\b", statement):
            if (match := FUNCTION.match(statement)) and not match[1].startswith("operator"):
                functions.append((match[1], match[2]))
    return types, functions


def repeated_names(root, names):
    """Returns [(kind, name, headers)] of names declared in namespace halo by more than one header."""
    types, functions = collections.defaultdict(set), collections.defaultdict(set)
    for name in names:
        if not re.match(r"(halo|include)/", name) or not name.endswith(".h") or "/test/" in name:
            continue
        own, calls = declared((root / name).read_text())
        for each in own:
            types[is_public(name), each].add(name)
        for each, parameters in calls:
            if not any(re.search(rf"\b{own_type}\b", parameters) for own_type in own):
                shown = re.search(r"\b(?:v0|documents)::\w+", parameters)  # an overload for this request or result
                functions[is_public(name), f"{each}({shown[0]})" if shown else each].add(name)
            else:
                functions.setdefault((is_public(name), each), set())
    found = [("type", each, sorted(where)) for (_, each), where in types.items() if len(where) > 1]
    found += [("function", each, sorted(where)) for (_, each), where in functions.items() if len(where) > 1]
    return sorted(found), len(types), len(functions)


def without_names(parameters):
    """The types of a parameter list: `const A& a, int b = 1` as `const A&,int`."""
    parameters = re.sub(r"\)[^)]*$", "", parameters)
    return ",".join(re.sub(r"(?<=[\s&*>])\w+$", "", re.sub(r"=.*", "", each).strip()).strip()
                    for each in parameters.split(","))


def local_definitions(text):
    """Yields what the unnamed namespaces of a file define, in a form that is equal if two files cannot be
    compiled together."""
    for statement in map(without_prefix, statements(text, is_local)):
        if match := TYPE.match(statement):
            yield match[1]
        elif match := CONSTANT.match(statement):
            yield match[1]
        elif statement.endswith("{") and (match := FUNCTION.match(statement)):
            yield f"{match[1]}({without_names(match[2])})"


def repeated_local_names(root, names):
    """Returns [(folder, name, files)] of names local to more than one file that HALO_UNITY compiles together."""
    found = collections.defaultdict(list)
    for name in names:
        if re.match(r"(halo|tools)/", name) and name.endswith(".cc") and not name.endswith(("_fuzz.cc", "_bench.cc")):
            for each in set(local_definitions((root / name).read_text())):
                found[str(pathlib.PurePath(name).parent), name.endswith("_test.cc"), each].append(name)
    return [(folder, each, where) for (folder, _, each), where in sorted(found.items()) if len(where) > 1]


def check(root=ROOT):
    """Returns (problems, facts) for the checkout at root."""
    names = tracked_files(root)
    sizes = folder_sizes(names)
    headers = headers_by_name(names)
    repeated, types, functions = repeated_names(root, names)
    problems = [f"{folder}: {count} files directly in it, at most {MOST_FILES} may be"
                for folder, count in sorted(sizes.items()) if count > MOST_FILES]
    problems += [f"{name}: the base name of {len(where)} headers: {', '.join(where)}"
                 for (_, name), where in sorted(headers.items()) if len(where) > 1]
    problems += [f"halo::{name}: a {kind} of this name in {', '.join(where)}" for kind, name, where in repeated]
    problems += [f"{folder}: {each} is local to {len(where)} files: {', '.join(where)}"
                 for folder, each, where in repeated_local_names(root, names)]
    facts = {"folders": len(sizes), "most": max(sizes.values(), default=0), "headers": len(headers), "types": types,
             "functions": functions}
    return problems, facts


def main():
    problems, facts = check()
    for problem in problems:
        print(problem)
    print(f"folders: {facts['folders']} folders, {facts['most']} files at most, {facts['headers']} headers, "
          f"{facts['types']} types and {facts['functions']} functions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
