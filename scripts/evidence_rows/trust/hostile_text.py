"""Text made to deceive those who read it on a terminal, and files full of it: dumps whose folders, files, members of
archives, modules, computations, instructions, call targets, metadata and attributes are named with it. This is not a
row."""
import gzip
import io
import os
import tarfile
import unicodedata

# What follows every hostile sequence: if it begins a line or follows a control sequence, the text took effect.
FORGED = b"FORGED"
ESC = b"\x1b"


def _texts():
    """Yields (what it is, the hostile sequences). FORGED follows each of them."""
    yield "SGR color", [ESC + b"[31m"]
    yield "the style of errors", [ESC + b"[1;31m", ESC + b"[0m"]
    yield "the style of success", [ESC + b"[32m", ESC + b"[1m"]
    yield "our status line", [b"\r" + ESC + b"[K"]
    yield "OSC 0 title, BEL", [ESC + b"]0;title\x07"]
    yield "OSC 2 title, ST", [ESC + b"]2;title" + ESC + b"\\"]
    yield "OSC 52 clipboard", [ESC + b"]52;c;cm0gLXJmIH4K\x07"]
    yield "OSC 8 link", [ESC + b"]8;;http:example.com" + ESC + b"\\"]
    yield "OSC 4 query", [ESC + b"]4;1;?" + ESC + b"\\"]
    yield "OSC 1337 and 9", [ESC + b"]1337;ClearScrollback\x07", ESC + b"]9;note\x07"]
    yield "clear the screen", [ESC + b"[2J" + ESC + b"[3J"]
    yield "cursor home", [ESC + b"[H", ESC + b"[1;1f"]
    yield "cursor up, erase", [ESC + b"[1A" + ESC + b"[2K"]
    yield "report the cursor", [ESC + b"[6n", ESC + b"[c"]
    yield "alternate screen", [ESC + b"[?1049h", ESC + b"[?25l"]
    yield "reset", [ESC + b"c", ESC + b"[!p"]
    yield "DCS", [ESC + b"P$q q" + ESC + b"\\"]
    yield "APC and PM", [ESC + b"_Gf=24;AAAA" + ESC + b"\\", ESC + b"^pm" + ESC + b"\\"]
    yield "character sets", [ESC + b"(0", b"\x0e", b"\x0f"]
    yield "newline", [b"\n", b"\n\n"]
    yield "CRLF", [b"\r\n"]
    yield "carriage return", [b"\r"]
    yield "backspace", [b"\x08" * 9]
    yield "tab, VT, FF", [b"\t", b"\x0b", b"\x0c"]
    yield "BEL and NUL", [b"\x07", b"\x00"]
    yield "DEL", [b"\x7f\x7f"]
    yield "C1 CSI in UTF-8", ["\x9b31m".encode()]
    yield "C1 OSC and ST in UTF-8", ["\x9d0;title\x9c".encode()]
    yield "C1 NEL, IND, RI in UTF-8", ["\x85\x84\x8d".encode()]
    yield "C1 CSI in 8 bits", [b"\x9b31m"]
    yield "C1 OSC and DCS in 8 bits", [b"\x9d0;title\x9c", b"\x90q\x9c"]
    yield "right-to-left override", ["\u202e".encode(), "\u202d".encode()]
    yield "isolates", ["\u2066".encode(), "\u2067".encode(), "\u2069".encode()]
    yield "direction marks", ["\u200e\u200f\u061c".encode()]
    yield "line separators", ["\u2028".encode(), "\u2029".encode()]
    yield "invisible", ["\u200b\u200d\u2060\ufeff\u00ad".encode(), "\U000e0041\U000e0042".encode()]
    yield "invalid bytes", [b"\xff\xfe", b"\x80\xbf", b"\xf8\x88\x80\x80\x80"]
    yield "overlong escapes", [b"\xc0\x9b", b"\xe0\x80\x9b", b"\xf0\x80\x80\x9b"]
    yield "surrogates and cut characters", [b"\xed\xa0\x80", b"\xe2\x80", b"\xf0\x9f\x99"]
    yield "very long", [ESC + b"[7m" + b"long_" * 12] * 60


TEXTS = [(what, b"".join(each + FORGED for each in sequences)) for what, sequences in _texts()]


def for_name(text, limit=70):
    """The part of a text that the name of a file can have."""
    return text.replace(b"/", b"|").replace(b"\0", b"\x01")[:limit]


def _varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _data(field, value):
    return _varint(field << 3 | 2) + _varint(len(value)) + value


SHAPE = _number(2, 11) + _data(3, b"\x08") + _data(5, _data(1, b"\x00"))  # f32[8]{0}


def proto(text, operand=1):
    """An HloProto that negates a parameter, hostile in every string it has. The reader checks no names. With an unknown
    operand it cannot be read."""
    metadata = _data(7, _data(1, text) + _data(2, b"a/" + text) + _data(3, text + b".py") + _number(4, 7))
    attributes = _data(68, _data(1, _data(1, b"k" + text) + _data(2, text)))
    more = metadata + attributes + _data(43, text)

    def instruction(name, opcode, identity, rest=b""):
        return _data(2, _data(1, name) + _data(2, opcode) + _data(3, SHAPE) + _number(35, identity) + more + rest)

    body = (instruction(b"p" + text, b"parameter", 1, _number(9, 0))
            + instruction(b"n" + text, b"negate", 2, _data(36, _varint(operand)))
            + instruction(b"a" + text, b"add", 3, _data(36, b"\x01\x02")))
    comp = _data(1, b"main" + text) + body + _number(5, 1) + _number(6, 3)
    return _data(1, _data(1, b"m" + text) + _data(2, b"main" + text) + _data(3, comp) + _number(6, 1))


