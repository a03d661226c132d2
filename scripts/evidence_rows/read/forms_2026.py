"""What XLA became in 2026: compiles programs of real libraries with jaxlib 0.12.0.1 (forms_2026_programs) and checks their dumps
as `unseen` does; plants unknown forms in every small grammar (planted_forms.py); and reads the new forms that no program
here has (new_forms.py). Dumps are in build/forms-2026/VERSION/MODULE-HASH and used again while the programs stay the same.
The full form takes its libraries from `scripts/venv forms`; the quick form compiles programs of JAX alone with the
jaxlib of `scripts/venv`. HALO_EVIDENCE_ONLY=TEXT restricts a run to the programs whose names have the text."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import new_forms
import unseen_checks as checks
from common import BUILD, REFERENCES, ROOT, Skipped, asked_references, enough, halo_run, jax_python, json_lines, reference_version, need
from common import need_halo
from planted_forms import planted_forms

ORDER = 9
QUICK_SECONDS = 12
WHAT = "dumps of programs of real libraries by jaxlib 0.12.0.1; forms that no XLA prints; forms that are new"
BAR = ("texts and serialized modules byte-identical, both the same, verified, assignments exact for 98 %, results agree with XLA's or "
       "with its own variation, or `halo run` names the call of Python (or of LAPACK's Schur form) that it cannot make; each unknown "
       "form is read on, kept and warned about once; each new form prints back, also through the serialized form")
QUICK_BAR = "the same for programs of JAX alone"
LEAST = {"programs": 60, "libraries": 20, "run": 45, "call Python": 10, "unknown forms": 25, "new forms": 18}
QUICK_LEAST = {"programs": 6, "run": 4, "unknown forms": 25, "new forms": 18}
QUICK = ("jax_prints", "jax_pure_callback", "jax_checks", "jax_random_keys", "jax_manual_collectives", "jax_donated_update")
PROGRAMS = ROOT / "scripts/evidence_rows/read/forms_2026_programs"
LIBRARIES_PYTHON = ROOT / "build/venv-forms/bin/python"
CALLBACK = "xla_ffi_python_cpu_callback"
# Calls that cannot be made outside of Python, and one that the evaluator lacks.
NOT_MADE = (CALLBACK, "lapack_sgees_ffi")
# Constants and thread-local values of equal size are placed in the order of XLA's own lists, which a text does not have.
EXACT = 0.98
LIST = "import json; from forms_2026_programs import MODULES, catalogue; print(json.dumps({m: list(catalogue([m])) for m in MODULES}))"

PRINT = """
import json, sys
from jaxlib import _hlo
print(json.dumps([_hlo.hlo_module_from_text(text).to_string() for text in json.load(sys.stdin)]))
"""


class Form(checks.Made):
    """A program of the catalogue, whose dumps are in a folder."""

    def __init__(self, name, folder, python):
        super().__init__(0, name, "cpu", folder, folder)
        self.python = python

    def noise_command(self):
        return [self.python, "-m", "forms_2026_programs.noise", self.number]

    def calls_python(self):
        return any(CALLBACK.encode() in path.read_bytes() for path in self.texts)


def interpreter(quick):
    """The Python of the reference or, in the full form, that of the libraries, whose jaxlib is a reference as well."""
    if quick:
        return jax_python()
    python = need(LIBRARIES_PYTHON, "the libraries' environment; run scripts/venv forms")
    version = subprocess.run([str(python), "-c", "import jaxlib; print(jaxlib.__version__)"], capture_output=True, text=True,
                             check=False).stdout.strip()
    if version != REFERENCES[0]:
        raise Skipped(f"the libraries' environment has jaxlib {version or 'no version'}, not {REFERENCES[0]}; run scripts/venv forms")
    asked_references.add(version)
    return str(python)


def folder_of(module, version):
    """Where the dumps of a module of programs are: another folder once anything that decides about them changes."""
    digest = hashlib.sha256()
    for path in (PROGRAMS / f"{module}.py", PROGRAMS / "arrays.py", PROGRAMS / "make.py"):
        digest.update(path.read_bytes())
    return ROOT / "build/forms-2026" / version / f"{module}-{digest.hexdigest()[:12]}"


def make(python, folder, names):
    """Compiles the programs that are not there yet. Returns {name: why XLA or the library refuses it}."""
    left = [name for name in names if not (folder / name / "manifest.json").exists()]
    refused = {}
    while left:
        run = subprocess.run([python, "-W", "ignore", "-m", "forms_2026_programs.make", str(folder), *left], capture_output=True,
                             text=True, check=False, env=checks.environment())
        rows = json_lines("\n".join(line for line in run.stdout.splitlines() if line.startswith('{"')))  # programs print, too
        if not rows:
            raise Skipped(f"the programs do not start: {run.stderr[-300:]}")
        refused |= {row["name"]: row["error"] for row in rows if "error" in row}
        if "at" in rows[-1]:
            refused[rows[-1]["at"]] = f"crashed: {run.stderr[-300:]}"
        seen = {row.get("name", row.get("at")) for row in rows}
        left = [name for name in left if name not in seen]
    for path in folder.glob("dump-*"):
        shutil.rmtree(path)
    return refused


def found(form):
    """{check: problems}, whether it was run by every engine, and explanations of noise."""
    known = {"text": checks.check_text(form), "verified": checks.check_verified(form),
             "assignment": checks.check_assignment(form)}
    problems, noise = checks.check_values(form)
    known["values"] = [each for each in problems if not any(f'no implementation is registered for the custom call "{name}"' in each
                                                            for name in NOT_MADE)]
    return known, len(known["values"]) == len(problems), noise


def check_programs(python, version, quick):
    """Returns ({what: how many}, problems)."""
    listed = json.loads(subprocess.run([python, "-c", LIST], capture_output=True, text=True, check=True,
                                       env=checks.environment()).stdout)
    only = os.environ.get("HALO_EVIDENCE_ONLY", "")
    forms, problems = [], 0
    for module, names in listed.items():
        wanted = [name for name in names if only in name and (not quick or name in QUICK)]
        folder = folder_of(module, version)
        for name, why in (make(python, folder, wanted) if wanted else {}).items():
            print(f"  {name}: not compiled: {why}", flush=True)
            problems += 1
        forms += [Form(name, folder / name, python) for name in wanted if (folder / name / "manifest.json").exists()]
    counts = {"programs": 0, "run": 0, "call Python": 0, "exact": 0}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for form, (known, ran, noise) in zip(forms, pool.map(found, forms)):
            counts["programs"] += 1
            counts["run"] += ran
            counts["call Python"] += form.calls_python()
            counts["exact"] += not known["assignment"]
            for check, wrong in known.items():
                problems += bool(wrong) and check != "assignment"
                if wrong:
                    print(f"  {form.number}: {check}: {'; '.join(wrong)[:600]}", flush=True)
            for line in noise:
                print(f"  {form.number}: noise: {line}", flush=True)
    manifests = [json.loads((form.folder / "manifest.json").read_text(encoding="utf-8")) for form in forms]
    counts["libraries"] = len({manifest["library"] for manifest in manifests} - {"jax"})
    wrong = checks.check_protos([form.folder for form in forms], python)
    for each in wrong:
        print(f"  serialized modules: {each}")
    return counts, problems + len(wrong)


def check_planted(folder):
    """Plants each unknown form. Returns (forms, those that are read on, kept and warned about once)."""
    kept = total = 0
    for name, original, planted in planted_forms():
        total += 1
        path = folder / "planted.txt"
        path.write_text(original, encoding="utf-8")
        before = len(diagnostics(path))
        path.write_text(planted, encoding="utf-8")
        wrong = []
        if halo_run("fmt", path).stdout != planted.encode():
            wrong.append("not kept")
        after = diagnostics(path)
        if any(each["severity"] == "error" for each in after) or len(after) != before + 1:
            wrong.append(f"{len(after) - before} new diagnostics: {[each['message'] for each in after]}")
        kept += not wrong
        if wrong:
            print(f"  unknown form, {name}: {'; '.join(wrong)[:400]}")
    return total, kept


def diagnostics(path):
    try:
        return json.loads(halo_run("check", "--json", path).stdout)["diagnostics"]
    except (ValueError, KeyError):
        return [{"severity": "error", "message": "halo check prints no document"}]


def printed_forms(python, version, folder):
    """{name: text} of what jaxlib 0.12.0.1 prints. Another reference does not know these forms: then the text is our own."""
    if version == REFERENCES[0]:
        done = subprocess.run([python, "-c", PRINT], input=json.dumps(list(new_forms.PRINTED.values())), capture_output=True,
                              text=True, check=True)
        return dict(zip(new_forms.PRINTED, json.loads(done.stdout)))
    texts = {}
    for name, text in new_forms.PRINTED.items():
        path = folder / "typed.txt"
        path.write_text(text, encoding="utf-8")
        texts[name] = halo_run("fmt", "--style=canonical", path).stdout.decode()
    return texts


def check_new(python, version, folder):
    """Reads each new form. Returns (forms, those that print back, those whose text jaxlib printed)."""
    texts = printed_forms(python, version, folder)
    printed = len(texts) if version == REFERENCES[0] else 0
    texts |= new_forms.WRITTEN
    good = 0
    for name, text in texts.items():
        path, proto = folder / "new.txt", folder / "new.hlo.pb"
        path.write_text(text, encoding="utf-8")
        proto.unlink(missing_ok=True)
        wrong = []
        if halo_run("fmt", path).stdout != text.encode():
            wrong.append("not printed as it was read")
        if any(each["severity"] == "error" for each in diagnostics(path)):
            wrong.append("has errors")
        halo_run("convert", path, "-o", proto)
        once = halo_run("convert", proto, "--to=text").stdout
        path.write_bytes(once)
        halo_run("convert", path, "-o", proto)
        if not once or halo_run("convert", proto, "--to=text").stdout != once:
            wrong.append("changes in the serialized form")
        good += not wrong
        if wrong:
            print(f"  new form, {name}: {'; '.join(wrong)}")
    return len(texts), good, printed


def measure(quick):
    need_halo()
    need(BUILD / "bench/assign_compare", "the release build's assign_compare")
    python = interpreter(quick)
    version = reference_version() if quick else REFERENCES[0]
    counts, problems = check_programs(python, version, quick)
    with tempfile.TemporaryDirectory() as name:
        unknown, kept = check_planted(pathlib.Path(name))
        new, good, printed = check_new(python, version, pathlib.Path(name))
    counts |= {"unknown forms": unknown, "new forms": new}
    least = QUICK_LEAST if quick else LEAST
    held = not problems and counts["exact"] >= EXACT * counts["programs"] and kept == unknown and good == new and enough(least, {what: counts[what] for what in least})
    return held, (f"{counts['programs']} programs of JAX and {counts['libraries']} libraries, {problems} problems; assignments exact for "
                  f"{counts['exact']}; {counts['run']} run by both engines, the others name what they call; {counts['call Python']} call "
                  f"Python; {kept} of {unknown} unknown forms kept; {good} of {new} new forms, {printed} printed by jaxlib")
