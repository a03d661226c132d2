"""Worst cases for the readers, the verifier, the planner and the index: input that is small to write and tempts a program
to do the same work again and again. Each function writes about n items at a path; CASES names the commands that read
them. This is not a row."""
import gzip
import io
import struct
import tarfile
import zlib

HEAD = "HloModule hostile, is_scheduled=true\n\n"
ENTRY = HEAD + "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
END = "}\n"


def text(path, parts):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(parts)


def root(operand="%p"):
    return f"  ROOT %r = f32[8]{{0}} negate({operand})\n{END}"


# Text.

def unclosed_tuples(path, n):
    text(path, [ENTRY, *(f"  %a.{i} = (\n" for i in range(n)), root()])


def unclosed_operands(path, n):
    text(path, [ENTRY, *(f"  %a.{i} = f32[8]{{0}} add(%p, %p\n" for i in range(n)), root()])


def unclosed_attributes(path, n):
    text(path, [ENTRY, *(f"  %a.{i} = f32[8]{{0}} negate(%p), metadata={{op_name=\"x\n" for i in range(n)), root()])


def unclosed_computations(path, n):
    text(path, [HEAD, *(f"%c.{i} (p.{i}: f32[8]) -> f32[8] {{\n  %p.{i} = f32[8]{{0}} parameter(0)\n" for i in range(n))])


def unclosed_inline(path, n):
    text(path, [ENTRY, *(f"  %a.{i} = f32[8]{{0}} map(%p), to_apply={{\n" for i in range(n)), root()])


def unclosed_comments(path, n):
    text(path, [ENTRY, *(f"  %a.{i} = f32[8]{{0}} /* negate(%p)\n" for i in range(n)), root()])


def inline_computations(path, n):
    body = "{ a = f32[] parameter(0) ROOT n = f32[] negate(a) }"
    text(path, [ENTRY, *(f"  %a.{i} = f32[8]{{0}} map(%p), dimensions={{0}}, to_apply={body}\n" for i in range(n)), root()])


def one_name(path, n):
    text(path, [ENTRY, *("  %a = f32[8]{0} negate(%p)\n" for _ in range(n)), root()])


def one_computation_name(path, n):
    text(path, [HEAD, *("%c (q: f32[8]) -> f32[8] {\n  %q = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} negate(%q)\n}\n\n"
                        for _ in range(n)), ENTRY[len(HEAD):], root()])


def unknown_names(path, n):
    text(path, [ENTRY, *(f"  %a.{i} = f32[8]{{0}} add(%no.{i}, %nor.{i})\n" for i in range(n)), root()])


def long_name(path, n):
    name = "a" * n
    text(path, [ENTRY, *(f"  %{name}.{i} = f32[8]{{0}} negate(%p)\n" for i in range(64)), root(f"%{name}.63")])


def deep_tuple(path, n):
    text(path, [HEAD, "ENTRY %main {\n  ROOT %p = ", "(" * n, "f32[]", ")" * n, " parameter(0)\n}\n"])


def deep_attribute(path, n):
    text(path, [ENTRY, "  %a = f32[8]{0} custom-call(%p), custom_call_target=\"x\", backend_config={", "{" * n, "}" * n,
                "}\n", root("%a")])


def deep_json(path, n):
    text(path, [ENTRY, "  %a = f32[8]{0} custom-call(%p), custom_call_target=\"x\", backend_config=", '{"a":' * n, "1",
                "}" * n, "\n", root("%a")])


def bad_attributes(path, n):
    text(path, [ENTRY, *("  %%a.%d = f32[8]{0} negate(%%p), sharding={devices=[2,x]0,1}, dimensions={q}, bogus={1\n" % i
                         for i in range(n)), root()])


def repeated_attributes(path, n):
    text(path, [ENTRY, "  %a = f32[8]{0} negate(%p)", *(", metadata={op_name=\"x\"}" for _ in range(n)), "\n", root("%a")])


def unknown_attributes(path, n):
    text(path, [ENTRY, "  %a = f32[8]{0} negate(%p)", *(f", zz{i}={i}" for i in range(n)), "\n", root("%a")])


def one_line(path, n):
    with open(path, "wb") as file:
        file.write(b"lorem ipsum ( [ { \" " * n)


def frames(path, n):
    """A log that opens many frames and closes none."""
    text(path, (f"*** Begin module_{i:04}.x.before_optimizations.txt ***\n" for i in range(n)))


