"""Random single-op modules with inputs, for every opcode that XLA's CPU backend runs.

A case is HLO text whose entry computes one op (with the computation it applies, if any) and its input arrays.
Shapes are small and odd, numbers include zeros, infinities, NaN and extremes, and each op is tested with the
element types it is defined for. Runs in jaxlib's environment, which has numpy and ml_dtypes."""
import dataclasses

import ml_dtypes
import numpy as np

FLOATS = ["f32", "f64", "f16", "bf16"]
SMALL_FLOATS = ["f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3", "f8e3m4"]
SIGNED = ["s8", "s16", "s32", "s64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
COMPLEX = ["c64", "c128"]
NUMPY = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8,
         "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32,
         "f64": np.float64, "bf16": ml_dtypes.bfloat16, "c64": np.complex64, "c128": np.complex128,
         "s4": ml_dtypes.int4, "u4": ml_dtypes.uint4, "s2": ml_dtypes.int2, "u2": ml_dtypes.uint2,
         "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
         "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
         "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "f8e4m3": ml_dtypes.float8_e4m3,
         "f8e3m4": ml_dtypes.float8_e3m4}


@dataclasses.dataclass
class Case:
    text: str
    inputs: list
    length: int = 1  # number of elements summed into one, for the tolerance
    exact: bool = False
    loose: float = 0.0  # an absolute tolerance relative to the largest number, for solvers


class Maker:
    """Generates random parts of modules."""

    def __init__(self, seed):
        self.r = np.random.RandomState(seed)

    def pick(self, items):
        return items[self.r.randint(len(items))]

    def dims(self, low=0, high=4, least=1, most=7):
        return tuple(int(self.r.randint(least, most + 1)) for _ in range(self.r.randint(low, high + 1)))

    def array(self, element, dims, kind="any"):
        """kind: any (extremes too), plain (moderate numbers), unit (-1..1), positive."""
        n = int(np.prod(dims)) if dims else 1
        if element == "pred":
            return self.r.randint(0, 2, n).astype(np.bool_).reshape(dims)
        if element in INTS or element in ("s4", "u4", "s2", "u2"):
            return self.integers(element, n, kind).reshape(dims)
        if element in COMPLEX:
            part = "f32" if element == "c64" else "f64"
            real, imag = self.array(part, (n,), kind), self.array(part, (n,), kind)
            return (real.astype(np.float64) + 1j * imag.astype(np.float64)).astype(NUMPY[element]).reshape(dims)
        values = self.r.standard_normal(n)
        if kind == "any":
            values *= self.pick([1, 1, 1, 3, 10, 100])
            special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, np.inf, -np.inf, np.nan]
            at = self.r.rand(n) < 0.15
            values[at] = self.r.choice(special, int(at.sum()))
        elif kind == "unit":
            values = self.r.uniform(-1, 1, n)
        elif kind == "positive":
            values = np.abs(values) + 0.01
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(NUMPY[element]).reshape(dims)

    def integers(self, element, n, kind):
        bits = int(element[1:])
        signed = element[0] == "s"
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        if kind == "any":
            values = [int(self.r.randint(0, 1 << 30)) * int(self.r.randint(1, 1 << 30)) for _ in range(n)]
            choices = [0, 1, 2, 3, high, low, high - 1, low + 1, bits, bits - 1, bits + 1, -1 if signed else high]
            values = [choices[self.r.randint(len(choices))] if self.r.rand() < 0.4
                      else value % (high - low + 1) + low for value in values]
        else:
            values = self.r.randint(max(low, -9), min(high, 9) + 1, n).tolist()
            if kind == "positive":
                values = [abs(value) or 1 for value in values]
        wide = np.array([min(max(value, low), high) for value in values], dtype=object)
        return wide.astype(np.int64 if signed else np.uint64).astype(NUMPY[element])


def shape(element, dims):
    return f"{element}[{','.join(map(str, dims))}]"


def module(result, op, parameters, extra="", before=()):
    """Returns a module whose entry computes `op`; parameters are (element, dims)."""
    lines = ["HloModule case", extra, "ENTRY main {"]
    lines += [f"  p{i} = {shape(*p)} parameter({i})" for i, p in enumerate(parameters)]
    lines += [f"  {line}" for line in before]
    lines += [f"  ROOT r = {result} {op}", "}"]
    return "\n".join(lines) + "\n"


def operands(count):
    return ", ".join(f"p{i}" for i in range(count))


def binary_computation(name, element, op):
    return (f"{name} {{ a = {element}[] parameter(0) b = {element}[] parameter(1) "
            f"ROOT c = {element}[] {op}(a, b) }}\n")


# ---- elementwise

