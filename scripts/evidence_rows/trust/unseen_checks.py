"""The checks of one generated program, on the files XLA dumped for it: text, verifier, buffer assignment, values by both
engines and on several devices, and the documents that `halo compile` writes. Each check returns the problems it found."""
import json
import os
import pathlib
import subprocess
import tempfile

import compile_documents
import memory_exact
from common import ROOT, SHARED, halo_run, jax_python, json_lines
from replay import BF16_ROUNDING, allow_dropped_roundings, compare, replay

NOISE = 4  # times XLA's own variation that a result may differ by
STAGES = {"cpu": "cpu_after_optimizations", "h100": "gpu_after_optimizations", "tpu": "after_optimizations"}
BACKENDS = {"cpu": "cpu", "h100": "gpu", "tpu": "tpu"}
# Passes of XLA (jaxlib 0.10.2) that change results: docs/evidence.md shows how.
XLA_DEFECTS = ("while-loop-all-reduce-code-motion",)


class Made:
    """A generated program: its folder for one platform, and its recorded inputs and outputs."""

    def __init__(self, seed, number, platform, folder, recorded):
        self.seed, self.number, self.platform, self.folder, self.archive = seed, number, platform, folder, recorded / "io.npz"
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.what, self.devices = manifest["what"], manifest["num_devices"]
        self.texts = [path for path in sorted(folder.glob("module_*.txt")) if path.read_bytes()[:10] == b"HloModule "]
        self.protos = sorted(folder.glob("module_*.hlo.pb"))

    def noise_command(self):
        """What tells how far XLA's own results move (unseen_programs/noise.py)."""
        return [jax_python(), "-m", "unseen_programs.noise", str(self.seed), str(self.number)]

    def stage(self, name):
        """The text of a stage, None if XLA dumped none. A TPU's program is its last module of that name."""
        found = [path for path in self.texts if path.name.endswith(f"{name}.txt")]
        return found[-1] if found else None

    def modules(self):
        """(stage, module) of what is run."""
        stages = (("before", "before_optimizations"), ("after", STAGES[self.platform]))
        return [(short, self.stage(name)) for short, name in stages if self.stage(name)]


def check_text(made):
    problems = []
    for path in made.texts:
        run = halo_run("fmt", path)
        if run.returncode != 0 or run.stdout != path.read_bytes():
            problems.append(f"{path.name}: not printed as it was read")
    return problems if made.texts else ["no text"]


def check_verified(made):
    """Texts and serialized modules have no error; a serialized module prints as its text."""
    run = halo_run("check", "--json", "--no-warnings", *made.texts, *made.protos)
    try:
        found = json.loads(run.stdout)["diagnostics"]
    except ValueError:
        return [f"halo check: exit {run.returncode}"]
    problems = [f"{pathlib.Path(each['path']).name}: {each['message']} [{each['code']}]" for each in found
                if each["severity"] == "error"]
    return problems or ([f"halo check: exit {run.returncode}"] if run.returncode else [])


def check_protos(folders, python=None):
    """Every serialized module against its text, and every text through our serialized form and jaxlib."""
    run = subprocess.run([python or jax_python(), str(ROOT / "tests/proto/Inputs/proto_vs_jaxlib.py"),
                          f"--halo={ROOT / 'build/release/halo'}", *map(str, folders)],
                         capture_output=True, text=True, check=False)
    return [] if run.returncode == 0 else [(run.stdout + run.stderr)[-600:]]


def check_assignment(made):
    """Planned as XLA did: every allocation, offset and live range. On a TPU only totals and live ranges count."""
    module = made.stage(STAGES[made.platform])
    stem = module.name.removesuffix(".txt")
    texts = [made.folder / f"{stem}-{part}.txt" for part in ("buffer-assignment", "buffer-assignment-values", "live-range")]
    texts = [path for path in texts if path.exists()]
    if not texts:
        return ["no assignment"]
    try:
        presets = ["--presets"] if made.platform == "tpu" else []  # XLA fills fast memory before it assigns buffers
        result = memory_exact.compare(module, texts, f"--backend={BACKENDS[made.platform]}", *presets)
    except RuntimeError as error:
        return [f"not planned: {str(error)[:300]}"]
    if memory_exact.exact(result):
        return []
    return [f"{result['same_values']} of {result['values']} values, {result['same_allocations']} of {result['allocations']} "
            f"allocations, {result['same_ranges']} of {result['ranges']} live ranges, total {result['our_total']} for "
            f"{result['total']}"]


def environment(platform="cpu"):
    """The environment of a process that generates programs."""
    paths = [ROOT / "scripts/evidence_rows/trust", ROOT / "scripts/evidence_rows/read"]
    if platform != "cpu":
        paths.append(ROOT / "build/wheels" / platform)
    return dict(os.environ, PYTHONPATH=":".join(map(str, paths)), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3",
                TPU_SKIP_MDS_QUERY="1", TPU_WORKER_HOSTNAMES="localhost", ALLOW_MULTIPLE_LIBTPU_LOAD="1")


