"""The first pass at which two compilations differ.

An edit is injected after a known pass: in a copy of a dump whose instructions have other names, one instruction of that
state and of all later ones becomes another op. `halo diff --passes` must name this state. With jaxlib itself, one training
step is compiled again without a pass X (--xla_disable_hlo_passes=X), for every X that changed it and can be left out; the
answer must be X or the pass after it. The quick form takes 3 cases of one dump and leaves jaxlib out."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

from common import Skipped, enough, halo_run, jax_python, need_shared

ORDER = 127
QUICK_SECONDS = 3
WHAT = "the first different pass: edits injected after a known pass on CPU, GPU and TPU; passes disabled in jaxlib"
BAR = "200 of 200 injected edits; X or its successor in at least 95% of at least 10 disabled passes X"
QUICK_BAR = "3 of 3 injected edits"
LEAST = {"edits": 200, "disabled passes": 10}
QUICK_LEAST = {"edits": 3}
ARCHIVES = ("cpu_0.4.30", "cpu_0.4.38", "cpu_0.6.2", "cpu_0.8.0", "cpu_0.9.0", "cpu_0.10.2", "cpu_0.12.0.1", "h100_0.10.2",
            "h100_0.12.0.1", "v5e_libtpu_0.0.42.1")
OTHER = {"add": "subtract", "multiply": "divide", "subtract": "add", "maximum": "minimum", "divide": "multiply"}
EDITABLE = re.compile(r"^  (?:ROOT )?%?[\w.\-]+ = [a-z0-9]+\[\d[^=]* (" + "|".join(OTHER) + r")\(", re.MULTILINE)

TRAIN = """
import sys, jax, jax.numpy as jnp
def loss(p, x, y):
    h = jnp.tanh(x @ p['a'] + p['b'])
    h = jax.nn.softmax(h @ p['c'].T, axis=-1) / 3.0
    return jnp.mean((jnp.log(h[:, ::2] + 1e-3) - y) ** 2) + jnp.sum(jnp.where(h > 0.5, h, 0.0).reshape(-1)[:32]) * 0.0
def step(p, x, y):
    g = jax.grad(loss)(p, x, y)
    return jax.tree.map(lambda w, d: w - 0.1 * d, p, g)
p = {'a': jnp.ones((64, 128)), 'b': jnp.ones((128,)), 'c': jnp.ones((32, 128))}
jax.jit(step).lower(p, jnp.ones((16, 64)), jnp.ones((16, 16))).compile()
"""


def compared(a, b):
    run = halo_run("diff", "--passes", a, b, "--module", "step", "--json", "--top", 1)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"halo diff --passes {a} {b}: exit {run.returncode}\n{run.stderr.decode()[:500]}")
    return json.loads(run.stdout)


def edited(text, chance):
    """The text with one instruction of the entry changed; None if there is none to change."""
    begin = text.index("\nENTRY ")
    places = list(EDITABLE.finditer(text, begin)) or list(EDITABLE.finditer(text))
    if not places:
        return None
    place = places[chance.randrange(len(places))]
    return text[:place.start(1)] + OTHER[place[1]] + text[place.end(1):]


def renamed(text):
    return re.sub(r"%([A-Za-z_][\w\-]*)(\.\d+)?", lambda match: f"%r_{match[1]}{match[2] or ''}", text)


def states(folder):
    """The states of the training step that passes left, in order."""
    found = [(re.search(r"\.(\d{4})\.", path.name), path) for path in folder.glob("*.txt") if ".jit_step." in path.name]
    return [path for match, path in sorted(found, key=lambda each: each[1].name) if match
            and path.read_bytes()[:10] == b"HloModule "]


def injected(archive, count, folder, chance):
    """Yields whether each injected edit was located."""
    subprocess.run(["tar", "xf", str(need_shared("corpus/versions") / f"{archive}.tar.zst"), "-C", str(folder)], check=True)
    a, b = folder / archive, folder / "other"
    b.mkdir(exist_ok=True)
    for old in b.iterdir():
        old.unlink()
    texts = {}
    for path in a.glob("*.txt"):
        if ".jit_step." in path.name:
            data = path.read_text(encoding="utf-8", errors="replace")
            texts[path.name] = renamed(data) if data.startswith("HloModule ") else data
            (b / path.name).write_text(texts[path.name])
    names = [path.name for path in states(a)]
    for _ in range(count):
        at = chance.randrange(1, len(names))
        changed = {name: edited(texts[name], random.Random(at)) for name in names[at:]}
        if changed[names[at]] is None:
            continue
        for name, text in changed.items():
            if text is not None:
                (b / name).write_text(text)
        found = compared(a, b).get("first_after", {}).get("state", "nothing")
        right = f".{found}." in f".{names[at]}"
        if not right:
            print(f"  {archive}: edited {names[at]}, found {found}")
        for name in changed:
            (b / name).write_text(texts[name])
        yield right


def compiled(folder, disabled):
    flags = f"--xla_dump_to={folder} --xla_dump_hlo_pass_re=.*" + (f" --xla_disable_hlo_passes={disabled}" if disabled else "")
    run = subprocess.run([jax_python(), "-c", TRAIN], capture_output=True, check=False,
                         env=dict(os.environ, XLA_FLAGS=flags, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3"))
    return run.returncode == 0


def disabled_passes(folder):
    """Yields (pass, whether it or its successor was named)."""
    base = folder / "base"
    if not compiled(base, None):
        raise Skipped("jaxlib does not compile the training step")
    listed = json.loads(halo_run("passes", base, "--module", "step", "--json").stdout)
    order = [each["pass"] for each in listed["passes"] if each["changed"] and each["pass"]]
    for name in dict.fromkeys(order):
        other = folder / re.sub(r"\W", "_", name)
        if not compiled(other, name) or not list(other.glob("*jit_step*")):
            continue
        found = compared(base, other)
        if found["same"]:
            continue  # the compiler does not let it be disabled
        first = {found.get(key, {}).get("pass", "") for key in ("first_before", "first_after")}
        allowed = {order[i + step] for i, each in enumerate(order) if each == name for step in (0, 1) if i + step < len(order)}
        if not first & allowed:
            print(f"  without {name}: named {found['pass']}")
        yield name, bool(first & allowed)


def measure(quick):
    chance = random.Random(20)
    cases = right = 0
    for archive in ARCHIVES[5:6] if quick else ARCHIVES:
        with tempfile.TemporaryDirectory() as name:
            for good in injected(archive, 3 if quick else 20, pathlib.Path(name), chance):
                cases += 1
                right += good
    if quick:
        return right == cases and enough(QUICK_LEAST, {"edits": cases}), f"{right} of {cases} injected edits located"
    with tempfile.TemporaryDirectory() as name:
        passes = list(disabled_passes(pathlib.Path(name)))
    named = sum(good for _, good in passes)
    counts = {"edits": cases, "disabled passes": len(passes)}
    held = right == cases and named >= 0.95 * len(passes) and enough(LEAST, counts)
    return held, f"{right} of {cases} injected edits located; {named} of {len(passes)} disabled passes named"
