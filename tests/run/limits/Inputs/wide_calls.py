"""Prints a module that calls a computation so many times, which makes so many arrays by one library call."""
import sys

ARRAY = "f32[8]{0}"
calls, width = int(sys.argv[1]), int(sys.argv[2])

print(f"HloModule wide\n\nf {{\n  q = {ARRAY} parameter(0)\n"
      f"  w = ({', '.join([ARRAY] * width)}) custom-call(q), custom_call_target=\"wide\"\n"
      f"  ROOT e = {ARRAY} get-tuple-element(w), index=0\n}}\n\nENTRY e {{\n  c.0 = {ARRAY} parameter(0)")
for i in range(1, calls + 1):
    print(f"  {'ROOT ' if i == calls else ''}c.{i} = {ARRAY} call(c.{i - 1}), to_apply=f")
print("}")
