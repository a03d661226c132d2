// Tests finding the name at a column of a line of HLO.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameAt } from '../src/text/language.ts';

test('the name around a column', () => {
  const line = '  %add.3 = f32[4]{0} add(%p.1, %fusion.12), metadata={op_name="jit(f)/add"}';
  assert.equal(nameAt(line, line.indexOf('add.3') + 1), 'add.3');
  assert.equal(nameAt(line, line.indexOf('fusion') + 6), 'fusion.12');
  assert.equal(nameAt(line, 0), '');
  assert.equal(nameAt('a', 1), 'a');
});