UNARY = {
    "abs": FLOATS + SIGNED + COMPLEX, "acos": ["f32", "f64"], "acosh": ["f32", "f64"], "asin": ["f32", "f64"], "asinh": ["f32", "f64"],
    "atanh": ["f32", "f64"],
    "cbrt": FLOATS, "ceil": FLOATS, "cosine": FLOATS + COMPLEX, "cosh": ["f32", "f64"], "erf": FLOATS,
    "exponential": FLOATS + COMPLEX, "exponential-minus-one": FLOATS + COMPLEX, "floor": FLOATS,
    "is-finite": FLOATS + SMALL_FLOATS, "log": FLOATS + COMPLEX, "log-plus-one": FLOATS + COMPLEX,
    "logistic": FLOATS + COMPLEX, "negate": FLOATS + INTS + COMPLEX + SMALL_FLOATS, "not": INTS + ["pred"],
    "popcnt": INTS, "count-leading-zeros": INTS, "round-nearest-afz": FLOATS, "round-nearest-even": FLOATS,
    "rsqrt": FLOATS + COMPLEX, "sign": FLOATS + SIGNED + COMPLEX, "sine": FLOATS + COMPLEX, "sinh": ["f32", "f64"],
    "sqrt": FLOATS + COMPLEX, "tan": FLOATS + COMPLEX, "tanh": FLOATS + COMPLEX,
    "real": COMPLEX, "imag": COMPLEX, "copy": FLOATS + INTS + COMPLEX + ["pred"]}
RANGES = {"acos": "unit", "asin": "unit", "atanh": "unit"}
BINARY = {
    "add": FLOATS + INTS + COMPLEX + SMALL_FLOATS + ["pred"], "subtract": FLOATS + INTS + COMPLEX + SMALL_FLOATS,
    "multiply": FLOATS + INTS + COMPLEX + SMALL_FLOATS + ["pred"], "divide": FLOATS + INTS + COMPLEX,
    "remainder": FLOATS + INTS, "power": FLOATS + SIGNED + COMPLEX,
    "maximum": FLOATS + INTS + ["pred"] + SMALL_FLOATS, "minimum": FLOATS + INTS + ["pred"] + SMALL_FLOATS,
    "atan2": FLOATS, "and": INTS + ["pred"], "or": INTS + ["pred"], "xor": INTS + ["pred"],
    "shift-left": INTS, "shift-right-arithmetic": INTS, "shift-right-logical": INTS}


def result_of(op, element):
    if op == "is-finite":
        return "pred"
    if op in ("abs", "real", "imag") and element in COMPLEX:
        return "f32" if element == "c64" else "f64"
    return element


def unary(m, op):
    element, dims = m.pick(UNARY[op]), m.dims(1, 3)
    kind = RANGES.get(op, "any") if element not in COMPLEX else "plain"
    return Case(module(shape(result_of(op, element), dims), f"{op}(p0)", [(element, dims)]),
                [m.array(element, dims, kind)], exact=element in INTS)


def binary(m, op):
    element, dims = m.pick(BINARY[op]), m.dims(1, 3)
    kind = "plain" if element in COMPLEX else "any"
    second = "plain" if op == "power" else kind
    return Case(module(shape(element, dims), f"{op}(p0, p1)", [(element, dims)] * 2),
                [m.array(element, dims, kind), m.array(element, dims, second)], exact=element in INTS)


def compare(m, _):
    element, dims = m.pick(FLOATS + INTS + ["pred", "c64"]), m.dims(1, 3)
    direction = m.pick(["EQ", "NE"] if element == "c64" else ["EQ", "NE", "GE", "GT", "LE", "LT"])
    total = ", type=TOTALORDER" if element in FLOATS and m.r.rand() < 0.4 else ""
    a = m.array(element, dims)
    b = np.where(m.r.rand(*dims) < 0.4, a, m.array(element, dims)).astype(a.dtype)
    return Case(module(shape("pred", dims), f"compare(p0, p1), direction={direction}{total}", [(element, dims)] * 2),
                [a, b], exact=True)


def select(m, _):
    element, dims = m.pick(FLOATS + INTS + COMPLEX + ["pred"]), m.dims(0, 3)
    return Case(module(shape(element, dims), "select(p0, p1, p2)", [("pred", dims)] + [(element, dims)] * 2),
                [m.array("pred", dims), m.array(element, dims), m.array(element, dims)], exact=True)


def clamp(m, _):
    element, dims = m.pick(FLOATS + INTS), m.dims(1, 3)
    edge = () if m.r.rand() < 0.5 else dims
    low, high = m.array(element, edge, "plain"), m.array(element, edge, "plain")
    low, high = np.minimum(low, high), np.maximum(low, high)
    return Case(module(shape(element, dims), "clamp(p0, p1, p2)", [(element, edge), (element, dims), (element, edge)]),
                [low, m.array(element, dims), high], exact=True)


def convert(m, _):
    every = FLOATS + INTS + ["pred"] + SMALL_FLOATS + COMPLEX
    source, target, dims = m.pick(every), m.pick(every), m.dims(1, 3)
    if source in COMPLEX:
        target = m.pick(COMPLEX)
    return Case(module(shape(target, dims), "convert(p0)", [(source, dims)]), [m.array(source, dims)], exact=True)


def bitcast_convert(m, _):
    same = [["s8", "u8", "f8e5m2", "f8e4m3fn"], ["s16", "u16", "f16", "bf16"], ["s32", "u32", "f32"],
            ["s64", "u64", "f64"]]
    if m.r.rand() < 0.6:
        group = m.pick(same)
        source, target, dims = m.pick(group), m.pick(group), m.dims(0, 3)
        out = dims
    else:
        wide, narrow = m.pick([(2, 0), (2, 1), (1, 0), (3, 2), (3, 0)])
        ratio = 1 << (wide - narrow)
        dims = m.dims(0, 2)
        source, target, out = m.pick(same[wide]), m.pick(same[narrow]), dims + (ratio,)
        if m.r.rand() < 0.5:
            source, target, dims, out = target, source, out, dims
    raw = m.array("u8", dims + (np.dtype(NUMPY[source]).itemsize,))
    return Case(module(shape(target, out), "bitcast-convert(p0)", [(source, dims)]),
                [raw.view(NUMPY[source]).reshape(dims)], exact=True)


