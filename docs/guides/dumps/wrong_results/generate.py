#!/usr/bin/env python3
"""Makes the dumps of this folder: programs that XLA computes wrongly, with inputs and what numpy computes. Its programs are small
forms of those in scripts/evidence_rows/run/wrong_programs.py. README.md of the folder above says which versions made them.

    pip install jax==0.12.0.1
    python3 generate.py shifted_rows
    python3 generate.py clamped_update
    pip install jax==0.10.2 jax-cuda12-plugin==0.10.2 jax-cuda12-pjrt==0.10.2 nvidia-cuda-nvcc-cu12
    python3 generate.py accumulated h100_sxm.txtpb      # XLA's description of the GPU; no GPU is needed
"""
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEPT = re.compile(r"(before_optimizations|after_optimizations)\.txt$")


def shifted_rows(jax, np):
    """Moves the rows of an array down by one, after which it gains a dimension (openxla/xla#49176)."""
    def shift(x):
        base = x + np.float32(1)
        return jax.lax.dynamic_update_slice(base, base[:-1], (1, 0)).reshape(1, 4, 2)

    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    right = x + 1
    right[1:] = right[:-1].copy()
    return jax.jit(shift), (x,), right.reshape(1, 4, 2)


def clamped_update(jax, np):
    """Writes a column at a start index that is out of range, over two devices that hold a column each (openxla/xla#49118)."""
    def place(board, column, start):
        return jax.lax.dynamic_update_slice(board, column, (np.int32(0), start))

    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    cut, whole = (jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes)) for axes in ((None, "x"), ()))
    board = np.arange(4, dtype=np.int32).reshape(2, 2)
    right = board.copy()
    right[:, 1] = 99
    return (jax.jit(place, in_shardings=(cut, whole, whole), out_shardings=cut),
            (board, np.full((2, 1), 99, np.int32), np.int32(2)), right)


def accumulated(jax, np, description):
    """Adds rows of updates into a table in a loop, as the gradient of an embedding over microbatches does, on a mesh of 2x2 H100."""
    from jax.experimental import topologies

    def total(rows, updates):
        def add(i, table):
            return table.at[rows[i]].add(updates[i])
        return jax.lax.fori_loop(0, 3, add, jax.numpy.zeros((8, 4), np.float32))

    devices = topologies.get_topology_desc(platform="cuda", topology_name="h100_sxm", topology="1x1x4",
                                           target_config=pathlib.Path(description).read_text(encoding="utf-8")).devices
    mesh = jax.sharding.Mesh(np.array(devices).reshape(2, 2), ("x", "y"))
    cut, whole = (jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes)) for axes in ((None, "x"), ()))
    rows = np.arange(12, dtype=np.int32).reshape(3, 4) % 8
    updates = np.arange(48, dtype=np.float32).reshape(3, 4, 4)
    right = np.zeros((8, 4), np.float32)
    np.add.at(right, rows, updates)
    return jax.jit(total, in_shardings=(cut, cut), out_shardings=whole), (rows, updates), right


def keep(dump, folder, every_pass):
    """Copies the first and the last module, or packs all into an archive that is the same each time."""
    texts = sorted(path for path in dump.iterdir() if path.name.endswith(".txt") and "memory-usage" not in path.name)
    if not every_pass:
        for path in texts:
            if KEPT.search(path.name):
                shutil.copy(path, folder / path.name)
        return
    with tarfile.open(folder / "dump.tar.gz", "w:gz", compresslevel=9) as archive:
        for path in texts:
            member = tarfile.TarInfo(f"dump/{path.name}")
            member.size = path.stat().st_size
            with open(path, "rb") as file:
                archive.addfile(member, file)


def main(name, *arguments):
    arguments = [str(pathlib.Path(each).resolve()) for each in arguments]
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    every_pass = name == "clamped_update"
    os.chdir(tempfile.mkdtemp())  # XLA is given a relative folder so that no path of this machine ends up in what it writes
    os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_as_text --xla_gpu_autotune_level=0 "
                      "--xla_force_host_platform_device_count=2" + (" --xla_dump_hlo_pass_re=.*" if every_pass else ""))
    import jax
    import numpy as np
    jax.config.update("jax_hlo_source_file_canonicalization_regex", r"^.*/(?=docs/guides/)")
    function, inputs, right = globals()[name](jax, np, *arguments)
    executable = function.lower(*inputs).compile()
    np.savez(folder / "inputs.npz", **{f"in_{i}": each for i, each in enumerate(inputs)})
    np.savez(folder / "right.npz", out_0=right)
    keep(pathlib.Path("dump"), folder, every_pass)
    if name != "accumulated":
        placed = [jax.device_put(each, where) for each, where in zip(inputs, executable.input_shardings[0])]
        np.savez(folder / "xla.npz", out_0=np.asarray(executable(*placed)))
        print(np.load(folder / "xla.npz")["out_0"].tolist(), "where numpy has", right.tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
