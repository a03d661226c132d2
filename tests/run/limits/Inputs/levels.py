"""Prints a module in which each of 40 computations calls the next one twice: by two calls, or by one conditional."""
import sys

ARRAY = "f32[4]{0}"


def lines(how, below):
    if how == "call":
        return [f"a = {ARRAY} call(p), to_apply={below}", f"ROOT r = {ARRAY} call(a), to_apply={below}"]
    return ["k = s32[] constant(0)", f"ROOT r = {ARRAY} conditional(k, p, p), branch_computations={{{below}, {below}}}"]


print(f"HloModule levels\n\nc0 {{\n  p = {ARRAY} parameter(0)\n  ROOT r = {ARRAY} negate(p)\n}}")
for level in range(1, 41):
    print(f"\n{'ENTRY ' if level == 40 else ''}c{level} {{\n  p = {ARRAY} parameter(0)")
    for line in lines(sys.argv[1], f"c{level - 1}"):
        print("  " + line)
    print("}")
