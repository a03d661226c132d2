"""Single mutations of HLO text: each changes one thing of one instruction, or of the module's first line.

A mutation takes (random, view, computation, line number, instruction, its index) and returns the changed lines
by number, or None if it does not apply. Whether the mutant is valid is left to the verifiers."""
import re

from hlo_view import read_instruction, split_top

TYPES = ("pred s2 s4 s8 s16 s32 s64 u4 u8 u16 u32 u64 f8e5m2 f8e4m3fn f16 bf16 f32 f64 c64 c128").split()
NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.])")
# Opcodes by number of operands; opcodes with the same number may replace each other.
OPCODES = {
    1: "abs negate exponential log sqrt rsqrt tanh sine cosine not sign floor ceil is-finite convert bitcast-convert copy "
       "real imag popcnt count-leading-zeros reshape transpose broadcast bitcast reverse cbrt logistic tuple opt-barrier "
       "round-nearest-even reduce-precision slice all-gather all-reduce get-tuple-element".split(),
    2: "add subtract multiply divide maximum minimum power remainder and or xor shift-left shift-right-logical compare "
       "atan2 complex dot concatenate pad reduce tuple dynamic-slice".split(),
    3: "select clamp tuple dynamic-slice dynamic-update-slice concatenate add".split(),
}
ENUMS = {
    "direction": "EQ NE LT LE GT GE".split(), "type": "FLOAT TOTALORDER SIGNED UNSIGNED".split(),
    "kind": "kLoop kInput kOutput kCustom kAny".split(), "fft_type": "FFT IFFT RFFT IRFFT".split(),
    "algorithm": "rng_default rng_three_fry rng_philox dot_bf16_bf16_f32 dot_f32_f32_f32 dot_any_f8_any_f8_f32".split(),
    "distribution": "rng_uniform rng_normal rng_bernoulli".split(),
    "transpose_a": "NO_TRANSPOSE TRANSPOSE ADJOINT TRANSPOSE_INVALID".split(),
    "api_version": "API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING API_VERSION_TYPED_FFI".split(),
    "schedule": "SCHEDULE_EARLIEST SCHEDULE_LATEST SCHEDULE_NONE".split(),
}
COMP_KEYS = ("calls to_apply condition body select scatter comparator true_computation false_computation "
             "branch_computations called_computations").split()
# Attributes whose values have no rules. They form a single mutation class.
FREE_KEYS = ("backend_config frontend_attributes metadata custom_call_target infeed_config outfeed_config literal "
             "async_execution_thread result_accuracy origin").split()


def other_number(random, text):
    value = int(text)
    return str(random.choice([value + 1, value + 1, value - 1, value - 1, value * 2 + 1, 0, -1, value + 7]))


def replace_one(random, pattern, text, make):
    """Returns the text with one match of the pattern replaced, or None."""
    found = list(re.finditer(pattern, text))
    if not found:
        return None
    match = random.choice(found)
    made = make(match)
    return None if made is None or made == match[0] else text[:match.start()] + made + text[match.end():]


def line_of(number, inst):
    return {number: inst.text()}


def changed_shape(make):
    def mutate(random, view, comp, number, inst, index):
        shape = make(random, inst.shape)
        if shape is None or shape == inst.shape:
            return None
        inst.shape = shape
        return line_of(number, inst)
    return mutate


ARRAY = r"\b([a-z]\w*)\[([^\]]*)\](\{[^}]*\})?"


def dimension(random, shape):
    def make(match):
        new = replace_one(random, NUMBER, match[2], lambda one: other_number(random, one[0]))
        return None if new is None else f"{match[1]}[{new}]{match[3] or ''}"
    return replace_one(random, ARRAY, shape, make)


def rank(random, shape):
    def make(match):
        dims = split_top(match[2])
        if dims and random.random() < 0.5:
            dims.pop(random.randrange(len(dims)))
        else:
            dims.insert(random.randint(0, len(dims)), random.choice(["1", "1", "2"]))
        return f"{match[1]}[{','.join(dims)}]"
    return replace_one(random, ARRAY, shape, make)


def element_type(random, shape):
    return replace_one(random, ARRAY, shape,
                       lambda match: f"{random.choice(TYPES)}[{match[2]}]{match[3] or ''}")


