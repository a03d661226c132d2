"""The viewer's WebAssembly core must return the same results as the native command and be small enough for a page."""
import gzip
import json
import subprocess

from common import ROOT, SHARED, enough, halo_run, need, need_shared, python_with

ORDER = 120
QUICK_SECONDS = 3
WHAT = ("info, check and memory of the WebAssembly core against `halo … --json` (but for `memory_bytes`, the program's "
        "own), on the seeds and corpus files")
BAR = "the JSON equal on all seeds and 50 corpus files; the module under 2 MB gzip"
QUICK_BAR = "the JSON equal on all seeds and 8 corpus files; the module under 2 MB gzip"
LEAST = {"files": 55, "answers": 110}
QUICK_LEAST = {"files": 13, "answers": 26}

MOST_BYTES = 2_000_000


def corpus_files(count):
    """Returns a sample of uncompressed corpus files: modules as text and proto, assignments with their pieces."""
    found = []
    for pattern in ("*.txt", "*.hlo.pb", "*.hlo"):
        found += [path for folder in ("jax", "xla") for path in sorted((need_shared("corpus") / folder).rglob(pattern))
                  if path.stat().st_size < 3_000_000]
    step = max(len(found) // count, 1)
    return found[::step][:count]


def native(*arguments):
    run = halo_run(*arguments, "--json")
    return json.loads(run.stdout) if run.stdout.strip() else None


class Core:
    """The WebAssembly core in a separate process, because only the project's environment has wasmtime."""

    def __init__(self, module):
        self.process = subprocess.Popen([python_with("wasmtime"), str(ROOT / "scripts" / "view_core.py"), str(module), "-"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request, files):
        self.process.stdin.write(json.dumps({"request": request, "files": files}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def differences(core, path):
    """Returns which results differ for one file, and how many were compared."""
    differ, compared = [], 0
    for name in ("info", "check", "memory"):
        expected = native(name, path)
        files = [str(path)]
        if name == "memory" and expected is not None:
            # The command also read the neighbouring files of the dump.
            files = [each["path"] for each in expected["inputs"]]
        answer = core.ask({"ask": name}, files)
        compared += expected is not None
        # Ignores the memory that the program itself uses for a module; it is not a property of the module.
        for each in (expected or {}).get("modules", []) + answer.get("answer", {}).get("modules", []):
            each.pop("memory_bytes", None)
        for each in (expected or {}).get("inputs", []) + answer.get("answer", {}).get("inputs", []):
            each.pop("found", None)  # the command found what the core was given
            if each["path"].endswith(".gz"):  # the page has decompressed it
                each.pop("compression", None)
                each.pop("stored_bytes", None)
        if answer.get("answer") != expected:
            differ.append(name)
    return differ, compared


def measure(quick):
    module = need(ROOT / "build" / "wasm" / "halo_view.wasm", "the viewer's core; run scripts/build_view_wasm")
    packed = len(gzip.compress(module.read_bytes(), 9))
    files = sorted(need_shared("seeds").glob("*.txt")) + corpus_files(8 if quick else 50)
    core = Core(module)
    failed, answers = [], 0
    for path in files:
        differ, compared = differences(core, path)
        answers += compared
        if differ:
            failed.append(path)
            print(f"  {path.relative_to(SHARED)}: {', '.join(differ)} differ")
    core.process.stdin.close()
    core.process.wait()
    print(f"  {len(files)} files, {answers} answers compared; {module.stat().st_size} bytes, {packed} compressed")
    held = not failed and packed < MOST_BYTES
    held = held and enough(QUICK_LEAST if quick else LEAST, {"files": len(files), "answers": answers})
    return held, f"{len(files) - len(failed)} of {len(files)} files alike; {packed / 1e6:.2f} MB gzip"
