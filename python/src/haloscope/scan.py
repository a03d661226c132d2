"""Scans of many programs: `write` adds files to a dataset of Parquet files as `halo scan` does, `rows` gives the tables of one
program. The rest are functions that Apache Spark and Ray Data run on many machines; pyarrow, pyspark and ray are imported only
where they call them. docs/scale.md is the guide."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, Union

from haloscope._call import call
from haloscope._library import OK, ArrowStream, HaloError, library
from haloscope._results import Result
from haloscope._table import stream_capsule

Path = Union[str, "os.PathLike[str]"]

TABLES = ("files", "modules", "instructions", "collectives", "buffers", "times", "findings")

# What the functions that write report about a part, for Spark.
PART_SCHEMA = "part bigint, files bigint, programs bigint, refused bigint, skipped bigint"
# Records of a batch that Spark or Ray gets at once.
_BATCH_ROWS = 65536


def write(paths: Union[Path, Sequence[Path]], to: Path, *, shard: int = 1, shards: int = 1, divide: bool = False,
          partition: str = "", device: str = "", threads: int = 1) -> Result:
    """Adds the programs of folders, archives and files to a dataset. Only what is missing is added, so a call can be repeated.
    Several processes may write a dataset at a time if their `shard` differs; `divide` takes only the files that belong to it."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    request = json.dumps({"paths": [os.fspath(each) for each in listed], "to": os.fspath(to), "shard": shard, "shards": shards,
                          "divide": divide, "partition": partition, "device": device, "threads": threads}).encode()
    out = ctypes.c_void_p()
    status = call(lambda: int(library().halo_scan(request, ctypes.byref(out))), "scan")
    if not out.value:
        raise HaloError(str(library().halo_status_text(status).decode()))
    size = ctypes.c_size_t()
    text = ctypes.string_at(library().halo_result_json(out, ctypes.byref(size)), size.value).decode()
    library().halo_result_free(out)
    result = Result(text)
    if status != OK:
        raise HaloError("; ".join(each["message"] for each in result["diagnostics"]))
    return result


class RowsTable:
    """One table of a program, for every library that reads Arrow streams: `pyarrow.table(t)`, `polars.DataFrame(t)`."""

    def __init__(self, rows: Rows, name: str) -> None:
        self._rows = rows
        self.name = name

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        del requested_schema  # A producer may ignore it.
        stream = ArrowStream()
        status = library().halo_rows_stream(self._rows._handle, self.name.encode(), ctypes.byref(stream))
        if status != OK:
            raise HaloError(f"table {self.name}: {library().halo_status_text(status).decode()}")
        return stream_capsule(stream)


class Rows:
    """What a scan stores for one file. `refused` says why it cannot be read; then it has a row in the table `files` only."""

    def __init__(self, path: Path, device: str = "") -> None:
        self._handle = ctypes.c_void_p()
        self._free = library().halo_rows_free
        status = call(lambda: int(library().halo_scan_rows(os.fsencode(path), device.encode(), ctypes.byref(self._handle))),
                      "scan")
        if status != OK:
            raise HaloError(f"{os.fspath(path)}: {library().halo_status_text(status).decode()}")

    @property
    def refused(self) -> str:
        return str(library().halo_rows_refused(self._handle).decode("utf-8", "replace"))

    def table(self, name: str) -> RowsTable:
        if name not in TABLES:
            raise ValueError(f"no table is called {name!r}; there are {', '.join(TABLES)}")
        return RowsTable(self, name)

    def __getitem__(self, name: str) -> RowsTable:
        return self.table(name)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._free(self._handle)


def rows(path: Path, *, device: str = "") -> Rows:
    """The rows of one file with a program: `pyarrow.table(hs.scan.rows(path)["instructions"])`."""
    return Rows(path, device)


