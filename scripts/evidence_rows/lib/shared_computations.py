"""Small programs that mean very large ones when unfolded: computations that are called twice at each of n levels, so that 2**n calls
are made, loops nested n deep, and values and tuples that many instructions share. Each function writes about n levels or
instructions at a path; CASES says how many. This is not a row."""
from hostile_inputs import HEAD, nested_loops, text
from large_modules import deep_loops

ARRAY = "f32[8]{0}"
LAST = "%f.{at} {{\n  %q.{at} = f32[8]{{0}} parameter(0)\n  ROOT %r.{at} = f32[8]{{0}} negate(%q.{at})\n}}\n\n"


def levels(path, n, level, last=LAST):
    """Computations %f.n-1 to %f.0, each of which `level` writes by its number and that of the next one; the entry calls %f.0."""
    def parts():
        yield HEAD
        yield last.format(at=n - 1)
        for at in reversed(range(n - 1)):
            yield level(at, at + 1)
        yield (f"ENTRY %main {{\n  %p = {ARRAY} parameter(0)\n"
               f"  ROOT %r = {ARRAY} call(%p), to_apply=%f.0\n}}\n")
    text(path, parts())


def body(at, lines):
    return f"%f.{at} {{\n  %q.{at} = {ARRAY} parameter(0)\n" + "".join(f"  {each}\n" for each in lines) + "}\n\n"


def branches(path, n):
    """Conditionals whose two branches are the same computation."""
    levels(path, n, lambda at, below: body(at, [
        f"%k.{at} = s32[] constant(0)",
        f"ROOT %r.{at} = {ARRAY} conditional(%k.{at}, %q.{at}, %q.{at}), branch_computations={{%f.{below}, %f.{below}}}"]))


def calls(path, n):
    levels(path, n, lambda at, below: body(at, [
        f"%a.{at} = {ARRAY} call(%q.{at}), to_apply=%f.{below}",
        f"ROOT %r.{at} = {ARRAY} call(%a.{at}), to_apply=%f.{below}"]))


def fusions(path, n):
    levels(path, n, lambda at, below: body(at, [
        f"%a.{at} = {ARRAY} fusion(%q.{at}), kind=kLoop, calls=%f.{below}",
        f"ROOT %r.{at} = {ARRAY} fusion(%a.{at}), kind=kLoop, calls=%f.{below}"]))


def async_calls(path, n):
    state = f"(({ARRAY}), {ARRAY}, s32[])"
    levels(path, n, lambda at, below: body(at, [
        f"%a.{at} = {state} async-start(%q.{at}), calls=%f.{below}",
        f"%b.{at} = {ARRAY} async-done(%a.{at})",
        f"%c.{at} = {state} async-start(%b.{at}), calls=%f.{below}",
        f"ROOT %r.{at} = {ARRAY} async-done(%c.{at})"]))


def loop_bodies(path, n):
    """Two loops at each level with one condition and one body."""
    def level(at, below):
        return (f"%never.{at} {{\n  %n.{at} = {ARRAY} parameter(0)\n  ROOT %no.{at} = pred[] constant(false)\n}}\n\n"
                + body(at, [f"%a.{at} = {ARRAY} while(%q.{at}), condition=%never.{at}, body=%f.{below}",
                            f"ROOT %r.{at} = {ARRAY} while(%a.{at}), condition=%never.{at}, body=%f.{below}"]))
    levels(path, n, level)


def loop_conditions(path, n):
    """Loops whose condition and body call the same computation."""
    def level(at, below):
        return (f"%cond.{at} {{\n  %c.{at} = {ARRAY} parameter(0)\n  %d.{at} = {ARRAY} call(%c.{at}), to_apply=%f.{below}\n"
                f"  %s.{at} = f32[1]{{0}} slice(%d.{at}), slice={{[0:1]}}\n  %t.{at} = f32[] reshape(%s.{at})\n"
                f"  %z.{at} = f32[] constant(0)\n  ROOT %l.{at} = pred[] compare(%t.{at}, %z.{at}), direction=GT\n}}\n\n"
                f"%body.{at} {{\n  %b.{at} = {ARRAY} parameter(0)\n"
                f"  ROOT %n.{at} = {ARRAY} call(%b.{at}), to_apply=%f.{below}\n}}\n\n"
                + body(at, [f"ROOT %r.{at} = {ARRAY} while(%q.{at}), condition=%cond.{at}, body=%body.{at}"]))
    levels(path, n, level)


def reducers(path, n):
    """Reducers that reduce twice with the next reducer."""
    def parts():
        yield HEAD
        for at in reversed(range(n)):
            yield f"%f.{at} {{\n  %x.{at} = f32[] parameter(0)\n  %y.{at} = f32[] parameter(1)\n"
            if at + 1 < n:
                yield (f"  %b.{at} = f32[2]{{0}} broadcast(%x.{at}), dimensions={{}}\n"
                       f"  %c.{at} = f32[] reduce(%b.{at}, %y.{at}), dimensions={{0}}, to_apply=%f.{at + 1}\n"
                       f"  ROOT %r.{at} = f32[] reduce(%b.{at}, %c.{at}), dimensions={{0}}, to_apply=%f.{at + 1}\n}}\n\n")
            else:
                yield f"  ROOT %r.{at} = f32[] add(%x.{at}, %y.{at})\n}}\n\n"
        yield (f"ENTRY %main {{\n  %p = {ARRAY} parameter(0)\n  %z = f32[] constant(0)\n"
               "  ROOT %r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%f.0\n}\n")
    text(path, parts())


