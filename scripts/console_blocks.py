"""Runs the commands in documents and checks their output. A block

    ```console
    $ halo COMMAND...
    its output
    ```

is run and must print the given output, on either stream. A block may have several commands; each is a line of shell in
which `halo` is the built command. The commands of a document run in one scratch folder with links to what is in the
repository's root, and may read what earlier ones wrote.

A block with … shows part of the output. A line of … alone represents any number of lines, … inside a line any text.

`scripts/console_blocks.py --update [FILE...]` writes the current output into the documents; without --update,
differences are errors. An output with … keeps showing the lines that it showed, as they are printed now
(console_elision.py); lines that are no longer printed are dropped and listed. Commands with --profile print times and
are not run."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import console_elision  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^(?P<line>\$ .*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
BLOCK = re.compile(r"^```console\n(?P<body>\$ .*?)^```$", re.MULTILINE | re.DOTALL)


def is_run(line):
    return "--profile" not in line


def commands(text):
    """Returns the (command line, shown output) pairs of a document's console blocks."""
    return [(match["line"], match["shown"]) for block in BLOCK.finditer(text)
            for match in COMMAND.finditer(block["body"])]


def command_output(line, folder):
    """Returns the output of a `$ ...` line, standard error first."""
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
                   "PATH": f"{pathlib.Path(folder) / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("COLUMNS", None)
    done = subprocess.run(["bash", "-c", line.removeprefix("$ ")], capture_output=True, text=True, cwd=folder,
                          check=False, env=environment, stdin=subprocess.DEVNULL)
    lines = (done.stderr + done.stdout).rstrip("\n").splitlines()
    return "".join(line.rstrip() + "\n" for line in lines)


def refreshed(text, halo, folder, problems, update=False):
    """Returns the text with the current outputs. Appends (command, what is wrong) of shown parts that do not match."""
    bin_folder = pathlib.Path(folder) / ".bin"
    bin_folder.mkdir()
    (bin_folder / "halo").symlink_to(halo)

    def output(match):
        line, shown = match["line"], match["shown"]
        if not is_run(line):
            return match[0]
        now = command_output(line, folder)
        if console_elision.MARK not in shown:
            return f"{line}\n{now}"
        if console_elision.shows_part_of(shown, now):
            return match[0]
        if not update:
            problems.append((line.removeprefix("$ "), "the output shown is not part of what it prints"))
            return match[0]
        new, lost = console_elision.refreshed(shown, now)
        for each in lost:
            problems.append((line.removeprefix("$ "), f"no longer printed, not shown any more: {each.strip()}"))
        return f"{line}\n{new}"

    return BLOCK.sub(lambda block: f"```console\n{COMMAND.sub(output, block['body'])}```", text)


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]


def check(path, halo, update=False):
    """Runs the commands of a document. Returns its text, the text with the current outputs, and what is wrong."""
    text = path.read_text(encoding="utf-8")
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build"):
                (pathlib.Path(folder) / entry.name).symlink_to(entry)
        now = refreshed(text, os.path.abspath(halo), folder, problems, update)
    return text, now, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="documents (default: README.md and the guides)")
    parser.add_argument("--update", action="store_true", help="write the current output into the documents")
    parser.add_argument("--halo", default=os.environ.get("HALO") or str(ROOT / "build/release/halo"))
    options = parser.parse_args()
    paths = options.files or documents()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (text, now, problems) in zip(
                paths, pool.map(lambda path: check(path, options.halo, options.update), paths), strict=True):
            for command, what in problems:
                print(f"{path}: `{command}`: {what}")
            if options.update and now != text:
                path.write_text(now, encoding="utf-8")
                print(f"{path}: updated")
            elif now != text:
                print(f"{path}: commands print something else now; scripts/console_blocks.py --update")
            failed |= not options.update and (now != text or bool(problems))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
