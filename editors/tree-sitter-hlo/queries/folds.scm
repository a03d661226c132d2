; Computations and stack tables fold; so does the list of an elided or printed constant that spans lines.
(body) @fold
(stack_table) @fold
(operands) @fold
