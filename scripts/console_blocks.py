"""Runs the commands in documents and checks their output. A block

    ```console
    $ halo COMMAND...
    its output
    ```

is run and must print the given output, on either stream. A block may have several commands. They run in a scratch
folder with links to what is in the repository's root. `python3
scripts/console_blocks.py --update` writes the current output into the documents; without --update, differences are
errors.

A block with … shows part of the output. A line of … alone represents any number of lines, … inside a line any text.
Such a block is checked and never updated. Commands with --profile print times and are not run."""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^(?P<line>\$ halo .*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
BLOCK = re.compile(r"^```console\n(?P<body>\$ halo .*?)^```$", re.MULTILINE | re.DOTALL)


def command_output(line, halo, folder):
    """Returns the output of a `$ halo ...` line, standard error first."""
    words = shlex.split(line.removeprefix("$ "))
    done = subprocess.run([halo, *words[1:]], capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "NO_COLOR": "1"})
    lines = (done.stderr + done.stdout).rstrip("\n").splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def shows_part_of(shown, output):
    """True if the shown lines, some of them or parts of them left out as …, match the output."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else
                      ".*".join(map(re.escape, line.rstrip().split("…"))) + r"\n"
                      for line in shown.splitlines())
    return re.fullmatch(pattern, output) is not None


def refreshed(text, halo, folder, wrong):
    """Returns the text with the current outputs. Appends commands that print something else than a part shown."""
    def output(match):
        line, shown = match["line"], match["shown"]
        if "--profile" in line:
            return match[0]
        now = command_output(line, halo, folder)
        if "…" not in shown:
            return f"{line}\n{now}"
        if not shows_part_of(shown, now):
            wrong.append(line.removeprefix("$ "))
        return match[0]

    return BLOCK.sub(lambda block: f"```console\n{COMMAND.sub(output, block['body'])}```", text)


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--halo", default=os.environ.get("HALO") or str(ROOT / "build/release/halo"))
    options = parser.parse_args()
    stale, failed = [], False
    for path in documents():
        text = path.read_text(encoding="utf-8")
        wrong = []
        with tempfile.TemporaryDirectory() as folder:
            for entry in ROOT.iterdir():
                (pathlib.Path(folder) / entry.name).symlink_to(entry)
            now = refreshed(text, os.path.abspath(options.halo), folder, wrong)
        if now != text and options.update:
            path.write_text(now, encoding="utf-8")
        elif now != text:
            stale.append(path)
        for command in wrong:
            print(f"{path.relative_to(ROOT)}: the output shown for `{command}` is not part of what it prints")
        failed |= bool(wrong)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: commands print something else now; scripts/console_blocks.py --update")
    return 1 if stale or failed else 0


if __name__ == "__main__":
    sys.exit(main())
