; Values are local to their computation. Computations are defined in the file.
(source_file) @local.scope
(computation) @local.scope

(computation_name (name) @local.definition)
(value_name (name) @local.definition)
(operand (reference (name) @local.reference))
(attribute value: (reference (name) @local.reference))
