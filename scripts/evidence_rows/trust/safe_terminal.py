"""Runs every command on hostile names and contents in a real terminal, and looks at every byte that arrives: only
newlines, our own styles and the status line may be anything but text, and no hostile text may begin a line. The same
with NO_COLOR and through pipes, where no control sequence may occur at all."""
import collections
import concurrent.futures
import fcntl
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import tty

from common import Skipped, enough, halo, need_halo
from hostile_text import FORGED, TEXTS, printable, unsafe, write_files

ORDER = 62
QUICK_SECONDS = 3
WHAT = "every command with hostile names, contents and arguments in a terminal, with NO_COLOR and in pipes"
BAR = ("every command of halo --help x 40 hostile texts (names of files, folders, members of archives, modules, instructions "
       "and targets, metadata, attributes, arguments; escape sequences, C0 and C1 controls, bidi, invalid UTF-8): no control "
       "byte but newlines, our five styles and the status line; no hostile text begins a line or follows a style; names of "
       "missing files are printed with exactly these bytes escaped; JSON is valid; 16 planted outputs are found")
QUICK_BAR = "the same in a terminal, with one text that is four of them one after the other"
LEAST = {"commands": 25, "texts": 40, "pairs": 1000, "runs": 14000, "hostile outputs": 11000, "planted": 16}
QUICK_LEAST = {"commands": 25, "texts": 1, "pairs": 25, "runs": 120, "hostile outputs": 90, "planted": 16}
QUICK_TEXTS = ("the style of errors", "newline", "C1 CSI in 8 bits", "right-to-left override")
PARALLEL = 2
COLUMNS = 1000
SECONDS = 60
STYLE = re.compile(rb"\x1b\[(?:1|32|1;31|1;35|1;32|0)m")
STATUS = b"\r\x1b[K"
FRAME = re.compile(rb"Content-Length: \d+\r\n\r\n")
# Commands that print a document to a pipe byte by byte, as it must be. There, only standard error is for people.
DOCUMENTS = ("fmt", "convert", "shrink", "compile", "pack")
PAGE = "<html><!--halo:data--><!--/halo:data--></html>"


def fault(output, colored, status, framed=False):
    """What is wrong with the bytes that arrived; empty if nothing is."""
    if framed:
        output = FRAME.sub(b"\n", output)
    if re.search(rb"(?:^|\n|%s|%s)%s" % (re.escape(STATUS), STYLE.pattern, FORGED), output):
        return "hostile text begins a line or follows a style"
    if colored:
        output = STYLE.sub(b"", output)
    if status:
        output = output.replace(STATUS, b"")
    try:
        text = output.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {output[max(0, error.start - 20):error.end + 20]!r}"
    bad = next((i for i, character in enumerate(text) if unsafe(character)), None)
    return "" if bad is None else f"U+{ord(text[bad]):04X} in {text[max(0, bad - 30):bad + 20]!r}"


PLANTED = (b"a\x1b[31mred", b"\x1b[2J", b"\x1b]0;t\x07", b"a\x9b31m", "a\x9b31m".encode(), "a\u202eb".encode(),
           "a\u2028b".encode(), b"a\xff", b"a\rb", b"a\tb", b"a\x7f", b"a\x07", b"\n" + FORGED, b"\x1b[1;31m" + FORGED,
           STATUS + FORGED, "\u200b".encode())
HONEST = (b"\x1b[1ma\x1b[0m\n", b"a\\x1b[31mFORGED\n", STATUS + b"reading\n", "größe 层 …\n".encode())


def planted_found():
    """How many of the planted outputs are found; 0 if an honest one is found too."""
    if any(fault(each, True, True) for each in HONEST) or not fault(HONEST[0], False, False):
        return 0
    return sum(bool(fault(each, True, True)) for each in PLANTED)


class Terminal:
    """A pseudo-terminal that changes no byte, and what arrives there."""

    def __init__(self):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))

    def read(self, wanted=None, on_wanted=None):
        """All output until every process has closed the terminal. Calls `on_wanted` when the wanted bytes have come."""
        os.close(self.slave)
        output = b""
        try:
            while piece := os.read(self.master, 65536):
                output += piece
                if wanted is not None and wanted in output:
                    on_wanted()
                    wanted = None
        except OSError:  # the last process that had the terminal open has ended
            pass
        os.close(self.master)
        return output


