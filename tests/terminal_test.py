"""Tests what a user sees on a terminal: lines that fit its width, colours, a status line that is erased, help, man pages
and completions."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
EXAMPLES = ROOT / "examples"
MODULE = EXAMPLES / "cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt"
FOUR_DEVICES = EXAMPLES / "h100x4_fsdp_mlp_train"
BROKEN = EXAMPLES / "broken.hlo"
COMMANDS = ("ls", "info", "check", "view", "report", "memory", "pack", "run", "compare", "diff", "snapshot", "shrink", "fmt", "convert",
            "ask", "mcp", "lsp", "help")
ESCAPE = re.compile(r"\033\[[0-9;]*[A-Za-z]")


def environment(**more):
    plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    return {**plain, "TERM": "xterm", **more}


def piped(*arguments, **more):
    return subprocess.run([HALO, *map(str, arguments)], capture_output=True, text=True, env=environment(**more), check=False)


def on_terminal(*arguments, columns=80, **more):
    """Returns what the command writes to a terminal of this width, standard error included."""
    output = terminal.on_terminal([HALO, *map(str, arguments)], environment(**more), columns, stderr=True, stdin=True)
    return output.decode().replace("\r\n", "\n")


def widest(text):
    return max(len(line) for line in re.split("\n|\r", ESCAPE.sub("", text)))


class Width(unittest.TestCase):
    def test_lines_fit_the_terminal(self):
        for columns in (60, 80, 120):
            for arguments in (["info", MODULE], ["memory", MODULE], ["ls", EXAMPLES], ["check", BROKEN], ["check", "--rules"],
                              ["--help"], ["run", "--help"], ["run", MODULE, "--random", "1"], ["info", "no/such/file"],
                              ["memory", MODULE, "--capacity", "much"], []):
                self.assertLessEqual(widest(on_terminal(*arguments, columns=columns)), columns, f"{arguments} {columns}")

    def test_columns_decides(self):
        self.assertLessEqual(widest(piped("info", MODULE, COLUMNS="60").stdout), 60)
        self.assertLessEqual(widest(on_terminal("info", MODULE, columns=200, COLUMNS="60")), 60)
        self.assertGreater(widest(piped("info", MODULE).stdout), 80)
        self.assertEqual(piped("info", MODULE).stdout, piped("info", MODULE, COLUMNS="wide").stdout)

    def test_data_is_printed_as_it_is(self):
        self.assertEqual(MODULE.read_text(), piped("fmt", MODULE, COLUMNS="60").stdout)
        self.assertEqual(piped("info", "--json", MODULE).stdout, piped("info", "--json", MODULE, COLUMNS="60").stdout)

    def test_sizes_and_shapes_stay(self):
        size = re.compile(r"\d[\d.]*(?:B|[KMG]iB)\b")
        wide, narrow = (piped("info", MODULE, **more).stdout for more in ({}, {"COLUMNS": "60"}))
        self.assertEqual(sorted(size.findall(wide)), sorted(size.findall(narrow)))
        self.assertGreater(len(size.findall(wide)), 10)
        text = b"HloModule m\nENTRY e { ROOT a_long_name_of_it = f32[4,16,2048,2048]{3,2,1,0:T(8,128)} parameter(0) }\n"
        done = subprocess.run([HALO, "info", "-"], input=text, capture_output=True, check=False,
                              env=environment(COLUMNS="60"))
        self.assertIn(b"f32[4,16,2048,2048]", done.stdout)
        rows = done.stdout[done.stdout.index(b"parameters (1"):]
        self.assertEqual((2, 0), (rows.count(b"f32[4,16,2048,2048]"), rows.count(b"T(8,128)")))

    def test_a_caret_stays_under_its_column(self):
        lines = piped("check", BROKEN, COLUMNS="60").stdout.splitlines()
        wide = piped("check", BROKEN).stdout.splitlines()
        marked = [[lines[i - 1][line.index("^")] for i, line in enumerate(lines) if line.strip() == "^"]
                  for lines in (lines, wide)]
        self.assertEqual(*marked)
        self.assertGreater(len(marked[0]), 3)


class Color(unittest.TestCase):
    def test_the_option_decides(self):
        for command in ("check", "info"):
            self.assertIn("\033[", piped(command, BROKEN, "--color=always").stdout)
            self.assertNotIn("\033[", on_terminal(command, BROKEN, "--color=never"))
            self.assertIn("\033[", on_terminal(command, BROKEN, "--color=auto"))
        self.assertIn("\033[", piped("check", BROKEN, "--color", "always", NO_COLOR="1").stdout)
        self.assertEqual(2, piped("check", BROKEN, "--color=sometimes").returncode)

    @unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
    def test_ranks_have_no_terminal_unless_the_launcher_has(self):
        arguments = ["run", FOUR_DEVICES, "--devices", "4", "--random", "1", "--compare", "no/such/file"]
        self.assertNotIn("\033[", piped(*arguments).stdout + piped(*arguments).stderr)


class Escaping(unittest.TestCase):
    """Every command shows one hostile dump, and its arguments, on a terminal without letting them act on it."""

    HOSTILE = "\x1b[1;31mX\x1b]0;t\x07\n\r\u202e\x9b\udc9b"  # the last one is the byte 9b
    MODULE = b"HloModule m\nENTRY e {\n  a = f32[4]{0} parameter(0), metadata={op_name=\"%s\"}\n  ROOT r = f32[4]{0} add(a, a)\n}\n"
    ARGUMENTS = {"ls": ["{dump}"], "info": ["{dump}"], "check": ["{dump}"], "view": ["{dump}{text}"],
                 "report": ["{dump}{text}", "-o", "x.html"], "diff": ["{module}", "{bad}"], "memory": ["{dump}"],
                 "time": ["{dump}", "--device", "{text}"], "run": ["{bad}", "--random", "1"],
                 "compare": ["{bad}", "--ranks"], "shrink": ["{module}", "--dim", "{text}"], "compile": ["{bad}"],
                 "fmt": ["{module}"], "convert": ["{bad}", "--to", "text"], "snapshot": ["{bad}"], "passes": ["{dump}"],
                 "scan": ["{dump}", "--to", "{dump}2"], "pack": ["{bad}"], "ask": ["overview", "{bad}"], "mcp": ["{text}"],
                 "lsp": ["{text}"], "describe": ["{text}"], "help": ["{text}"], "man": ["{text}"], "completion": ["{text}"]}
    OURS = re.compile(rb"\x1b\[(?:1|32|1;31|1;35|1;32|0)m|\r\x1b\[K|\r\n")

    def test_every_command(self):
        listed = set(re.findall(r"(?m)^  ([a-z]+) ", piped("--help").stdout))
        self.assertEqual(set(), listed - self.ARGUMENTS.keys())
        with tempfile.TemporaryDirectory() as name:
            dump = pathlib.Path(name) / f"dump{self.HOSTILE}"
            dump.mkdir()
            module = dump / f"module_0001.jit_f{self.HOSTILE}.cpu_after_optimizations.txt"
            module.write_bytes(self.MODULE % b"".join(b"\\%03o" % byte for byte in os.fsencode(self.HOSTILE)))
            bad = dump / f"module_0002.jit_g{self.HOSTILE}.cpu_after_optimizations.txt"
            bad.write_bytes(b"\xff")
            for command, arguments in self.ARGUMENTS.items():
                words = [each.format(dump=dump, module=module, bad=bad, text=self.HOSTILE) for each in arguments]
                shown = terminal.on_terminal([HALO, command, *words], environment(), 400, stderr=True, stdin=True, cwd=name)
                self.assertRegex(shown, rb"\\(x1b|u001b|033)\[1;31mX", command)
                text = self.OURS.sub(b"", shown).decode()
                self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", command)
                self.assertNotIn(b"\x1b[1;31mX", shown, command)

    def test_pipes_get_documents_byte_by_byte(self):
        name = b"a\x9b\x1b[31m\r\xe2\x80\xae"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "buffers.csv"
            path.write_bytes(b"id,lower,upper,size\n" + name + b",0,2,4\n")
            done = subprocess.run([HALO, "pack", path, "-o", "-"], capture_output=True, check=True)
            self.assertIn(b"\n" + name + b",0,2,4", done.stdout)
            for out in ("-", "/dev/stdout", "/dev/stderr"):
                shown = terminal.on_terminal([HALO, "pack", path, "-o", out], environment(), 400, stderr=True)
                self.assertIn(rb"a\x9b\x1b[31m\x0d\xe2\x80\xae,0,2,4", shown, out)
                self.assertNotIn(b"\x1b[31m", shown, out)


class Status(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
    def test_it_is_erased_before_results(self):
        shown = on_terminal("compare", FOUR_DEVICES, "--ranks", "--devices", "4", "--random", "1", columns=100)
        self.assertIn("devices agree", ESCAPE.sub("", shown))
        # What a terminal shows: a line is cut where the cursor returns and erases it.
        lines = [ESCAPE.sub("", line.split("\r\033[K")[-1]) for line in shown.split("\n")]
        (result,) = [line for line in lines if "devices agree" in line]
        self.assertTrue(result.startswith("devices agree"), result)
        self.assertFalse([line for line in lines if "computing" in line or "starting" in line], lines)
        self.assertEqual(1, shown.count("its stage"), shown)


class Help(unittest.TestCase):
    def test_alone_it_shows_where_to_start(self):
        done = piped()
        self.assertEqual((2, ""), (done.returncode, done.stdout))
        for word in ("halo info FILE...", "halo memory FILE...", "halo check", "halo run FILE", "halo view DIR",
                     "halo --help", "halo help COMMAND"):
            self.assertIn(word, done.stderr)

    def test_help_command(self):
        for command in COMMANDS:
            self.assertEqual(piped(command, "--help").stdout, piped("help", command).stdout)
            self.assertEqual(piped(command, "--help").stdout, piped(command, "-h").stdout)
        self.assertEqual(piped("--help").stdout, piped("help").stdout)
        wrong = piped("help", "memroy")
        self.assertEqual(2, wrong.returncode)
        self.assertIn("there is no command memroy; did you mean memory?", wrong.stderr)
        self.assertEqual(piped("--version").stdout, piped("-V").stdout)

    def test_every_command_has_groups_and_an_example(self):
        overview = piped("--help").stdout
        for command in COMMANDS:
            self.assertRegex(overview, rf"(?m)^  {command} ")
            text = piped("help", command).stdout
            self.assertRegex(text, rf"(?m)^Examples?:\n  halo {command}")
            # Options without a purpose would be in a group of that name.
            self.assertNotRegex(text, r"(?m)^(Options|OPTIONS):", command)
            self.assertIn("\nGeneral:\n", text)


class Manuals(unittest.TestCase):
    def test_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(0, piped("man", "--output", folder).returncode)
            pages = sorted(path.name for path in pathlib.Path(folder).iterdir())
            self.assertLessEqual({"halo.1", *(f"halo-{command}.1" for command in COMMANDS)}, set(pages))
            for name in pages:
                page = (pathlib.Path(folder) / name).read_text()
                self.assertRegex(page, r"(?m)^\.TH HALO")
                if shutil.which("groff"):
                    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(pathlib.Path(folder) / name)],
                                          capture_output=True, text=True, check=False)
                    self.assertEqual("", done.stderr, name)
            options = re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", piped("help", "run").stdout)
            self.assertGreater(len(options), 20)
            page = (pathlib.Path(folder) / "halo-run.1").read_text().replace("\\-", "-")
            self.assertFalse([option for option in options if option not in page])


def bash_completes(words):
    """What bash offers for the last of the words."""
    script = piped("completion", "bash").stdout + f"""
