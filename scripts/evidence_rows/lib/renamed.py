"""Modules and assignments with every instruction and computation renamed to names that say nothing. No row by
itself."""
import re

NAME = r"[A-Za-z_][\w.\-]*"
PERCENT = re.compile(rf"%({NAME})")
SIGNATURE = re.compile(rf"({NAME}): ")
HEADER = re.compile(rf"^(?:ENTRY )?%{NAME} \(.*\{{$")


class Names:
    """Each name by the number of its first appearance."""

    def __init__(self):
        self.known = {}

    def __call__(self, name):
        return self.known.setdefault(name, f"v{len(self.known)}")


def rename_module(text):
    """A module that XLA printed with percent signs."""
    names = Names()
    lines = []
    for line in text.splitlines(keepends=True):
        is_header = HEADER.match(line) is not None
        line = PERCENT.sub(lambda found: "%" + names(found[1]), line)
        if is_header:
            line = SIGNATURE.sub(lambda found: names(found[1]) + ": ", line)
        lines.append(line)
    return "".join(lines), len(names.known)


# Where a line of an assignment names an instruction.
VALUE = re.compile(rf"^( value: <\d+ |<\d+ )({NAME})")
PLACE = re.compile(rf"^(  )({NAME})(?=,| \{{|$)")
TIMED = re.compile(rf"^(    \d+:)({NAME})")
RANGED = re.compile(rf"^(    )({NAME})(?=[{{:])")


def rename_assignment(text):
    """An assignment of the one-file form, with what it quotes of instructions."""
    names = Names()
    lines = []
    for line in text.splitlines(keepends=True):
        if line.startswith(" from instruction: "):
            line = PERCENT.sub(lambda found: "%" + names(found[1]), line)
        else:
            for form in (VALUE, TIMED, RANGED, PLACE):
                line, count = form.subn(lambda found: found[1] + names(found[2]), line)
                if count:
                    break
        lines.append(line)
    return "".join(lines), len(names.known)
