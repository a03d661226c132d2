"""Clients that hold a server up: slow, broken and greedy ones, a fixed number at a time, in a separate process. Each
that the server gets rid of is replaced at once. Usage: unkind_clients.py PORT CLIENTS TARGETS, where TARGETS is JSON: the
path and the headers of requests that the server admits. Runs until it gets a line, then prints how many there were of each
kind, and keeps the connections until its input ends."""
import json
import random
import selectors
import socket
import struct
import sys
import time

BODY = 1 << 20  # the largest that the servers take
SLOW, BROKEN, GREEDY = "slow", "broken", "greedy"
RESET = struct.pack("ii", 1, 0)


class Client:
    """One connection. `pieces` are (seconds to wait before, bytes); `reads` says whether it takes the answer."""

    def __init__(self, kind, port, pieces, reads=True, resets=False, ends=None):
        self.kind, self.pieces, self.reads, self.resets = kind, list(pieces), reads, resets
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))
        self.next = time.monotonic() + (self.pieces[0][0] if self.pieces else 0)
        self.end = time.monotonic() + ends if ends else None

    def step(self, now):
        """False if the connection is over."""
        if self.end and now > self.end:
            return False
        if self.reads:
            try:
                if self.socket.recv(1 << 16) == b"":
                    return False
            except BlockingIOError:
                pass
            except OSError:
                return False
        if self.pieces and now >= self.next:
            _, data = self.pieces[0]
            try:
                sent = self.socket.send(data)
            except BlockingIOError:
                sent = 0
            except OSError:
                return False
            if sent == len(data):
                self.pieces.pop(0)
                if self.pieces:
                    self.next = now + self.pieces[0][0]
            else:
                self.pieces[0] = (0, data[sent:])
        return not (self.resets and not self.pieces)

    def close(self):
        if self.resets:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.socket.close()


def head(method, target, **headers):
    path, given = target
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in {**given, **headers}.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def drip(text, draw):
    return [(draw.uniform(1, 3), bytes([each])) for each in text]


def one_client(kind, port, draw, stranger, admitted):
    """A new client of the kind. `stranger` is refused by its head, those of `admitted` are not."""
    target = draw.choice(admitted)
    if kind == SLOW:
        return Client(kind, port, draw.choice([
            lambda: [],  # says nothing
            lambda: drip(head("GET", draw.choice([stranger, target])), draw),
            lambda: drip(b"X" * 10000, draw),
            lambda: [(0, head("POST", target, **{"Content-Length": BODY})), *drip(b"x" * 1000, draw)],
        ])())
    if kind == BROKEN:
        return Client(kind, port, [(0, draw.choice([
            lambda: draw.randbytes(draw.randint(1, 40000)),
            lambda: draw.randbytes(100) + b"\r\n\r\n",
            lambda: head("GET", target)[:draw.randint(1, 60)],
            lambda: head("POST", target, **{"Content-Length": draw.choice(["-1", "x", "99999999", "1e3", str(1 << 64)])}),
            lambda: head("POST", target, **{"Content-Length": 5000}) + b"short",
            lambda: head("POST", target, **{"Transfer-Encoding": "chunked"}) + b"5\r\n",
            lambda: head("GET", target, **{f"X-{i}": "y" for i in range(200)}),
            lambda: head("GET", target, Long="y" * 60000),
        ])())], resets=draw.random() < 0.5, ends=draw.uniform(0.1, 4))
    return Client(kind, port, [(0, draw.choice([
        lambda: head("GET", target) * 50,
        lambda: head("GET", stranger) * 50,
        lambda: head("POST", stranger, **{"Content-Length": BODY}) + b"x" * BODY,
        lambda: head("POST", target, **{"Content-Length": BODY}) + b"x" * BODY,
    ])())], reads=False, ends=draw.uniform(1, 6))


def main():
    port, wanted, admitted = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    draw = random.Random(port)
    stranger = ("/" + "0" * 32 + "/", {"Host": f"127.0.0.1:{port}"})
    kinds = [(SLOW, BROKEN, GREEDY)[i % 3] for i in range(wanted)]
    clients = [one_client(kind, port, draw, stranger, admitted) for kind in kinds]
    counts = {kind: kinds.count(kind) for kind in (SLOW, BROKEN, GREEDY)}
    watched = selectors.DefaultSelector()
    watched.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while not watched.select(0.02):
        now = time.monotonic()
        for i, client in enumerate(clients):
            if client.step(now):
                continue
            client.close()
            clients[i] = one_client(kinds[i], port, draw, stranger, admitted)
            counts[kinds[i]] += 1
    sys.stdin.readline()
    print(json.dumps(counts), flush=True)
    sys.stdin.readline()  # the connections stay until the server has ended


if __name__ == "__main__":
    main()
