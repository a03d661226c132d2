"""Which variant of a program fits, and which is fastest, without the devices: XLA compiles each variant in a child process, halo
says how much memory it needs and how long a step takes. What was compiled stays in a folder, so a sweep can be interrupted and
continued."""

from __future__ import annotations

import hashlib
import html
import importlib
import inspect
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from haloscope._call import call
from haloscope._document import Document
from haloscope._library import HaloError

Mesh = Mapping[str, int]
Meshes = Union[Sequence[Mesh], Callable[[str, int], Sequence[Mesh]]]

_GPUS = ("a100", "h100", "h200", "b200")
_PER_HOST = 8  # GPUs of a machine


class Target(NamedTuple):
    """A target by name: `h100:8`, `v5p:2x2x4`, `cpu:4`."""

    name: str
    platform: str  # as JAX calls it
    device: str  # as halo calls it
    topology_name: str
    topology: str  # of GPUs: partitions, machines, GPUs of each
    devices: int


def parse_target(name: str) -> Target:
    kind, _, size = name.partition(":")
    try:
        dims = [int(each) for each in (size or "1").split("x")]
    except ValueError:
        dims = []
    if not dims or min(dims) < 1:
        raise ValueError(f"{name!r} is no target; write h100:8, v5p:2x2x4 or cpu:4")
    count = 1
    for each in dims:
        count *= each
    if kind == "cpu":
        return Target(name, "cpu", "cpu", "", "", count)
    if kind in _GPUS:
        if count > _PER_HOST and count % _PER_HOST:
            raise ValueError(f"{name!r}: more than {_PER_HOST} GPUs come in machines of {_PER_HOST}")
        hosts = max(1, count // _PER_HOST)
        return Target(name, "cuda", kind, kind, f"1x{hosts}x{count // hosts}", count)
    if kind.startswith("v") or kind.startswith("tpu"):
        return Target(name, "tpu", kind, name, "", count)
    raise ValueError(f"{name!r} is no target that halo knows; there are {', '.join(_GPUS)}, TPUs such as v5p, and cpu")


def _pickled(value: Any) -> bytes:
    """Functions of notebooks and scripts need cloudpickle; those of modules do not."""
    try:
        return bytes(importlib.import_module("cloudpickle").dumps(value))
    except ImportError:
        pass
    try:
        data = pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise HaloError(f"the function cannot be sent to another process ({error}): pip install cloudpickle, or define it in a module")
    if b"__main__" in data:
        raise HaloError("a function of the main script cannot be sent to another process: pip install cloudpickle, or define it in "
                        "a module")
    return data


def _source_of(value: Any) -> str:
    """The text that decides what a variant is, so that a changed function is compiled again."""
    if not callable(value):
        return repr(value)
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}\n"
    for of in (inspect.getmodule(value), value):
        try:
            return name + inspect.getsource(of)  # type: ignore[arg-type]
        except (OSError, TypeError):
            continue
    return name + repr(value)