def large_constant(path, n):
    text(path, [HEAD, f"ENTRY %main {{\n  ROOT %c = s32[{n}]{{0}} constant({{", "1, " * (n - 1), "1})\n}\n"])


# Programs that are right, for the verifier and the planner.

def bitcasts_of_one(path, n):
    """A result of many bitcasts of one value."""
    names = ", ".join(f"%b.{i}" for i in range(n))
    shape = ", ".join(["f32[8]{0}"] * n)
    text(path, [HEAD, "ENTRY %main {\n  %p = f32[8]{0} parameter(0)\n  %x = f32[8]{0} negate(%p)\n",
                *(f"  %b.{i} = f32[8]{{0}} bitcast(%x)\n" for i in range(n)),
                f"  ROOT %t = ({shape}) tuple({names})\n{END}"])


def one_operand_often(path, n):
    names = ", ".join(["%x"] * n)
    shape = ", ".join(["f32[8]{0}"] * n)
    text(path, [HEAD, "ENTRY %main {\n  %p = f32[8]{0} parameter(0)\n  %x = f32[8]{0} negate(%p)\n",
                f"  ROOT %t = ({shape}) tuple({names})\n{END}"])


def wide_operation(path, n):
    """One op that reads n values, all of the size of its result."""
    names = ", ".join(f"%x.{i}" for i in range(n))
    text(path, [HEAD, "ENTRY %main {\n  %p = f32[8]{0} parameter(0)\n",
                *(f"  %x.{i} = f32[8]{{0}} negate(%p)\n" for i in range(n)),
                f"  ROOT %c = f32[8]{{0}} custom-call({names}), custom_call_target=\"wide\"\n{END}"])


def wide_in_and_out(path, n):
    """A call that reads n values and writes n values, all live at once."""
    names = ", ".join(f"%x.{i}" for i in range(n))
    shape = ", ".join(["f32[8]{0}"] * n)
    text(path, [HEAD, "ENTRY %main {\n  %p = f32[8]{0} parameter(0)\n",
                *(f"  %x.{i} = f32[8]{{0}} negate(%p)\n" for i in range(n)),
                f"  %c = ({shape}) custom-call({names}), custom_call_target=\"wide\"\n",
                *(f"  %g.{i} = f32[8]{{0}} get-tuple-element(%c), index={i}\n" for i in range(n)),
                *(f"  %s.{i} = f32[8]{{0}} add(%g.{i}, %{'s' if i else 'g'}.{max(i - 1, 0)})\n" for i in range(n)),
                f"  ROOT %r = f32[8]{{0}} negate(%s.{n - 1})\n{END}"])


def update_chain(path, n):
    """Updates in place of one array, each by a value that is live to the end."""
    keep = ", ".join(f"%u.{i}" for i in range(n))
    shape = ", ".join(["f32[1]{0}"] * n)
    text(path, [HEAD, "ENTRY %main {\n  %p = f32[64]{0} parameter(0)\n  %i = s32[] parameter(1)\n  %q = f32[1]{0} parameter(2)\n"
                "  %d = f32[64]{0} negate(%p)\n",
                *(f"  %u.{i} = f32[1]{{0}} negate(%q)\n"
                  f"  %d.{i} = f32[64]{{0}} dynamic-update-slice(%d{'.' + str(i - 1) if i else ''}, %u.{i}, %i)\n"
                  for i in range(n)),
                f"  ROOT %t = (f32[64]{{0}}, {shape}) tuple(%d.{n - 1}, {keep})\n{END}"])


def staggered_ranges(path, n):
    """Values of growing sizes with live ranges that overlap in every way: holes in the heap."""
    def parts():
        yield HEAD + "ENTRY %main {\n  %p = f32[8]{0} parameter(0)\n  %z = f32[] constant(0)\n"
        for i in range(n):
            yield f"  %x.{i} = f32[{8 + (i * 7919) % 1021}]{{0}} broadcast(%z), dimensions={{}}\n"
            back = i - (i * 104729) % 97
            if back > 0:
                width = 8 + (back * 7919) % 1021
                yield f"  %y.{i} = f32[{width}]{{0}} negate(%x.{back})\n"
        yield root()
    text(path, parts())