def environment(text, colored, serves):
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR", "TERM")}
    words = os.fsdecode(text.replace(b"\0", b"")[:40])
    kept["TERM"] = "xterm-256color"
    if serves:  # variables can be hostile, too
        kept["HALO_MCP_TOKEN"] = words
    return kept if colored else dict(kept, NO_COLOR="1")


class Run:
    """One command line in one of three ways; `said` is what it printed, (what, bytes) for each stream."""

    def __init__(self, arguments, text, way, sent):
        self.arguments, self.way, self.text = arguments, way, text
        self.command = arguments[0] if re.fullmatch(r"[a-z]+", str(arguments[0])) else "halo"
        self.words = [str(need_halo()), *map(os.fspath, arguments)]
        self.stdin = sent

    def go(self, folder):
        variables = environment(self.text, self.way == "terminal", "--http" in self.arguments)
        terminal = None if self.way == "pipe" else Terminal()
        streams = ({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} if terminal is None
                   else {"stdout": terminal.slave, "stderr": terminal.slave})
        process = subprocess.Popen(self.words, stdin=subprocess.PIPE, env=variables, cwd=folder, start_new_session=True,
                                   **streams)
        watch = threading.Timer(SECONDS, lambda: os.killpg(process.pid, signal.SIGKILL))
        watch.start()
        stop = lambda: process.send_signal(signal.SIGINT)  # noqa: E731
        serves = self.arguments[0] == "view" or "--http" in self.arguments
        if serves and terminal is None:
            threading.Timer(0.5, stop).start()
        try:
            if terminal is None:
                out, err = process.communicate(self.stdin)
                self.said = [("standard output", out), ("standard error", err)]
            else:
                writer = threading.Thread(target=self._send, args=(process,))
                writer.start()
                self.said = [("terminal", terminal.read(b"Ctrl-C" if serves else None, stop))]
                writer.join()
                process.wait()
        finally:
            watch.cancel()
        self.code = process.returncode
        return self

    def _send(self, process):
        try:
            process.stdin.write(self.stdin)
            process.stdin.close()
        except OSError:
            pass

    def faults(self):
        """Yields what is wrong."""
        if self.code < 0:
            yield f"ended by signal {-self.code}"
        for what, output in self.said:
            is_document = self.command in DOCUMENTS or "--csv" in self.arguments
            if is_document and what == "standard output":
                continue
            wrong = fault(output, self.way == "terminal", self.way != "pipe", self.command == "lsp")
            if wrong:
                yield f"{what}: {wrong}"
            if "--json" in self.arguments and what != "standard error" and self.way == "pipe":
                try:
                    json.loads(output)
                except ValueError as error:
                    yield f"no JSON: {error}"

        names = [str(each) for each in self.arguments if "/missing" in str(each)]
        shown = b"".join(output for _, output in self.said)
        yield from (f"{ascii(name)} is not printed as it is escaped" for name in names if printable(name).encode() not in shown)

    def is_hostile(self):
        """Whether any of the hostile text was printed at all."""
        return any(FORGED in output for _, output in self.said)


def messages(paths, text):
    """What a client sends to `halo mcp`."""
    path, words = str(paths["text"]).encode(errors="replace").decode(), text.decode(errors="replace")
    calls = [{"name": "overview", "arguments": {"path": path}}, {"name": words, "arguments": {words: words}}]
    listed = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
               "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": words, "version": "1"}}}]
    listed += [{"jsonrpc": "2.0", "id": i + 2, "method": "tools/call", "params": call} for i, call in enumerate(calls)]
    listed.append({"jsonrpc": "2.0", "id": 9, "method": words})
    return "".join(json.dumps(each) + "\n" for each in listed).encode()


