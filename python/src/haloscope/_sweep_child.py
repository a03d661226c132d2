"""One variant of a sweep, in a separate process: XLA compiles the function for a target that this machine does not have, and
writes its dump. `python -m haloscope._sweep_child FOLDER` reads FOLDER/request.pickle and writes FOLDER/compiled.json last."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import pickle
import sys
import time
from typing import Any


def _devices(request: dict[str, Any]) -> list[Any]:
    jax: Any = importlib.import_module("jax")
    if request["platform"] == "cpu":
        return list(jax.devices("cpu"))
    topologies: Any = importlib.import_module("jax.experimental.topologies")
    more = {"target_config": request["target_config"], "topology": request["topology"]} if request["platform"] == "cuda" else {}
    return list(topologies.get_topology_desc(platform=request["platform"], topology_name=request["topology_name"], **more).devices)


def main(folder: pathlib.Path) -> None:
    with open(folder / "request.pickle", "rb") as file:
        request = pickle.load(file)
    jax: Any = importlib.import_module("jax")
    numpy: Any = importlib.import_module("numpy")
    devices = _devices(request)
    sizes, names = tuple(request["mesh"].values()), tuple(request["mesh"])
    count = int(numpy.prod(sizes))
    if count > len(devices):
        raise ValueError(f"the mesh has {count} devices and the target {len(devices)}")
    mesh = jax.sharding.Mesh(numpy.array(devices[:count]).reshape(sizes), names)
    arguments = request["args"](mesh) if callable(request["args"]) else request["args"]
    function = jax.jit(request["fn"], **request["jit"])
    with jax.set_mesh(mesh):
        lowered = function.lower(*arguments)
        begin = time.monotonic()
        compiled = lowered.compile(compiler_options=request["options"] or None)
    seconds = time.monotonic() - begin
    (folder / "compiled.txt").write_text(compiled.as_text(), encoding="utf-8")
    half = folder / "compiled.json.tmp"
    half.write_text(json.dumps({"compile_seconds": seconds}), encoding="utf-8")
    os.replace(half, folder / "compiled.json")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
