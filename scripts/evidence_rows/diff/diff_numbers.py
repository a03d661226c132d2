"""Miscompiles injected into chains of passes: `halo passes --run` must name the pass and the value.

One instruction of a state and of all later ones gets another op, swapped operands, another constant, another reducer,
another direction of comparison, or is dropped. An edit counts if it changes a result by more than a thousandth of the
result's largest element, which numpy decides from the outputs of `halo run`. Wrong is the edited instruction, or of a
dropped one a reader of it, also by way of a reshape, bitcast or copy, which computes nothing. The chains are the states
of the allpass program and of one training step compiled by two jaxlibs. Without an edit, no state may differ, nor any of 38
programs before and after optimization, with recorded and with generated inputs. The quick form takes 3 edits of one chain
and 4 programs."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

from common import enough, halo_run, jax_script, need_shared
from miscompiles import KINDS, Program

ORDER = 128
QUICK_SECONDS = 5
WHAT = "miscompiles injected into chains of passes; the same chains and CPU programs before and after optimization unedited"
BAR = "pass and value right 100 of 100; no false alarm in at least 72 states of one chain, 150 states in all and 38 programs"
QUICK_BAR = "pass and value right 3 of 3; no false alarm in 72 states and 4 programs"
LEAST = {"edits": 100, "states": 150, "programs": 38}
QUICK_LEAST = {"edits": 3, "states": 72, "programs": 4}
VERSIONS = ("cpu_0.6.2", "cpu_0.10.2")

CHANGED = """
import sys, numpy as np
a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
far = False
for name in a.files:
    x, y = np.nan_to_num(a[name].astype(np.float64)), np.nan_to_num(b[name].astype(np.float64))
    largest = np.abs(x).max(initial=0)
    far = far or bool((np.abs(x - y) > 1e-3 * largest).any())
print(int(far))
"""


def broken(folder, *options):
    run = halo_run("passes", folder, "--run", "--json", *options)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"halo passes {folder} --run: exit {run.returncode}\n{run.stderr.decode()[:500]}")
    return json.loads(run.stdout)


def outputs(text, inputs, folder, name):
    (folder / "one.txt").write_text(text)
    out = folder / name
    run = halo_run("run", folder / "one.txt", *inputs, "--engine", "reference", "-o", out)
    return out if run.returncode == 0 else None


class Chain:
    """The states of one compilation, copied to a folder that holds nothing else."""
    def __init__(self, source, word, inputs, folder):
        self.folder, self.inputs = folder, inputs
        self.paths = sorted(path for path in source.glob("*.txt") if re.search(r"\.\d{4}\.", path.name) and word in path.name)
        self.paths = [path for path in self.paths if path.read_bytes()[:10] == b"HloModule "]
        self.texts = [path.read_text() for path in self.paths]

    def write(self, texts):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for path, text in zip(self.paths, texts):
            (self.folder / path.name).write_text(text)

    def inject(self, chance, scratch):
        """(number of the edited state, the edit, names that are wrong, texts); None if it changes no result."""
        at = chance.randrange(1, len(self.texts))
        kind = KINDS[chance.randrange(len(KINDS))]
        before, after = Program(self.texts[at - 1]), Program(self.texts[at])
        names = [name for name in after.possible(kind) if name in before.lines
                 and [before.lines[name][i] for i in (2, 3, 4)] == [after.lines[name][i] for i in (2, 3, 4)]]
        if not names:
            return None
        name = names[chance.randrange(len(names))]
        edited = []
        for text in self.texts[at:]:
            changed = Program(text).edited(kind, name)
            if changed is None:
                break
            edited.append(changed)
        x = outputs(self.texts[at], self.inputs, scratch, "x.npz")
        y = outputs(edited[0], self.inputs, scratch, "y.npz")
        if x is None or y is None or jax_script(CHANGED, x, y).strip() != "1":
            return None
        return at, f"{kind} {name}", after.truth(kind, name), self.texts[:at] + edited


def injected(chain, wanted, chance, scratch):
    """Yields whether the pass and the value of each edit were named."""
    done = 0
    for _ in range(wanted * 30):
        if done == wanted:
            return
        made = chain.inject(chance, scratch)
        if made is None:
            continue
        at, edit, truth, texts = made
        chain.write(texts)
        found = broken(chain.folder, *chain.inputs)
        state = found.get("bad", {}).get("state", "nothing")
        value = found.get("between", {}).get("first", {}).get("after", {}).get("name", "nothing")
        right = f".{state}." in f".{chain.paths[at].name}" and value in truth
        if not right:
            print(f"  {edit} after {chain.paths[at].name}: named {state}, {value}; expected {sorted(truth)}")
        done += 1
        yield right


def unedited(chain):
    """(states that ran, states that differ)."""
    chain.write(chain.texts)
    checked = broken(chain.folder, *chain.inputs, "--every")["checked"]
    return len(checked), sum(each["outcome"] != "agrees" for each in checked)


def pair_agrees(folder):
    before, after = (next(folder.glob(f"*{end}_optimizations.txt")) for end in ("before", "cpu_after"))
    for inputs in (("--inputs", folder / "io.npz"), ("--random", 1)):
        run = halo_run("diff", before, after, "--run", "--json", *inputs)
        if run.returncode != 0 or not json.loads(run.stdout)["agrees"]:
            print(f"  {folder.name} {inputs[0]}: exit {run.returncode}")
            return False
    return True


def measure(quick):
    chance = random.Random(2020)
    edits = right = states = wrong = 0
    allpass = need_shared("corpus/jax/allpass") / "transformer_train_adam"
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        chains = [(allpass, "transformer", ("--inputs", allpass / "io.npz"), 3 if quick else 60)]
        for version in () if quick else VERSIONS:
            subprocess.run(["tar", "xf", str(need_shared("corpus/versions") / f"{version}.tar.zst"), "-C", name], check=True)
            chains.append((scratch / version, ".jit_step.", ("--random", 1), 20))
        for source, word, inputs, wanted in chains:
            chain = Chain(source, word, inputs, scratch / "chain")
            ran, differ = unedited(chain)
            states, wrong = states + ran, wrong + differ
            for good in injected(chain, wanted, chance, scratch):
                edits, right = edits + 1, right + good
    programs = sorted(path for path in (need_shared("corpus/jax/cpu")).iterdir() if (path / "io.npz").exists())
    programs = programs[::10] if quick else programs
    agree = sum(map(pair_agrees, programs))
    counts = {"edits": edits, "states": states, "programs": len(programs)}
    held = right == edits and wrong == 0 and agree == len(programs) and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{right} of {edits} edits: pass and value named; {states - wrong} of {states} unedited states and {agree} of "
                  f"{len(programs)} programs without false alarm")