def editor_messages(text):
    """What an editor sends to `halo lsp`: a hostile text, a question about it, and an unknown method."""
    words = text.decode(errors="replace")
    listed = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
              {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
                  "uri": "file:///m.hlo", "languageId": "hlo", "version": 1,
                  "text": f"HloModule m\nENTRY e {{\n  ROOT a = f32[8] nosuch{words}(x), metadata={{op_name=\"{words}\"}}\n}}\n"}}},
              {"jsonrpc": "2.0", "id": 2, "method": words}, {"jsonrpc": "2.0", "id": 3, "method": "shutdown"},
              {"jsonrpc": "2.0", "method": "exit"}]
    parts = [json.dumps(each).encode() for each in listed]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in parts)


def file_lines(p, word, page):
    """Yields command lines about files; `p` are the paths by kind, `word` is the hostile text as an argument."""
    dump, tar, one, two, proto, none = p["dump"], p["tar"], p["text"], p["second"], p["proto"], p["missing"]
    bad, out, inside = p["bad"], p["out"], p["out"] / "none"
    at_random = ["--random", "1"]
    yield from (["ls", dump], ["ls", dump, "--files"], ["ls", tar], ["ls", dump, "--module", "all"], ["ls", p["ranks"]],
                ["ls", dump, "--module", f"no{word}"], ["ls", none])
    yield from (["info", one], ["info", p["called"], "--all"], ["info", proto], ["info", dump], ["info", bad], ["info", tar],
                ["info", p["zipped"]], ["info", none], ["info", "--json", dump], ["info", dump, "--stage", word])
    yield from (["check", one], ["check", proto], ["check", dump], ["check", tar], ["check", bad], ["check", p["bad_proto"]],
                ["check", "--sarif", dump], ["check", "--json", bad], ["check", dump, "--module", f"no{word}"])
    yield from (["memory", one], ["memory", proto], ["memory", dump], ["memory", one, "--all"], ["memory", none],
                ["memory", one, "--device", word], ["memory", "--json", one], ["memory", one, "--capacity", word],
                ["memory", "--csv", one])
    yield from (["time", one, "--device", "h100"], ["time", dump, "--device", "h100"], ["time", proto, "--device", "h100"],
                ["time", one, "--device", word], ["time", none, "--device", "h100"],
                ["time", one, "--device", "h100", "--profile", p["profile"]])
    yield from (["run", p["called"], *at_random], ["run", proto, *at_random, "--trace", "*"],
                ["run", dump, *at_random, "--module", word],
                ["run", one, *at_random, "--show-inputs", "--profile"], ["run", one, "--inputs", none], ["run", bad, *at_random],
                ["run", one, *at_random, "-o", inside], ["run", one, "--random", word], ["run", proto, "--plan"],
                ["run", one, *at_random, "--compare", p["csv"]], ["run", proto, *at_random, "--find-nan"],
                ["run", one, *at_random, "--hosts", word])
    yield from (["compare", one, "--ranks", "--devices", "2", *at_random, "--engine", "reference"], ["compare", none, "--ranks"],
                ["compare", none, word])
    yield from (["compile", one], ["compile", proto, "--decisions"], ["compile", one, "--dump-to", out], ["compile", bad],
                ["compile", one, "--without", word])
    yield from (["shrink", one, "--to", "1KB"], ["shrink", proto, "--to", "1KB", "-o", "small.txt"], ["shrink", one, "--dim", word],
                ["shrink", one, "--constant", word], ["shrink", bad, "--to", "1KB"])
    yield from (["fmt", one], ["fmt", proto], ["fmt", bad], ["fmt", "--check", "--style=short", one], ["fmt", one, "--style", word],
                ["fmt", dump, "--json"])
    yield from (["convert", proto, "--to", "text"], ["convert", one, "--to", word], ["convert", one, "-o", out],
                ["convert", bad, "--to", "text"])
    yield from (["diff", one, two], ["diff", dump, p["other"]], ["diff", proto, one], ["diff", "--passes", dump, p["other"]],
                ["diff", "--ranks", p["ranks"]], ["diff", "--recompiles", dump], ["diff", one, none],
                ["diff", one, two, "--fail-on", word],
                ["diff", one, two, "--markdown"], ["diff", "--json", one, two], ["diff", one, two, "--run"])
    yield from (["snapshot", one, "-o", "s.json"], ["snapshot", one], ["snapshot", none], ["snapshot", dump, "--device", word])
    yield from (["passes", dump], ["passes", dump, "--follow", word], ["passes", dump, "--follow", "s"], ["passes", none],
                ["passes", "--json", dump])
    yield from (["scan", dump, "--to", out.with_name(f"{out.name}d")], ["scan", dump, "--shard", word],
                ["scan", tar, "--to", "dataset", "--device", word])
    yield from (["pack", p["csv"]], ["pack", dump], ["pack", none], ["pack", p["csv"], "-o", inside])
    yield from (["ask", "overview", one], ["ask", word, one], ["ask", "overview", none])
    yield from (["report", dump, "--page", page, "-o", out.with_name(f"{out.name}.html")],
                ["report", none, "--page", page, "-o", "r.html"],
                ["report", dump, "--page", one, "-o", "r.html"], ["report", dump, "--page", page, "-o", inside])
    yield from (["view", dump, "--page", page], ["view", none], ["view", dump, "--page", one], ["view", dump, "--module", word])


