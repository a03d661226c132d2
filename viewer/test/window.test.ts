// Tests that the lines loaded in the editor match the text at every position.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Strings } from '../src/core/response.ts';
import { bring, foldsHeld, HELD, wantsMore } from '../src/text/window.ts';

const ask = async (from: number, lines: number) => ({
  total: 100000,
  from,
  lines: Strings.of(Array.from({ length: lines }, (_, i) => `line ${from + i}`)),
  insts: Uint32Array.from({ length: lines }, (_, i) => from + i),
});

test('around a line far away', async () => {
  const held = await bring(ask, 100000, 77777);
  const lines = held.text.split('\n');
  assert.equal(lines.length, HELD);
  assert.equal(lines[77777 - held.from], 'line 77777');
  assert.equal(held.insts[77777 - held.from], 77777);
  assert.ok(!wantsMore(held, 9000, 9100));
  assert.ok(wantsMore(held, 100, 200));
  const folds = foldsHeld({ folds: { first: Uint32Array.of(70000, 5), last: Uint32Array.of(70010, 9) } } as never, held);
  assert.deepEqual([...folds], [[70000 - held.from, 70010 - held.from]]);
});

test('a short text is held whole', async () => {
  const held = await bring(ask, 50, 20);
  assert.equal(held.count, 50);
  assert.ok(!wantsMore(held, 0, 49));
});
