"""How far XLA's own results of a program move when it computes the same in another, equally right way. The ways are fixed
and known before a program is generated:

  inputs moved by one step       every f32 and f64 input by at most one step of its type
  without excess precision       roundings to bf16 and f16 are kept, where XLA's CPU drops them by default
  with fast math                 sums in another order, products and sums contracted
  without fusion                 other roundings between ops
  without simplification         XLA's algebraic simplifier, which for example turns x / sqrt(y) into x * rsqrt(y), is off
  optimized by LLVM              the recorded results are not
  sums of bf16 and f16 in f32    a sum in a narrow type, which XLA's CPU rounds after each addition, is rounded once

python -m unseen_programs.noise SEED NUMBER JOBS, with a JSON list of archives and names of outputs, compares these with
XLA's and prints a JSON line for each."""
import contextlib
import json
import os
import sys

import jax
import ml_dtypes
import numpy as np
from jax.interpreters import mlir

WAYS = {"without excess precision": {"xla_allow_excess_precision": False},
        "with fast math": {"xla_cpu_enable_fast_math": True, "xla_cpu_fast_math_honor_nans": False,
                           "xla_cpu_fast_math_honor_infs": False},
        "without fusion": {"xla_disable_hlo_passes": "fusion,cpu-instruction-fusion,fusion_wrapper"},
        "without algebraic simplification": {"xla_disable_hlo_passes": "algsimp,simplify-fp-conversions"},
        "optimized by LLVM": {"xla_backend_optimization_level": 3}}
NUDGES = 6
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


@contextlib.contextmanager
def narrow_sums_in_f32():
    """While this is active, JAX lowers sums in bf16 and f16 to sums in f32 that are rounded once."""
    def summed(operand, **how):
        if operand.dtype not in (ml_dtypes.bfloat16, np.float16):
            return jax.lax.reduce_sum_p.bind(operand, **how)
        return jax.lax.reduce_sum_p.bind(operand.astype(np.float32), **how).astype(operand.dtype)
    rules = mlir._lowerings  # pylint: disable=protected-access
    before = rules[jax.lax.reduce_sum_p]
    plain = mlir.lower_fun(summed, multiple_results=False)

    def lowered(context, operand, **how):
        narrow = context.avals_in[0].dtype in (ml_dtypes.bfloat16, np.float16)
        rule = plain if narrow else getattr(before, "rule", before)
        return rule(context, operand, **how)
    mlir.register_lowering(jax.lax.reduce_sum_p, lowered)
    jax.clear_caches()
    try:
        yield
    finally:
        rules[jax.lax.reduce_sum_p] = before
        jax.clear_caches()


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


def main(seed, number, jobs):
    from . import compiling, program
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={compiling.DEVICES} --xla_backend_optimization_level=0"
    made, _ = program(seed, number)
    devices = jax.devices("cpu")
    base = compiling.Compiled(made, f"u{number}", devices)
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
    ways = [("with inputs moved by one step", None, nudged(base.leaves, i)) for i in range(NUDGES)]
    ways += [(how, options, base.leaves) for how, options in WAYS.items()]
    ways.insert(1, ("with sums of bf16 and f16 in f32", "sums", base.leaves))
    for how, options, leaves in ways:
        with narrow_sums_in_f32() if options == "sums" else contextlib.nullcontext():
            compiled = base if options is None else compiling.Compiled(made, f"u{number}", devices,
                                                                       None if options == "sums" else options)
        outputs = compiled.run(leaves)
        for name in ours:
            moved[name] = max(moved[name], (apart(outputs[name], recorded[name]), how))
        if all(ours[name] <= ENOUGH * moved[name][0] for name in ours):
            break
    for name in ours:
        print(json.dumps({"name": name, "ours": ours[name], "xla": moved[name][0], "how": moved[name][1],
                          "largest": float(np.abs(wide(recorded[name])).max(initial=0))}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
