"""Writes a file like XLA's gpu_executable.riegeli around a module and its buffer assignment: two split messages, one inside the
other, in uncompressed records.

    make_executable.py MODULE.pb ASSIGNMENT.pb OUT
    make_executable.py --empty TYPE OUT             a split message of that type without parts
"""

import pathlib
import sys

MASK = (1 << 64) - 1
KEY = [0x2F696C6567656952, 0x0A7364726F636572] * 2
START_0 = [0xDBE6D5D5FE4CCE2F, 0xA4093822299F31D0, 0x13198A2E03707344, 0x243F6A8885A308D3]
START_1 = [0x3BD39E10CB0EF593, 0xC0ACF169B5F18A8C, 0xBE5466CF34E90C6C, 0x452821E638D01377]
# For each byte that is added to an even and to an odd lane: the lane of the pair and the byte that it comes from.
EVEN = [(0, 3), (1, 4), (0, 2), (0, 5), (1, 6), (0, 1), (1, 7), (0, 0)]
ODD = [(1, 3), (0, 4), (1, 2), (1, 5), (1, 1), (0, 6), (1, 0), (0, 7)]
BLOCK = 1 << 16


def swapped(value):
    return (value >> 32 | value << 32) & MASK


class Hash:
    """HighwayHash of 64 bits."""

    def __init__(self):
        self.v0 = [a ^ b for a, b in zip(START_0, KEY)]
        self.v1 = [a ^ swapped(b) for a, b in zip(START_1, KEY)]
        self.mul0, self.mul1 = list(START_0), list(START_1)

    def round(self, lanes):
        for i, lane in enumerate(lanes):
            self.v1[i] = (self.v1[i] + self.mul0[i] + lane) & MASK
            self.mul0[i] ^= (self.v1[i] & 0xFFFFFFFF) * (self.v0[i] >> 32)
            self.v0[i] = (self.v0[i] + self.mul1[i]) & MASK
            self.mul1[i] ^= (self.v0[i] & 0xFFFFFFFF) * (self.v1[i] >> 32)
        for source, target in ((self.v1, self.v0), (self.v0, self.v1)):
            for pair in (0, 2):
                lanes = source[pair:pair + 2]
                for odd, table in enumerate((EVEN, ODD)):
                    shuffled = sum((lanes[lane] >> 8 * byte & 0xFF) << 8 * to for to, (lane, byte) in enumerate(table))
                    target[pair + odd] = (target[pair + odd] + shuffled) & MASK

    def packet(self, data):
        self.round([int.from_bytes(data[i:i + 8], "little") for i in range(0, 32, 8)])

    def rest(self, data):
        size = len(data)
        self.v0 = [(v + (size << 32) + size) & MASK for v in self.v0]
        turn = size % 32
        halves = [(v >> 32, v & 0xFFFFFFFF) for v in self.v1]
        self.v1 = [sum(((half << turn | half >> 32 - turn) & 0xFFFFFFFF) << shift for half, shift in zip(pair, (32, 0)))
                   for pair in halves]
        whole = size & ~3
        packet = bytearray(32)
        packet[:whole] = data[:whole]
        if size & 16:
            packet[28:32] = data[-4:]
        elif size & 3:
            packet[16:19] = bytes([data[whole], data[whole + (size & 3) // 2], data[-1]])
        self.packet(packet)

    def finish(self):
        for _ in range(4):
            self.round([swapped(self.v0[i]) for i in (2, 3, 0, 1)])
        return (self.v0[0] + self.v1[0] + self.mul0[0] + self.mul1[0]) & MASK


def number(value, size=8):
    return value.to_bytes(size, "little")


def hash_of(data):
    state = Hash()
    end = len(data) & ~31
    for i in range(0, end, 32):
        state.packet(data[i:i + 32])
    if data[end:]:
        state.rest(data[end:])
    return number(state.finish())


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(tag, value):
    return varint(tag << 3 | 2) + varint(len(value)) + value


def chunk(kind, data, records, decoded):
    header = number(len(data)) + hash_of(data) + kind + number(records, 7) + number(decoded)
    return hash_of(header) + header + data


def records_file(records):
    sizes, values = b"".join(varint(len(each)) for each in records), b"".join(records)
    chunks = [chunk(b"s", b"", 0, 0), chunk(b"r", b"\0" + varint(len(sizes)) + sizes + values, len(records), len(values))]
    out = bytearray()
    for each in chunks:
        begin = len(out)
        for byte in each:
            if len(out) % BLOCK == 0:
                left = len(each) - (len(out) - begin)
                distances = number(len(out) - begin) + number(left + 24)
                out += hash_of(distances) + distances
            out.append(byte)
    return bytes(out)


def override(tag):
    return field(2, field(3, field(1, b"\x08" + varint(tag))))


def split(kind, parts, records):
    return records_file([field(1, kind) + b"".join(parts)] + records)


def main():
    module, assignment, out = sys.argv[1:]
    if module == "--empty":
        pathlib.Path(out).write_bytes(split(assignment.encode(), [], []))
        return
    merge = field(2, field(2, b""))
    rest = field(1, field(1, pathlib.Path(module).read_bytes())) + field(2, pathlib.Path(assignment).read_bytes())
    executable = split(b"xla.gpu.GpuExecutableProto", [override(3), override(4), merge, merge],
                       [b".version 8.0", b"\x7fELF", b"", rest])
    wrapped = split(b"xla.ExecutableAndOptionsProto", [override(1), merge], [executable, b""])
    pathlib.Path(out).write_bytes(wrapped)


if __name__ == "__main__":
    main()
