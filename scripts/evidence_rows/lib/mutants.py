"""Chooses which modules are mutated, where, and in what order. Deterministic for a given corpus, count and seed."""
import collections
import copy
import dataclasses
import hashlib
import itertools
import math
import random
import re

import hlo_mutations
from common import SHARED, need_shared
from hlo_view import View

FOLDERS = ("xla", "jax/hand", "jax/cpu", "jax/gpu", "jax/tpu", "jax/old")
LARGEST = 400_000       # bytes of a text in the corpus
LARGEST_NORMAL = 60_000  # bytes as XLA prints it; larger texts are used only for rare opcodes
PLACES = 150            # mutated instructions per opcode, those of small modules first
PLACES_PER_BASE = 4
TRIES = 300             # positions tried until a mutation applies


@dataclasses.dataclass
class Mutant:
    base: str
    kind: str      # class of mutation
    detail: str    # the attribute's key, if an attribute was changed
    opcode: str
    comp: str
    line: str      # the changed line
    text: str
    alias: bool    # whether the header's aliases changed

    def key(self):
        return hashlib.sha256((("alias\n" if self.alias else "") + self.text).encode()).hexdigest()


def corpus_texts():
    """Yields (name, text) of each module in the corpus. Files with several modules are split."""
    root = need_shared("corpus")
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".hlo", ".txt") or path.stat().st_size > LARGEST:
                continue
            text = path.read_text(errors="replace")
            if folder != "xla" and not text.startswith("HloModule "):
                continue
            parts = [part for part in re.split(r"(?m)^(?=HloModule )", text) if part.startswith("HloModule ")] or [text]
            for number, part in enumerate(parts):
                name = str(path.relative_to(SHARED))
                yield (f"{name}#{number}" if len(parts) > 1 else name), part


def joined(lines):
    """Joins lines so that each instruction is on one line; a backend_config may be printed over several."""
    whole, depth = [], 0
    for line in lines:
        if depth > 0:
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
        if depth > 0 or " = " in line:
            depth += line.count("{") - line.count("}")
    return whole


def view_of(name, normal_text):
    """Returns a view without entry_computation_layout, which the swap inside XLA recomputes and thus cannot verify."""
    first, *rest = normal_text.split("\n")
    return View(name, "\n".join([hlo_mutations.header_attr(first, "entry_computation_layout", None), *joined(rest)]))


class Positions:
    def __init__(self, views):
        views = sorted(views, key=lambda view: (sum(map(len, view.lines)), view.name))
        self.by_opcode = collections.defaultdict(list)
        self.count = collections.Counter()
        for view in views:
            size, here = sum(map(len, view.lines)), collections.Counter()
            for comp, number, inst in view.instructions():
                self.count[inst.opcode] += 1
                if size > LARGEST_NORMAL and len(self.by_opcode[inst.opcode]) >= 10:
                    continue
                here[inst.opcode] += 1
                if here[inst.opcode] <= PLACES_PER_BASE and len(self.by_opcode[inst.opcode]) < PLACES:
                    self.by_opcode[inst.opcode].append((view, comp, number, inst))
        self.opcodes = sorted(self.by_opcode)
        self.weights = [math.sqrt(min(self.count[name], 400)) for name in self.opcodes]

    def choose(self, chance):
        name = chance.choices(self.opcodes, self.weights)[0]
        return chance.choice(self.by_opcode[name])


def changed_key(before, after):
    old, new = dict(before.attrs), dict(after.attrs)
    return next((key for key in [*old, *new] if old.get(key) != new.get(key)), "")


def mutate_instruction(chance, positions, kind, mutation):
    view, comp, number, inst = positions.choose(chance)
    index = next(at for at, (line, _) in enumerate(view.comps[comp]) if line == number)
    changed_inst = copy.deepcopy(inst)
    changed = mutation(chance, view, comp, number, changed_inst, index)
    if not changed or all(view.lines[at] == line for at, line in changed.items()):
        return None
    detail = changed_key(inst, changed_inst) if kind.startswith("attribute") else ""
    return Mutant(view.name, kind, detail, inst.opcode, comp, changed[number].strip(), view.with_lines(changed), False)


def mutants(views, alias_views, count, seed):
    """Returns `count` distinct mutants: classes by weight, opcodes by how often they occur, both damped."""
    positions = Positions(views)
    views = [view for view in views if sum(map(len, view.lines)) <= LARGEST_NORMAL]
    classes = {**hlo_mutations.INSTRUCTION_MUTATIONS, **hlo_mutations.MODULE_MUTATIONS}
    names, weights = list(classes), [weight for weight, _ in classes.values()]
    seen, found = set(), []
    for number in itertools.count():
        if len(found) == count:
            break
        chance = random.Random(f"{seed}.{number}")  # a change to one class does not affect the others
        kind = chance.choices(names, weights)[0]
        mutation = classes[kind][1]
        if kind in hlo_mutations.MODULE_MUTATIONS:
            view = chance.choice(alias_views if kind == "alias" else views)
            changed = mutation(chance, view)
            mutant = Mutant(view.name, kind, "", "", "", changed[0], view.with_lines(changed), kind == "alias")
        else:
            tries = (mutate_instruction(chance, positions, kind, mutation) for _ in range(TRIES))
            mutant = next((made for made in tries if made is not None), None)
        if mutant is not None and mutant.key() not in seen:
            seen.add(mutant.key())
            found.append(mutant)
    return found