def noise(made, runs):
    """Compares our difference with XLA's own, when it computes the same otherwise. `runs` are (label, module, differing
    outputs, options). Returns (explained, text)."""
    jobs = []
    for i, (label, module, differing, options) in enumerate(runs):
        ours = made.folder / f"ours{i}.npz"
        if halo_run("run", module, "--inputs", made.archive, "-o", ours, *options).returncode != 0:
            return False, f"{label} does not run a second time"
        jobs.append((str(ours), [each["name"] for each in differing]))
    skipped = []
    while True:
        run = subprocess.run([*made.noise_command(), json.dumps(jobs), json.dumps(skipped)],
                             capture_output=True, text=True, check=False, env=environment())
        rows = json_lines(run.stdout)
        tried = [row["tries"] for row in rows if "tries" in row]
        if run.returncode >= 0 or not tried:
            break
        skipped.append(tried[-1])  # XLA crashed
    if run.returncode != 0:
        return False, f"no second opinion: exit {run.returncode}: {run.stderr[-300:]}"
    rows = [row for row in rows if "tries" not in row]
    worst = max(rows, key=lambda row: row["ours"] / row["xla"] if row["xla"] else float("inf"))
    text = f"{worst['name']} by {worst['ours']:.2e} of {worst['largest']:.2e}, XLA itself {worst['how']} by {worst['xla']:.2e}"
    return all(row["ours"] <= NOISE * row["xla"] for row in rows), f"{', '.join(each[0] for each in runs)}: {text}"


def blames_xla(made, kinds):
    """Compiles the program again without passes that are known to be wrong. Returns what it shows, "" if the optimized module still
    gives other results."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = environment(made.platform) | {"HALO_UNSEEN_FLAGS": f"--xla_disable_hlo_passes={','.join(XLA_DEFECTS)}"}
        subprocess.run([jax_python(), "-m", "unseen_programs.make", folder, str(made.seed), made.platform, SHARED / "oracle/gpu_specs",
                        str(made.number)], capture_output=True, check=False, env=env)
        if not (folder / f"u{made.number}" / "manifest.json").exists():
            return ""
        other = Made(made.seed, made.number, made.platform, folder / f"u{made.number}", made.archive.parent)
        optimized = dict(other.modules()).get("after")
        if optimized is None or not all(replay("after", optimized, made.archive, *options).ok for _, options in kinds):
            return ""
    return f"XLA's optimized module is wrong; compiled without {', '.join(XLA_DEFECTS)}, it gives the recorded results"


def verdicts(made, kinds):
    """Replays every stage in the given ways. Returns (problems, explanations of noise)."""
    problems, unsure, seen = [], [], []
    for kind, options in kinds:
        results = {}
        for stage, module in reversed(made.modules()):
            result = results[stage] = replay(stage, module, made.archive, *options)
            if stage == "before":
                allow_dropped_roundings(result, module, made.archive, results.get("after"), *options)
            if result.ok:
                continue
            if not result.differing or any("problem" in each for each in result.differing):
                problems.append(f"{stage}, {kind}: {result.verdict}")
            else:
                unsure.append((f"{stage} {kind}", module, result.differing, options))
                seen.append(f"{stage} {kind}: {result.verdict}")
    if not unsure:
        return problems, []
    good, text = noise(made, unsure)
    if not good and made.platform != "cpu" and all(label.startswith("after") for label, *_ in unsure):
        shown = blames_xla(made, kinds)
        good, text = bool(shown), shown or text
    return (problems, [text]) if good else ([*problems, text, *seen], [])


def check_values(made):
    if made.devices == 1:
        return verdicts(made, [("compiled", ["--engine", "compiled"]), ("evaluated", ["--engine", "reference"])])
    return verdicts(made, [("evaluated", ["--engine", "reference"]), ("processes", ["--devices", made.devices])])


def check_documents(made):
    """Returns (problems, the module that `halo compile` wrote, which jaxlib must read)."""
    module = made.stage("before_optimizations")
    target = made.folder / "compiled"
    target.mkdir(exist_ok=True)
    done = compile_documents.Compiled(made.folder, module, target)
    problems = done.problems
    if any("results differ" in each for each in problems):
        # The evaluator ran both forms; what the program itself does not determine is compared with how far XLA's own results move.
        answer, _ = compare(done.dumped, made.archive, made.archive, "--engine", "reference", "--rtol", BF16_ROUNDING)
        differing = [each for each in answer["comparison"]["outputs"] if not each["ok"]] if answer else []
        if answer and (not differing or noise(made, [("compiled", done.dumped, differing, ["--engine", "reference"])])[0]):
            problems = [each for each in problems if "results differ" not in each]
    return problems, getattr(done, "dumped", None)