def staircase_outputs(path, n):
    """Results of one size, written early and late, with temporaries of the same size between."""
    names = ", ".join(f"%o.{i}" for i in range(n))
    shape = ", ".join(["f32[8]{0}"] * n)
    text(path, [HEAD, "ENTRY %main {\n  %p = f32[8]{0} parameter(0)\n",
                *(f"  %a.{i} = f32[8]{{0}} negate(%p)\n  %b.{i} = f32[8]{{0}} exponential(%a.{i})\n"
                  f"  %c.{i} = f32[8]{{0}} add(%b.{i}, %a.{i})\n  %o.{i} = f32[8]{{0}} copy(%c.{i})\n" for i in range(n)),
                f"  ROOT %t = ({shape}) tuple({names})\n{END}"])


def nested_loops(path, n):
    """Loops inside each other, as deep as the file is long."""
    carried = "(s32[], f32[8]{0})"

    def parts():
        yield HEAD
        for depth in reversed(range(n)):
            yield (f"%cond.{depth} {{\n  %pc.{depth} = {carried} parameter(0)\n"
                   f"  ROOT %l.{depth} = pred[] constant(false)\n}}\n\n%body.{depth} {{\n")
            if depth + 1 < n:
                yield (f"  %q.{depth} = {carried} parameter(0)\n"
                       f"  ROOT %w.{depth} = {carried} while(%q.{depth}), condition=%cond.{depth + 1}, "
                       f"body=%body.{depth + 1}\n}}\n\n")
            else:
                yield f"  ROOT %q.{depth} = {carried} parameter(0)\n}}\n\n"
        yield (f"ENTRY %main {{\n  %p = {carried} parameter(0)\n"
               f"  ROOT %w = {carried} while(%p), condition=%cond.0, body=%body.0\n}}\n")
    text(path, parts())


def calls_of_one(path, n):
    text(path, [HEAD, "%f {\n  %q = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} negate(%q)\n}\n\n",
                "ENTRY %main {\n  %c.0 = f32[8]{0} parameter(0)\n",
                *(f"  {'ROOT ' if i == n else ''}%c.{i} = f32[8]{{0}} call(%c.{i - 1}), to_apply=%f\n"
                  for i in range(1, n + 1)), END])


def calls_of_loops(path, n):
    """Calls of one computation, each of what another loop returns: a new value for its parameter at each call."""
    text(path, [HEAD, "%f {\n  %q = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} bitcast(%q)\n}\n\n",
                "%b {\n  %bq = f32[8]{0} parameter(0)\n  ROOT %bn = f32[8]{0} negate(%bq)\n}\n\n"
                "%c {\n  %cq = f32[8]{0} parameter(0)\n  ROOT %cn = pred[] constant(false)\n}\n\n",
                "ENTRY %main {\n  %c.0 = f32[8]{0} parameter(0)\n",
                *(f"  %w.{i} = f32[8]{{0}} while(%c.{i - 1}), condition=%c, body=%b\n"
                  f"  {'ROOT ' if i == n else ''}%c.{i} = f32[8]{{0}} call(%w.{i}), to_apply=%f\n"
                  for i in range(1, n + 1)), END])


def wide_calls(path, n):
    """Two calls of a computation with n parameters, the second of the results of the first."""
    shape = ", ".join(["f32[8]{0}"] * n)
    text(path, [HEAD, "%f {\n", *(f"  %q.{i} = f32[8]{{0}} parameter({i})\n" for i in range(n)),
                f"  ROOT %t = ({shape}) tuple({', '.join(f'%q.{i}' for i in range(n))})\n}}\n\n",
                "ENTRY %main {\n", *(f"  %p.{i} = f32[8]{{0}} parameter({i})\n" for i in range(n)),
                f"  %a = ({shape}) call({', '.join(f'%p.{i}' for i in range(n))}), to_apply=%f\n",
                *(f"  %g.{i} = f32[8]{{0}} get-tuple-element(%a), index={i}\n" for i in range(n)),
                f"  ROOT %z = ({shape}) call({', '.join(f'%g.{i}' for i in range(n))}), to_apply=%f\n}}\n"])


