"""Writes programs as XLA dumps them: python -m forms_2026_programs.make FOLDER NAME... Each program's folder gets texts,
serialized modules, the buffer assignment, io.npz with its inputs and outputs, and manifest.json. Prints a JSON line before and
after each program: a crash of XLA leaves the first without the second."""
import json
import os
import pathlib
import re
import sys
import time

from unseen_programs.make import sort_dump

DEVICES = 4


def flags(dump):
    """LLVM's optimizations are off: they take most of the time, and do not change the modules."""
    return (f"--xla_dump_to={dump} --xla_dump_hlo_as_text --xla_dump_hlo_as_proto --xla_dump_large_constants"
            f" --xla_dump_hlo_module_re=^jit_forms_ --xla_force_host_platform_device_count={DEVICES}"
            " --xla_backend_optimization_level=0")


def token_count(folder):
    """How many tokens come before the arguments of a program with ordered effects."""
    text = next(folder.glob("*.before_optimizations.txt")).read_text(encoding="utf-8")
    return re.search(r"^ENTRY \S+ \((.*)\) -> ", text, re.MULTILINE)[1].count(": token[]")


def write(maker, name, dump, target):
    """Compiles and runs one program. Returns what its manifest says."""
    import jax
    import numpy as np
    from unseen_programs import compiling
    compiled = compiling.Compiled(maker(), name, jax.devices("cpu"))
    sort_dump(dump, target, name)
    outputs = compiled.run(compiled.leaves)
    tokens = token_count(target)
    inputs = {re.sub(r"\d+", lambda found: str(int(found[0]) + tokens), name, count=1): array
              for name, array in compiled.inputs.items()}
    np.savez(target / "io.npz", **{name: compiling.plain(array) for name, array in {**inputs, **outputs}.items()})
    return {"num_devices": len(compiled.partitions), "donates": bool(compiled.program.donate)}


def main(folder, names):
    folder = pathlib.Path(folder)
    dump = folder / f"dump-{os.getpid()}"
    dump.mkdir(parents=True)
    os.environ["XLA_FLAGS"] = flags(dump)
    import jax
    from . import catalogue
    programs = catalogue()
    for name in names:
        print(json.dumps({"at": name}), flush=True)
        library, maker = programs[name]
        row, start = {"name": name, "library": library}, time.monotonic()
        try:
            said = write(maker, f"forms_{name}", dump, folder / name)
            (folder / name / "manifest.json").write_text(json.dumps({"library": library, "what": name, **said}))
        except Exception as error:  # the libraries' error types are many
            row["error"] = f"{type(error).__name__}: {str(error)[:400]}"
        jax.clear_caches()
        jax.config.update("jax_enable_x64", False)
        row["seconds"] = round(time.monotonic() - start, 2)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