def parts(paths: Iterable[Path], count: int) -> list[dict[str, Any]]:
    """Divides files or folders into parts, one for each task: rows with `part`, `parts` and `paths`. A part is a shard of the
    dataset: a task that is repeated continues where the one before was interrupted."""
    listed = [os.fspath(each) for each in paths]
    return [{"part": part + 1, "parts": count, "paths": listed[part::count]} for part in range(count)]


def _write_part(row: dict[str, Any], to: str, options: dict[str, Any]) -> dict[str, int]:
    done = write(row["paths"], to, shard=row["part"], shards=row["parts"], **options)
    return {"part": row["part"], **{name: done[name] for name in ("files", "programs", "refused", "skipped")}}


def write_in_arrow(to: Path, **options: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """For Spark, over rows of `parts`: `frame.mapInArrow(hs.scan.write_in_arrow("dataset"), hs.scan.PART_SCHEMA)` writes the
    dataset and reports the counts of each part. The folder must be the same on every machine."""
    folder = os.fspath(to)

    def write_batches(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow = importlib.import_module("pyarrow")
        for batch in batches:
            for row in batch.to_pylist():
                yield pyarrow.RecordBatch.from_pylist([_write_part(row, folder, options)])

    return write_batches


def write_batch(to: Path, **options: Any) -> Callable[[Any], Any]:
    """For Ray Data, over rows of `parts`: `dataset.map_batches(hs.scan.write_batch("dataset"), batch_format="pyarrow",
    batch_size=1)`."""
    folder = os.fspath(to)

    def write_table(table: Any) -> Any:
        pyarrow = importlib.import_module("pyarrow")
        return pyarrow.Table.from_pylist([_write_part(row, folder, options) for row in table.to_pylist()])

    return write_table


def _table_of(paths: Iterable[str], name: str, device: str) -> Any:
    pyarrow = importlib.import_module("pyarrow")
    return pyarrow.concat_tables([pyarrow.table(rows(path, device=device)[name]) for path in paths]).combine_chunks()


def rows_in_arrow(table: str = "modules", *, column: str = "path", device: str = "") -> Callable[[Iterator[Any]], Iterator[Any]]:
    """For Spark, over a column of paths: `frame.mapInArrow(hs.scan.rows_in_arrow("times"), hs.scan.spark_schema("times"))`. The
    rows of a table go through Spark instead of into a dataset; a program occurs once for each file."""

    def read_batches(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            paths = batch.column(column).to_pylist()
            if paths:
                yield from _table_of(paths, table, device).to_batches(max_chunksize=_BATCH_ROWS)

    return read_batches


def rows_in_pandas(table: str = "modules", *, column: str = "path", device: str = "") -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The same for `mapInPandas`."""

    def read_frames(frames: Iterator[Any]) -> Iterator[Any]:
        for frame in frames:
            if len(frame):
                yield _table_of(list(frame[column]), table, device).to_pandas()

    return read_frames


def rows_batch(table: str = "modules", *, column: str = "path", device: str = "") -> Callable[[Any], Any]:
    """For Ray Data, over a column of paths: `dataset.map_batches(hs.scan.rows_batch("times"), batch_format="pyarrow")`."""

    def read_table(batch: Any) -> Any:
        return _table_of(batch.column(column).to_pylist(), table, device)

    return read_table


def spark_schema(table: str, *, example: Optional[Path] = None) -> str:
    """The columns of a table as Spark writes them. Without an example, an empty file serves as one."""
    pyarrow = importlib.import_module("pyarrow")
    schema = pyarrow.table(rows(example if example is not None else os.devnull)[table]).schema
    names = {"int64": "bigint", "double": "double", "bool": "boolean", "string": "string", "timestamp[us]": "timestamp_ntz"}
    return ", ".join(f"{field.name} {names[str(field.type)]}" for field in schema)


__all__ = ["PART_SCHEMA", "TABLES", "Rows", "RowsTable", "parts", "rows", "rows_batch", "rows_in_arrow", "rows_in_pandas",
           "spark_schema", "write", "write_batch", "write_in_arrow"]
