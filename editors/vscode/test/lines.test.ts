// Finding instructions in lines of text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definedOn, isModule, lineOf } from '../src/lines.ts';

const TEXT = `HloModule jit_f

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %negate.2 = f32[4]{0} negate(%x)
  ROOT %abs.3 = f32[4]{0} abs(%negate.2), metadata={op_name="a = b"}
}`.split('\n');
const lines = { lineCount: TEXT.length, lineAt: (line: number) => ({ text: TEXT[line] }) };

test('a definition has a name and a column', () => {
  assert.deepEqual(definedOn(TEXT[3]), { name: 'x', column: 3 });
  assert.deepEqual(definedOn(TEXT[5]), { name: 'abs.3', column: 8 });
  assert.deepEqual(definedOn('  add.1 = f32[] add(a, b)'), { name: 'add.1', column: 2 });
  assert.deepEqual(definedOn('ROOT = f32[] add(a, b)'), { name: 'ROOT', column: 0 });
});

test('other lines define nothing', () => {
  for (const line of [TEXT[0], TEXT[1], TEXT[2], TEXT[6], '// %x = f32[] y()']) assert.equal(definedOn(line), null);
});

test('a name is found where it is expected, or nearest to it', () => {
  assert.equal(lineOf(lines, 4, 'negate.2'), 4);
  assert.equal(lineOf(lines, 0, 'abs.3'), 5);
  assert.equal(lineOf(lines, 900, 'x'), null); // far outside of the text
  assert.equal(lineOf(lines, 4, 'absent'), null);
});

test('modules are recognized', () => {
  assert.ok(isModule(TEXT.join('\n')));
  assert.ok(isModule('// a comment\n/* and\nanother */\n\nHloModule m'));
  assert.ok(!isModule('BufferAssignment:\nHloModule m'));
  assert.ok(!isModule('HloModuleX m'));
});
