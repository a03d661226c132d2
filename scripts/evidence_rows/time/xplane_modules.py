"""The modules inside an .xplane.pb profile: XSpace.planes, of which /host:metadata has one event per program with its
HloProto. Reads the wire format itself; nothing but these fields is looked at."""


def fields(data):
    """Yields (number, value) of a message; bytes for length-delimited fields."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        else:
            size = 8 if kind == 1 else 4
            yield key >> 3, data[at:at + size]
            at += size


def modules(path):
    """{program id: encoded HloProto}."""
    found = {}
    for number, plane in fields(path.read_bytes()):
        if number != 1 or not any(n == 2 and v == b"/host:metadata" for n, v in fields(plane)):
            continue
        for n, entry in fields(plane):
            if n != 4:
                continue
            event = dict(fields(entry)).get(2, b"")
            program = dict(fields(event)).get(1, 0)
            for m, stat in fields(event):
                proto = dict(fields(stat)).get(6) if m == 5 else None
                if proto:
                    found[program] = proto
    return found