def command_lines(paths, text, page):
    """Yields (arguments, standard input) of every command for one hostile text."""
    word = os.fsdecode(text.replace(b"\0", b"")[:200])
    yield from (([word], b""), ([f"--{word}"], b""), (["help", word], b""), (["man", word], b""), (["completion", word], b""), (["describe", word], b""))
    yield from ((line, b"") for line in file_lines(paths, word, page))
    dump, one = paths["dump"], paths["text"]
    yield from ((["mcp", "--root", dump.parent], messages(paths, text)), (["mcp", "--root", paths["missing"]], b""),
                (["mcp", "--root", dump, "--http"], b""), (["mcp", one], b""))
    yield from ((["lsp"], editor_messages(text)), (["lsp", one], b""))


def listed_commands():
    """What `halo --help` lists, so that no command is forgotten."""
    return set(re.findall(r"(?m)^  ([a-z]+) ", halo("--help").decode()))


def measure(quick):
    need_halo()
    runs, pairs, hostile, faulty, seen = 0, set(), 0, collections.Counter(), set()
    texts = [("four at once", b"".join(text for what, text in TEXTS if what in QUICK_TEXTS))] if quick else TEXTS
    ways = ("terminal",) if quick else ("terminal", "no color", "pipe")
    with tempfile.TemporaryDirectory(prefix="halo-terminal-") as name:
        scratch = pathlib.Path(name)
        page = scratch / "page.html"
        page.write_text(PAGE, encoding="utf-8")
        lines = []
        for number, (what, text) in enumerate(texts):
            folder = scratch / str(number)
            folder.mkdir()
            try:
                paths = write_files(folder, text)
            except OSError as error:
                raise Skipped(f"files cannot be named with {what}: {error}") from error
            lines += [(what, Run(arguments, text, way, sent), folder) for arguments, sent in command_lines(paths, text, page)
                      for way in ways]
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            for what, run in pool.map(lambda each: (each[0], each[1].go(each[2])), lines):
                runs += 1
                hostile += run.is_hostile()
                seen.add(run.command)
                pairs.add((run.command, what))
                for wrong in run.faults():
                    faulty[run.command] += 1
                    if faulty[run.command] <= 3:
                        words = " ".join(ascii(str(each))[-60:] for each in run.arguments)
                        print(f"  {what}, {run.way}: halo {words}: {wrong[:160]}")
    missing = listed_commands() - seen
    for each in sorted(missing):
        print(f"  {each} was not run")
    found = planted_found()
    counts = {"commands": len(seen), "texts": len(texts), "pairs": len(pairs), "runs": runs,
              "hostile outputs": hostile, "planted": found}
    bad = sum(faulty.values())
    if bad:
        print("  outputs with a fault: " + ", ".join(f"{command} {count}" for command, count in faulty.most_common()))
    return (not bad and not missing and enough(QUICK_LEAST if quick else LEAST, counts),
            f"{runs:,} runs of {len(seen)} commands x {len(texts)} hostile texts, {hostile:,} of them print hostile text; "
            f"{bad:,} outputs with a fault; {found} of {len(PLANTED)} planted ones found")