def wide_branches(path, n):
    """A conditional with n branches and an operand for each."""
    names = ", ".join(f"%f.{i}" for i in range(n))
    text(path, [HEAD, *(f"%f.{i} {{\n  %q.{i} = f32[8]{{0}} parameter(0)\n  ROOT %n.{i} = f32[8]{{0}} negate(%q.{i})\n}}\n\n"
                        for i in range(n)),
                "ENTRY %main {\n  %i = s32[] parameter(0)\n  %p = f32[8]{0} parameter(1)\n",
                *(f"  %b.{i} = f32[8]{{0}} bitcast(%p)\n" for i in range(n)),
                f"  ROOT %r = f32[8]{{0}} conditional(%i, {', '.join(f'%b.{i}' for i in range(n))}), "
                f"branch_computations={{{names}}}\n}}\n"])


def async_chain(path, n):
    """An asynchronous call that is updated n times and calls computations that call others."""
    state = "((f32[8]{0}), f32[8]{0}, s32[])"
    text(path, [HEAD, "%f {\n  %q = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} negate(%q)\n}\n\n",
                f"ENTRY %main {{\n  %p = f32[8]{{0}} parameter(0)\n  %s.0 = {state} async-start(%p), calls=%f\n",
                *(f"  %s.{i} = {state} async-update(%s.{i - 1})\n" for i in range(1, n)),
                f"  ROOT %d = f32[8]{{0}} async-done(%s.{n - 1})\n{END}"])


def wrong_everywhere(path, n):
    """Every instruction breaks a rule."""
    text(path, [ENTRY, *(f"  %a.{i} = f32[9]{{0}} add(%p, %p)\n" for i in range(n)), root()])


# Binary and packed forms.

def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def binary(path, payload):
    with open(path, "wb") as file:
        file.write(payload)


def proto_instruction(i, operands=(), opcode=b"negate", extra=b""):
    shape = varint(2 << 3) + varint(11) + field(3, varint(8)) + field(5, field(1, varint(0)))
    return (field(1, f"a.{i}".encode()) + field(2, opcode) + field(3, shape) + varint(35 << 3) + varint(i + 1)
            + field(36, b"".join(varint(each + 1) for each in operands)) + extra)


def proto_module(instructions, name=b"m"):
    computation = (field(1, b"main") + b"".join(field(2, each) for each in instructions) + varint(5 << 3) + varint(1)
                   + varint(6 << 3) + varint(len(instructions)))
    return field(1, name) + field(2, b"main") + field(3, computation) + varint(5 << 3) + varint(1) + varint(6 << 3) + varint(1)


def proto_chain(path, n):
    parts = [proto_instruction(0, opcode=b"parameter")] + [proto_instruction(i, (i - 1,)) for i in range(1, n)]
    binary(path, field(1, proto_module(parts)))


def proto_one_id(path, n):
    """Instructions that all have the same number and name."""
    binary(path, field(1, proto_module([proto_instruction(0, (0,)) for _ in range(n)])))


def proto_backwards(path, n):
    """Each instruction reads the next one."""
    binary(path, field(1, proto_module([proto_instruction(i, (min(i + 1, n - 1),)) for i in range(n)])))


def proto_deep_shape(path, n):
    shape = varint(2 << 3) + varint(11)
    for _ in range(min(n, 4000)):
        shape = varint(2 << 3) + varint(13) + field(4, shape)
    binary(path, field(1, proto_module([field(1, b"a") + field(2, b"parameter") + field(3, shape)
                                        + varint(35 << 3) + varint(1)])) + b"\0" * n)


def proto_unknown_fields(path, n):
    binary(path, field(1, proto_module([proto_instruction(0, opcode=b"parameter",
                                                          extra=b"".join(field(500 + i % 90, b"x") for i in range(n)))])))


def proto_many_computations(path, n):
    one = field(1, b"c") + field(2, proto_instruction(0, opcode=b"parameter"))
    binary(path, field(1, field(1, b"m") + field(2, b"c") + b"".join(field(3, one) for _ in range(n))))


def snapshot(path, n):
    """A snapshot with n arguments."""
    literal = field(1, varint(2 << 3) + varint(11)) + field(6, struct.pack("<f", 1))
    module = field(1, proto_module([proto_instruction(0, opcode=b"parameter")]))
    binary(path, field(1, module) + b"".join(field(2, literal) for _ in range(n)))


