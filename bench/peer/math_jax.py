"""The errors of XLA's elementwise functions in ulp, over every STRIDE-th float (by bit pattern) and COUNT doubles; one JSON
line per function and type. Floats are compared with numpy's doubles, doubles with numpy's long doubles. Subnormal inputs and
results are left out: XLA flushes them to zero. usage: math_jax.py STRIDE COUNT"""
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special

jax.config.update("jax_enable_x64", True)

FUNCTIONS = {
    "exponential": (jnp.exp, np.exp), "exponential-minus-one": (jnp.expm1, np.expm1), "log": (jnp.log, np.log),
    "log-plus-one": (jnp.log1p, np.log1p), "logistic": (jax.lax.logistic, lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (jnp.tanh, np.tanh), "sine": (jnp.sin, np.sin), "cosine": (jnp.cos, np.cos), "tan": (jnp.tan, np.tan),
    "asin": (jax.lax.asin, np.arcsin), "acos": (jax.lax.acos, np.arccos), "sinh": (jax.lax.sinh, np.sinh),
    "cosh": (jax.lax.cosh, np.cosh), "asinh": (jax.lax.asinh, np.arcsinh), "acosh": (jax.lax.acosh, np.arccosh),
    "atanh": (jax.lax.atanh, np.arctanh), "erf": (jax.lax.erf, special.erf), "cbrt": (jax.lax.cbrt, np.cbrt),
    "rsqrt": (jax.lax.rsqrt, lambda x: 1 / np.sqrt(x)), "sqrt": (jnp.sqrt, np.sqrt),
}
BLOCK = 1 << 22


def distances(exact, got, digits, least, most):
    """In ulp; NaN where only one of the two is not a number."""
    limit = np.ldexp(exact.dtype.type(1), most)
    both = np.isnan(exact) & np.isnan(got)
    exact, got = np.clip(exact, -limit, limit), np.clip(got.astype(exact.dtype), -limit, limit)
    _, exponent = np.frexp(exact)
    exponent = np.clip(exponent - 1, least, most - 1)
    return np.where(both, 0, np.ldexp(np.abs(exact - got), digits - 1 - exponent))


def worst(found, x, exact, got, kind):
    info = np.finfo(kind)
    size = np.abs(exact)
    kept = ~((size < info.tiny) & (size > 0)) & ~((np.abs(x) < info.tiny) & (x != 0))
    with np.errstate(all="ignore"):
        apart = distances(exact, got, info.nmant + 1, int(info.minexp), int(info.maxexp))
    apart = np.where(kept, apart, 0)
    found["wrong_nan"] += int(np.isnan(apart).sum())
    at = int(np.nanargmax(apart))
    if apart[at] > found["worst"]:
        found["worst"], found["at"] = float(apart[at]), float(x[at]).hex()
    found["count"] += x.size


def main():
    stride, count = map(int, sys.argv[1:])
    source = np.random.Generator(np.random.PCG64(1))
    for name, (ours, exactly) in FUNCTIONS.items():
        for kind in (np.float32, np.float64):
            found = {"function": name, "type": "f32" if kind == np.float32 else "f64", "worst": 0.0, "at": "", "wrong_nan": 0, "count": 0}
            compiled = jax.jit(ours)
            if kind == np.float32:
                blocks = (np.arange(first, min(first + BLOCK * stride, 1 << 32), stride, dtype=np.uint64).astype(np.uint32).view(np.float32)
                          for first in range(0, 1 << 32, BLOCK * stride))
            else:
                blocks = (np.where(source.integers(2, size=n) == 0, source.integers(1 << 64, size=n, dtype=np.uint64).view(np.float64),
                                   np.ldexp(source.uniform(1, 2, n), source.integers(-16, 8, n)) * source.choice([-1, 1], n))
                          for n in [min(BLOCK, count - first) for first in range(0, count, BLOCK)])
            for x in blocks:
                with np.errstate(all="ignore"):
                    # scipy has no erf of long doubles; its own is within an ulp.
                    exact = exactly(x.astype(np.float64 if kind == np.float32 or name == "erf" else np.longdouble))
                worst(found, x, exact, np.asarray(compiled(x)), kind)
            print(json.dumps(found), flush=True)


main()
