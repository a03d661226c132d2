// The grammar of HLO text as XLA has printed it since 2020, with and without percent signs, operand shapes, signatures,
// stack tables and compact tuple elements. Modules, computations, instructions, shapes, operands and attributes are
// nodes. What is inside the braces of an attribute is read as balanced brackets, fields and words, so that
// the notations of shardings, origins and backend configs, which change with XLA, need no rules here. Names, types and
// counts are not checked: `halo check` and `halo lsp` do that.
/// <reference types="tree-sitter-cli/dsl" />

const commaSeparated = (rule) => optional(seq(rule, repeat(seq(',', rule))));

module.exports = grammar({
  name: 'hlo',

  word: ($) => $.name,

  extras: ($) => [/\s/, $.comment],

  // `{name =` opens the fields of an attribute or a computation that is written in place.
  conflicts: ($) => [[$.value_name, $.field]],

  supertypes: ($) => [$.shape],

  rules: {
    source_file: ($) =>
      repeat(choice($.module_header, $.stack_table, $.computation, $.instruction, $.frame_marker)),

    // XLA prints these lines around each module that it dumps to standard output.
    frame_marker: () => token(/\*\*\* (Begin|End) [^\n]*/),

    // Block comments do not nest. XLA's tests also have `# RUN:` lines.
    comment: () => token(choice(/\/\/[^\n]*/, /# [^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),

    module_header: ($) =>
      prec.right(seq('HloModule', field('name', optional($.name)), optional(':'), repeat(seq(',', $.attribute)))),

    // FileNames, FunctionNames, FileLocations and StackFrames.
    stack_table: ($) =>
      prec.right(
        seq(field('kind', choice('FileNames', 'FunctionNames', 'FileLocations', 'StackFrames')), repeat($.stack_row)),
      ),
    stack_row: ($) => seq(field('number', $.number), choice($.string, $.braces)),

    computation: ($) =>
      prec.right(
        seq(
          choice(seq('ENTRY', field('name', optional($.computation_name))), field('name', $.computation_name)),
          optional($.signature),
          field('body', $.body),
          repeat(seq(',', $.attribute)),
        ),
      ),
    computation_name: ($) => seq(optional('%'), $.name),
    signature: ($) => seq('(', commaSeparated($.signature_parameter), ')', '->', field('result', $.shape)),
    signature_parameter: ($) => seq(optional('%'), field('name', $.name), ':', field('shape', $.shape)),
    body: ($) => seq('{', repeat1($.instruction), '}'),

    instruction: ($) =>
      prec.right(
        seq(
          optional('ROOT'),
          field('name', $.value_name),
          '=',
          field('shape', optional($.shape)),
          field('opcode', alias($.name, $.opcode)),
          field('operands', $.operands),
          repeat(seq(',', $.attribute)),
        ),
      ),
    value_name: ($) => seq(optional('%'), $.name),

    // The operands of an instruction; for `parameter` its number, for `constant` its value.
    operands: ($) => seq('(', commaSeparated($._operand), ')'),
    _operand: ($) => choice($.operand, $._literal),
    operand: ($) =>
      choice(
        $.shape,
        seq(optional(field('shape', $.shape)), $.reference),
        // An instruction that is written where its value is used.
        seq(field('shape', $.shape), field('opcode', alias($.name, $.opcode)), field('operands', $.operands)),
      ),
    reference: ($) => seq(optional('%'), $.name, repeat($.tuple_element)),
    tuple_element: ($) => seq(token.immediate('#'), $.number),

    _literal: ($) =>
      choice($.number, $.boolean, $.string, alias($.literal_braces, $.braces), alias($.literal_tuple, $.parentheses)),
    literal_braces: ($) =>
      seq('{', choice('...', seq(commaSeparated($._literal), optional(','))), '}'),
    literal_tuple: ($) => seq('(', seq($._leaf, repeat(seq(',', $._leaf))), ')'),
    _leaf: ($) => seq(optional($.array_shape), $._literal),

    shape: ($) => choice($.array_shape, $.tuple_shape, $.buffer_shape),
    array_shape: ($) =>
      prec(
        1,
        seq(
          field('type', alias($.name, $.element_type)),
          '[',
          commaSeparated(field('dimension', $.dimension)),
          ']',
          field('layout', optional($.layout)),
        ),
      ),
    dimension: ($) => choice(seq(optional('<='), $.number), '?'),
    tuple_shape: ($) => seq('(', commaSeparated($.shape), ')'),
    buffer_shape: ($) => seq('b(', $.shape, ')'),
    // The brace follows the bracket directly, unlike the one that opens a body.
    layout: ($) => seq(token.immediate('{'), commaSeparated($.number), optional(seq(':', repeat($.layout_part))), '}'),
    layout_part: ($) => prec.right(seq(choice(alias($.name, $.word), '#', '*'), repeat1($.layout_argument))),
    layout_argument: ($) =>
      seq('(', repeat(choice($.number, alias($.name, $.word), $.array_shape, '*', ',', ':', '~', '+')), ')'),

    attribute: ($) => seq(field('key', alias($.name, $.key)), '=', field('value', $._attribute_value)),
    _attribute_value: ($) =>
      choice(
        $.string,
        $.number,
        $.boolean,
        $.extents,
        $.dimension_labels,
        $.sparsity,
        $.reference,
        alias($.inline_body, $.body),
        $.braces,
        $.shape,
        $.mesh,
        $.iota,
        seq($.array_shape, $._literal),
      ),
    // A computation that is written where it is called.
    inline_body: ($) => seq('{', repeat1($.instruction), '}'),

    // Balanced brackets around words, numbers, strings, shapes, references, fields and punctuation.
    braces: ($) => seq('{', repeat($._item), '}'),
    brackets: ($) => seq('[', repeat($._item), ']'),
    parentheses: ($) => seq('(', repeat($._item), ')'),
    _item: ($) =>
      choice(
        $.field,
        $.string,
        $.number,
        $.boolean,
        $.extents,
        $.array_shape,
        $.buffer_shape,
        $.mesh,
        $.braces,
        $.brackets,
        $.parentheses,
        $.angles,
        alias($.qualified, $.reference),
        alias($.name, $.word),
        $.mlir_attribute,
        $.mlir_symbol,
        ',',
        ':',
        '->',
        '<=',
        '?',
        '...',
      ),
    field: ($) => seq(field('key', choice(alias($.name, $.key), alias('mesh', $.key), $.string)), '='),
    // Without the percent sign, a name cannot be told from a word.
    qualified: ($) => seq('%', $.name, repeat($.tuple_element)),
    // #sdy.mesh<["x"=4]>, @mesh, dense<1> : tensor<i32>, in attributes that MLIR's dialects left.
    mlir_attribute: ($) => seq(token(/#[A-Za-z_][\w.]*/), $.angles),
    mlir_symbol: () => token(/@[A-Za-z_][\w.]*/),
    angles: ($) => seq('<', repeat($._item), '>'),

    mesh: ($) => prec.right(seq(choice('mesh', 'maximal_mesh'), $.brackets, optional($.braces))),
    // [2,4]<=[8] or [2,4]<=[4,2]T(1,0)
    iota: ($) => seq($.brackets, optional(seq('<=', $.brackets, optional(seq('T', $.parentheses))))),

    string: () => token(choice(/"([^"\\]|\\[\s\S])*"/, /'([^'\\]|\\[\s\S])*'/)),
    boolean: () => choice('true', 'false'),
    number: () =>
      choice(
        token(/-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/),
        token(/-(inf|nan)/),
        token(/-?nan\(0x[0-9a-fA-F]+\)/),
        'nan',
        'inf',
      ),
    // 3x3, 1_1x0_2, 0_1_0x-1_0_0
    extents: () => token(/-?\d+(_-?\d+)*(x-?\d+(_-?\d+)*)+|-?\d+(_-?\d+)+/),
    dimension_labels: () => token(/[0-9a-z?]+_[0-9a-z?]+->[0-9a-z?]+/),
    // L.1@2:4 of the time when dot had sparse operands.
    sparsity: () => token(/[LR]\.\d+@\d+:\d+(_[LR]\.\d+@\d+:\d+)?/),
    name: () => /[A-Za-z_][A-Za-z0-9_.\-]*/,
  },
});