def assignment(path, n):
    """One allocation with n values that are all live at once at one offset."""
    text(path, ["BufferAssignment:\nallocation 0: size 32, preallocated-temp:\n",
                *(f" value: <{i} a.{i} @0> (size=32,offset=0): f32[8]{{0}}\n" for i in range(n)),
                "\nTotal bytes used: 32 (32B)\n\nUsed values:\n",
                *(f"<{i} a.{i} @0>\n positions:\n  a.{i}\n uses:\n  b, operand 0\n from instruction: "
                  f"%a.{i} = f32[8]{{0}} negate(f32[8]{{0}} %p)\n" for i in range(n)),
                "\nHloLiveRange (max 1):\n  InstructionSequence:\n", *(f"    {i}:a.{i}\n" for i in range(n)),
                "  BufferLiveRange:\n", *(f"    a.{i}{{}}:0-{n}\n" for i in range(n)),
                "  Live ranges at 0 (peak):\n", *(f"    a.{i}: 32 bytes\n" for i in range(n))])


def many_allocations(path, n):
    text(path, ["BufferAssignment:\n",
                *(f"allocation {i}: size 32, maybe-live-out:\n value: <{i} a.{i} @0> (size=32,offset=0): f32[8]{{0}}\n"
                  for i in range(n)), f"\nTotal bytes used: {32 * n} ({32 * n}B)\n"])


def bgzip(path, n):
    """A gzip file of many members, as bgzip writes them."""
    module = io.StringIO()
    for i in range(n):
        module.write(f"  %a.{i} = f32[8]{{0}} negate(%p)\n")
    data = (ENTRY + module.getvalue() + root()).encode()
    with open(path, "wb") as file:
        for at in range(0, len(data), 40):
            file.write(gzip.compress(data[at:at + 40], 1, mtime=0))


def empty_members(path, n):
    member = gzip.compress(b"", 1, mtime=0)
    binary(path, member * n + gzip.compress((ENTRY + root()).encode(), mtime=0))


