"""How far XLA's own results of a program move when it computes the same in another, equally right way. The ways are fixed
and known before a program is generated:

  inputs moved by one step       every f32 and f64 input by at most one step of its type
  sums of bf16 and f16 in f32    a sum in a narrow type, also of a scatter, which XLA's CPU rounds after each addition, is
                                 rounded once
  without excess precision       roundings to bf16 and f16 are kept, where XLA's CPU drops them by default
  with fast math                 sums in another order, products and sums contracted
  without fusion                 other roundings between ops
  without simplification         XLA's algebraic simplifier, which for example turns x / sqrt(y) into x * rsqrt(y), is off
  optimized by LLVM              the recorded results are not
  as written                     on one device, without excess precision, sums of bf16 and f16 in f32: what the module says
                                 before it is partitioned, where partial sums in bf16 are rounded on each device
  without narrow roundings       every float narrower than f32 is f32: the other end of what excess precision permits, of
                                 which XLA's compilers for GPUs and TPUs use more than its CPU does
  rounded either way             where the program converts to bf16 or f16, each number between two of the type becomes
                                 one of them at random, the nearer likelier: a sum in f32 that is added up in another
                                 order, or a rounding more or less before it, has such an effect

"As written" and "without narrow roundings" are not tried for programs with explicit collectives, which have no form for one
device.

python -m unseen_programs.noise SEED NUMBER JOBS SKIPPED, with a JSON list of archives and names of outputs, compares these with
XLA's and prints a JSON line for each. Before it tries a way, it prints its number; XLA may crash, and then the caller repeats
the command with that number in the JSON list SKIPPED."""
import contextlib
import dataclasses
import functools
import json
import math
import os
import re
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax._src.lib import xla_client
from jax.interpreters import mlir
from jaxlib import _hlo

WAYS = {"without excess precision": {"xla_allow_excess_precision": False},
        "with fast math": {"xla_cpu_enable_fast_math": True, "xla_cpu_fast_math_honor_nans": False,
                           "xla_cpu_fast_math_honor_infs": False},
        "without fusion": {"xla_disable_hlo_passes": "fusion,cpu-instruction-fusion,fusion_wrapper"},
        "without algebraic simplification": {"xla_disable_hlo_passes": "algsimp,simplify-fp-conversions"},
        "optimized by LLVM": {"xla_backend_optimization_level": 3}}
NUDGES = 6  # also of roundings
NARROW = re.compile(r"\b(?:bf16|f16|f8e\w+|f4e\w+)\[")
ENOUGH = 4  # no other way is tried once ours differs by at most so many times XLA's own variation


def nudged(leaves, seed):
    """The inputs, with every float of 32 or 64 bits moved by at most one step."""
    generator = np.random.default_rng(seed)

    def moved(x):
        way = generator.integers(-1, 2, x.shape)
        return np.where(way == 0, x, np.nextafter(x, np.where(way > 0, np.inf, -np.inf).astype(x.dtype))).astype(x.dtype)
    out = []
    for each in leaves:
        if each.dtype in (np.float32, np.float64):
            each = moved(each)
        elif each.dtype.kind == "c":
            each = (moved(each.real) + 1j * moved(each.imag)).astype(each.dtype)
        out.append(each)
    return out


def half(dtype):
    return dtype in (ml_dtypes.bfloat16, np.float16)


def summed(operand, **how):
    return jax.lax.reduce_sum_p.bind(operand.astype(np.float32), **how).astype(operand.dtype)


def scattered(operand, indices, updates, *, update_jaxpr, update_consts, **how):
    del update_jaxpr, update_consts  # the same addition, of elements of the narrow type
    wider = jax.lax.scatter_add(operand.astype(np.float32), indices, updates.astype(np.float32), **how)
    return wider.astype(operand.dtype)


@contextlib.contextmanager
def lowered_otherwise(others):
    """While this is active, JAX lowers each primitive by what its entry in `others` makes of the usual rule."""
    rules = mlir._lowerings  # pylint: disable=protected-access
    before = {primitive: rules[primitive] for primitive in others}
    for primitive, other in others.items():
        mlir.register_lowering(primitive, other(getattr(before[primitive], "rule", before[primitive])))
    jax.clear_caches()
    try:
        yield
    finally:
        rules.update(before)
        jax.clear_caches()