def dynamic_dimension(random, shape):
    def make(match):
        dims = split_top(match[2])
        if not dims:
            return None
        at = random.randrange(len(dims))
        dims[at] = dims[at][2:] if dims[at].startswith("<=") else "<=" + dims[at]
        return f"{match[1]}[{','.join(dims)}]{match[3] or ''}"
    return replace_one(random, ARRAY, shape, make)


def tuple_shape(random, shape):
    if not shape.startswith("("):
        return f"({shape})" if random.random() < 0.5 else f"({shape}, {shape})"
    elements = split_top(shape[1:-1])
    choice = random.randrange(4)
    if choice == 0 and elements:
        elements.pop(random.randrange(len(elements)))
    elif choice == 1 and elements:
        elements.append(random.choice(elements))
    elif choice == 2 and len(elements) > 1:
        i, j = random.sample(range(len(elements)), 2)
        elements[i], elements[j] = elements[j], elements[i]
    elif len(elements) == 1:
        return elements[0]
    else:
        return None
    return f"({', '.join(elements)})"


def layout(random, shape):
    def make(match):
        order = [part for part in split_top(match[1].split(":")[0])]
        rest = match[1][len(match[1].split(":")[0]):]
        choice = random.randrange(5)
        if choice < 2 and len(order) > 1:
            i, j = random.sample(range(len(order)), 2)
            order[i], order[j] = order[j], order[i]
        elif choice == 2 and order:
            order[random.randrange(len(order))] = str(random.randint(-1, len(order) + 1))
        elif choice == 3 and order:
            order.pop()
        else:
            order.append(str(len(order)))
        return "{" + ",".join(order) + rest + "}"
    return replace_one(random, r"(?<=\])\{([^}]*)\}", shape, make)


def layout_detail(random, shape):
    """Changes what follows the colon: tiles, memory space, element size, dynamic prefix."""
    extras = ["T(8,128)", "T(2,1)", "S(1)", "E(4)", "E(32)", "D(D)", "S(5)", "T(0)", "L(1024)", "P(s32[])", "M(16)", "#(u32)"]

    def make(match):
        order, colon, rest = match[1].partition(":")
        if colon and random.random() < 0.5:
            rest = replace_one(random, NUMBER, rest, lambda one: other_number(random, one[0])) or ""
        else:
            rest += random.choice(extras)
        return "{" + order + (":" + rest if rest else "") + "}"
    return replace_one(random, r"(?<=\])\{([^}]*)\}", shape, make)


def attribute(keys=None, but=()):
    """Returns a function that picks the position of one attribute with a matching key."""
    def find(random, inst):
        places = [at for at, (key, value) in enumerate(inst.attrs)
                  if value is not None and (key in keys if keys else key not in but)]
        return random.choice(places) if places else None
    return find


def attr_number(random, view, comp, number, inst, index):
    at = attribute(but=(*FREE_KEYS, *COMP_KEYS, "sharding", "control-predecessors"))(random, inst)
    if at is None:
        return None
    key, value = inst.attrs[at]
    pattern = r"\d+" if key in ("window", "dim_labels", "padding", "replica_groups") else NUMBER
    value = replace_one(random, pattern, value, lambda one: other_number(random, one[0]))
    if value is None:
        return None
    inst.attrs[at] = key, value
    return line_of(number, inst)


def attr_list(random, view, comp, number, inst, index):
    """Removes, duplicates or moves an element of a list in braces (or of a list in x-form)."""
    at = attribute(but=(*FREE_KEYS, *COMP_KEYS, "sharding"))(random, inst)
    if at is None:
        return None
    key, value = inst.attrs[at]

    def edit(elements):
        choice = random.randrange(3)
        if not elements:
            return ["0"]
        if choice == 0:
            elements.pop(random.randrange(len(elements)))
        elif choice == 1:
            elements.insert(random.randint(0, len(elements)), random.choice(elements))
        elif len(elements) > 1:
            i, j = random.sample(range(len(elements)), 2)
            elements[i], elements[j] = elements[j], elements[i]
        else:
            elements.append("0")
        return elements
    if key == "padding":
        new = "x".join(edit(value.split("x")))
    elif key == "window":
        new = replace_one(random, r"(?<==)[\d_x-]+", value, lambda one: "x".join(edit(one[0].split("x"))))
    else:
        new = replace_one(random, r"\{[^{}]*\}", value, lambda one: "{" + ",".join(edit(split_top(one[0][1:-1]))) + "}")
        if value.startswith("{{") and random.random() < 0.4:
            new = "{" + ",".join(edit(split_top(value[1:-1]))) + "}"
    if new is None or new == value:
        return None
    inst.attrs[at] = key, new
    return line_of(number, inst)