def gzip_bomb(path, n):
    """Zeros, which compress a thousandfold: the cost is that of what they become."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    binary(path, packer.compress(bytes(n)) + packer.flush())


def tar(path, n):
    module = (ENTRY + root()).encode()
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for i in range(n):
            info = tarfile.TarInfo(f"module_{i:06}.m{i}.before_optimizations.txt")
            info.size = len(module)
            archive.addfile(info, io.BytesIO(module))


def tar_one_name(path, n):
    module = (ENTRY + root()).encode()
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for _ in range(n):
            info = tarfile.TarInfo("module_0000.m.before_optimizations.txt")
            info.size = len(module)
            archive.addfile(info, io.BytesIO(module))


def npz(path, n):
    """A zip of n arrays that no parameter has the name of, beside the module that reads one."""
    array = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }".ljust(117) + b"\n" + bytes(32)
    crc = zlib.crc32(array)
    with open(path, "wb") as file:
        entries = []
        for i in range(n + 1):
            name = b"p.npy" if i == n else f"x{i}.npy".encode()
            facts = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, crc, len(array), len(array), len(name), 0)
            entries.append(b"PK\x01\x02" + struct.pack("<H", 20) + facts + struct.pack("<HHHII", 0, 0, 0, 0, file.tell()) + name)
            file.write(b"PK\x03\x04" + facts + name + array)
        at = file.tell()
        file.writelines(entries)
        size = file.tell() - at
        if n + 1 < 65535:
            file.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, n + 1, n + 1, size, at, 0))
    text(str(path) + ".hlo", [ENTRY, root()])


def aliased_parameters(path, n):
    """A module of n parameters that returns each of them in its own memory."""
    def parts():
        aliases = ", ".join(f"{{{i}}}: ({i}, {{}}, may-alias)" for i in range(n))
        results = ", ".join(["f32[]"] * n)
        yield f"HloModule hostile, is_scheduled=true, input_output_alias={{ {aliases} }}\n\n"
        yield "ENTRY %main (" + ", ".join(f"p{i}: f32[]" for i in range(n)) + f") -> ({results}) {{\n"
        for i in range(n):
            yield f"  %p{i} = f32[] parameter({i})\n"
        yield f"  ROOT %t = ({results}) tuple(" + ", ".join(f"%p{i}" for i in range(n)) + ")\n}\n"
    text(path, parts())


# Name of the case: generator, file name, sizes (the largest; the others are an eighth, a quarter and a half of it), commands.
READ = ("info {}",)
CHECK = ("check --no-warnings {}",)
MEMORY = ("check --no-warnings {}", "memory {}")
CASES = {
    "unclosed tuples": (unclosed_tuples, "x.hlo", 100_000, READ),
    "unclosed operands": (unclosed_operands, "x.hlo", 100_000, READ),
    "unclosed strings": (unclosed_attributes, "x.hlo", 100_000, READ),
    "unclosed computations": (unclosed_computations, "x.hlo", 100_000, READ),
    "unclosed inline computations": (unclosed_inline, "x.hlo", 100_000, READ),
    "unclosed comments": (unclosed_comments, "x.hlo", 100_000, READ),
    "inline computations": (inline_computations, "x.hlo", 200_000, CHECK),
    "one name": (one_name, "x.hlo", 200_000, READ),
    "one computation name": (one_computation_name, "x.hlo", 100_000, READ),
    "unknown names": (unknown_names, "x.hlo", 100_000, READ),
    "long names": (long_name, "x.hlo", 400_000, READ),
    "deep tuple": (deep_tuple, "x.hlo", 4_000_000, READ),
    "deep attribute": (deep_attribute, "x.hlo", 4_000_000, READ),
    "deep JSON": (deep_json, "x.hlo", 2_000_000, MEMORY),
    "bad attributes": (bad_attributes, "x.hlo", 100_000, CHECK),
    "repeated attribute": (repeated_attributes, "x.hlo", 200_000, CHECK),
    "unknown attributes": (unknown_attributes, "x.hlo", 200_000, CHECK),
    "one line": (one_line, "x.txt", 1_000_000, READ),
    "frames without end": (frames, "x.log", 100_000, READ),
    "large constant": (large_constant, "x.hlo", 4_000_000, READ),
    "bitcasts of one value": (bitcasts_of_one, "x.hlo", 100_000, MEMORY),
    "one operand often": (one_operand_often, "x.hlo", 200_000, MEMORY),
    "wide operation": (wide_operation, "x.hlo", 100_000, MEMORY),
    "wide in and out": (wide_in_and_out, "x.hlo", 40_000, MEMORY),
    "chain of updates": (update_chain, "x.hlo", 60_000, MEMORY),
    "staggered ranges": (staggered_ranges, "x.hlo", 100_000, MEMORY),
    "outputs in turns": (staircase_outputs, "x.hlo", 60_000, MEMORY),
    "nested loops": (nested_loops, "x.hlo", 60_000, MEMORY),
    "calls of one computation": (calls_of_one, "x.hlo", 200_000, MEMORY),
    "calls of loops": (calls_of_loops, "x.hlo", 60_000, MEMORY),
    "wide calls": (wide_calls, "x.hlo", 100_000, MEMORY),
    "conditional with many branches": (wide_branches, "x.hlo", 60_000, MEMORY),
    "asynchronous chain": (async_chain, "x.hlo", 100_000, MEMORY),
    "wrong everywhere": (wrong_everywhere, "x.hlo", 60_000, CHECK),
    "proto chain": (proto_chain, "x.pb", 200_000, CHECK),
    "proto with one number": (proto_one_id, "x.pb", 200_000, READ),
    "proto backwards": (proto_backwards, "x.pb", 200_000, CHECK),
    "proto nested shape": (proto_deep_shape, "x.pb", 4_000_000, READ),
    "proto unknown fields": (proto_unknown_fields, "x.pb", 400_000, READ),
    "proto computations": (proto_many_computations, "x.pb", 100_000, CHECK),
    "snapshot": (snapshot, "x.pb", 400_000, READ),
    "assignment": (assignment, "x-buffer-assignment.txt", 40_000, ("info {}", "memory --check {}", "memory {}")),
    "allocations": (many_allocations, "x-buffer-assignment.txt", 200_000, ("info {}", "memory --check {}")),
    "bgzip members": (bgzip, "x.hlo.gz", 100_000, READ),
    "empty members": (empty_members, "x.hlo.gz", 400_000, READ),
    "gzip bomb": (gzip_bomb, "x.hlo.gz", 400_000_000, READ),
    "tar archive": (tar, "x.tar.gz", 8_000, ("ls {}", "check {}", "report {} --page {page} -o {out} --max-size 1GB")),
    "tar with one name": (tar_one_name, "x.tar.gz", 16_000, ("ls {}", "check {}")),
    "aliased parameters": (aliased_parameters, "x.hlo", 100_000,
                           (*MEMORY, "run {} --engine reference --random 1 --repeat 2 --feed-back")),
    "zip of arrays": (npz, "x.npz", 60_000, ("run {}.hlo --engine reference -i {}",)),
}
