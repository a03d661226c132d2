"""Mixtures of experts: routing by one-hot products, by sorting and by the experts' choice."""
import jax
import jax.numpy as jnp

from wide import BF16, program


def experts(draw, count, d, hidden, dtype="float32"):
    return draw.weight(count, d, hidden, dtype=dtype), draw.weight(count, hidden, d, dtype=dtype)


@program("top-2 of 8, one-hot dispatch, train 512x128")
def one_hot(draw):
    def layer(router, up, down, x):
        gates = jax.nn.softmax(x @ router)
        top, index = jax.lax.top_k(gates, 2)
        top = top / top.sum(-1, keepdims=True)
        chosen = jax.nn.one_hot(index, 8)
        place = (jnp.cumsum(chosen.reshape(-1, 8), 0) - 1).reshape(chosen.shape) * chosen
        kept = chosen * (place < 160)
        slot = jax.nn.one_hot(place.sum(-1).astype(jnp.int32), 160)
        dispatch = jnp.einsum("tke,tkc->tec", kept, slot)
        combine = jnp.einsum("tk,tke,tkc->tec", top, kept, slot)
        hidden = jax.nn.silu(jnp.einsum("tec,td,edh->ech", dispatch, x, up))
        balance = jnp.sum(gates.mean(0) * chosen.sum(1).mean(0)) * 8
        return jnp.einsum("tec,ech,ehd->td", combine, hidden, down), balance

    def step(router, up, down, x, y):
        def loss(weights):
            out, balance = layer(*weights, x)
            return jnp.mean((out - y) ** 2) + 0.01 * balance
        value, gradient = jax.value_and_grad(loss)((router, up, down))
        return value, [w - 0.1 * g for w, g in zip((router, up, down), gradient)]
    return step, (draw.weight(128, 8), *experts(draw, 8, 128, 256), draw.normal(512, 128), draw.normal(512, 128))


@program("sorted tokens, ragged products 1024x256")
def ragged(draw):
    def step(router, up, down, x):
        gates, index = jax.lax.top_k(jax.nn.softmax(x @ router), 2)
        flat = index.reshape(-1)
        order = jnp.argsort(flat)
        sizes = jnp.bincount(flat, length=8)
        rows = x[order // 2]
        out = jax.lax.ragged_dot(jax.nn.silu(jax.lax.ragged_dot(rows, up, sizes)), down, sizes)
        return jnp.zeros_like(x).at[order // 2].add(out * gates.reshape(-1)[order][:, None])
    return step, (draw.weight(256, 8), *experts(draw, 8, 256, 256), draw.normal(1024, 256))


@program("experts choose, infer 2048x256, bf16")
def choice(draw):
    def step(router, up, down, x):
        gates, index = jax.lax.top_k(jax.nn.softmax((x @ router).astype(jnp.float32)).T, 256)
        out = jnp.einsum("ech,ehd->ecd", jax.nn.gelu(jnp.einsum("ecd,edh->ech", x[index], up)), down)
        return x.at[index.reshape(-1)].add((out * gates[..., None].astype(out.dtype)).reshape(-1, x.shape[1]))
    return step, (draw.weight(256, 16, dtype=BF16), *experts(draw, 16, 256, 512, BF16), draw.normal(2048, 256, dtype=BF16))


@program("switch decode, 16 tokens, gathered experts")
def switch(draw):
    def step(router, up, down, x):
        gates = jax.nn.softmax(x @ router)
        index = jnp.argmax(gates, -1)
        hidden = jax.nn.relu(jnp.einsum("td,tdh->th", x, up[index]))
        return x + jnp.einsum("th,thd->td", hidden, down[index]) * gates.max(-1, keepdims=True)
    return step, (draw.weight(128, 16), *experts(draw, 16, 128, 512), draw.normal(16, 128))
