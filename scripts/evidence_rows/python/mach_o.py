"""What a Mach-O file for one 64-bit processor states: its processor, the oldest system that it runs on, the libraries that it
loads, and whether its code signature covers its bytes. A Mac refuses a program whose bytes do not have the signed digests."""
import hashlib
import struct

PROCESSORS = {0x0100000C: "arm64", 0x01000007: "x86_64"}
LOAD_DYLIB, SIGNATURE, MIN_VERSION, BUILD_VERSION = 0xC, 0x1D, 0x24, 0x32
CODE_DIRECTORY = 0xFADE0C02
SHA_256 = 2


def text_at(data, at):
    return data[at:data.index(b"\0", at)].decode()


def signature_problem(data, at):
    """Empty if every page before the signature has its digest in the code directory."""
    _, _, count = struct.unpack_from(">III", data, at)
    for i in range(count):
        _, offset = struct.unpack_from(">II", data, at + 12 + 8 * i)
        begin = at + offset
        magic, _, _, _, hashes, _, _, pages, end, size, kind, _, log_page = struct.unpack_from(">IIIIIIIIIBBBB", data, begin)
        if magic != CODE_DIRECTORY:
            continue
        page = 1 << log_page
        if kind != SHA_256 or size != 32 or pages != -(-end // page) or end > at or pages == 0:
            return f"{pages} digests of kind {kind} for {end} bytes"
        for number in range(pages):
            signed = data[begin + hashes + number * size:begin + hashes + (number + 1) * size]
            if hashlib.sha256(data[number * page:min((number + 1) * page, end)]).digest() != signed:
                return f"page {number} has another digest than the signed one"
        return ""
    return "no code directory"


def describe(data):
    """{processor, system: (major, minor), libraries, signature: what is wrong with it, or None without one}"""
    magic, processor, _, _, commands, _, _, _ = struct.unpack_from("<8I", data)
    if magic != 0xFEEDFACF:
        raise ValueError("no Mach-O file for one 64-bit processor")
    found = {"processor": PROCESSORS.get(processor), "system": None, "libraries": [], "signature": None}
    at = 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, at)
        if command == LOAD_DYLIB:
            found["libraries"].append(text_at(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        elif command in (BUILD_VERSION, MIN_VERSION):
            version = struct.unpack_from("<I", data, at + (12 if command == BUILD_VERSION else 8))[0]
            found["system"] = (version >> 16, version >> 8 & 0xFF)
        elif command == SIGNATURE:
            found["signature"] = signature_problem(data, struct.unpack_from("<I", data, at + 8)[0])
        at += size
    return found