def narrow_sums_in_f32():
    """While this is active, JAX lowers sums in bf16 and f16 to sums in f32 that are rounded once."""
    def by(function):
        wider = mlir.lower_fun(function, multiple_results=False)

        def other(own):
            def lowered(context, *operands, **how):
                return (wider if half(context.avals_in[0].dtype) else own)(context, *operands, **how)
            return lowered
        return other
    return lowered_otherwise({jax.lax.reduce_sum_p: by(summed), jax.lax.scatter_add_p: by(scattered)})


def rounded_either_way(x, seed, new_dtype, **_how):
    """Floats of 32 bits, rounded stochastically: to one of the two nearest of the narrow type, the nearer being the likelier."""
    kind = jnp.finfo(new_dtype)
    narrow = functools.partial(jax.lax.reduce_precision, exponent_bits=kind.nexp, mantissa_bits=kind.nmant)
    near = narrow(x)
    # Less than a step and a half of the narrow type, and at least three quarters.
    step = jnp.abs(near) * np.float32(0.75 * 2.0**-kind.nmant)
    beyond = narrow(near + jnp.sign(x - near) * step)
    bits = jax.lax.bitcast_convert_type(x, np.uint32)
    mixed = (bits ^ (bits >> 15) ^ np.uint32(seed * 0x85EBCA6B % 2**32)) * np.uint32(0x9E3779B1)
    chance = (mixed >> 8).astype(np.float32) * np.float32(2.0**-24)
    is_beyond = (chance * jnp.abs(beyond - near) < jnp.abs(x - near)) & jnp.isfinite(beyond)
    # reduce-precision has no subnormal numbers, a conversion does.
    return jnp.where(is_beyond & (jnp.abs(near) >= kind.tiny), beyond, x).astype(new_dtype)


def narrow_roundings_either_way(seed):
    """While this is active, JAX lowers conversions of f32 to bf16 and f16 to roundings up or down at random."""
    either_way = mlir.lower_fun(functools.partial(rounded_either_way, seed=seed), multiple_results=False)
    is_inside = False

    def other(own):
        def lowered(context, operand, **how):
            nonlocal is_inside
            if is_inside or context.avals_in[0].dtype != np.float32 or not half(how["new_dtype"]):
                return own(context, operand, **how)
            is_inside = True
            try:
                return either_way(context, operand, **how)
            finally:
                is_inside = False
        return lowered
    return lowered_otherwise({jax.lax.convert_element_type_p: other})


def wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def apart(a, b):
    """The largest difference; infinite where only one of them is a number."""
    a, b = wide(a), wide(b)
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        far = np.where(same, 0, np.abs(a - b))
    return float(np.where(np.isnan(far), np.inf, far).max(initial=0))


def part_of(compiled, name, whole, shape):
    """A module that is not partitioned yet yields the whole array for every device. Returns the part that XLA gave to the
    device of out_I_dK; an array that is such a part already stays as it is."""
    if whole.shape == shape:
        return whole
    output, device = (int(each) for each in name.removeprefix("out_").split("_d"))
    sharding = jax.tree.leaves(compiled.executable.output_shardings)[output]
    part = whole[sharding.devices_indices_map(whole.shape)[compiled.partitions[device]]]
    if part.shape != shape:
        raise ValueError(f"{name}: the part of {whole.shape} is {part.shape}, recorded was {shape}")
    return part