def attr_drop(random, view, comp, number, inst, index):
    if not inst.attrs:
        return None
    keep = [at for at, (key, _) in enumerate(inst.attrs) if key not in FREE_KEYS] or [0]
    inst.attrs.pop(random.choice(keep))
    return line_of(number, inst)


def attr_value(random, view, comp, number, inst, index):
    """Changes the value of an attribute that takes words, booleans or dimension labels."""
    places = [at for at, (key, value) in enumerate(inst.attrs)
              if key in ENUMS or value in ("true", "false") or key in ("dim_labels", "operand_precision")]
    if not places:
        return None
    at = random.choice(places)
    key, value = inst.attrs[at]
    if value in ("true", "false"):
        value = "false" if value == "true" else "true"
    elif key == "dim_labels":
        labels = list(value)
        i, j = random.sample(range(len(labels)), 2)
        labels[i], labels[j] = labels[j], labels[i]
        value = "".join(labels)
    elif key == "operand_precision":
        value = replace_one(random, r"\w+", value, lambda _: random.choice(["default", "high", "highest", "lowest"]))
    else:
        value = random.choice(ENUMS[key])
    if value is None or (key, value) == inst.attrs[at]:
        return None
    inst.attrs[at] = key, value
    return line_of(number, inst)


def attr_free(random, view, comp, number, inst, index):
    """Drops an attribute without rules or replaces it with a harmless one."""
    at = attribute(keys=FREE_KEYS)(random, inst)
    if at is None:
        inst.attrs.append(random.choice([("metadata", '{op_name="x"}'), ("frontend_attributes", '{a="b"}')]))
    else:
        inst.attrs.pop(at)
    return line_of(number, inst)


def attr_foreign(random, view, comp, number, inst, index):
    """Adds an attribute that belongs to other opcodes."""
    new = random.choice([("dimensions", "{0}"), ("index", "0"), ("to_apply", random.choice(list(view.comps))),
                         ("channel_id", "1"), ("replica_groups", "{}"), ("slice", "{[0:1]}"), ("kind", "kLoop"),
                         ("direction", "EQ"), ("is_stable", "true"), ("iota_dimension", "0")])
    if new[0] in [key for key, _ in inst.attrs]:
        return None
    inst.attrs.append(new)
    return line_of(number, inst)


def has_operands(inst):
    return inst.opcode not in ("constant", "parameter") and inst.operands


def operand_drop(random, view, comp, number, inst, index):
    if not has_operands(inst):
        return None
    inst.operands.pop(random.randrange(len(inst.operands)))
    return line_of(number, inst)


def operand_twice(random, view, comp, number, inst, index):
    if not has_operands(inst):
        return None
    inst.operands.insert(random.randint(0, len(inst.operands)), random.choice(inst.operands))
    return line_of(number, inst)


def operand_swap(random, view, comp, number, inst, index):
    if not has_operands(inst) or len(inst.operands) < 2:
        return None
    i, j = random.sample(range(len(inst.operands)), 2)
    if inst.operands[i] == inst.operands[j]:
        return None
    inst.operands[i], inst.operands[j] = inst.operands[j], inst.operands[i]
    return line_of(number, inst)


def operand_other(random, view, comp, number, inst, index):
    """Replaces an operand with another instruction of the computation, rarely with a later one."""
    if not has_operands(inst):
        return None
    insts = view.comps[comp]
    others = insts if random.random() < 0.05 else insts[:index]
    at = random.randrange(len(inst.operands))
    names = [other.name for _, other in others if other.name != inst.operands[at]]
    if not names:
        return None
    inst.operands[at] = random.choice(names)
    return line_of(number, inst)


def opcode(random, view, comp, number, inst, index):
    names = OPCODES.get(len(inst.operands))
    if names is None or not has_operands(inst):
        return None
    name = random.choice(names)
    if name == inst.opcode:
        return None
    inst.opcode = name
    if name == "compare":
        inst.attrs = [("direction", "LT")]
    elif random.random() < 0.7:
        inst.attrs = [one for one in inst.attrs if one[0] in ("sharding", "metadata")]
    return line_of(number, inst)


