// The TextMate grammar, by the engine that VS Code uses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';

const ROOT = join(import.meta.dirname, '..');
const wasm = readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm'));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(join(ROOT, 'syntaxes/hlo.tmLanguage.json'), 'utf8'), 'hlo.json'),
});
const grammar = (await registry.loadGrammar('source.hlo'))!;

/** The most specific scope of each piece of a line that has one. */
function scopes(line: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const token of grammar.tokenizeLine(line, textmate.INITIAL).tokens) {
    const scope = token.scopes.at(-1)!;
    if (scope !== 'source.hlo') found[line.slice(token.startIndex, token.endIndex)] = scope.replace(/\.hlo$/, '');
  }
  return found;
}

test('an instruction with everything', () => {
  const found = scopes('  ROOT %fusion.1 = bf16[2,<=8]{1,0:T(8,128)(2,1)S(1)} fusion(%p.0, /*index=5*/%while#1#0), kind=kLoop, calls=%fused, metadata={op_name="a\\"b" source_line=41}');
  assert.equal(found['ROOT'], 'keyword.control.root');
  assert.equal(found['%fusion.1'], 'variable.other.definition');
  assert.equal(found['bf16'], 'storage.type.element');
  assert.equal(found['[2,<=8]'], 'constant.numeric.dimensions');
  assert.equal(found['{1,0:T(8,128)(2,1)S(1)}'], 'storage.modifier.layout');
  assert.equal(found['fusion'], 'support.function.opcode');
  assert.equal(found['%p.0'], 'variable.other');
  assert.equal(found['#1#0'], 'constant.numeric.index');
  assert.equal(found['kind'], 'variable.parameter.attribute');
  assert.equal(found['\\"'], 'constant.character.escape');
  assert.equal(found['41'], 'constant.numeric');
});

test('names without percent signs, operands with shapes', () => {
  const found = scopes('  add.8 = f32[] add(f32[] Arg_0.6, f32[] Arg_1.7)');
  assert.equal(found['add.8'], 'variable.other.definition');
  assert.equal(found['add'], 'support.function.opcode');
  assert.equal(found['Arg_0.6'], 'variable.other');
});

test('a tuple shape before the opcode', () => {
  assert.equal(scopes('  %w = (s32[], f32[4]{0}) while(%t), condition=%c, body=%b')['while'], 'support.function.opcode');
});

test('modules, computations and tables', () => {
  assert.equal(scopes('HloModule jit_f, is_scheduled=true')['jit_f'], 'entity.name.namespace');
  assert.equal(scopes('ENTRY %main.3 (x.1: f32[4]) -> f32[4] {')['%main.3'], 'entity.name.function');
  assert.equal(scopes('%region_0 (a: f32[], b: (f32[], s32[])) -> f32[] {')['%region_0'], 'entity.name.function');
  assert.equal(scopes('region_0.5 {')['region_0.5'], 'entity.name.function');
  assert.equal(scopes('FileNames')['FileNames'], 'keyword.control.table');
});

test('values', () => {
  assert.equal(scopes('  c = f32[2]{0} constant({-inf, nan(0x7f)})')['-inf'], 'constant.numeric');
  assert.equal(scopes('  c = f32[9]{0} constant({...})')['{...}'], 'constant.language.elided');
  assert.equal(scopes('  c = f32[] convolution(a, b), window={size=3x3 pad=1_1x0_2}, dim_labels=b01f_01io->b01f')['b01f_01io->b01f'], 'constant.other.labels');
  assert.equal(scopes('  c = f32[] convolution(a, b), window={size=3x3 pad=1_1x0_2}')['1_1x0_2'], 'constant.numeric');
});
