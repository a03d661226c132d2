// Syntax highlighting of HLO text, line by line. It only assigns colors; the core interprets the text. The same rules
// apply to every generation of the text, with and without percent signs.
import { HighlightStyle, StreamLanguage, type StreamParser } from '@codemirror/language';
import { tags } from '@lezer/highlight';

interface State {
  comment: boolean;
}

const TYPE = /^(?:pred|token|opaque|tuple|[suc]\d{1,3}|bf16|f\d{1,2}(?:e\d+m\d+\w*)?)(?=\[)/;
const SHAPE = /^\[[0-9,<=? ]*\](?:\{[^}\n]*\})?/;

const parser: StreamParser<State> = {
  name: 'hlo',
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment) {
      if (stream.skipTo('*/')) {
        stream.match('*/');
        state.comment = false;
      } else stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('/*')) {
      state.comment = true;
      return 'comment';
    }
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^(?:HloModule|ENTRY|ROOT)\b/)) return 'keyword';
    if (stream.match(/^%?[A-Za-z_][\w.-]*(?=\s=\s)/)) return 'definition';
    if (stream.match(TYPE)) return 'typeName';
    if (stream.match(SHAPE)) return 'shape';
    if (stream.match(/^[a-z][\w-]*(?=\()/)) return 'opcode';
    if (stream.match(/^[A-Za-z_][\w.]*(?==)/)) return 'propertyName';
    if (stream.match(/^%[\w.-]+/)) return 'variableName';
    if (stream.match(/^-?\d[\d.e+-]*/)) return 'number';
    if (stream.match(/^[A-Za-z_][\w.-]*/)) return 'variableName';
    stream.next();
    return 'punctuation';
  },
  tokenTable: {
    definition: tags.definition(tags.variableName),
    shape: tags.special(tags.typeName),
    opcode: tags.function(tags.variableName),
  },
};

export const hlo = StreamLanguage.define(parser);

/** Colors from the page's CSS variables, so that they follow its theme. */
export const hloColors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--select)', fontWeight: '600' },
  { tag: tags.definition(tags.variableName), color: 'var(--ink)', fontWeight: '600' },
  { tag: tags.variableName, color: 'var(--accent)' },
  { tag: tags.function(tags.variableName), color: 'var(--good)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--warn)' },
  { tag: tags.special(tags.typeName), color: 'var(--warn)' },
  { tag: tags.propertyName, color: 'var(--ink-soft)' },
  { tag: tags.string, color: 'var(--ink-soft)' },
  { tag: tags.number, color: 'var(--ink)' },
  { tag: tags.comment, color: 'var(--ink-faint)', fontStyle: 'italic' },
  { tag: tags.punctuation, color: 'var(--ink-faint)' },
]);

/** Returns the name at a column of a line, without its percent sign. */
export function nameAt(line: string, column: number): string {
  const word = /[\w.-]/;
  let from = column;
  let to = column;
  while (from > 0 && word.test(line[from - 1])) from--;
  while (to < line.length && word.test(line[to])) to++;
  return line.slice(from, to).replace(/^[.-]+|[.-]+$/g, '');
}
