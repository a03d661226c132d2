"""Writes a small HloProto with one thing wrong with it: make_proto.py WHAT FILE. The encoding is done
by hand here, so that the tests need no protobuf and do not lean on the code they test."""
import sys


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return data(field, b"".join(map(varint, values)))


SHAPE = number(2, 11) + packed(3, [8]) + data(5, packed(1, [0]))  # f32[8]{0}


def instruction(name, opcode, identity, operands=(), more=b"", shape=SHAPE):
    return data(2, data(1, name) + data(2, opcode) + (data(3, shape) if shape else b"")
                + number(35, identity) + (packed(36, operands) if operands else b"") + more)


def module(*instructions, root=2):
    comp = data(1, "main") + b"".join(instructions) + number(5, 1) + number(6, root)
    return data(1, "m") + data(2, "main") + data(3, comp) + number(6, 1)


PARAMETER = instruction("p", "parameter", 1)
# {"x"} at element 1 of a tuple that has no element 0
GAP = data(88, data(1, packed(1, [1]) + data(2, data(1, "x"))))


def make(what):
    second = {
        "good": instruction("n", "negate", 2, [1]),
        "missing-field": instruction("n", "negate", 2, [1], shape=None),
        "bad-reference": instruction("n", "negate", 2, [9]),
        "duplicate-id": instruction("n", "negate", 2, [1]) + instruction("o", "negate", 2, [1]),
        "bad-value": instruction("n", "negate", 2, [1], GAP),
        "unknown-field": instruction("n", "negate", 2, [1], number(999, 1)),
    }.get(what, instruction("n", "negate", 2, [1]))
    bytes_ = data(1, module(PARAMETER, second))
    if what == "cut-short":
        return bytes_[:-3]
    if what == "malformed":
        return bytes_ + b"\x0f"
    return bytes_


with open(sys.argv[2], "wb") as file:
    file.write(make(sys.argv[1]))
