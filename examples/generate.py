#!/usr/bin/env python3
"""Makes the dump directories of this folder with JAX: one small program per backend.

The script decides the programs and which of the files that XLA writes are kept; README.md beside it
says which versions made the committed dumps. TPU and GPU programs are compiled ahead of time, so no
device is needed, only the compiler plugin:

    pip install jax==0.10.2 jaxlib==0.10.2                   # cpu
    pip install libtpu==0.0.51                               # tpu
    pip install jax-cuda12-plugin==0.10.2 jax-cuda12-pjrt==0.10.2 nvidia-cuda-nvcc-cu12   # gpu

    python3 examples/generate.py cpu
    python3 examples/generate.py tpu
    python3 examples/generate.py gpu --target h100_sxm.txtpb

The GPU target is XLA's own description of the device (a GpuTargetConfigProto in text form, from
xla/backends/gpu/target_config/specs in its sources); it is not part of this repository.
"""

import argparse
import gzip
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Files that are kept; XLA also writes object code, LLVM IR, PTX and protocol buffers of its options.
KEPT = re.compile(
    r"(before_optimizations|after_optimizations)\.(txt|hlo\.pb|hlo\.pb\.gz)$"
    r"|after_optimizations-(buffer-assignment|live-range|memory-usage-report)\.txt$"
    r"|\.debug_options$")


def mlp_train(jax):
    """A training step: two layers, gradients summed over four micro-batches in a loop, momentum."""
    jnp = jax.numpy

    def loss(weights, images, labels):
        hidden = jax.nn.relu(images @ weights["w1"] + weights["b1"])
        scores = jax.nn.log_softmax(hidden @ weights["w2"] + weights["b2"])
        return -jnp.mean(jnp.sum(scores * labels, axis=-1))

    def mlp_train(weights, momentum, images, labels):
        def accumulate(total, batch):
            value, gradient = jax.value_and_grad(loss)(weights, *batch)
            return jax.tree.map(jnp.add, total, gradient), value

        zeros = jax.tree.map(jnp.zeros_like, weights)
        gradient, losses = jax.lax.scan(accumulate, zeros, (images, labels))
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g / 4, momentum, gradient)
        weights = jax.tree.map(lambda w, m: w - 0.01 * m, weights, momentum)
        return weights, momentum, jnp.mean(losses)

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    weights = {"w1": array(64, 128), "b1": array(128), "w2": array(128, 10), "b2": array(10)}
    arguments = (weights, weights, array(4, 32, 64), array(4, 32, 10))
    return jax.jit(mlp_train, donate_argnums=(0, 1)).lower(*arguments)


def fsdp_mlp_train(jax, devices):
    """One layer pair trained on four devices, weights and batch both sharded over them."""
    jnp = jax.numpy
    sharding = jax.sharding
    mesh = sharding.Mesh(devices, ("data",))
    rows = sharding.NamedSharding(mesh, sharding.PartitionSpec("data"))

    def loss(weights, tokens, targets):
        hidden = jax.nn.gelu(tokens @ weights["up"])
        return jnp.mean((hidden @ weights["down"] - targets).astype(jnp.float32) ** 2)

    def fsdp_mlp_train(weights, tokens, targets):
        value, gradient = jax.value_and_grad(loss)(weights, tokens, targets)
        return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradient), value

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.bfloat16)

    weights = {"up": array(512, 2048), "down": array(2048, 512)}
    placed = {"up": rows, "down": rows}
    scalar = sharding.NamedSharding(mesh, sharding.PartitionSpec())
    step = jax.jit(fsdp_mlp_train, donate_argnums=0, in_shardings=(placed, rows, rows),
                   out_shardings=(placed, scalar))
    return step.lower(weights, array(1024, 512), array(1024, 512))


def lower(backend, jax, target):
    import numpy
    from jax.experimental import topologies
    if backend == "cpu":
        return mlp_train(jax)
    if backend == "tpu":
        topology = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2")
    else:
        topology = topologies.get_topology_desc(
            platform="cuda", topology_name="h100", target_config=target.read_text(),
            topology="1x1x4")
    return fsdp_mlp_train(jax, numpy.array(topology.devices[:4]))


FOLDERS = {"cpu": "cpu_mlp_train", "gpu": "h100x4_fsdp_mlp_train", "tpu": "v5e_2x2_fsdp_mlp_train"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("backend", choices=sorted(FOLDERS))
    parser.add_argument("--target", type=pathlib.Path,
                        help="GPU description, a GpuTargetConfigProto in text form")
    parser.add_argument("--out", type=pathlib.Path, default=HERE,
                        help="folder that receives the dump directory")
    parser.add_argument("--keep-all", action="store_true", help="keep every file XLA writes")
    options = parser.parse_args()
    if options.backend == "gpu" and not options.target:
        parser.error("gpu needs --target")
    if options.target:
        options.target = options.target.resolve()
    folder = options.out.resolve() / FOLDERS[options.backend]

    with tempfile.TemporaryDirectory() as scratch:
        # XLA is given a relative folder so that no path of this machine ends up in what it writes.
        os.chdir(scratch)
        module = "fsdp_mlp_train" if options.backend != "cpu" else "mlp_train"
        # The CPU dump holds plain .hlo.pb files, the others .hlo.pb.gz: both are met in practice.
        compress = "false" if options.backend == "cpu" else "true"
        os.environ.update(
            JAX_PLATFORMS="cpu",
            TPU_SKIP_MDS_QUERY="1",
            TPU_WORKER_HOSTNAMES="localhost",
            XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_as_text --xla_dump_hlo_as_proto "
                      "--xla_dump_large_constants --xla_dump_compress_protos=" + compress +
                      " --xla_dump_hlo_module_re=jit_" + module)
        import jax
        # Source files appear in the metadata as examples/generate.py, wherever the checkout stands.
        jax.config.update("jax_hlo_source_file_canonicalization_regex", r"^.*/(?=examples/)")
        lower(options.backend, jax, options.target).compile()

        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        kept = 0
        traces = (str(HERE.parent), sys.prefix, scratch, str(pathlib.Path.home()))
        for path in sorted(pathlib.Path("dump").iterdir()):
            if not path.is_file() or not (options.keep_all or KEPT.search(path.name)):
                continue
            content = path.read_bytes()
            plain = gzip.decompress(content) if path.suffix == ".gz" else content
            named = [t for t in traces if len(t) > 1 and (t + "/").encode() in plain]
            if named:
                # True of the GPU's .debug_options, which says where the CUDA tools were found.
                print(f"left out, because it names {named[0]}: {path.name}")
                continue
            (folder / path.name).write_bytes(content)
            kept += len(content)
    print(f"{folder.name}: {len(list(folder.iterdir()))} files, {kept} bytes")


if __name__ == "__main__":
    main()
