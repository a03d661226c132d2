#!/usr/bin/env python3
"""Makes the dump directories of this folder with JAX on the CPU: one small program for each guide that needs one.

The script decides the programs and which of the files that XLA writes are kept; README.md beside it lists the folders
and the versions that made the committed dumps.

    pip install jax==0.10.2 jaxlib==0.10.2
    python3 docs/guides/dumps/generate.py                   # all folders but two_versions
    python3 docs/guides/dumps/generate.py two_versions      # once with each version that is compared
"""
import argparse
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEPT = re.compile(r"(before_optimizations|after_optimizations)\.txt$"
                  r"|after_optimizations-(buffer-assignment|live-range)\.txt$")
AFTER = re.compile(r"after_optimizations(-(buffer-assignment|live-range))?\.txt$")


# Programs. Each returns a lowered function; `jax` is a parameter because XLA reads its flags when JAX is imported.

def normalize_twice(jax):
    """Divides by two small numbers in turn. XLA divides by their product, which is 0 in float32."""

    def normalize_twice(error, spread):
        scaled = error / spread / spread
        return scaled.sum()

    array = jax.ShapeDtypeStruct((8,), jax.numpy.float32)
    return jax.jit(normalize_twice).lower(array, array)


def layers(jax, wrap, depth=6):
    """A gradient through six layers. `wrap` is jax.checkpoint or nothing."""
    jnp = jax.numpy

    def layer(x, weight):
        with jax.named_scope("layer"):
            return jnp.tanh(jnp.sin(x @ weight) * x)

    def train_step(weights, x):
        def loss(weights):
            y = x
            for weight in weights:
                y = wrap(layer)(y, weight)
            return jnp.sum(y * y)
        return jax.grad(loss)(weights)

    weights = [jax.ShapeDtypeStruct((64, 64), jnp.float32)] * depth
    return jax.jit(train_step).lower(weights, jax.ShapeDtypeStruct((1024, 64), jnp.float32))


def checkpointed(jax):
    return layers(jax, jax.checkpoint)


def not_checkpointed(jax):
    return layers(jax, lambda layer: layer)


def pair_counts(jax, columns, size):
    """Counts pairs of values of any two columns, the loop unrolled by Python."""
    jnp = jax.numpy

    def pair_counts(data):
        counts = []
        for x in data:
            for y in data:
                counts.append(jnp.bincount(x * 8 + y, length=64))
        return counts

    return jax.jit(pair_counts).lower([jax.ShapeDtypeStruct((size,), jnp.int32)] * columns)


def pair_counts_scanned(jax, columns, size):
    """The same as a loop that XLA sees."""
    jnp = jax.numpy

    def pair_counts(data):
        pairs = jnp.stack(jnp.meshgrid(jnp.arange(columns), jnp.arange(columns), indexing="ij"), -1).reshape(-1, 2)

        def count(_, pair):
            return None, jnp.bincount(data[pair[0]] * 8 + data[pair[1]], length=64)

        return jax.lax.scan(count, None, pairs)[1]

    return jax.jit(pair_counts).lower(jax.ShapeDtypeStruct((columns, size), jnp.int32))


def classifier(jax, batch):
    """A training step of a small classifier with the given batch size."""
    jnp = jax.numpy

    def train_step(weights, images, labels):
        def loss(weights):
            hidden = jax.nn.gelu(images @ weights["up"])
            scores = jax.nn.log_softmax(hidden @ weights["down"])
            return -jnp.mean(jnp.sum(scores * labels, axis=-1))
        return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights))

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    weights = {"up": array(256, 512), "down": array(512, 16)}
    return jax.jit(train_step, donate_argnums=0).lower(weights, array(batch, 256), array(batch, 16))


def two_losses(jax, order):
    """Two sums over two devices, in the order in which Python lists the losses."""
    import numpy
    jnp, sharding = jax.numpy, jax.sharding
    mesh = sharding.Mesh(numpy.array(jax.devices()[:2]), ("data",))
    spec = sharding.PartitionSpec

    def evaluate(images, weights):
        losses = {"policy": lambda y: y * y, "value": jnp.abs}
        total = 0.0
        for name in order:
            with jax.named_scope(name):
                total = total * 0.5 + jax.lax.psum(losses[name](images @ weights).sum(), "data")
        return total

    run = jax.shard_map(evaluate, mesh=mesh, in_specs=(spec("data"), spec()), out_specs=spec())
    return jax.jit(run).lower(jax.ShapeDtypeStruct((16, 32), jnp.float32), jax.ShapeDtypeStruct((32, 8), jnp.float32))


