// Tests that links survive a round trip and that invalid parts of links are ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHash, writeHash, type Route } from '../src/state/hash.ts';

test('both ways', () => {
  const route: Route = { view: 'memory', program: 2, inst: 17, value: null, set: { color: '1', filter: 'a&b=#?' } };
  assert.deepEqual(readHash(writeHash(route)), { view: 'memory', program: 2, inst: 17, set: route.set });
});

test('nonsense is ignored', () => {
  assert.deepEqual(readHash('#/nowhere?inst=x&evil=1&program=-3'), { inst: null, set: {} });
  assert.deepEqual(readHash(''), { set: {} });
});
