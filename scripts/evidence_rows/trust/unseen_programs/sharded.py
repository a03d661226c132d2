"""Programs for several devices: meshes of one to four axes in any order of devices, networks partitioned by the compiler,
and programs written for one device's part with explicit collectives."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

from . import networks, training
from .draw import Draw, Program

SIZES = ((2,), (4,), (8,), (2, 2), (2, 4), (4, 2), (1, 4), (2, 2, 2), (2, 1, 2), (2, 2, 1),
         (2, 2, 2, 1), (1, 2, 2, 2), (2, 1, 2, 2))


def mesh_of(draw):
    sizes = draw.pick(*SIZES)
    names = tuple("xyzw"[:len(sizes)])
    count = int(np.prod(sizes))
    how = draw.name("in_order", "in_order", "reversed", "transposed", "shuffled")
    order = np.arange(count)
    if how == "reversed":
        order = order[::-1]
    elif how == "transposed":
        turned = draw.order(len(sizes))
        order = order.reshape([sizes[i] for i in turned]).transpose(np.argsort(turned)).reshape(-1)
    elif how == "shuffled":
        order = np.array(draw.order(count))
    draw.taken.append("x".join(map(str, sizes)))
    return sizes, names, tuple(int(each) for each in order)


def spec_for(draw, shape, mesh, share=0.6):
    """A random partition of an array whose dimensions divide."""
    sizes = dict(zip(mesh[1], mesh[0]))
    free = [mesh[1][i] for i in draw.order(len(mesh[1]))]
    spec = []
    for dim in shape:
        taken = []
        while free and draw.chance(share) and dim % (int(np.prod([sizes[n] for n in taken])) * sizes[free[0]]) == 0:
            taken.append(free.pop(0))
            if draw.chance(0.6):
                break
        spec.append(tuple(taken) if len(taken) > 1 else (taken[0] if taken else None))
    return P(*spec)


def specs_out(draw, mesh):
    """A random but fixed partition for each shape of a result."""
    seed = draw.size(0, 2**30)
    return lambda shape: spec_for(Draw(seed, len(shape)), shape, mesh, 0.4)


def partitioned(draw):
    """A network whose parameters and batch are partitioned at random."""
    mesh = mesh_of(draw)
    p, apply, tokens, words = networks.network(draw)
    specs = jax.tree.map(lambda x: spec_for(draw, x.shape, mesh, 0.4), p)
    batch = spec_for(draw, tokens.shape, mesh)
    if draw.name("forward", "train", "train") == "forward":
        return Program(apply, [p, tokens], mesh=mesh, specs_in=[specs, batch], specs_out=specs_out(draw, mesh))
    measure = training.loss(draw)
    step, first = training.step_of(draw, lambda p, x, y: measure(apply(p, x), y), p)
    args = [*first, tokens, draw.integers(0, words, *tokens.shape)]
    state = {"m": specs, "v": specs}
    return Program(step, args, mesh=mesh, specs_in=[specs, state, P(), batch, batch],
                   specs_out=specs_out(draw, mesh),
                   donate=(0, 1) if draw.chance(0.5) else ())


def constrained(draw):
    """Products with constraints between them, which make the compiler move data."""
    mesh = mesh_of(draw)
    shapes = [(8, 16), (16, 8), (8, 16)]
    middle = [spec_for(draw, (8, 8), mesh), spec_for(draw, (8, 16), mesh), spec_for(draw, (16, 8), mesh)]
    how = draw.name("products", "sorted", "cumulative", "gathered", "convolved")

    def build(mesh):
        def function(a, b, c):
            def to(x, spec):
                return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, spec)) if mesh.size > 1 else x
            x = to(jnp.tanh(a @ b), middle[0])
            y = to(x @ c, middle[1])
            if how == "sorted":
                y = jnp.sort(y, axis=1)
            elif how == "cumulative":
                y = jnp.cumsum(y, axis=0)
            elif how == "gathered":
                y = y[jnp.argsort(x[:, 0])]
            elif how == "convolved":
                y = jax.lax.conv_general_dilated(y[None], c[:3, None, :], (1,), "SAME", feature_group_count=16,
                                                 dimension_numbers=("NWC", "WIO", "NWC"))[0]
            return to(y.T, middle[2]), jnp.sum(y * y), x
        return function
    return Program(build, [draw.normal(*s) for s in shapes], mesh=mesh, manual=True,
                   specs_in=[spec_for(draw, s, mesh) for s in shapes],
                   specs_out=specs_out(draw, mesh))


def collectives(draw):
    """Explicit collectives along one or several axes."""
    mesh = mesh_of(draw)
    sizes = dict(zip(mesh[1], mesh[0]))
    some = [n for n in mesh[1] if draw.chance(0.6)] or [mesh[1][0]]
    axes = tuple(some[i] for i in draw.order(len(some)))
    count = int(np.prod([sizes[n] for n in axes]))
    chosen = [draw.name("psum", "pmean", "pmax", "all_gather", "psum_scatter", "all_to_all", "ppermute", "index", "ring",
                        "gather_sum", "shifted") for _ in range(2)]
    dtype = draw.pick(np.float32, np.float32, np.int32)
    every = tuple(mesh[1])
    total = int(np.prod(mesh[0]))

    def build(mesh):
        def part(x):
            out = []
            for how in chosen:
                if how == "psum":
                    out.append(jax.lax.psum(x, axes))
                elif how == "pmean":
                    out.append(jax.lax.pmean(x.astype(jnp.float32), axes))
                elif how == "pmax":
                    out.append(jax.lax.pmax(x, axes) - jax.lax.pmin(x, axes[0]))
                elif how == "all_gather":
                    out.append(jnp.sum(jax.lax.all_gather(x, axes) * x.dtype.type(2), 0))
                elif how == "psum_scatter":
                    out.append(jax.lax.psum_scatter(jnp.tile(x, (count, 1)), axes, tiled=True))
                elif how == "all_to_all":
                    wide = jnp.tile(x, (count, 1))
                    out.append(jax.lax.all_to_all(wide, axes, 0, 0, tiled=True))
                elif how == "ppermute":
                    out.append(jax.lax.ppermute(x, axes, [(i, (i + 1) % count) for i in range(count)]))
                elif how == "shifted":
                    out.append(jax.lax.ppermute(x, axes[0], [(i, i + 1) for i in range(sizes[axes[0]] - 1)]))
                elif how == "index":
                    out.append(x + jax.lax.axis_index(axes).astype(x.dtype) * x.dtype.type(3))
                elif how == "gather_sum":
                    out.append(jax.lax.psum(jax.lax.all_gather(x, axes[0], axis=1, tiled=True), axes))
                else:
                    def step(carry, _):
                        total, moving = carry
                        moving = jax.lax.ppermute(moving, axes, [(i, (i + 1) % count) for i in range(count)])
                        return (total * x.dtype.type(2) + moving, moving), None
                    out.append(jax.lax.scan(step, (x, x), None, length=max(1, count - 1))[0][0])
            return out
        return jax.shard_map(part, mesh=mesh, in_specs=P(every), out_specs=P(every), check_vma=False)
    x = draw.integers(-9, 9, total * 2, 3) if dtype == np.int32 else draw.normal(total * 2, 3)
    return Program(build, [x], mesh=mesh, manual=True, collective=True, specs_in=[P(every)],
                   specs_out=lambda shape: P(every))


def pipeline(draw):
    """Stages on a line of devices pass microbatches on."""
    n = draw.pick(2, 4)
    mesh = ((n,), ("x",), tuple(range(n)))

    def build(mesh):
        def part(w, x):
            stage = jax.lax.axis_index("x")

            def step(carry, t):
                taken = jnp.where(stage == 0, x[jnp.minimum(t, 2)], carry)
                out = jnp.tanh(taken @ w[0])
                return jax.lax.ppermute(out, "x", [(i, i + 1) for i in range(n - 1)]), out
            _, outs = jax.lax.scan(step, jnp.zeros_like(x[0]), jnp.arange(3 + n - 1))
            return jax.lax.psum(jnp.where(stage == n - 1, outs[n - 1:], 0), "x")
        return jax.shard_map(part, mesh=mesh, in_specs=(P("x"), P()), out_specs=P(), check_vma=False)
    return Program(build, [draw.weight(n, 6, 6) * 2, draw.normal(3, 4, 6)], mesh=mesh, manual=True, collective=True,
                   specs_in=[P("x"), P()], specs_out=lambda shape: P())


def ring_attention(draw):
    n = draw.pick(2, 4)
    mesh = ((n,), ("x",), tuple(draw.order(n)))

    def build(mesh):
        def part(q, k, v):
            def step(carry, _):
                k, v, top, total, out = carry
                s = jnp.einsum("bqd,bkd->bqk", q, k)
                new = jnp.maximum(top, s.max(-1))
                e, old = jnp.exp(s - new[..., None]), jnp.exp(top - new)
                out = out * old[..., None] + jnp.einsum("bqk,bkd->bqd", e, v)
                k, v = (jax.lax.ppermute(each, "x", [(i, (i + 1) % n) for i in range(n)]) for each in (k, v))
                return (k, v, new, total * old + e.sum(-1), out), None
            start = (k, v, jnp.full(q.shape[:2], -1e30), jnp.zeros(q.shape[:2]), jnp.zeros_like(q))
            (_, _, _, total, out), _ = jax.lax.scan(step, start, None, length=n)
            return out / total[..., None]
        spec = P(None, "x")
        return jax.shard_map(part, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec, check_vma=False)
    args = [draw.normal(2, 2 * n, 4) for _ in range(3)]
    return Program(build, args, mesh=mesh, manual=True, collective=True, specs_in=[P(None, "x")] * 3,
                   specs_out=lambda shape: P(None, "x"))


FAMILIES = (partitioned, partitioned, partitioned, constrained, constrained, collectives, collectives, pipeline, ring_attention)