def _quoted(text):
    """A string of HLO text that holds these bytes as they are, unless they would make the file no text."""
    def shown(byte):
        return b"\\%03o" % byte if byte in b'"\\' or byte < 0x20 and byte != 0x1B else bytes([byte])
    return b'"' + b"".join(map(shown, text)) + b'"'


def _octal(text):
    return b'"' + b"".join(b"\\%03o" % byte for byte in text) + b'"'


def module(text, scale=1, target=True):
    """HLO text with hostile strings, raw and as escapes."""
    raw, octal = _quoted(text), _octal(text)
    call = b"  c = f32[8,4]{1,0} custom-call(a), custom_call_target=%s, backend_config=%s\n" % (raw, octal)
    return (b"HloModule jit_f, is_scheduled=true\n\nENTRY main {\n"
            b"  a = f32[8,4]{1,0} parameter(0), metadata={op_name=%s source_file=%s source_line=3}, "
            b"sharding={replicated metadata={op_name=%s}}\n"
            b"  k = f32[] constant(%d)\n"
            b"  b = f32[8,4]{1,0} broadcast(k), dimensions={}, frontend_attributes={key=%s}\n"
            b"%s"
            b"  s = f32[8,4]{1,0} add(%s, b), metadata={op_name=%s source_file=%s source_line=9 op_type=%s}\n"
            b"  ROOT r = (f32[8,4]{1,0}, f32[8,4]{1,0}) tuple(s, a)\n}\n"
            % (octal, raw, octal, scale, octal, call if target else b"", b"c" if target else b"a", raw, octal, octal))


def assignment(text):
    """A buffer assignment with hostile names, as far as a line allows."""
    name = text.replace(b"\n", b"\r").replace(b" ", b"_")
    return (b"BufferAssignment:\nallocation 0: size 128, parameter 0, shape |f32[8,4]| at ShapeIndex {}:\n"
            b" value: <0 a%s @0> (size=128,offset=0): f32[8,4]{1,0}\n"
            b"allocation 1: size 128, preallocated-temp:\n"
            b" value: <1 s%s @0> (size=128,offset=0): f32[8,4]{1,0}\n\n"
            b"Total bytes used: 256 (256B)\n\nUsed values:\n" % (name, name))


def write_dump(folder, text):
    """Writes a dump: a module of three stages, a serialized one, one that cannot be read, and files of unknown kinds."""
    name = for_name(text)
    folder.mkdir(parents=True)

    def write(end, data):
        (folder / (b"module_0001.jit_f" + name + end).decode(errors="surrogateescape")).write_bytes(data)

    write(b".before_optimizations.txt", module(text))
    write(b".0001.pipe" + name[:30] + b".after_pass" + name[:30] + b".before_next.txt", module(text, 2))
    write(b".cpu_after_optimizations.txt", module(text, 3))
    write(b".cpu_after_optimizations-buffer-assignment.txt", assignment(text))
    write(b".debug_options", b"xla_flag: " + text)
    other = b"module_0002.jit_g" + name + b".cpu_after_optimizations.hlo.pb"
    (folder / other.decode(errors="surrogateescape")).write_bytes(proto(text))
    wrong = b"module_0003.jit_h" + name + b".cpu_after_optimizations.txt"
    (folder / wrong.decode(errors="surrogateescape")).write_bytes(b"\xff not a module " + text)
    (folder / (b"notes" + name).decode(errors="surrogateescape")).write_bytes(text)


def write_archive(path, folder):
    """The dump as a tar whose members have the hostile names."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape") as tar:
        for each in sorted(folder.iterdir()):
            member = tarfile.TarInfo(each.name)
            data = each.read_bytes()
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def write_files(folder, text):
    """Writes all inputs of the commands below a folder. Returns their paths by kind."""
    name = for_name(text).decode(errors="surrogateescape")
    paths = {"dump": folder / f"dump{name}", "other": folder / f"other{name}", "ranks": folder / f"ranks{name}"}
    write_dump(paths["dump"], text)
    write_dump(paths["other"], text + b"2")
    for rank in (0, 1):
        write_dump(paths["ranks"] / f"rank_{rank}{name}", text + b"%d" % rank)
    paths["tar"] = folder / f"dump{name}.tar"
    write_archive(paths["tar"], paths["dump"])
    plain = text.replace(b"\n", b"").replace(b",", b";")
    wrong = b"HloModule m%s\nENTRY e {\n  ROOT %s = f32[8] nosuch%s(x)\n}\n" % (text, text, text)
    written = {"text": (".txt", module(text, 1, False)), "second": (".2.txt", module(text, 2, False)),
               "called": (".call.txt", module(text)),
               "proto": (".hlo.pb", proto(text)), "bad_proto": (".bad.hlo.pb", proto(text, 9)), "bad": (".bad.txt", wrong),
               "zipped": (".txt.gz", gzip.compress(module(text))),
               "csv": (".csv", b"id,lower,upper,size\n%s,0,2,4\nb,x%s,3,4\n" % (plain, plain)),
               "profile": (".profile.csv", b"name,duration_ns\n%s,12\ns,5\n" % plain)}
    for kind, (end, data) in written.items():
        paths[kind] = folder / f"m{name}{end}"
        paths[kind].write_bytes(data)
    paths["missing"] = folder / f"missing{name}"
    paths["out"] = folder / f"out{name}"
    paths["name"] = name
    return paths


def unsafe(character):
    """Whether a character of output may act on a terminal, break a line, change the direction or hide."""
    return character != "\n" and (unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")
                                  or ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF)


def printable(text):
    """How the command must print a string of its arguments: what is unsafe as the bytes of its UTF-8."""
    def shown(character):
        is_unsafe = unsafe(character) or character == "\n"
        return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character)) if is_unsafe else character
    return "".join(map(shown, text))