class Sweep:
    """The variants of a sweep, in order. `rows` are plain; `pyarrow.table(sweep)` and others take the table; `frontier` are the
    variants that fit and that no other beats in both memory and time. In a notebook it shows memory against time."""

    def __init__(self, rows: list[dict[str, Any]], folder: str) -> None:
        self.rows = rows
        self.folder = folder

    @property
    def frontier(self) -> list[dict[str, Any]]:
        usable = [row for row in self.rows if not row["refused"] and row["fits"] is not False]
        best: list[dict[str, Any]] = []
        for row in sorted(usable, key=lambda each: (each["seconds"], each["memory_bytes"])):
            if not best or row["memory_bytes"] < best[-1]["memory_bytes"]:
                best.append(row)
        return best

    def open(self, index: int) -> Document:
        """The compiled program of a variant, for every other question."""
        return Document(self.rows[index]["dump"])

    def __len__(self) -> int:
        return len(self.rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        pyarrow = importlib.import_module("pyarrow")
        columns = {key: [row[key] if not isinstance(row[key], dict) else json.dumps(row[key]) for row in self.rows]
                   for key in self.rows[0]} if self.rows else {}
        return pyarrow.table(columns).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        lines = [f"{'target':<12} {'mesh':<24} {'memory':>10} {'fits':>5} {'step':>10}"]
        frontier = self.frontier
        for row in self.rows:
            mesh = ",".join(f"{name}={size}" for name, size in row["mesh"].items())
            if row["refused"]:
                lines.append(f"{row['target']:<12} {mesh:<24} {row['refused'].strip().splitlines()[-1][:80]}")
                continue
            fits = {True: "yes", False: "no", None: "?"}[row["fits"]]
            lines.append(f"{row['target']:<12} {mesh:<24} {_gib(row['memory_bytes']):>10} {fits:>5} {_seconds(row['seconds']):>10}"
                         f"{' *' if row in frontier else ''}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"{plot(self)}<pre>{html.escape(repr(self))}</pre>"


def _gib(size: float) -> str:
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.2f} MiB"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} us"


def plot(sweep: Sweep, width: int = 640, height: int = 360) -> str:
    """Memory against time as SVG, with the frontier as a line. Variants that do not fit are hollow."""
    rows = [row for row in sweep.rows if not row["refused"]]
    if not rows:
        return ""
    left, bottom, top, right = 70, 40, 16, 16
    longest = max(row["seconds"] for row in rows) * 1.05 or 1.0
    largest = max(row["memory_bytes"] for row in rows) * 1.05 or 1.0

    def at(row: dict[str, Any]) -> tuple[float, float]:
        return (left + row["seconds"] / longest * (width - left - right),
                height - bottom - row["memory_bytes"] / largest * (height - bottom - top))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif" font-size="11" fill="currentColor">',
             f'<path d="M{left} {top}V{height - bottom}H{width - right}" stroke="currentColor" fill="none"/>']
    for step in range(1, 5):
        x, y = left + step / 4 * (width - left - right), height - bottom - step / 4 * (height - bottom - top)
        parts.append(f'<text x="{x:.0f}" y="{height - bottom + 16}" text-anchor="end">{_seconds(longest * step / 4)}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{_gib(largest * step / 4)}</text>')
    parts.append(f'<text x="{width - right}" y="{height - 6}" text-anchor="end">time of a step, predicted</text>')
    points = " ".join("{:.1f},{:.1f}".format(*at(row)) for row in sweep.frontier)
    parts.append(f'<polyline points="{points}" fill="none" stroke="#2a7" stroke-width="2"/>')
    for row in rows:
        x, y = at(row)
        name = row["target"] + " " + ",".join(f"{axis}={size}" for axis, size in row["mesh"].items())
        fill = "none" if row["fits"] is False else "#2a7" if row in sweep.frontier else "#48c"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="#48c"><title>{html.escape(name)}: '
                     f'{_gib(row["memory_bytes"])}, {_seconds(row["seconds"])}</title></circle>')
        parts.append(f'<text x="{x + 8:.1f}" y="{y - 6:.1f}">{html.escape(name)}</text>')
    return "".join(parts) + "</svg>"


