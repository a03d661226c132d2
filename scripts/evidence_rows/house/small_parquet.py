"""Reads the files that `halo scan` writes, for rows that must not depend on an environment with DuckDB or pyarrow: one data
page for each column of a row group, plain or by dictionary, compressed with zstd or not at all."""
import ctypes
import ctypes.util
import struct

INT64, DOUBLE, BYTES, BOOLEAN = 2, 5, 6, 0
ZSTD = 6


class Thrift:
    """The compact protocol: structs as {field: value}, lists as lists."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def struct(self):
        fields, number = {}, 0
        while byte := self.data[self.at]:
            self.at += 1
            number = number + (byte >> 4) if byte >> 4 else self.signed()
            kind = byte & 15
            fields[number] = kind == 1 if kind in (1, 2) else self.value(kind)
        self.at += 1
        return fields

    def value(self, kind):
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 8:
            size = self.unsigned()
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            byte = self.data[self.at]
            self.at += 1
            size = byte >> 4 if byte >> 4 < 15 else self.unsigned()
            return [self.value(byte & 15) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"a value of kind {kind}")


def unpacked(data, size, codec):
    if codec != ZSTD:
        return data[:size]
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(max(size, 1))
    if zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data))) != size:
        raise ValueError("a page that zstd does not read")
    return out.raw[:size]


def hybrid(data, width, count):
    """Runs of equal numbers and packed groups of eight."""
    reader, numbers = Thrift(data), []
    while len(numbers) < count:
        header = reader.unsigned()
        if header & 1:
            size = (header >> 1) * width
            packed = int.from_bytes(data[reader.at:reader.at + size], "little")
            reader.at += size
            numbers += [packed >> width * i & (1 << width) - 1 for i in range(8 * (header >> 1))]
        else:
            size = (width + 7) // 8
            numbers += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (header >> 1)
            reader.at += size
    return numbers[:count]


def plain(data, kind, count):
    if kind == BYTES:
        texts, at = [], 0
        for _ in range(count):
            size = int.from_bytes(data[at:at + 4], "little")
            texts.append(data[at + 4:at + 4 + size].decode("utf-8", "replace"))
            at += 4 + size
        return texts
    if kind == BOOLEAN:
        return [bool(data[i // 8] >> i % 8 & 1) for i in range(count)]
    return list(struct.unpack(f"<{count}{'q' if kind == INT64 else 'd'}", data[:8 * count]))


def read_chunk(data, meta, is_optional):
    kind, codec = meta[1], meta.get(4, 0)
    dictionary = None
    reader = Thrift(data, meta.get(11, meta[9]))
    while True:
        header = reader.struct()
        page = unpacked(data[reader.at:reader.at + header[3]], header[2], codec)
        reader.at += header[3]
        if 7 in header:
            dictionary = plain(page, kind, header[7][1])
            continue
        count = rows = header[5][1]
        exists = None
        if is_optional:
            size = int.from_bytes(page[:4], "little")
            exists = hybrid(page[4:4 + size], 1, rows)
            page = page[4 + size:]
            count = sum(exists)
        if header[5][2] == 8:
            values = [dictionary[i] for i in hybrid(page[1:], page[0], count)] if count else []
        else:
            values = plain(page, kind, count)
        if exists is None:
            return values
        rest = iter(values)
        return [next(rest) if each else None for each in exists]


def read_parquet(path):
    """The rows of a file, each a dictionary."""
    data = path.read_bytes()
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ValueError(f"{path} is no Parquet file")
    size = int.from_bytes(data[-8:-4], "little")
    footer = Thrift(data, len(data) - 8 - size).struct()
    columns = [(each[4].decode(), each.get(3) == 1) for each in footer[2][1:]]
    rows = []
    for group in footer[4]:
        lists = [read_chunk(data, chunk[3], is_optional) for chunk, (_, is_optional) in zip(group[1], columns)]
        rows += [dict(zip([name for name, _ in columns], row)) for row in zip(*lists)]
    return rows


def read_table(dataset, table):
    return [row for path in sorted((dataset / table).rglob("*.parquet")) for row in read_parquet(path)]