class Widened:
    """A program for one device with f32 in place of every narrower float. Results are rounded at the end."""

    def __init__(self, whole):
        shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in whole.leaves]
        lowered = jax.jit(whole.function, keep_unused=True).lower(*jax.tree.unflatten(whole.tree, shapes))
        options = _hlo.HloPrintOptions()
        options.print_large_constants = True
        options.print_metadata = False
        text = lowered.compiler_ir("hlo").get_hlo_module().to_string(options)
        wider = _hlo.hlo_module_from_text(NARROW.sub("f32[", text)).as_serialized_hlo_module_proto()
        self.types = [each.dtype for each in jax.tree.leaves(lowered.out_info)]
        self.device = jax.devices("cpu")[0]
        options = xla_client.CompileOptions()
        options.device_assignment = xla_client.DeviceAssignment.create(np.zeros((1, 1), np.int32))
        self.executable = self.device.client.compile_and_load(
            xla_client._xla.mlir.hlo_to_stablehlo(wider),  # pylint: disable=protected-access
            xla_client.DeviceList((self.device,)), options)

    def run(self, leaves):
        wider = [each.astype(np.float32) if jnp.issubdtype(each.dtype, jnp.floating) and each.dtype.itemsize <= 2 else each
                 for each in leaves]
        placed = [jax.device_put(each, self.device) for each in wider]
        arrays = self.executable.execute_sharded(placed).disassemble_into_single_device_arrays()
        return {f"out_{i}": np.asarray(array[0]).astype(dtype) for i, (array, dtype) in enumerate(zip(arrays, self.types))}


def ways(base, devices):
    """(name of a way, a function that computes the outputs that way; none if XLA cannot)."""
    from . import compiling

    def again(options, program=base.program):
        return compiling.Compiled(program, "again", devices, options)

    def moved(seed):
        return base.run(nudged(base.leaves, seed))

    def summed_once():
        with narrow_sums_in_f32():
            compiled = again(None)
        return compiled.run(base.leaves)

    def rounded(seed):
        with narrow_roundings_either_way(seed):
            compiled = again(None)
        return compiled.run(base.leaves)

    @functools.cache
    def whole():
        with narrow_sums_in_f32():
            return again(WAYS["without excess precision"], dataclasses.replace(base.program, mesh=None))

    def widened():
        with contextlib.suppress(jax.errors.JaxRuntimeError):  # reads the bits of a narrow float, for example
            return Widened(whole()).run(base.leaves)
        return {}
    found = [("with inputs moved by one step", functools.partial(moved, i)) for i in range(NUDGES)]
    found.insert(1, ("with sums of bf16 and f16 in f32", summed_once))
    found += [(how, lambda options=options: again(options).run(base.leaves)) for how, options in WAYS.items()]
    if not base.program.collective:
        found += [("as written", lambda: whole().run(base.leaves)), ("without narrow roundings", widened)]
    return found + [("rounded either way", functools.partial(rounded, i)) for i in range(NUDGES)]


def compare(made, name, device_count, jobs, skipped):
    """Prints how far the outputs of `jobs` are from XLA's, and XLA's own from each other."""
    from . import compiling
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={device_count} --xla_backend_optimization_level=0"
    devices = jax.devices("cpu")
    base = compiling.Compiled(made, name, devices)
    recorded = base.run(base.leaves)
    ours = {}  # the largest difference of any of the runs
    for path, names in jobs:
        archive = np.load(path)
        for name in names:
            own = archive[name]
            own = own.view(recorded[name].dtype) if own.dtype != recorded[name].dtype else own
            own = part_of(base, name, own, recorded[name].shape)
            ours[name] = max(ours.get(name, 0.0), apart(own, recorded[name]))
    moved = {name: (0.0, "in no other way") for name in ours}
    for way, (how, compute) in enumerate(ways(base, devices)):
        if way in skipped:
            continue
        print(json.dumps({"tries": way}), flush=True)
        outputs = compute()
        for name in ours if outputs else ():
            other = outputs[name] if name in outputs else part_of(base, name, outputs[name.split("_d")[0]], recorded[name].shape)
            distance = apart(other, recorded[name])
            if math.isfinite(distance) or not math.isfinite(ours[name]):  # an overflow there explains nothing finite here
                moved[name] = max(moved[name], (distance, how))
        if all(ours[name] <= ENOUGH * moved[name][0] for name in ours):
            break
    for name in ours:
        print(json.dumps({"name": name, "ours": ours[name], "xla": moved[name][0], "how": moved[name][1],
                          "largest": float(np.abs(wide(recorded[name])).max(initial=0))}))


def main(seed, number, jobs, skipped):
    from . import compiling, program
    compare(program(seed, number)[0], f"u{number}", compiling.DEVICES, jobs, skipped)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *map(json.loads, sys.argv[3:]))
