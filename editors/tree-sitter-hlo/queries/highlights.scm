; Colors. Editors differ in which of two patterns wins, so no node is matched by two that name different colors.

(comment) @comment
(frame_marker) @comment

["HloModule" "ENTRY" "ROOT"] @keyword
(stack_table kind: _ @keyword)

(module_header name: (name) @namespace)
(computation_name) @function
(value_name) @variable
(signature_parameter name: (name) @variable.parameter)
(operand (reference) @variable)
(braces (reference) @variable)
(tuple_element) @variable.member

((attribute
  key: (key) @_key
  value: (reference) @function)
 (#match? @_key "^(to_apply|calls|condition|body|select|scatter|(true|false|branch|called)_computations?)$"))
((attribute
  key: (key) @_key
  value: (reference) @constant)
 (#not-match? @_key "^(to_apply|calls|condition|body|select|scatter|(true|false|branch|called)_computations?)$"))

(opcode) @function.builtin
(element_type) @type.builtin
(layout_part (word) @attribute)
(key) @property
(braces (word) @constant)
(brackets (word) @constant)
(parentheses (word) @constant)
["mesh" "maximal_mesh"] @type

(string) @string
(boolean) @constant.builtin.boolean
(number) @constant.numeric
(extents) @constant.numeric
(dimension_labels) @string.special
(sparsity) @string.special

["->" "<=" "="] @operator
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," ":"] @punctuation.delimiter