def reduce_precision(m, _):
    element, dims = m.pick(FLOATS), m.dims(1, 3)
    exponent = int(m.r.randint(2, {"f32": 8, "f64": 11, "f16": 5, "bf16": 8}[element] + 1))
    mantissa = int(m.r.randint(1, {"f32": 23, "f64": 52, "f16": 10, "bf16": 7}[element] + 1))
    return Case(module(shape(element, dims), f"reduce-precision(p0), exponent_bits={exponent}, mantissa_bits={mantissa}",
                       [(element, dims)]), [m.array(element, dims)], exact=True)


def complex_op(m, _):
    element, result = m.pick([("f32", "c64"), ("f64", "c128")])
    dims = m.dims(0, 3)
    return Case(module(shape(result, dims), "complex(p0, p1)", [(element, dims)] * 2),
                [m.array(element, dims), m.array(element, dims)], exact=True)


# ---- movement

EVERY = FLOATS + INTS + COMPLEX + ["pred"]


def moved(m, dims, out, op, element=None, more=(), before=()):
    element = element or m.pick(EVERY)
    parameters = [(element, dims)] + [(e, np.shape(a)) for e, a in more]
    return Case(module(shape(element, out), op, parameters, before=before),
                [m.array(element, dims)] + [a for _, a in more], exact=True)


def broadcast(m, _):
    out = m.dims(1, 4)
    kept = sorted(m.r.choice(len(out), m.r.randint(0, len(out) + 1), replace=False).tolist())
    dims = tuple(out[i] for i in kept)
    return moved(m, dims, out, f"broadcast(p0), dimensions={{{','.join(map(str, kept))}}}")


def reshape(m, _):
    dims = m.dims(0, 4)
    n = int(np.prod(dims)) if dims else 1
    out, rest = [], n
    for _ in range(m.r.randint(0, 4)):
        factors = [f for f in range(1, rest + 1) if rest % f == 0]
        out.append(m.pick(factors))
        rest //= out[-1]
    out.append(rest)
    return moved(m, dims, tuple(out), "reshape(p0)")


def transpose(m, _):
    dims = m.dims(0, 4)
    order = m.r.permutation(len(dims)).tolist()
    return moved(m, dims, tuple(dims[i] for i in order), f"transpose(p0), dimensions={{{','.join(map(str, order))}}}")


def reverse(m, _):
    dims = m.dims(1, 4)
    along = sorted(m.r.choice(len(dims), m.r.randint(1, len(dims) + 1), replace=False).tolist())
    return moved(m, dims, dims, f"reverse(p0), dimensions={{{','.join(map(str, along))}}}")


