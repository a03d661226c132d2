"""Large honest modules of four shapes for the rows on cost, as HLO text of about n instructions: long chains of fusions,
nests of loops, wide tuples carried by a loop, and many small computations. This is not a row."""
from common import make_large_module

NEST = 24  # loops inside each other, as deep as programs nest them
HEAD = "HloModule {name}, is_scheduled=true, entry_computation_layout={{{layout}}}\n\n"


def size_of_nest(nested):
    """Instructions of so many loops inside each other."""
    return nested * 13 + 4


NEST_SIZE = size_of_nest(NEST)


def flat_chain(path, n):
    make_large_module(path, n)


def write(path, parts):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(parts)


def deep_loops(path, n, nested=NEST):
    """Loops that carry a counter and an array, `nested` inside each other, one nest after the other."""
    nests = max(1, n // size_of_nest(nested))
    carried = "(s32[], f32[8]{0})"

    def parts():
        yield HEAD.format(name="deep_loops", layout="(s32[], f32[8]{0})->f32[8]{0}")
        for nest in range(nests):
            for depth in reversed(range(nested)):
                own = f"{nest}.{depth}"
                yield (f"%cond.{own} (pc.{own}: (s32[], f32[8])) -> pred[] {{\n"
                       f"  %pc.{own} = {carried} parameter(0)\n"
                       f"  %ic.{own} = s32[] get-tuple-element(%pc.{own}), index=0\n"
                       f"  %two.{own} = s32[] constant(2)\n"
                       f"  ROOT %less.{own} = pred[] compare(%ic.{own}, %two.{own}), direction=LT\n}}\n\n")
                yield (f"%body.{own} (q.{own}: (s32[], f32[8])) -> (s32[], f32[8]) {{\n"
                       f"  %q.{own} = {carried} parameter(0)\n"
                       f"  %i.{own} = s32[] get-tuple-element(%q.{own}), index=0\n"
                       f"  %x.{own} = f32[8]{{0}} get-tuple-element(%q.{own}), index=1\n"
                       f"  %one.{own} = s32[] constant(1)\n"
                       f"  %next.{own} = s32[] add(%i.{own}, %one.{own})\n"
                       f"  %sum.{own} = f32[8]{{0}} add(%x.{own}, %x.{own})\n")
                inner = f"%sum.{own}"
                if depth + 1 < nested:
                    below = f"{nest}.{depth + 1}"
                    yield (f"  %in.{own} = {carried} tuple(%i.{own}, %sum.{own})\n"
                           f"  %while.{below} = {carried} while(%in.{own}), condition=%cond.{below}, body=%body.{below}\n"
                           f"  %out.{own} = f32[8]{{0}} get-tuple-element(%while.{below}), index=1\n")
                    inner = f"%out.{own}"
                yield f"  ROOT %r.{own} = {carried} tuple(%next.{own}, {inner})\n}}\n\n"
        yield "ENTRY %main (i: s32[], x: f32[8]) -> f32[8] {\n"
        yield "  %i = s32[] parameter(0)\n  %x = f32[8]{0} parameter(1)\n"
        last = "%x"
        for nest in range(nests):
            root = "ROOT " if nest + 1 == nests else ""
            yield (f"  %t.{nest} = {carried} tuple(%i, {last})\n"
                   f"  %while.{nest}.0 = {carried} while(%t.{nest}), condition=%cond.{nest}.0, body=%body.{nest}.0\n"
                   f"  {root}%e.{nest} = f32[8]{{0}} get-tuple-element(%while.{nest}.0), index=1\n")
            last = f"%e.{nest}"
        yield "}\n"

    write(path, parts())


def wide_tuples(path, n):
    """One loop that carries n/5 arrays, each updated in the body."""
    width = max(2, n // 5)
    arrays = ", ".join(["f32[8]"] * width)
    laid_out = ", ".join(["f32[8]{0}"] * width)
    carried = f"(s32[], {laid_out})"

    def parts():
        yield HEAD.format(name="wide_tuples", layout=f"(s32[], {laid_out})->({carried})".replace("((", "(").replace("))", ")"))
        yield f"%cond (c: (s32[], {arrays})) -> pred[] {{\n  %c = {carried} parameter(0)\n"
        yield ("  %ci = s32[] get-tuple-element(%c), index=0\n  %limit = s32[] constant(2)\n"
               "  ROOT %less = pred[] compare(%ci, %limit), direction=LT\n}\n\n")
        yield f"%body (b: (s32[], {arrays})) -> (s32[], {arrays}) {{\n  %b = {carried} parameter(0)\n"
        yield ("  %bi = s32[] get-tuple-element(%b), index=0\n  %one = s32[] constant(1)\n"
               "  %next = s32[] add(%bi, %one)\n")
        for i in range(width):
            yield f"  %g.{i} = f32[8]{{0}} get-tuple-element(%b), index={i + 1}\n"
        for i in range(width):
            yield f"  %a.{i} = f32[8]{{0}} add(%g.{i}, %g.{(i + 1) % width})\n"
        results = ", ".join(f"%a.{i}" for i in range(width))
        yield f"  ROOT %bt = {carried} tuple(%next, {results})\n}}\n\n"
        names = ", ".join(f"p.{i}: f32[8]" for i in range(width))
        yield f"ENTRY %main (i: s32[], {names}) -> (s32[], {arrays}) {{\n  %i = s32[] parameter(0)\n"
        for i in range(width):
            yield f"  %p.{i} = f32[8]{{0}} parameter({i + 1})\n"
        for i in range(width):
            yield f"  %n.{i} = f32[8]{{0}} negate(%p.{i})\n"
        values = ", ".join(f"%n.{i}" for i in range(width))
        yield f"  %start = {carried} tuple(%i, {values})\n"
        yield f"  ROOT %loop = {carried} while(%start), condition=%cond, body=%body\n}}\n"

    write(path, parts())


def many_computations(path, n):
    """Called and applied computations of a few instructions each."""
    count = max(1, n // 9)

    def parts():
        yield HEAD.format(name="many_computations", layout="(f32[8]{0}, f32[])->f32[8]{0}")
        for i in range(count):
            yield (f"%sum.{i} (a.{i}: f32[], b.{i}: f32[]) -> f32[] {{\n  %a.{i} = f32[] parameter(0)\n"
                   f"  %b.{i} = f32[] parameter(1)\n  ROOT %s.{i} = f32[] add(%a.{i}, %b.{i})\n}}\n\n"
                   f"%step.{i} (v.{i}: f32[8]) -> f32[8] {{\n  %v.{i} = f32[8]{{0}} parameter(0)\n"
                   f"  ROOT %w.{i} = f32[8]{{0}} multiply(%v.{i}, %v.{i})\n}}\n\n")
        yield "ENTRY %main (x: f32[8], z: f32[]) -> f32[8] {\n  %x = f32[8]{0} parameter(0)\n  %z = f32[] parameter(1)\n"
        last = "%x"
        for i in range(count):
            root = "ROOT " if i + 1 == count else ""
            yield (f"  %call.{i} = f32[8]{{0}} call({last}), to_apply=%step.{i}\n"
                   f"  %red.{i} = f32[] reduce(%call.{i}, %z), dimensions={{0}}, to_apply=%sum.{i}\n"
                   f"  %bc.{i} = f32[8]{{0}} broadcast(%red.{i}), dimensions={{}}\n"
                   f"  {root}%add.{i} = f32[8]{{0}} add(%bc.{i}, %call.{i})\n")
            last = f"%add.{i}"
        yield "}\n"

    write(path, parts())


SHAPES = {"flat chains": flat_chain, "deep loops": deep_loops, "wide tuples": wide_tuples,
          "many computations": many_computations}
