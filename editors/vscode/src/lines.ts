// Finds instructions in a document's lines: the counterpart of the viewer's selection. Works on text alone.

export interface Lines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

const DEFINITION = /^\s*(?:ROOT\s+)?%?([A-Za-z_][\w.-]*)\s*=\s/;

/** The name that a line defines, and the column where it begins. */
export function definedOn(text: string): { name: string; column: number } | null {
  const found = DEFINITION.exec(text);
  return found ? { name: found[1], column: found[0].indexOf(found[1]) } : null;
}

/** The line that defines a name: the expected one or, in text that was edited since, the nearest other one. */
export function lineOf(lines: Lines, expected: number, name: string): number | null {
  for (let distance = 0; distance < lines.lineCount; distance++) {
    for (const line of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (line >= 0 && line < lines.lineCount && definedOn(lines.lineAt(line).text)?.name === name) return line;
    }
  }
  return null;
}

/** Whether text is that of a module, ignoring comments and blank lines before it. */
export function isModule(text: string): boolean {
  return /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*HloModule\s/.test(text.slice(0, 4096));
}