def slice_op(m, _):
    dims = m.dims(1, 4)
    bounds, out = [], []
    for d in dims:
        low = int(m.r.randint(0, d + 1))
        high = int(m.r.randint(low, d + 1))
        step = int(m.r.randint(1, 4))
        bounds.append(f"[{low}:{high}:{step}]")
        out.append(-(-(high - low) // step))
    return moved(m, dims, tuple(out), f"slice(p0), slice={{{', '.join(bounds)}}}")


def dynamic_slice(m, _):
    dims = m.dims(1, 3)
    sizes = tuple(int(m.r.randint(1, d + 1)) for d in dims)
    index = m.pick(["s32", "s64", "u32", "s8"])
    starts = [(index, np.array(m.r.randint(0 if index == "u32" else -3, 9), NUMPY[index])) for _ in dims]
    names = ", ".join(f"p{i + 1}" for i in range(len(dims)))
    return moved(m, dims, sizes, f"dynamic-slice(p0, {names}), dynamic_slice_sizes={{{','.join(map(str, sizes))}}}",
                 more=starts)


def dynamic_update_slice(m, _):
    dims, element = m.dims(1, 3), m.pick(EVERY)
    sizes = tuple(int(m.r.randint(1, d + 1)) for d in dims)
    index = m.pick(["s32", "s64", "u32"])
    starts = [(index, np.array(m.r.randint(0 if index == "u32" else -3, 9), NUMPY[index])) for _ in dims]
    names = ", ".join(f"p{i + 2}" for i in range(len(dims)))
    return moved(m, dims, dims, f"dynamic-update-slice(p0, p1, {names})", element,
                 more=[(element, m.array(element, sizes))] + starts)


def concatenate(m, _):
    dims, element = m.dims(1, 3), m.pick(EVERY)
    along = int(m.r.randint(len(dims)))
    parts = [tuple(int(m.r.randint(1, 5)) if i == along else d for i, d in enumerate(dims))
             for _ in range(m.r.randint(1, 5))]
    out = tuple(sum(p[along] for p in parts) if i == along else d for i, d in enumerate(dims))
    return Case(module(shape(element, out), f"concatenate({operands(len(parts))}), dimensions={{{along}}}",
                       [(element, p) for p in parts]), [m.array(element, p) for p in parts], exact=True)


def pad(m, _):
    dims, element = m.dims(1, 3), m.pick(EVERY)
    config, out = [], []
    for d in dims:
        low, high, interior = int(m.r.randint(-2, 4)), int(m.r.randint(-2, 4)), int(m.r.randint(0, 3))
        size = (d - 1) * (interior + 1) + 1 + low + high
        if size < 0:
            low, high, interior, size = 0, 0, 0, d
        config.append(f"{low}_{high}_{interior}")
        out.append(size)
    return moved(m, dims, tuple(out), f"pad(p0, p1), padding={'x'.join(config)}", element,
                 more=[(element, m.array(element, ()))])


def iota(m, _):
    dims, element = m.dims(1, 4), m.pick(FLOATS + INTS + COMPLEX)
    return Case(module(shape(element, dims), f"iota(), iota_dimension={int(m.r.randint(len(dims)))}", []), [], exact=True)


def gather(m, _):
    element, index = m.pick(EVERY), m.pick(["s32", "s64", "u32"])
    dims = m.dims(1, 3, 2, 6)
    batch = m.dims(0, 2, 1, 4)
    indexed = sorted(m.r.choice(len(dims), m.r.randint(1, len(dims) + 1), replace=False).tolist())
    m.r.shuffle(indexed)
    sizes = [int(m.r.randint(1, d + 1)) for d in dims]
    collapsed = sorted(i for i in range(len(dims)) if m.r.rand() < 0.4)
    for i in collapsed:
        sizes[i] = 1
    window = [s for i, s in enumerate(sizes) if i not in collapsed]
    rank = len(batch) + len(window)
    offsets = sorted(m.r.choice(rank, len(window), replace=False).tolist()) if window else []
    out, b, w = [], iter(batch), iter(window)
    for i in range(rank):
        out.append(next(w) if i in offsets else next(b))
    indices = m.r.randint(0 if index == "u32" else -2, 8, batch + (len(indexed),)).astype(NUMPY[index])
    op = (f"gather(p0, p1), offset_dims={{{','.join(map(str, offsets))}}}, "
          f"collapsed_slice_dims={{{','.join(map(str, collapsed))}}}, "
          f"start_index_map={{{','.join(map(str, indexed))}}}, index_vector_dim={len(batch)}, "
          f"slice_sizes={{{','.join(map(str, sizes))}}}")
    return moved(m, dims, tuple(out), op, element, more=[(index, indices)])


def scatter(m, _):
    element, index = m.pick(["f32", "f64", "s32", "u8", "s64"]), m.pick(["s32", "s64"])
    dims, batch = m.dims(1, 3, 2, 6), m.dims(0, 2, 1, 3)
    indexed = sorted(m.r.choice(len(dims), m.r.randint(1, len(dims) + 1), replace=False).tolist())
    sizes = [int(m.r.randint(1, d + 1)) for d in dims]
    inserted = sorted(i for i in range(len(dims)) if m.r.rand() < 0.4)
    window = [s for i, s in enumerate(sizes) if i not in inserted]
    rank = len(batch) + len(window)
    places = sorted(m.r.choice(rank, len(window), replace=False).tolist()) if window else []
    updates, b, w = [], iter(batch), iter(window)
    for i in range(rank):
        updates.append(next(w) if i in places else next(b))
    indices = m.r.randint(-1, 7, batch + (len(indexed),)).astype(NUMPY[index])
    combine = m.pick(["add", "maximum", "minimum", "multiply"])
    op = (f"scatter(p0, p1, p2), update_window_dims={{{','.join(map(str, places))}}}, "
          f"inserted_window_dims={{{','.join(map(str, inserted))}}}, "
          f"scatter_dims_to_operand_dims={{{','.join(map(str, indexed))}}}, index_vector_dim={len(batch)}, to_apply=combine")
    parameters = [(element, dims), (index, indices.shape), (element, tuple(updates))]
    return Case(module(shape(element, dims), op, parameters, binary_computation("combine", element, combine)),
                [m.array(element, dims, "plain"), indices, m.array(element, tuple(updates), "plain")], length=64,
                exact=element not in FLOATS)


# ---- sums and windows

def dot(m, _):
    element = m.pick(["f32", "f32", "f64", "f16", "bf16", "s32", "s8", "u32", "s64", "c64", "c128"])
    batch, contract = m.dims(0, 2, 1, 3), m.dims(0, 2, 1, 6)
    left, right = m.dims(0, 2, 1, 5), m.dims(0, 2, 1, 5)

    def side(free):
        dims = list(batch) + list(contract) + list(free)
        order = m.r.permutation(len(dims))
        where = {int(old): new for new, old in enumerate(order)}
        return (tuple(dims[i] for i in order), [where[i] for i in range(len(batch))],
                [where[len(batch) + i] for i in range(len(contract))], [where[len(batch) + len(contract) + i] for i in range(len(free))])
    ldims, lb, lc, lf = side(left)
    rdims, rb, rc, rf = side(right)
    out = batch + tuple(ldims[i] for i in sorted(lf)) + tuple(rdims[i] for i in sorted(rf))
    parts = [f"{name}={{{','.join(map(str, dims))}}}" for name, dims in
             (("lhs_batch_dims", lb), ("lhs_contracting_dims", lc), ("rhs_batch_dims", rb), ("rhs_contracting_dims", rc)) if dims]
    result = "s32" if element == "s8" else element
    return Case(module(shape(result, out), ", ".join(["dot(p0, p1)"] + parts), [(element, ldims), (element, rdims)]),
                [m.array(element, ldims, "plain"), m.array(element, rdims, "plain")],
                length=int(np.prod(contract)) if contract else 1, exact=element in INTS)


def convolution(m, _):
    spatial = int(m.r.randint(0, 4))
    element = m.pick(["f32", "f32", "f64", "f16", "bf16"] + (["c64"] if spatial else []))
    groups = int(m.pick([1, 1, 1, 2, 3]))
    batch_groups = 1 if groups > 1 else int(m.pick([1, 1, 2]))
    batch = int(m.r.randint(1, 3)) * batch_groups
    feature = int(m.r.randint(1, 4)) * groups
    out_feature = int(m.r.randint(1, 3)) * groups * batch_groups
    kernel = [int(m.r.randint(1, 4)) for _ in range(spatial)]
    size = [int(m.r.randint(3, 7)) for _ in range(spatial)]
    stride = [int(m.r.randint(1, 3)) for _ in range(spatial)]
    base = [int(m.r.randint(1, 3)) for _ in range(spatial)]
    dilate = [int(m.r.randint(1, 3)) for _ in range(spatial)]
    pads = [(int(m.r.randint(0, 3)), int(m.r.randint(0, 3))) for _ in range(spatial)]
    reversal = [int(m.r.rand() < 0.3) for _ in range(spatial)]
    out = []
    for i in range(spatial):
        whole = (size[i] - 1) * base[i] + 1 + sum(pads[i])
        reach = (kernel[i] - 1) * dilate[i] + 1
        if whole < reach:
            pads[i] = (pads[i][0] + reach, pads[i][1])
            whole += reach
        out.append((whole - reach) // stride[i] + 1)
    digits = [str(i) for i in range(spatial)]

    def arranged(labels, sizes):
        order = m.r.permutation(len(labels))
        return "".join(labels[i] for i in order), tuple(sizes[i] for i in order)
    in_labels, in_dims = arranged(["b", "f"] + digits, [batch, feature] + size)
    k_labels, k_dims = arranged(["i", "o"] + digits, [feature // groups, out_feature] + kernel)
    o_labels, o_dims = arranged(["b", "f"] + digits, [batch // batch_groups, out_feature] + out)
    window = ""
    if spatial:
        fields = [("size", kernel), ("stride", stride), ("pad", [f"{a}_{b}" for a, b in pads]), ("lhs_dilate", base),
                  ("rhs_dilate", dilate), ("rhs_reversal", reversal)]
        window = ", window={" + " ".join(f"{name}={'x'.join(map(str, v))}" for name, v in fields) + "}"
    more = (f", feature_group_count={groups}" if groups > 1 else "") + (
        f", batch_group_count={batch_groups}" if batch_groups > 1 else "")
    op = f"convolution(p0, p1){window}, dim_labels={in_labels}_{k_labels}->{o_labels}{more}"
    return Case(module(shape(element, o_dims), op, [(element, in_dims), (element, k_dims)]),
                [m.array(element, in_dims, "plain"), m.array(element, k_dims, "plain")],
                length=int(np.prod(kernel, initial=1)) * feature)


def reduce_op(m, _):
    element = m.pick(["f32", "f64", "s32", "s64", "u8", "u32", "pred", "bf16", "f16", "c64"])
    dims = m.dims(1, 4)
    along = sorted(m.r.choice(len(dims), m.r.randint(1, len(dims) + 1), replace=False).tolist())
    out = tuple(d for i, d in enumerate(dims) if i not in along)
    ops = {"pred": ["and", "or"], "c64": ["add", "multiply"]}.get(element, ["add", "maximum", "minimum", "multiply"] + (
        ["and", "or", "xor"] if element in INTS else []))
    op = m.pick(ops)
    if element in ("bf16", "f16"):
        op = m.pick(["maximum", "minimum", "add"])
    init = m.array(element, (), "plain")
    if all(dims[i] == 1 for i in along):
        # XLA removes a reduce over a single element, including an initial value that is not the identity.
        op, init = "or" if element == "pred" else "add", np.zeros((), NUMPY[element])
    text = module(shape(element, out), f"reduce(p0, p1), dimensions={{{','.join(map(str, along))}}}, to_apply=fold",
                  [(element, dims), (element, ())], binary_computation("fold", element, op))
    return Case(text, [m.array(element, dims, "plain"), init], length=max(1, int(np.prod(dims))),
                exact=element in INTS + ["pred"])


def window_of(m, dims, dilations=True):
    fields, out = {"size": [], "stride": [], "pad": [], "lhs_dilate": [], "rhs_dilate": []}, []
    for d in dims:
        size, stride = int(m.r.randint(1, min(d, 3) + 1)), int(m.r.randint(1, 3))
        low, high = int(m.r.randint(0, 2)), int(m.r.randint(0, 2))
        base, wide = (int(m.r.randint(1, 3)), int(m.r.randint(1, 3))) if dilations else (1, 1)
        whole, reach = (d - 1) * base + 1 + low + high, (size - 1) * wide + 1
        if reach > whole:
            size, reach = 1, 1
        for name, value in zip(fields, (size, stride, f"{low}_{high}", base, wide)):
            fields[name].append(value)
        out.append((whole - reach) // stride + 1)
    return "window={" + " ".join(f"{name}={'x'.join(map(str, v))}" for name, v in fields.items()) + "}", tuple(out)


def reduce_window(m, _):
    element, dims = m.pick(["f32", "f64", "s32", "u8", "s64", "bf16"]), m.dims(1, 4, 1, 6)
    window, out = window_of(m, dims)
    op = m.pick(["add", "maximum", "minimum", "multiply"])
    init = {"add": 0, "maximum": -9, "minimum": 9, "multiply": 1}[op] if element != "u8" else {"minimum": 9}.get(op, int(op == "multiply"))
    return Case(module(shape(element, out), f"reduce-window(p0, p1), {window}, to_apply=fold", [(element, dims), (element, ())],
                       binary_computation("fold", element, op)),
                [m.array(element, dims, "plain"), np.array(init).astype(NUMPY[element])], length=81, exact=element in INTS)


def select_and_scatter(m, _):
    element, dims = m.pick(["f32", "f64", "s32"]), m.dims(1, 3, 2, 6)
    fields, out = {"size": [], "stride": [], "pad": []}, []
    for d in dims:
        size, stride = int(m.r.randint(1, min(d, 3) + 1)), int(m.r.randint(1, 3))
        low, high = int(m.r.randint(0, size)), int(m.r.randint(0, size))
        for name, value in zip(fields, (size, stride, f"{low}_{high}")):
            fields[name].append(value)
        out.append((d + low + high - size) // stride + 1)
    window = "window={" + " ".join(f"{name}={'x'.join(map(str, v))}" for name, v in fields.items()) + "}"
    pick_text = (f"pick {{ a = {element}[] parameter(0) b = {element}[] parameter(1) "
                 f"ROOT c = pred[] compare(a, b), direction={m.pick(['GE', 'LE'])} }}\n")
    # Distinct numbers, because this does not test which of two equal numbers is selected.
    values = m.r.permutation(int(np.prod(dims))).reshape(dims).astype(NUMPY[element])
    text = module(shape(element, dims), f"select-and-scatter(p0, p1, p2), {window}, select=pick, scatter=fold",
                  [(element, dims), (element, tuple(out)), (element, ())], pick_text + binary_computation("fold", element, "add"))
    return Case(text, [values, m.array(element, tuple(out), "plain"), np.zeros((), NUMPY[element])], length=27, exact=element == "s32")


def map_op(m, _):
    element, dims = m.pick(["f32", "f64", "s32"]), m.dims(1, 3)
    computation = (f"apply {{ a = {element}[] parameter(0) b = {element}[] parameter(1) c = {element}[] multiply(a, b) "
                   f"ROOT d = {element}[] {m.pick(['add', 'subtract', 'maximum'])}(c, a) }}\n")
    return Case(module(shape(element, dims), f"map(p0, p1), dimensions={{{','.join(map(str, range(len(dims))))}}}, to_apply=apply",
                       [(element, dims)] * 2, computation), [m.array(element, dims, "plain"), m.array(element, dims, "plain")],
                exact=element == "s32", length=2)


def sort(m, _):
    element, dims = m.pick(["f32", "s32", "u8", "s64", "f64", "bf16"]), m.dims(1, 3, 1, 9)
    along = int(m.r.randint(len(dims)))
    less = m.pick(["LT", "GT"])
    kind = m.pick(["any", "plain"]) if element in INTS else "plain"
    count = int(m.r.randint(1, 4))
    elements = [element] + [m.pick(["s32", "f32", "u8"]) for _ in range(count - 1)]
    parameters = " ".join(f"a{i} = {e}[] parameter({2 * i}) b{i} = {e}[] parameter({2 * i + 1})" for i, e in enumerate(elements))
    computation = f"less {{ {parameters} ROOT c = pred[] compare(a0, b0), direction={less} }}\n"
    shapes = [shape(e, dims) for e in elements]
    result = shapes[0] if count == 1 else f"({', '.join(shapes)})"
    text = module(result, f"sort({operands(count)}), dimensions={{{along}}}, is_stable=true, to_apply=less",
                  [(e, dims) for e in elements], computation)
    return Case(text, [m.array(e, dims, kind if i == 0 else "plain") for i, e in enumerate(elements)], exact=True)


def topk(m, _):
    element, dims = m.pick(["f32", "s32", "bf16"]), m.dims(1, 2, 3, 17)
    k = int(m.r.randint(1, dims[-1] + 1))
    out = dims[:-1] + (k,)
    values = m.r.permutation(int(np.prod(dims))).reshape(dims).astype(NUMPY[element])
    return Case(module(f"({shape(element, out)}, {shape('s32', out)})", f"topk(p0), k={k}, largest=true", [(element, dims)]),
                [values], exact=True)


def fft(m, _):
    double = m.r.rand() < 0.3
    real, comp = ("f64", "c128") if double else ("f32", "c64")
    rank = int(m.r.randint(1, 4))
    dims = m.dims(0, 1) + tuple(int(m.r.randint(1, 9)) for _ in range(rank))
    kind = m.pick(["FFT", "IFFT", "RFFT", "IRFFT"])
    lengths = dims[-rank:]
    half = dims[:-1] + (dims[-1] // 2 + 1,)
    source, given, target, out = {"FFT": (comp, dims, comp, dims), "IFFT": (comp, dims, comp, dims), "RFFT": (real, dims, comp, half),
                                  "IRFFT": (comp, half, real, dims)}[kind]
    return Case(module(shape(target, out), f"fft(p0), fft_type={kind}, fft_length={{{','.join(map(str, lengths))}}}", [(source, given)]),
                [m.array(source, given, "plain")], loose=1e-6 if not double else 1e-13)


def spd(m, element, batch, n):
    a = m.array("f64", batch + (n, n), "plain")
    if element in COMPLEX:
        a = a + 1j * m.array("f64", batch + (n, n), "plain")
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)).astype(NUMPY[element])


def cholesky(m, _):
    element, batch, n = m.pick(["f32", "f64", "c64"]), m.dims(0, 2, 1, 3), int(m.r.randint(1, 7))
    lower = m.pick(["true", "false"])
    case = Case(module(shape(element, batch + (n, n)), f"cholesky(p0), lower={lower}", [(element, batch + (n, n))]),
                [spd(m, element, batch, n)], loose=1e-5 if element != "f64" else 1e-13)
    case.triangle = lower
    return case


def triangular_solve(m, _):
    element, batch, n, k = m.pick(["f32", "f64", "c64"]), m.dims(0, 1, 1, 3), int(m.r.randint(1, 6)), int(m.r.randint(1, 5))
    left, lower = m.pick(["true", "false"]), m.pick(["true", "false"])
    how = m.pick(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    a = m.array(element, batch + (n, n), "unit") + (2 * np.eye(n)).astype(NUMPY[element])
    b = (n, k) if left == "true" else (k, n)
    op = (f"triangular-solve(p0, p1), left_side={left}, lower={lower}, unit_diagonal={m.pick(['true', 'false'])}, transpose_a={how}")
    return Case(module(shape(element, batch + b), op, [(element, batch + (n, n)), (element, batch + b)]),
                [a.astype(NUMPY[element]), m.array(element, batch + b, "plain")], loose=3e-5 if element != "f64" else 1e-12)


def rng_bit_generator(m, _):
    how = m.pick(["rng_three_fry", "rng_philox", "rng_default"])
    element, dims = m.pick(UNSIGNED), m.dims(1, 3)
    words = 2
    state = m.array("u64", (words,))
    return Case(module(f"(u64[{words}], {shape(element, dims)})", f"rng-bit-generator(p0), algorithm={how}", [("u64", (words,))]),
                [state], exact=True)


def batch_norm(m, op):
    dims = m.dims(2, 4, 2, 5)
    feature = int(m.r.randint(len(dims)))
    n = (dims[feature],)
    x, scale, offset = m.array("f32", dims, "plain"), m.array("f32", n, "plain"), m.array("f32", n, "plain")
    mean, variance = m.array("f32", n, "plain"), m.array("f32", n, "positive")
    tail = f"epsilon=0.001, feature_index={feature}"
    whole, part = shape("f32", dims), shape("f32", n)
    given = {"batch-norm-training": [x, scale, offset], "batch-norm-inference": [x, scale, offset, mean, variance],
             "batch-norm-grad": [x, scale, mean, variance, m.array("f32", dims, "plain")]}[op]
    result = whole if op == "batch-norm-inference" else f"({whole}, {part}, {part})"
    return Case(module(result, f"{op}({operands(len(given))}), {tail}", [("f32", a.shape) for a in given]), given,
                length=int(np.prod(dims)), loose=1e-5)


# ---- control and structure

def while_op(m, _):
    element, dims, trips = m.pick(["f32", "s32", "f64"]), m.dims(0, 2), int(m.r.randint(0, 6))
    state = f"(s32[], {shape(element, dims)})"
    extra = (f"cond {{ s = {state} parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant({trips}) "
             f"ROOT c = pred[] compare(i, n), direction=LT }}\n"
             f"body {{ s = {state} parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1) "
             f"j = s32[] add(i, one) x = {shape(element, dims)} get-tuple-element(s), index=1 "
             f"y = {shape(element, dims)} add(x, x) ROOT t = {state} tuple(j, y) }}\n")
    return Case(module(state, "while(s0), condition=cond, body=body", [("s32", ()), (element, dims)], extra,
                       [f"s0 = {state} tuple(p0, p1)"]), [np.zeros((), np.int32), m.array(element, dims, "plain")], exact=True)


def conditional(m, _):
    element, dims = m.pick(["f32", "s32"]), m.dims(0, 2)
    s = shape(element, dims)
    ops = ["add", "multiply", "subtract"]
    count = int(m.r.randint(2, 4))
    extra = "".join(f"b{i} {{ x = {s} parameter(0) ROOT y = {s} {ops[i]}(x, x) }}\n" for i in range(count))
    values = [m.array(element, dims, "plain") for _ in range(count)]
    if count == 2 and m.r.rand() < 0.5:
        op, first = "conditional(p0, p1, p2), true_computation=b0, false_computation=b1", ("pred", m.array("pred", ()))
    else:
        names = ", ".join(f"b{i}" for i in range(count))
        op = f"conditional({operands(count + 1)}), branch_computations={{{names}}}"
        first = ("s32", np.array(m.r.randint(-1, count + 1), np.int32))
    return Case(module(s, op, [(first[0], ())] + [(element, dims)] * count, extra), [first[1]] + values, exact=True)


def call(m, _):
    element, dims = m.pick(FLOATS[:2] + INTS), m.dims(0, 3)
    s = shape(element, dims)
    extra = f"f {{ x = {s} parameter(0) y = {s} parameter(1) ROOT z = {s} maximum(x, y) }}\n"
    return Case(module(s, "call(p0, p1), to_apply=f", [(element, dims)] * 2, extra), [m.array(element, dims, "plain"), m.array(element, dims, "plain")], exact=True)


def tuple_op(m, _):
    elements = [(m.pick(EVERY), m.dims(0, 2)) for _ in range(m.r.randint(1, 4))]
    return Case(module(f"({', '.join(shape(*e) for e in elements)})", f"tuple({operands(len(elements))})", elements),
                [m.array(*e) for e in elements], exact=True)


def get_tuple_element(m, _):
    elements = [(m.pick(EVERY), m.dims(0, 2)) for _ in range(m.r.randint(1, 4))]
    at = int(m.r.randint(len(elements)))
    return Case(module(shape(*elements[at]), f"get-tuple-element(t), index={at}", elements,
                       before=[f"t = ({', '.join(shape(*e) for e in elements)}) tuple({operands(len(elements))})"]),
                [m.array(*e) for e in elements], exact=True)


def identity(m, op):
    dims = m.dims(0, 3)
    return moved(m, dims, dims, f"{op}(p0)")


def constant(m, _):
    element, dims = m.pick(["f32", "s32", "u8", "pred", "f64"]), m.dims(0, 1)
    value = m.array(element, dims, "plain")
    word = (lambda v: "true" if v else "false") if element == "pred" else (lambda v: repr(v.item()))
    text = word(value[()]) if not dims else "{" + ", ".join(word(v) for v in value) + "}"
    return Case(module(shape(element, dims), f"constant({text})", []), [], exact=True)


def all_reduce(m, op):
    element, dims = m.pick(["f32", "s32", "f64"]), m.dims(1, 3)
    s = shape(element, dims)
    if op == "all-reduce":
        return Case(module(s, "all-reduce(p0), replica_groups={}, to_apply=fold", [(element, dims)], binary_computation("fold", element, "add")),
                    [m.array(element, dims, "plain")], exact=True)
    tail = {"all-gather": ", replica_groups={{0}}, dimensions={0}", "all-to-all": ", replica_groups={{0}}, dimensions={0}",
            "collective-permute": ", source_target_pairs={{0,0}}",
            "reduce-scatter": ", replica_groups={{0}}, dimensions={0}, to_apply=fold"}[op]
    return Case(module(s, f"{op}(p0){tail}", [(element, dims)], binary_computation("fold", element, "add") if op == "reduce-scatter" else ""),
                [m.array(element, dims, "plain")], exact=True)


def device_id(m, op):
    del m
    return Case(module("u32[]", f"{op}()", []), [], exact=True)


def get_dimension_size(m, _):
    dims = m.dims(1, 3)
    return Case(module("s32[]", f"get-dimension-size(p0), dimensions={{{int(m.r.randint(len(dims)))}}}", [("f32", dims)]),
                [m.array("f32", dims, "plain")], exact=True)


def parameter(m, _):
    element, dims = m.pick(EVERY), m.dims(0, 3)
    text = f"HloModule case\nENTRY main {{\n  ROOT p0 = {shape(element, dims)} parameter(0)\n}}\n"
    return Case(text, [m.array(element, dims)], exact=True)


CASES = {**{op: unary for op in UNARY}, **{op: binary for op in BINARY},
         "compare": compare, "select": select, "clamp": clamp, "convert": convert, "bitcast-convert": bitcast_convert,
         "reduce-precision": reduce_precision, "complex": complex_op, "broadcast": broadcast, "reshape": reshape,
         "transpose": transpose, "reverse": reverse, "slice": slice_op, "dynamic-slice": dynamic_slice,
         "dynamic-update-slice": dynamic_update_slice, "concatenate": concatenate, "pad": pad, "iota": iota, "gather": gather,
         "scatter": scatter, "dot": dot, "convolution": convolution, "reduce": reduce_op, "reduce-window": reduce_window,
         "select-and-scatter": select_and_scatter, "map": map_op, "sort": sort, "topk": topk, "fft": fft, "cholesky": cholesky,
         "triangular-solve": triangular_solve, "rng-bit-generator": rng_bit_generator,
         **{op: batch_norm for op in ("batch-norm-training", "batch-norm-inference", "batch-norm-grad")},
         "while": while_op, "conditional": conditional, "call": call, "tuple": tuple_op, "get-tuple-element": get_tuple_element,
         "opt-barrier": identity, "constant": constant, "parameter": parameter,
         **{op: all_reduce for op in ("all-reduce", "all-gather", "all-to-all", "collective-permute", "reduce-scatter")},
         "replica-id": device_id, "partition-id": device_id, "get-dimension-size": get_dimension_size}


def make(op, number):
    """Returns the case with that number; deterministic."""
    seed = int.from_bytes(op.encode(), "little") % 1000003 * 1009 + number
    return CASES[op](Maker(seed % (1 << 32)), op)