def called(random, view, comp, number, inst, index):
    at = attribute(keys=COMP_KEYS)(random, inst)
    if at is None:
        return None
    key, value = inst.attrs[at]
    other = random.choice([name for name in view.comps if name != comp] or [comp])
    new = replace_one(random, r"%?[\w.-]+", value, lambda _: other)
    if new is None:
        return None
    inst.attrs[at] = key, new
    return line_of(number, inst)


def parameter_number(random, view, comp, number, inst, index):
    """Swaps the numbers of two parameters. Changing one number alone makes XLA's reader abort, so that is rare."""
    others = [(line, other) for line, other in view.comps[comp]
              if other.opcode == "parameter" and other.name != inst.name]
    if inst.opcode != "parameter":
        return None
    if random.random() < 0.02:
        inst.operands = [other_number(random, inst.operands[0])]
        return line_of(number, inst)
    if not others:
        return None
    line, other = random.choice(others)
    other = read_instruction(view.lines[line])
    inst.operands, other.operands = other.operands, inst.operands
    return {**line_of(number, inst), **line_of(line, other)}


def root(random, view, comp, number, inst, index):
    if inst.root:
        return None
    for line, other in view.comps[comp]:
        if other.root:
            other = read_instruction(view.lines[line])
            other.root, inst.root = False, True
            return {**line_of(number, inst), **line_of(line, other)}
    return None


def order(random, view, comp, number, inst, index):
    insts = view.comps[comp]
    other = insts[(index + random.choice([1, 1, 2, 3])) % len(insts)][0]
    return None if other == number else {number: view.lines[other], other: view.lines[number]}


def control(random, view, comp, number, inst, index):
    insts = view.comps[comp]
    other = random.choice(insts if random.random() < 0.2 else insts[:index] or insts)[1]
    inst.attrs = [one for one in inst.attrs if one[0] != "control-predecessors"]
    inst.attrs.append(("control-predecessors", "{" + other.name + "}"))
    return line_of(number, inst)


SHARDINGS = ("{replicated}", "{manual}", "{unknown}", "{maximal device=0}", "{maximal device=9}", "{devices=[2]<=[2]}",
             "{devices=[2,1]<=[2]}", "{devices=[1,2]<=[2]}", "{devices=[2,2]<=[4]}", "{devices=[1,1,2]<=[2]}",
             "{devices=[2,1,2]<=[4] last_tile_dim_replicate}", "{devices=[1,2]0,1}", "{devices=[1,2]0,0}",
             "{devices=[1,2]0,5}", "{{replicated}, {replicated}}", "{{replicated}}", "{devices=[2,4]<=[8]}")


def sharding(random, view, comp, number, inst, index):
    for at, (key, value) in enumerate(inst.attrs):
        if key == "sharding" and random.random() < 0.6:
            new = replace_one(random, r"\d+", value, lambda one: other_number(random, one[0]))
            if new is None:
                return None
            inst.attrs[at] = key, new
            return line_of(number, inst)
    inst.attrs = [one for one in inst.attrs if one[0] != "sharding"]
    inst.attrs.append(("sharding", random.choice(SHARDINGS)))
    return line_of(number, inst)


def literal(random, view, comp, number, inst, index):
    if inst.opcode != "constant":
        return None
    text = inst.operands[0]
    choice = random.randrange(6)
    if choice == 0:
        new = "{" + text + "}"
    elif choice == 1:
        new = replace_one(random, r"[^\s,{}()]+,\s*|,\s*[^\s,{}()]+", text, lambda _: "")
    elif choice == 2:
        new = replace_one(random, r"[^\s,{}()]+", text, lambda _: random.choice(["true", "1.5", "-1", "300", "nan", "(1, 2)", "x"]))
    elif choice == 3:
        new = replace_one(random, r"[^\s,{}()]+", text, lambda one: one[0] + ", " + one[0])
    elif choice == 4:
        new = text[1:-1] if text.startswith("{") else ""
    else:
        new = replace_one(random, r"[^\s,{}()]+", text, lambda one: random.choice(["7", "0", "1e30", "99999999999", "inf"]))
    if new is None or new == text:
        return None
    inst.operands = [new]
    return line_of(number, inst)


