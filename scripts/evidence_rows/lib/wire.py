"""The protobuf wire format, for rows that read profiles, traces and serialized modules without the command. Reads
fields by number; what they mean is up to the caller."""


def varint(data, at):
    """The integer at an offset, and the offset behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


def parts(data):
    """Yields (number, value, bytes with the tag) of a message's fields. A value is bytes for messages and strings, an
    integer for the rest."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
            value, at = int.from_bytes(data[at:at + length], "little"), at + length
        else:
            raise ValueError(f"wire type {kind} at byte {begin}")
        if at > len(data):
            raise ValueError(f"the field at byte {begin} is cut short")
        yield key >> 3, value, data[begin:at]


def fields(data):
    """Yields (number, value) of a message's fields."""
    for number, value, _ in parts(data):
        yield number, value
