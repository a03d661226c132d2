"""Compiles a generated program with XLA: for the CPU, to run it here, or for a GPU or TPU that is only described. Recorded
arrays are named as `halo run` reads them. Runs in jaxlib's environment."""
import os
import pathlib

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

DEVICES = 8


def flags(dump, platform):
    """LLVM's optimizations are off: they take most of the time, and do not change the modules."""
    shared = f"--xla_dump_to={dump} --xla_dump_hlo_as_text --xla_dump_hlo_as_proto --xla_dump_large_constants"
    return (f"{shared} --xla_dump_hlo_module_re=jit_u[0-9]+ --xla_force_host_platform_device_count={DEVICES}"
            " --xla_backend_optimization_level=0"
            + (" --xla_gpu_autotune_level=0" if platform == "h100" else "") + " " + os.environ.get("HALO_UNSEEN_FLAGS", ""))


def devices_of(platform, specifications):
    """The devices of this CPU, or those of a topology that needs no device."""
    if platform == "cpu":
        return jax.devices("cpu")
    from jax.experimental import topologies
    if platform == "tpu":
        return topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x4").devices
    target = (pathlib.Path(specifications) / "h100_sxm.txtpb").read_text(encoding="utf-8")
    return topologies.get_topology_desc(platform="cuda", topology_name="h100_sxm", target_config=target,
                                        topology=f"1x1x{DEVICES}").devices


class Compiled:
    """One program compiled for the given devices. `partitions` are its devices in the order of their partitions."""

    def __init__(self, program, name, devices, options=None):
        jax.config.update("jax_enable_x64", program.x64)
        # A TPU multiplies f32 matrices as bf16 unless told otherwise, which is another program than the recorded one.
        jax.config.update("jax_default_matmul_precision", "highest" if devices[0].platform == "tpu" else None)
        self.program, self.described = program, devices[0].platform != "cpu"
        sizes, names, order = program.mesh or ((1,), ("x",), (0,))
        self.partitions = [devices[i] for i in order]
        self.mesh = Mesh(np.array(self.partitions).reshape(sizes), names)
        inner = program.function(self.mesh) if program.manual else program.function

        def function(*arguments):
            return inner(*arguments)
        function.__name__ = name
        self.function = function
        how = {"donate_argnums": program.donate, "keep_unused": True}
        if program.mesh:
            how["in_shardings"] = tuple(jax.tree.map(lambda spec: NamedSharding(self.mesh, spec), program.specs_in,
                                                     is_leaf=lambda each: isinstance(each, P)))
            # Results whose partition XLA chooses have another shape before optimization than after.
            results = jax.eval_shape(function, *jax.tree.map(np.asarray, program.arguments))
            how["out_shardings"] = jax.tree.map(lambda x: NamedSharding(self.mesh, program.specs_out(x.shape)), results)
        elif self.described:
            how["in_shardings"] = how["out_shardings"] = NamedSharding(self.mesh, P())
        leaves, self.tree = jax.tree.flatten(program.arguments)
        self.leaves = [np.asarray(each, jax.dtypes.canonicalize_dtype(np.asarray(each).dtype)) for each in leaves]
        shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in self.leaves]
        self.executable = jax.jit(function, **how).lower(*jax.tree.unflatten(self.tree, shapes)).compile(options)

    def run(self, leaves):
        """Returns the outputs for these inputs, as recorded() names them."""
        shardings = jax.tree.leaves(self.executable.input_shardings[0])
        placed = [jax.device_put(each, where) for each, where in zip(leaves, shardings)]
        self.inputs = self.recorded("in", placed)
        outputs = self.executable(*jax.tree.unflatten(self.tree, placed))
        return self.recorded("out", jax.tree.leaves(jax.block_until_ready(outputs)))

    def recorded(self, kind, arrays):
        named = {}
        for i, array in enumerate(arrays):
            if not self.program.mesh:
                named[f"{kind}_{i}"] = np.asarray(array)
                continue
            shards = {shard.device: shard.data for shard in array.addressable_shards}
            for k, device in enumerate(self.partitions):
                named[f"{kind}_{i}_d{k}"] = np.asarray(shards[device])
        return named


def plain(array):
    """Types that numpy lacks are stored as unsigned integers of their width."""
    if array.dtype.kind in "biufc" and array.dtype.isbuiltin == 1:
        return array
    return array.view(f"u{array.dtype.itemsize}")