def name(random, view, comp, number, inst, index):
    """Renames the instruction to the name of another one, of this or any computation."""
    pool = view.comps[comp if random.random() < 0.7 else random.choice(list(view.comps))]
    inst.name = random.choice(pool)[1].name
    return line_of(number, inst) if inst.text() != view.lines[number] else None


def drop_line(random, view, comp, number, inst, index):
    """Removes an instruction."""
    return {number: ""}


def twice_line(random, view, comp, number, inst, index):
    """Duplicates an instruction under a new name."""
    copy = read_instruction(view.lines[number])
    copy.name, copy.root = copy.name + ".twice", False
    return {number: inst.text() + "\n" + copy.text()} if not inst.root else {number: copy.text() + "\n" + inst.text()}


# class -> (weight, mutation)
INSTRUCTION_MUTATIONS = {
    "dimension": (12, changed_shape(dimension)),
    "rank": (3, changed_shape(rank)),
    "element type": (9, changed_shape(element_type)),
    "tuple shape": (3, changed_shape(tuple_shape)),
    "dynamic dimension": (1.5, changed_shape(dynamic_dimension)),
    "layout order": (4, changed_shape(layout)),
    "layout detail": (1.5, changed_shape(layout_detail)),
    "attribute number": (16, attr_number),
    "attribute list": (9, attr_list),
    "attribute dropped": (5, attr_drop),
    "attribute value": (5, attr_value),
    "attribute free": (1, attr_free),
    "attribute foreign": (1.5, attr_foreign),
    "operand dropped": (3, operand_drop),
    "operand twice": (2, operand_twice),
    "operand swapped": (4, operand_swap),
    "operand other": (8, operand_other),
    "opcode": (7, opcode),
    "called computation": (3, called),
    "parameter number": (1.5, parameter_number),
    "root": (2, root),
    "order": (2, order),
    "control predecessor": (1.5, control),
    "sharding": (3, sharding),
    "literal": (1.5, literal),
    "name": (0.7, name),
    "line dropped": (0.7, drop_line),
    "line twice": (0.7, twice_line),
}


def header_attr(line, key, value):
    """Returns the first line with an attribute set to a new value; None removes it."""
    kept = [part for part in split_top(line) if not part.startswith(key + "=")]
    return ", ".join(kept + ([f"{key}={value}"] if value is not None else []))


def leaves(shape, prefix=()):
    if not shape.startswith("("):
        return [prefix]
    found = [] if prefix else [()]
    for at, element in enumerate(split_top(shape[1:-1])):
        found += leaves(element, prefix + (at,))
    return found


def alias(random, view):
    """Adds aliases and donors that may or may not be valid: any output with any parameter, sometimes past the end."""
    entry = [inst for _, inst in view.comps[view.entry]]
    parameters = [inst for inst in entry if inst.opcode == "parameter"]
    outputs = leaves(next(inst.shape for inst in entry if inst.root))
    entries = []
    donor = random.random() < 0.25
    for _ in range(random.choice([1, 1, 2])):
        parameter = random.randrange(len(parameters) + (random.random() < 0.15) + (not parameters))
        # Aliases are verified through StableHLO, which has no donor index.
        of = "{0}" if not donor and random.random() < 0.15 else "{}"
        output = list(random.choice(outputs))
        if random.random() < 0.1:
            output = output[:-1] + [len(outputs)]
        kind = random.choice(["may-alias", "must-alias"])
        entries.append(f"({parameter}, {of})" if donor else
                       "{" + ",".join(map(str, output)) + f"}}: ({parameter}, {of}, {kind})")
    key = "buffer_donor" if donor else "input_output_alias"
    return {0: header_attr(view.lines[0], key, "{ " + ", ".join(entries) + " }")}


def counts(random, view):
    key = random.choice(["replica_count", "num_partitions"])
    return {0: header_attr(view.lines[0], key, random.choice([1, 2, 3, 4, 8]))}


def scheduled(random, view):
    has = "is_scheduled=true" in view.lines[0]
    return {0: header_attr(view.lines[0], "is_scheduled", None if has else "true")}


# Mutations of the whole module: class -> (weight, mutation)
MODULE_MUTATIONS = {
    "alias": (3, alias),
    "device counts": (1.5, counts),
    "scheduled": (0.7, scheduled),
}
