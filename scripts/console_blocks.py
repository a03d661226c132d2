"""Runs the commands in documents and checks their output. A block

    ```console
    $ halo COMMAND...
    its output
    ```

is run from the repository's root and must print the given output, on either stream. `python3
scripts/console_blocks.py --update` writes the current output into the documents; without --update, differences are
errors."""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```console\n(?P<body>\$ halo .*?)^```$", re.MULTILINE | re.DOTALL)


def command_output(line, halo):
    """Returns the output of a `halo ...` line, standard error first."""
    words = shlex.split(line)
    done = subprocess.run([halo, *words[1:]], capture_output=True, text=True, cwd=ROOT, check=False,
                          env={**os.environ, "NO_COLOR": "1"})
    lines = (done.stderr + done.stdout).rstrip("\n").splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def refreshed(text, halo):
    def run(match):
        line = match["body"].split("\n", 1)[0]
        return f"```console\n{line}\n{command_output(line.removeprefix('$ '), halo)}```"
    return BLOCK.sub(run, text)


def documents():
    return sorted((ROOT / "docs" / "guides").glob("*.md"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--halo", default=os.environ.get("HALO") or str(ROOT / "build/release/halo"))
    options = parser.parse_args()
    stale = []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        now = refreshed(text, options.halo)
        if now != text and options.update:
            path.write_text(now, encoding="utf-8")
        elif now != text:
            stale.append(path)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: commands print something else now; scripts/console_blocks.py --update")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
