; Symbols for code navigation.
(computation name: (computation_name (name) @name)) @definition.function
(attribute value: (reference (name) @name)) @reference.call
