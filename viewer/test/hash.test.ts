// Tests that links survive a round trip and that invalid parts of links are ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHash, writeHash, type Place } from '../src/state/hash.ts';

test('both ways', () => {
  const place: Place = { view: 'memory', program: 2, inst: 17, value: null, set: { color: '1', filter: 'a&b=#?' } };
  assert.deepEqual(readHash(writeHash(place)), { view: 'memory', program: 2, inst: 17, set: place.set });
});

test('nonsense is ignored', () => {
  assert.deepEqual(readHash('#/nowhere?inst=x&evil=1&program=-3'), { inst: null, set: {} });
  assert.deepEqual(readHash(''), { set: {} });
});
