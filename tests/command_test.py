"""Tests the behaviour that other programs rely on: exit codes, JSON, colours, pipes, and results that do not depend on
the number of threads."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
EXAMPLES = ROOT / "examples"
MODULE = EXAMPLES / "cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt"
PROTO = MODULE.with_suffix(".hlo.pb")
ASSIGNMENT = MODULE.with_name(MODULE.stem + "-buffer-assignment.txt")
BROKEN = EXAMPLES / "broken.hlo"


def halo(*arguments, **options):
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run([HALO, *map(str, arguments)], capture_output=True, env=environment, **options)


def on_terminal(*arguments, env=None):
    """Returns the standard output of the command, which is a terminal."""
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment.update({"TERM": "xterm"}, **(env or {}))
    return terminal.on_terminal([HALO, *map(str, arguments)], environment, stderr=subprocess.DEVNULL)


class ExitCodes(unittest.TestCase):
    def codes(self, expected, *arguments, **options):
        done = halo(*arguments, **options)
        self.assertEqual(expected, done.returncode, done.stderr.decode())
        return done

    def test_success(self):
        for arguments in (["--help"], ["--version"], ["info", MODULE], ["fmt", MODULE], ["check", MODULE],
                          ["info", ASSIGNMENT], ["fmt", "--check", MODULE],
                          ["convert", PROTO, "--to", "text"]):
            self.codes(0, *arguments)

    def test_findings(self):
        self.codes(1, "check", BROKEN)
        self.codes(1, "check", MODULE, BROKEN)
        self.codes(1, "check", "--json", BROKEN)
        self.codes(1, "info", BROKEN)
        self.codes(1, "fmt", "--check", "--style=short", MODULE)

    def test_packing(self):
        two = b"id,lower,upper,size\na,0,2,4\nb,1,3,4\n"
        self.codes(0, "pack", "-", input=two)
        self.codes(0, "pack", "-", "--capacity", 8, input=two)
        self.codes(1, "pack", "-", "--capacity", 7, input=two)
        self.codes(2, "pack", "-", input=two + b"c,0,1\n")

    def test_running(self):
        root = b"HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] sqrt(p)\n}\n"
        self.codes(0, "run", "-", "--random", 1, input=root)
        self.codes(0, "run", "-", "--random", 1, "--find-nan", input=root)
        self.codes(1, "run", "-", "--random", 1, "--find-nan", input=root.replace(b"sqrt(p)", b"log(z)").replace(
            b"  ROOT", b"  z = f32[2] subtract(p, p)\n  ROOT"))
        self.codes(2, "run", "-", input=root)
        self.codes(2, "run", "no/such/file", "--random", 1)
        self.codes(2, "run", MODULE, "--random", 1, "--inputs", "no/such/file")
        self.codes(2, "run", BROKEN, "--random", 1)

    def test_wrong_usage(self):
        for arguments in ([], ["nonsense"], ["fmt"], ["fmt", "--style=nicely", MODULE], ["info", "--what"],
                          ["fmt", "--check", "-i", MODULE], ["check", "--threads", "0", MODULE],
                          ["check"], ["check", "--json", "--sarif", MODULE],
                          ["convert", MODULE, "-o", "module"], ["run"], ["run", MODULE, "--engine", "none"],
                          ["run", MODULE, "--rtol", "1"], ["run", MODULE, "--fill-elided", "some"]):
            done = self.codes(2, *arguments)
            self.assertEqual("--json" in arguments, b"halo.error.v1" in done.stdout)
            self.assertEqual("--json" in arguments, done.stdout != b"")
            self.assertIn(b"halo", done.stderr)

    def test_unreadable_input(self):
        self.codes(2, "info", "no/such/file")
        self.codes(2, "check", "no/such/file")
        with tempfile.TemporaryDirectory() as empty:
            self.codes(2, "check", empty)
        self.codes(2, "check", BROKEN, "no/such/file")
        self.codes(2, "fmt", "--style=canonical", ASSIGNMENT)
        self.codes(2, "fmt", BROKEN)
        self.codes(2, "convert", BROKEN, "--to", "proto")
        self.codes(2, "check", "-", input=b"")


class Json(unittest.TestCase):
    def answer(self, *arguments):
        return json.loads(halo(*arguments).stdout)

    def test_info(self):
        answer = self.answer("info", "--json", MODULE, PROTO, ASSIGNMENT)
        self.assertEqual("halo.info.v1", answer["schema"])
        self.assertEqual(["hlo-text", "hlo-proto", "buffer-assignment"], [i["kind"] for i in answer["inputs"]])
        text, proto = answer["modules"]
        self.assertEqual("jit_mlp_train", text["name"])
        self.assertTrue(text["scheduled"])
        self.assertEqual("cpu", text["backend"]["is"])
        self.assertEqual("G4", text["generation"]["is"])
        self.assertEqual("unknown", proto["generation"]["is"])
        self.assertEqual(text["instructions"], sum(each["count"] for each in text["opcodes"]))
        self.assertEqual([4], [loop["trip_count"] for loop in text["loops"]])
        self.assertEqual(10, len(text["parameters"]))
        self.assertEqual("weights['w1']", text["parameters"][2]["op_name"])
        self.assertEqual(sum(p["bytes"] for p in text["parameters"]), text["parameter_bytes"])
        # It is the same program, so the results are equal except for fields that depend on the format.
        for different in ("path", "generation", "memory_bytes"):
            text.pop(different), proto.pop(different)
        self.assertEqual(text, proto)

    def test_check(self):
        answer = self.answer("check", "--json", BROKEN, "no/such/file")
        self.assertEqual("halo.check.v1", answer["schema"])
        self.assertEqual(answer["errors"] + answer["warnings"], len(answer["diagnostics"]))
        places = [(each["line"], each["column"]) for each in answer["diagnostics"] if "line" in each]
        self.assertEqual(sorted(places), places)
        self.assertEqual("cannot-open", answer["diagnostics"][-1]["code"])

    def test_run(self):
        answer = self.answer("run", "--json", MODULE, "--random", 3)
        self.assertEqual("halo.run.v2", answer["schema"])
        self.assertTrue(answer["finished"])
        self.assertEqual(10, len(answer["parameters"]))
        self.assertEqual({"random"}, {each["origin"] for each in answer["parameters"]})
        self.assertEqual([0] * len(answer["outputs"]), [each["nans"] for each in answer["outputs"]])

    def test_check_names_what_a_rule_is_about(self):
        text = b"HloModule m\nENTRY main {\n  p = f32[4] parameter(0)\n  ROOT n = f32[5] negate(p)\n}\n"
        answer = json.loads(halo("check", "--json", "-", input=text).stdout)
        (finding,) = answer["diagnostics"]
        self.assertEqual(("elementwise-dims", "main", "n", 4, 8),
                         tuple(finding[key] for key in ("code", "computation", "instruction", "line", "column")))

    def test_sarif(self):
        done = halo("check", "--sarif", BROKEN, PROTO)
        self.assertEqual(1, done.returncode)
        log = json.loads(done.stdout)
        self.assertEqual("2.1.0", log["version"])
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual("halo", driver["name"])
        self.assertTrue(all(rule["help"]["text"] and rule["shortDescription"]["text"] for rule in driver["rules"]))
        self.assertEqual(len(run["results"]), len(self.answer("check", "--json", BROKEN, PROTO)["diagnostics"]))
        for result in run["results"]:
            self.assertEqual(result["ruleId"], driver["rules"][result["ruleIndex"]]["id"])
            self.assertIn(result["level"], ("error", "warning"))
            self.assertTrue(result["message"]["text"])
            place = result["locations"][0]["physicalLocation"]
            self.assertTrue(place["artifactLocation"]["uri"].endswith("broken.hlo"))
            self.assertGreater(place["region"]["startLine"], 0)

    def test_rules(self):
        rules = self.answer("check", "--rules", "--json")["rules"]
        self.assertIn("dot-contracting-size", [rule["code"] for rule in rules])
        self.assertEqual({"error", "warning"}, {rule["severity"] for rule in rules})
        self.assertIn(b"dot-contracting-size", halo("check", "--rules").stdout)

    def test_odd_bytes_stay_valid_json(self):
        text = b'HloModule m\nENTRY main {\n  ROOT p = f32[] parameter(0), metadata={op_name="\xff\\001\\"\\\\"}\n}\n'
        done = halo("info", "--json", "-", input=text)
        answer = json.loads(done.stdout)
        self.assertEqual("\ufffd\x01\"\\", answer["modules"][0]["parameters"][0]["op_name"])


class Streams(unittest.TestCase):
    def test_colours_only_for_a_terminal_that_wants_them(self):
        self.assertNotIn(b"\033[", halo("check", BROKEN).stdout)
        self.assertIn(b"\033[", on_terminal("check", BROKEN))
        self.assertIn(b"\033[", on_terminal("info", MODULE))
        self.assertNotIn(b"\033[", on_terminal("check", BROKEN, env={"NO_COLOR": "1"}))
        self.assertNotIn(b"\033[", on_terminal("check", BROKEN, env={"TERM": "dumb"}))
        # An empty NO_COLOR has no effect.
        self.assertIn(b"\033[", on_terminal("check", BROKEN, env={"NO_COLOR": ""}))

    def test_binary_output_is_refused_only_on_a_terminal(self):
        self.assertEqual(b"", on_terminal("convert", MODULE))
        self.assertIn(b"HloModule", on_terminal("convert", PROTO))
        self.assertEqual(0, halo("convert", MODULE).returncode)
        self.assertIn(b"mlp_train", halo("convert", MODULE).stdout)

    def test_a_closed_pipe_is_no_error(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as big:
            big.write("HloModule big\n\nENTRY main {\n  p0 = f32[] parameter(0)\n")
            for i in range(20000):
                big.write(f"  p{i + 1} = f32[] negate(p{i})\n")
            big.write("  ROOT r = f32[] negate(p0)\n}\n")
            big.flush()
            with subprocess.Popen([HALO, "fmt", big.name], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                process.stdout.readline()
                process.stdout.close()
                self.assertEqual(b"", process.stderr.read())
                self.assertEqual(0, process.wait())

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_one(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([HALO, "fmt", str(MODULE)], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(2, done.returncode)
        self.assertIn(b"cannot write", done.stderr)


class Threads(unittest.TestCase):
    def test_checking_a_folder_does_not_depend_on_them(self):
        one = halo("check", EXAMPLES, "--threads", "1")
        self.assertEqual(1, one.returncode)
        for threads in ("2", "7"):
            self.assertEqual(one.stdout, halo("check", EXAMPLES, "--threads", threads).stdout)

    def test_answers_do_not_depend_on_them(self):
        lines = ["HloModule many", "", "ENTRY main {", "  p0 = f32[8]{0} parameter(0)"]
        for i in range(60000):
            lines.append(f'  n{i} = f32[8]{{0}} negate({"p0" if i == 0 else f"n{i - 1}"}), '
                         f'metadata={{op_name="layer_{i % 100}/negate" source_file="m.py" source_line={i}}}')
        lines += ["  ROOT r = f32[8]{0} abs(n59999)", "}", "", ""]
        good = "\n".join(lines).encode()
        bad = good.replace(b"negate(n30000)", b"negate(nowhere)").replace(b"negate(n50000)", b"negate(absent)")
        self.assertEqual(good, halo("fmt", "-", input=good).stdout)
        self.assertEqual(good, halo("fmt", "--threads", "4", "-", input=good).stdout)
        one, many = (halo("check", "--threads", count, "-", input=bad).stdout for count in (1, 4))
        self.assertEqual(one, many)
        self.assertIn(b"1 file, 2 errors, 0 warnings", one)


if __name__ == "__main__":
    unittest.main()
