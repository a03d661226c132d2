"""The broken command of `scripts/evidence --self-test` that alters what the real one says:

  altering.py PROGRAM ARGUMENT...

Runs the program, passes signals on, ends as it ends, and alters its standard output, its standard error and the files
that it writes (-o, --output, --dump-to, the third column of run_many's list). The rule is the same for text and JSON,
never changes a length and leaves 0, 1, exit codes, JSON's keys, true and false as they are, so that only a row that
looks at figures and names can tell:

  numbers   the last digit is one higher, a 9 becomes an 8; so are offsets, sizes, times and the numbers of a shape
  names     in words with an underscore, a dot or a hyphen, and after %, the first letter is the next of the alphabet
            (z becomes y); types such as f32 and plain words stay
  arrays    of an .npz: the highest bit but one of the first element is inverted

After five hundred lines of a stream or file that is no JSON, every fiftieth line is altered, which saves minutes."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

# A key of a JSON object and the name of its schema stay: rows read documents by them.
TOKEN = re.compile(
    rb'("schema"\s*:\s*"[^"]*"|"[A-Za-z_][A-Za-z0-9_ .-]*"\s*:)'
    rb"|(?<![\w.])(\d+(?:\.\d+)?)(?=[eE][-+]?\d|[A-Za-z%]{0,3}(?![\w]))"
    rb"|(%?[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+|-[A-Za-z][A-Za-z0-9_]*)*)")
LETTER = re.compile(rb"[A-Za-z]")
ALL_LINES, THEN_EVERY = 500, 50


def next_number(number):
    if number in (b"0", b"1"):
        return number
    return number[:-1] + (b"8" if number.endswith(b"9") else bytes([number[-1] + 1]))


def next_name(name):
    at = LETTER.search(name)
    if at is None or len(name) < 4 or not any(mark in name for mark in (b"%", b"_", b".", b"-")):
        return name
    letter = name[at.start()]
    other = letter - 1 if letter in b"zZ" else letter + 1
    return name[:at.start()] + bytes([other]) + name[at.end():]


def altered(text):
    """The text (bytes) by the rule above, as long as before."""
    def other(found):
        if found[1]:
            return found[1]
        return next_number(found[2]) if found[2] else next_name(found[3])
    return TOKEN.sub(other, text)


def altered_lines(lines):
    """Yields the lines of a stream or file, altered."""
    is_json = False
    for number, line in enumerate(lines):
        is_json = is_json or number == 0 and line.startswith(b"{")
        yield altered(line) if is_json or number < ALL_LINES or number % THEN_EVERY == 0 else line


def alter_archive(path):
    import zipfile
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            begin = 10 + int.from_bytes(data[8:10], "little")
            size = re.search(rb"'[<|=>]?[a-z](\d+)'", data[:begin])
            top = begin + (int(size[1]) if size else 1) - 1
            if top < len(data):
                data = data[:top] + bytes([data[top] ^ (1 if b"'|b1'" in data[:begin] else 0x40)]) + data[top + 1:]
            archive.writestr(name, data)


def alter_file(path):
    if path.is_dir():
        for each in path.rglob("*"):
            if each.is_file():
                alter_file(each)
    elif path.suffix == ".npz" and path.is_file():
        alter_archive(path)
    elif path.is_file():
        path.write_bytes(b"".join(altered_lines(path.read_bytes().splitlines(keepends=True))))


def written(arguments, listed):
    """The files that a command line writes."""
    found = [arguments[i + 1] for i, each in enumerate(arguments[:-1]) if each in ("-o", "--output", "--dump-to")]
    found += [each.split(b"\t")[2].decode() for each in listed.splitlines() if each.count(b"\t") == 2]
    return [pathlib.Path(each) for each in found if each != "-"]


def arriving(source, target):
    """Yields the lines of a stream. What was written of a block is flushed before the next block is awaited, so that a
    program that prints slowly is seen to do so, and one that prints a module costs no flush for each line."""
    rest = b""
    while block := source.read1(1 << 20):
        lines = (rest + block).splitlines(keepends=True)
        rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
        yield from lines
        try:
            target.flush()
        except OSError:
            pass
    if rest:
        yield rest


def pump(source, target):
    for line in altered_lines(arriving(source, target)):
        try:
            target.write(line)
        except OSError:
            pass  # the real one, too, goes on when its output is closed
    try:
        target.flush()
    except OSError:
        pass


def main():
    program, arguments = sys.argv[1], sys.argv[2:]
    environment = dict(os.environ)
    if sys.stdout.isatty():
        environment.setdefault("COLUMNS", str(os.get_terminal_size(1).columns))
    listed = sys.stdin.buffer.read() if program.endswith("/run_many") else b""
    # The program ends with this process, also where that is killed: an endless one would keep a core busy from then on.
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                               stdin=subprocess.PIPE if listed else None)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _: process.send_signal(number))
    pumps = [threading.Thread(target=pump, args=streams) for streams in
             ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer))]
    for each in pumps:
        each.start()
    if listed:
        process.stdin.write(listed)
        process.stdin.close()
    code = process.wait()
    for each in pumps:
        each.join()
    for path in written(arguments, listed):
        alter_file(path)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
