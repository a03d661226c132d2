"""The modules inside an .xplane.pb profile: XSpace.planes, of which /host:metadata has one event per program with its
HloProto. Nothing but these fields is looked at."""
from wire import fields


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