def counted_loops(path, n):
    """Loops that count and carry an array, nested n deep."""
    deep_loops(path, 1, nested=n)


def diamonds(path, n):
    """Values that the next one reads twice, the second time at other places."""
    text(path, [HEAD, "ENTRY %main {\n  %x.0 = f32[8,8]{1,0} parameter(0)\n",
                *(f"  %t.{i} = f32[8,8]{{1,0}} transpose(%x.{i - 1}), dimensions={{1,0}}\n"
                  f"  {'ROOT ' if i == n else ''}%x.{i} = f32[8,8]{{1,0}} add(%x.{i - 1}, %t.{i})\n" for i in range(1, n + 1)),
                "}\n"])


def fused_diamonds(path, n):
    """Diamonds within one fusion."""
    text(path, [HEAD, "%fused {\n  %x.0 = f32[8,8]{1,0} parameter(0)\n",
                *(f"  %t.{i} = f32[8,8]{{1,0}} transpose(%x.{i - 1}), dimensions={{1,0}}\n"
                  f"  {'ROOT ' if i == n else ''}%x.{i} = f32[8,8]{{1,0}} add(%x.{i - 1}, %t.{i})\n" for i in range(1, n + 1)),
                "}\n\nENTRY %main {\n  %p = f32[8,8]{1,0} parameter(0)\n"
                "  ROOT %r = f32[8,8]{1,0} fusion(%p), kind=kLoop, calls=%fused\n}\n"])


def shared_tuple(path, n):
    """One tuple of n arrays that n calls of a library read whole."""
    shape = ", ".join([ARRAY] * n)
    text(path, [HEAD, f"ENTRY %main {{\n  %p = {ARRAY} parameter(0)\n",
                f"  %t = ({shape}) tuple({', '.join(['%p'] * n)})\n",
                *(f"  %c.{i} = {ARRAY} custom-call(%t), custom_call_target=\"wide\"\n" for i in range(n)),
                f"  ROOT %r = ({shape}) tuple({', '.join(f'%c.{i}' for i in range(n))})\n}}\n"])


def wide_and_called(path, n):
    """n calls of a computation that makes and forgets n arrays."""
    shape = ", ".join([ARRAY] * n)
    text(path, [HEAD, f"%f {{\n  %q = {ARRAY} parameter(0)\n  %w = ({shape}) custom-call(%q), custom_call_target=\"wide\"\n"
                f"  ROOT %e = {ARRAY} get-tuple-element(%w), index=0\n}}\n\nENTRY %main {{\n  %c.0 = {ARRAY} parameter(0)\n",
                *(f"  {'ROOT ' if i == n else ''}%c.{i} = {ARRAY} call(%c.{i - 1}), to_apply=%f\n" for i in range(1, n + 1)),
                "}\n"])


def layers(path, n):
    """Layers of 32 values, each of which two values of the next layer read."""
    width = 32
    text(path, [HEAD, "ENTRY %main {\n",
                *(f"  %x.0.{i} = {ARRAY} parameter({i})\n" for i in range(width)),
                *(f"  %x.{at}.{i} = {ARRAY} add(%x.{at - 1}.{i}, %x.{at - 1}.{(i * 7 + at) % width})\n"
                  for at in range(1, n // width + 1) for i in range(width)),
                f"  ROOT %r = ({', '.join([ARRAY] * width)}) tuple("
                f"{', '.join(f'%x.{n // width}.{i}' for i in range(width))})\n}}\n"])


def called_often(call):
    """A generator of n calls of one computation of n instructions."""
    def make(path, n):
        text(path, [HEAD, "%never {\n  %nq = f32[8]{0} parameter(0)\n  ROOT %no = pred[] constant(false)\n}\n\n",
                    f"%f {{\n  %q.0 = {ARRAY} parameter(0)\n",
                    *(f"  {'ROOT ' if i == n else ''}%q.{i} = {ARRAY} negate(%q.{i - 1})\n" for i in range(1, n + 1)), "}\n\n",
                    f"ENTRY %main {{\n  %k = s32[] parameter(1)\n  %c.0 = {ARRAY} parameter(0)\n",
                    *(f"  {'ROOT ' if i == n else ''}%c.{i} = {ARRAY} {call.format(x=f'%c.{i - 1}')}\n"
                      for i in range(1, n + 1)), "}\n"])
    return make


call_often = called_often("call({x}), to_apply=%f")
fusion_often = called_often("fusion({x}), kind=kLoop, calls=%f")
branch_often = called_often("conditional(%k, {x}, {x}), branch_computations={{%f, %f}}")
loop_often = called_often("while({x}), condition=%never, body=%f")


# Name of the case: generator and the largest number of levels or instructions.
CASES = {
    "branches twice per level": (branches, 16_000),
    "calls twice per level": (calls, 16_000),
    "fusions twice per level": (fusions, 16_000),
    "async calls twice per level": (async_calls, 16_000),
    "loop bodies twice per level": (loop_bodies, 16_000),
    "conditions and bodies twice per level": (loop_conditions, 8_000),
    "reducers twice per level": (reducers, 16_000),
    "nested loops": (nested_loops, 16_000),
    "nested counted loops": (counted_loops, 8_000),
    "diamonds": (diamonds, 40_000),
    "diamonds in a fusion": (fused_diamonds, 40_000),
    "wide tuple read often": (shared_tuple, 16_000),
    "wide values in a computation called often": (wide_and_called, 16_000),
    "layers": (layers, 64_000),
    "large computation called often": (call_often, 16_000),
    "large fusion often": (fusion_often, 16_000),
    "large branch often": (branch_often, 16_000),
    "large loop body often": (loop_often, 16_000),
}