def _compile(folder: pathlib.Path, request: dict[str, Any], target: Target, timeout: Optional[float]) -> str:
    """Compiles a variant unless that is done already. Returns why it cannot be compiled, or nothing."""
    if (folder / "compiled.json").exists():
        return ""
    dump = folder / "dump"
    dump.mkdir(parents=True, exist_ok=True)
    for each in dump.iterdir():  # of an attempt that was interrupted
        if each.is_file():
            each.unlink()
    (folder / "request.pickle").write_bytes(_pickled(request))
    flags = [f"--xla_dump_to={dump}", "--xla_dump_hlo_as_text", os.environ.get("XLA_FLAGS", "")]
    if target.platform == "cpu":
        flags.append(f"--xla_force_host_platform_device_count={target.devices}")
    source = str(pathlib.Path(__file__).resolve().parents[1])
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TPU_SKIP_MDS_QUERY="1", TPU_WORKER_HOSTNAMES="localhost",
                       XLA_FLAGS=" ".join(flags), TF_CPP_MIN_LOG_LEVEL="3",
                       PYTHONPATH=os.pathsep.join([source, *(each for each in sys.path if each)]))
    with subprocess.Popen([sys.executable, "-m", "haloscope._sweep_child", str(folder)], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            said = process.communicate(timeout=timeout)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return f"not compiled within {timeout:g} seconds"
        except BaseException:
            process.kill()
            raise
    if (folder / "compiled.json").exists():
        return ""
    return said.decode("utf-8", "replace").strip()[-2000:] or f"the compiler ended with code {process.returncode}"


def _answer(folder: pathlib.Path, row: dict[str, Any], target: Target) -> None:
    """Adds what halo says. XLA's own buffer assignment counts where the dump has one."""
    compiled = json.loads((folder / "compiled.json").read_text(encoding="utf-8"))
    stages = sorted((folder / "dump").glob("*after_optimizations.txt"), key=lambda each: each.stat().st_size)
    path = stages[-1] if stages else folder / "compiled.txt"
    document = Document(path)
    memory = document.memory(device=None if target.platform == "cpu" else target.device, advice="none")
    time = document.time(device=target.device, advice=False)
    data, step = memory.to_dict(), time.to_dict()["step"]
    capacity = (data.get("verdict") or {}).get("capacity")
    row.update(memory_bytes=data["device_bytes"], capacity_bytes=capacity,
               fits=None if capacity is None else data["device_bytes"] <= capacity, seconds=step["estimate_seconds"],
               is_planned=data["planned_by_halo"], compile_seconds=compiled["compile_seconds"], dump=str(path))


def sweep(fn: Any, args: Any, *, targets: Sequence[str], meshes: Optional[Meshes] = None,
          options: Sequence[Mapping[str, Any]] = ({},), folder: Optional[Union[str, "os.PathLike[str]"]] = None,
          jit: Optional[Mapping[str, Any]] = None, target_configs: Optional[Mapping[str, str]] = None,
          timeout: Optional[float] = None) -> Sweep:
    """Compiles every combination of targets, meshes and compiler options, and says which fit and how long a step takes.

    `args` are shapes (`jax.ShapeDtypeStruct` with shardings), or a function of the mesh that returns them. `jit` are
    the options of `jax.jit`, such as `donate_argnums`. `meshes` are sizes by axis, or a function of the target and its number of devices. TPU targets need libtpu;
    GPU targets need jax's CUDA plugin and, in `target_configs`, XLA's description of the GPU (gpu_target_config.pbtxt of a dump)."""
    if hasattr(fn, "lower"):
        raise HaloError("give the function itself and, in jit={...}, the options of jax.jit: what jax.jit returns cannot be sent to "
                        "another process")
    kept = os.fspath(folder) if folder is not None else tempfile.mkdtemp(prefix="halo-sweep-")
    rows = []
    for name in targets:
        target = parse_target(name)
        config = (target_configs or {}).get(target.device, "")
        if target.platform == "cuda" and not config:
            raise HaloError(f"{name}: XLA needs a description of the GPU; give target_configs={{'{target.device}': TEXT}}, the text of "
                            "gpu_target_config.pbtxt that XLA dumps on such a machine")
        chosen = meshes(name, target.devices) if callable(meshes) else meshes or [{"x": target.devices}]
        for mesh in chosen:
            for option in options:
                request = {"fn": fn, "args": args, "mesh": dict(mesh), "options": dict(option), "target_config": config,
                           "jit": dict(jit or {}), **target._asdict()}
                identity = [name, dict(mesh), dict(option), config, repr(jit), _source_of(fn), _source_of(args)]
                digest = hashlib.sha256(json.dumps(identity, default=repr).encode()).hexdigest()[:16]
                variant = pathlib.Path(kept) / f"{name.replace(':', '_')}-{digest}"
                row: dict[str, Any] = {"target": name, "devices": target.devices, "mesh": dict(mesh), "options": dict(option),
                                       "refused": "", "memory_bytes": None, "capacity_bytes": None, "fits": None, "seconds": None,
                                       "is_planned": None, "compile_seconds": None, "dump": ""}
                row["refused"] = call(lambda: _compile(variant, request, target, timeout), f"compiling for {name}")
                if not row["refused"]:
                    _answer(variant, row, target)
                rows.append(row)
    return Sweep(rows, kept)
