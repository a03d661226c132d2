"""Tests `halo view` and `halo report`: what is served, to which clients, and how the server exits."""

import base64
import gzip
import html.parser
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
EXAMPLES = ROOT / "examples"
DUMP = EXAMPLES / "cpu_mlp_train"
POLICY = "default-src 'none'; connect-src 'self'"
PAGE = ('<!doctype html><head><meta http-equiv="Content-Security-Policy" content="' + POLICY + '"></head>'
        "<body><!--halo:data--><!--/halo:data--><p>page</p></body>")


class Data(html.parser.HTMLParser):
    """Collects the data elements of a page as a browser would parse them."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open = {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open = dict(attrs).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.elements[self.open] = data


class WithPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "viewer.html"
        self.page.write_text(PAGE, encoding="utf-8")


class Report(WithPage):
    def report(self, *arguments):
        out = self.folder / "report.html"
        done = subprocess.run([HALO, "report", *map(str, arguments), "--page", self.page, "-o", out, "--json"],
                              capture_output=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        page = out.read_text(encoding="utf-8")
        self.assertEqual(json.loads(done.stdout)["bytes"], len(page.encode()))
        self.assertEqual(PAGE, re.sub("<!--halo:data-->.*<!--/halo:data-->", "<!--halo:data--><!--/halo:data-->",
                                      page, flags=re.DOTALL))
        elements = Data(page).elements
        manifest = json.loads(elements["halo-manifest"])
        files = [gzip.decompress(base64.b64decode(elements[file["element"]])) for file in manifest["files"]]
        return manifest, files

    def test_holds_the_dump(self):
        manifest, files = self.report(DUMP)
        self.assertEqual("jit_mlp_train", manifest["title"])
        first = manifest["programs"][manifest["first"]["program"]]
        self.assertEqual("cpu_after_optimizations", first["stage"])
        for file, data in zip(manifest["files"], files):
            self.assertEqual((DUMP / file["name"]).read_bytes(), data)
            self.assertEqual(file["bytes"], len(data))
        self.assertEqual(2, len(first["assignment"]))

    def test_redacted_holds_no_name(self):
        _, files = self.report(DUMP, "--redact")
        for data in files:
            self.assertNotRegex(data, rb"mlp|\.py|op_name|source_file")
            self.assertRegex(data, rb"\.r\d")

    def test_what_was_measured_belongs_to_the_program(self):
        dump = self.folder / "dump"
        dump.mkdir()
        for name in ("module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt", "module_0001.jit_f.autotune_results.pbtxt",
                     "module_0001.jit_f.gpu_target_config.pbtxt"):
            text = "HloModule jit_f\n\nENTRY e {\n  ROOT p = f32[4] parameter(0)\n}\n" if name.endswith(".txt") else "version: 3\n"
            (dump / name).write_text(text, encoding="utf-8")
        manifest, _ = self.report(dump, "--view", "time")
        self.assertEqual("time", manifest["first"]["view"])
        kinds = [manifest["files"][at]["kind"] for at in manifest["programs"][0]["with"]]
        self.assertEqual(["autotuning", "target-config"], sorted(kinds))

    def test_file(self):
        manifest, _ = self.report(DUMP / "module_0000.jit_mlp_train.before_optimizations.txt")
        self.assertEqual(["before_optimizations"], [each["stage"] for each in manifest["programs"]])

    def test_hostile_names(self):
        hostile = self.folder / "dump"
        hostile.mkdir()
        name = "module_0000.<script>alert(1)<!--.before_optimizations.txt"
        (hostile / name).write_text("HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }\n", encoding="utf-8")
        manifest, _ = self.report(hostile)
        self.assertEqual(name, manifest["files"][0]["name"])

    def test_what_is_no_page(self):
        self.page.write_text("<html></html>", encoding="utf-8")
        done = subprocess.run([HALO, "report", DUMP, "--page", self.page, "-o", self.folder / "x.html"],
                              capture_output=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn(b"no marker for data", done.stderr)
        self.assertFalse((self.folder / "x.html").exists())


class Served(WithPage):
    INPUT = DUMP
    OPTIONS = ()

    def setUp(self):
        super().setUp()
        self.process = subprocess.Popen([HALO, "view", self.INPUT, *self.OPTIONS, "--page", self.page, "--json"],
                                        stdout=subprocess.PIPE)
        self.addCleanup(self.end)
        text = b""
        while not text.endswith(b"\n}\n"):
            text += self.process.stdout.readline()
        answer = json.loads(text)
        self.port, self.url = answer["port"], answer["url"]
        self.base = "/" + self.url.split("/", 3)[3]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(0, self.process.wait(timeout=20))
        self.process.stdout.close()

    def ask(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data


class ViewReplaced(Served):
    """Files that become links after the dump was listed, as by another user who may write to it."""

    def setUp(self):
        top = tempfile.TemporaryDirectory()
        self.addCleanup(top.cleanup)
        self.top = pathlib.Path(top.name)
        self.INPUT = self.top / "dump"
        shutil.copytree(DUMP, self.INPUT)
        with tarfile.open(self.INPUT / "more.tar", "w") as archive:
            archive.add(DUMP / "module_0000.jit_mlp_train.before_optimizations.txt", "module_0001.jit_packed.before_optimizations.txt")
        (self.top / "secret").write_text("HloModule secret\n", encoding="utf-8")
        with tarfile.open(self.top / "secret.tar", "w") as archive:
            archive.add(self.top / "secret", "module_0001.jit_packed.before_optimizations.txt")
        super().setUp()
        self.manifest = json.loads(self.ask(self.base + "manifest.json")[1])

    def read(self, part):
        number = next(i for i, file in enumerate(self.manifest["files"]) if part in file["name"])
        program = next(i for i, each in enumerate(self.manifest["programs"]) if each["file"] == number)
        status, data = self.ask(self.base + self.manifest["files"][number]["url"])
        answer = self.ask(f"{self.base}ask?program={program}", "POST", json.dumps({"ask": "overview"}))[1]
        return status.status, data + answer

    def test_links_that_lead_out_are_not_followed(self):
        name = "module_0000.jit_mlp_train.before_optimizations.txt"
        for target in (self.top / "secret", "../secret", f"/proc/self/root{self.top}/secret"):
            (self.INPUT / name).unlink()
            (self.INPUT / name).symlink_to(target)
            status, data = self.read("mlp_train.before")
            self.assertEqual(404, status)
            self.assertNotIn(b"HloModule secret", data)
            self.assertNotIn(b'"secret"', data)
        (self.INPUT / "more.tar").unlink()
        (self.INPUT / "more.tar").symlink_to("../secret.tar")
        status, data = self.read("jit_packed")
        self.assertEqual(404, status)
        self.assertNotIn(b"HloModule secret", data)

    def test_links_within_are_followed(self):
        name = self.INPUT / "module_0000.jit_mlp_train.before_optimizations.txt"
        name.rename(self.INPUT / "kept")
        name.symlink_to("kept")
        self.assertEqual(200, self.read("mlp_train.before")[0])

    def test_a_pipe_delays_no_client(self):
        name = self.INPUT / "module_0000.jit_mlp_train.before_optimizations.txt"
        name.unlink()
        os.mkfifo(name)
        self.assertEqual(404, self.read("mlp_train.before")[0])


class ViewFile(Served):
    INPUT = DUMP / "module_0000.jit_mlp_train.before_optimizations.txt"

    def test_its_program_comes_first(self):
        manifest = json.loads(self.ask(self.base + "manifest.json")[1])
        self.assertGreater(len(manifest["programs"]), 1)
        self.assertEqual("before_optimizations", manifest["programs"][manifest["first"]["program"]]["stage"])


class ViewAgainst(Served):
    EARLIER = DUMP / "module_0000.jit_mlp_train.before_optimizations.txt"
    INPUT = EXAMPLES / "h100x4_fsdp_mlp_train"
    OPTIONS = ("--against", EARLIER)

    def test_the_earlier_program_is_served_and_compared(self):
        manifest = json.loads(self.ask(self.base + "manifest.json")[1])
        first = manifest["first"]
        self.assertEqual("diff", first["view"])
        self.assertEqual("jit_fsdp_mlp_train", manifest["programs"][first["program"]]["module"])
        earlier = manifest["programs"][first["against"]]
        self.assertEqual(("jit_mlp_train", "before_optimizations"), (earlier["module"], earlier["stage"]))
        _, data = self.ask(self.base + manifest["files"][earlier["file"]]["url"])
        self.assertEqual(self.EARLIER.read_bytes(), data)
        answer, block = self.ask(f"{self.base}ask?program={first['program']}&against={first['against']}", "POST",
                                 json.dumps({"ask": "diff"}))
        self.assertEqual(200, answer.status)
        self.assertIn(b"different programs", block)


class ViewAgainstNothing(WithPage):
    def test_a_dump_without_a_module_is_refused(self):
        done = subprocess.run([HALO, "view", DUMP, "--against", self.folder, "--page", self.page],
                              capture_output=True, check=False, timeout=20)
        self.assertEqual(2, done.returncode)
        self.assertIn(b"there is no module in", done.stderr)


class View(Served):
    def test_page_files_and_questions(self):
        answer, page = self.ask(self.base)
        self.assertEqual(200, answer.status)
        self.assertEqual(POLICY + "; frame-ancestors 'none'", answer.headers["Content-Security-Policy"])
        manifest = json.loads(Data(page.decode()).elements["halo-manifest"])
        self.assertEqual("served", manifest["source"])
        for file in manifest["files"]:
            answer, data = self.ask(self.base + file["url"])
            self.assertEqual((DUMP / file["name"]).read_bytes(), data)
        again = json.loads(self.ask(self.base + "manifest.json")[1])
        self.assertEqual(manifest, again)
        program = manifest["first"]["program"]
        answer, block = self.ask(f"{self.base}ask?program={program}", "POST", json.dumps({"ask": "overview"}))
        self.assertEqual(200, answer.status)
        self.assertIn(b'"ok": true', block[8:64])
        self.assertEqual(404, self.ask(f"{self.base}ask?program=99", "POST", "{}")[0].status)

    def test_others_are_refused(self):
        token = self.base.strip("/")
        wrong = ("0" if token[0] != "0" else "1") + token[1:]
        for path in ("/", "/index.html", f"/{wrong}/", f"/{token}", f"/{token[:-1]}/"):
            self.assertEqual(403, self.ask(path)[0].status, path)
        self.assertEqual(403, self.ask(self.base, Host="evil.example")[0].status)
        self.assertEqual(403, self.ask(self.base, Host=f"evil.example:{self.port}")[0].status)
        self.assertEqual(403, self.ask(self.base, Origin="http://evil.example")[0].status)
        self.assertEqual(403, self.ask(self.base, Origin="null")[0].status)
        self.assertEqual(200, self.ask(self.base, Host=f"localhost:{self.port}")[0].status)
        for path in ("file/-1", "file/999", "file/0x1", "file/", "etc/passwd"):
            self.assertEqual(404, self.ask(self.base + path)[0].status, path)
        for path in ("file/../../etc/passwd", "%2e%2e/etc/passwd", "/etc/passwd"):
            self.assertEqual(400, self.ask(self.base + path)[0].status, path)
        self.assertEqual(405, self.ask(self.base, "DELETE")[0].status)
        self.assertEqual(413, self.ask(self.base + "ask", "POST", Content_Length="99999999")[0].status)

    def raw(self, text):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(text.encode())
            return connection.makefile("rb").read()

    def test_a_header_that_matters_comes_once(self):
        head = f"GET {self.base} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        origin = f"Origin: http://127.0.0.1:{self.port}\r\n"
        self.assertTrue(self.raw(f"{head}{origin}\r\n").startswith(b"HTTP/1.1 200 "))
        self.assertTrue(self.raw(f"{head}Origin: http://evil.example\r\n{origin}\r\n").startswith(b"HTTP/1.1 400 "))
        self.assertTrue(self.raw(f"{head}Host: 127.0.0.1:{self.port}\r\n\r\n").startswith(b"HTTP/1.1 400 "))

    def test_silent_clients_delay_no_other(self):
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(40)]
        for each in silent[20:]:
            each.sendall(b"GET")
        begin = time.monotonic()
        self.assertEqual(200, self.ask(self.base)[0].status)
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(0, self.process.wait(timeout=20))
        self.assertLess(time.monotonic() - begin, 5)
        for each in silent:
            each.close()

    def test_only_the_loopback_listens(self):
        for family in {each[0] for each in socket.getaddrinfo(socket.gethostname(), None)}:
            for info in socket.getaddrinfo(socket.gethostname(), self.port, family, socket.SOCK_STREAM):
                if not info[4][0].startswith("127."):
                    with socket.socket(info[0], socket.SOCK_STREAM) as tried:
                        self.assertNotEqual(0, tried.connect_ex(info[4]))


if __name__ == "__main__":
    unittest.main()