def attention(jax):
    """A gradient through one attention layer, to be compiled by several versions."""
    jnp = jax.numpy

    def attention_step(weights, tokens):
        def loss(weights):
            x = weights["embed"][tokens]
            query, key, value = (x @ weights[name] for name in ("query", "key", "value"))
            scores = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", query, key) / 8.0)
            y = jnp.einsum("bqk,bkd->bqd", scores, value)
            y = (y - y.mean(-1, keepdims=True)) * jax.lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)
            return jnp.mean((jax.nn.gelu(y @ weights["out"]) + x) ** 2)
        gradient = jax.grad(loss)(weights)
        return {name: weights[name] - 0.01 * gradient[name] for name in weights}

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    weights = {name: array(64, 64) for name in ("query", "key", "value", "out")} | {"embed": array(128, 64)}
    return jax.jit(attention_step, donate_argnums=0).lower(weights, jax.ShapeDtypeStruct((4, 64), jnp.int32))


# Folders: the program, the flags beyond --xla_dump_to, and the files that are kept.

PASSES = "--xla_dump_hlo_pass_re=.*"
FOLDERS = {
    "compiled_nan": (normalize_twice, PASSES, None),
    "checkpoint/with": (checkpointed, "", KEPT),
    "checkpoint/without": (not_checkpointed, "", AFTER),
    "unrolled/python_loop": (lambda jax: pair_counts(jax, 5, 4096), "", AFTER),
    "unrolled/scan": (lambda jax: pair_counts_scanned(jax, 5, 4096), "", AFTER),
    "batch_sizes/batch_32": (lambda jax: classifier(jax, 32), "", AFTER),
    "batch_sizes/batch_64": (lambda jax: classifier(jax, 64), "", AFTER),
    "two_ranks/rank_0": (lambda jax: two_losses(jax, ("policy", "value")), "", KEPT),
    "two_ranks/rank_1": (lambda jax: two_losses(jax, ("value", "policy")), "", KEPT),
    "two_versions": (attention, "", AFTER),
}


def write_inputs(folder):
    """Inputs for the program of compiled_nan: one error is exactly 0."""
    import numpy
    error = numpy.array([1, -2, 0, 3, 1, 2, -1, 4], numpy.float32) * numpy.float32(1e-30)
    numpy.savez(folder / "inputs.npz", in_0=error, in_1=numpy.full(8, 1e-23, numpy.float32))


def pack(source, target):
    """Writes every file of a folder into a .tar.gz that is the same each time."""
    with tarfile.open(target, "w:gz", compresslevel=9) as archive:
        for path in sorted(source.iterdir()):
            member = tarfile.TarInfo(f"dump/{path.name}")
            content = path.read_bytes()
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def make(name):
    """Makes one folder. Runs in a separate process, because XLA reads its flags once."""
    program, flags, kept = FOLDERS[name]
    with tempfile.TemporaryDirectory() as scratch:
        # XLA is given a relative folder so that no path of this machine ends up in what it writes.
        os.chdir(scratch)
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_as_text "
                          f"--xla_force_host_platform_device_count=2 {flags}")
        import jax
        jax.config.update("jax_hlo_source_file_canonicalization_regex", r"^.*/(?=docs/guides/)")
        program(jax).compile()
        folder = HERE / name / f"jax_{jax.__version__}" if name == "two_versions" else HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if kept is None:
            for path in pathlib.Path("dump").iterdir():
                if not path.name.endswith(".txt") or "memory-usage" in path.name:
                    path.unlink() if path.is_file() else shutil.rmtree(path)
            pack(pathlib.Path("dump"), folder / "dump.tar.gz")
            write_inputs(folder)
            return
        for path in sorted(pathlib.Path("dump").iterdir()):
            if kept.search(path.name):
                shutil.copy(path, folder / path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", help=f"folders: {', '.join(FOLDERS)}")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return make(options.one)
    for name in options.names or [each for each in FOLDERS if each != "two_versions"]:
        subprocess.run([sys.executable, __file__, "--one", name], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
