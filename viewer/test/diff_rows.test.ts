// Tests which rows of two texts are folded and which words are marked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, markWords, rowsOfLines } from '../src/diff/rows.ts';
import type { DiffRows } from '../src/diff/diff_requests.ts';

function rows(states: number[]): DiffRows {
  const numbers = Uint32Array.from(states, (_, i) => i);
  return { states: ['aside', 'same', 'only'], rows: states.length, before: numbers, after: numbers, before_state: Uint8Array.from(states), after_state: new Uint8Array(states.length), before_links: numbers, after_links: numbers };
}

test('rows far from any change are folded', () => {
  const state = new Array<number>(30).fill(1);
  state[15] = 2;
  const lines = linesOf(rows(state), new Set(), false);
  assert.deepEqual(lines[0], { row: 0, folded: 12 });
  assert.deepEqual(lines.slice(1, -1).map((line) => line.row), [12, 13, 14, 15, 16, 17, 18]);
  assert.deepEqual(lines.at(-1), { row: 19, folded: 11 });
});

test('an opened fold shows its rows, and every row is listed once', () => {
  const state = new Array<number>(40).fill(1);
  state[0] = 2;
  assert.equal(linesOf(rows(state), new Set([4]), false).length, 40);
  for (const unfolded of [false, true]) {
    const lines = linesOf(rows(state), new Set(), unfolded);
    assert.equal(lines.reduce((sum, line) => sum + Math.max(line.folded, 1), 0), 40);
  }
  assert.deepEqual(linesOf(rows(new Array<number>(9).fill(1)), new Set(), false), [{ row: 0, folded: 9 }]);
  assert.deepEqual(linesOf(rows([]), new Set(), false), []);
});

test('names may differ, everything else is marked', () => {
  const { before, after } = markWords('  %add.1 = f32[8]{0} add(%a, %b.2)', '  %add.77 = bf16[8]{0} add(%a.1, %b)');
  assert.deepEqual(before.filter((word) => word.differs).map((word) => word.text), ['f32']);
  assert.deepEqual(after.filter((word) => word.differs).map((word) => word.text), ['bf16']);
  assert.equal(before.map((word) => word.text).join(''), '  %add.1 = f32[8]{0} add(%a, %b.2)');
});

test('lines are found in their rows', () => {
  const found = rowsOfLines(Uint32Array.from([0, 0xffffffff, 1]));
  assert.equal(found.get(1), 2);
  assert.equal(found.size, 2);
});
