"""How far XLA's own results of a program move when it computes the same in another way: without excess precision, with
fast math, without fusion, optimized by LLVM, and on inputs moved by one step. A program that rounds its inputs to bf16 or
f16 does not see a step of f32; with NARROW, some are moved by a step of bf16. python -m unseen_programs.noise SEED NUMBER
NARROW JOBS, with a JSON list of archives and names of outputs, compares these with XLA's and prints a JSON line for each."""
import json
import os
import sys

import jax
import ml_dtypes  # noqa: F401  names types to numpy
import numpy as np

WAYS = {"without excess precision": {"xla_allow_excess_precision": False},
        "with fast math": {"xla_cpu_enable_fast_math": True, "xla_cpu_fast_math_honor_nans": False,
                           "xla_cpu_fast_math_honor_infs": False},
        "without fusion": {"xla_disable_hlo_passes": "fusion,cpu-instruction-fusion,fusion_wrapper"},
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


def nudged_narrow(leaves, seed):
    """The inputs, with one in eight floats of 32 bits moved by a step of bf16."""
    generator = np.random.default_rng(seed)
    return [each * (1 + generator.choice([-1, 1], each.shape) * (generator.random(each.shape) < 0.125) * 2.0**-8).astype(each.dtype)
            if each.dtype == np.float32 else each for each in leaves]


def wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def apart(a, b):
    """The largest difference; infinite where only one of them is a number."""
    a, b = wide(a), wide(b)
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        far = np.where(same, 0, np.abs(a - b))
    return float(np.where(np.isnan(far), np.inf, far).max(initial=0))


def main(seed, number, narrow, jobs):
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
            ours[name] = max(ours.get(name, 0.0), apart(own.reshape(recorded[name].shape), recorded[name]))
    moved = {name: (0.0, "in no other way") for name in ours}
    ways = [("with inputs moved by one step", None, nudged(base.leaves, i)) for i in range(NUDGES)]
    ways += [(how, options, base.leaves) for how, options in WAYS.items()]
    if narrow:
        ways += [("with some inputs moved by a step of bf16", None, nudged_narrow(base.leaves, i)) for i in range(NUDGES)]
    for how, options, leaves in ways:
        compiled = compiling.Compiled(made, f"u{number}", devices, options) if options else base
        outputs = compiled.run(leaves)
        for name in ours:
            moved[name] = max(moved[name], (apart(outputs[name], recorded[name]), how))
        if all(ours[name] <= ENOUGH * moved[name][0] for name in ours):
            break
    for name in ours:
        print(json.dumps({"name": name, "ours": ours[name], "xla": moved[name][0], "how": moved[name][1],
                          "largest": float(np.abs(wide(recorded[name])).max(initial=0))}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "narrow", json.loads(sys.argv[4]))