COMP_WORDS=({' '.join(f"'{word}'" for word in words)})
COMP_CWORD={len(words) - 1}
_halo 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


class Completions(unittest.TestCase):
    def test_bash(self):
        self.assertEqual(["memory"], bash_completes(["halo", "mem"]))
        self.assertLessEqual(set(COMMANDS), set(bash_completes(["halo", ""])))
        self.assertNotIn("completion", bash_completes(["halo", ""]))
        self.assertEqual(["--find-nan"], bash_completes(["halo", "run", "x", "--find"]))
        self.assertEqual(["zeros", "ones", "iota"], bash_completes(["halo", "run", "--fill-elided", ""]))
        self.assertEqual(["zeros"], bash_completes(["halo", "run", "--fill-elided", "=", "z"]))
        self.assertEqual(["compare"], bash_completes(["halo", "help", "compa"]))
        self.assertEqual([], bash_completes(["halo", "run", "--output", ""]))

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_reads_its_script(self):
        script = "autoload -U compinit; compinit -D\n" + piped("completion", "zsh").stdout + "\nprint $_comps[halo]\n"
        done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual(("_halo\n", ""), (done.stdout, done.stderr))

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish(self):
        script = piped("completion", "fish").stdout

        def completes(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"{script}\ncomplete -C '{line}'"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual("", done.stderr)
            return [each.split("\t")[0] for each in done.stdout.splitlines()]

        self.assertEqual(["memory"], completes("halo mem"))
        self.assertEqual(["--find-nan"], completes("halo run x --find"))
        self.assertEqual({"zeros", "ones", "iota"}, set(completes("halo run --fill-elided ")))


if __name__ == "__main__":
    unittest.main()
