// Tests that the colors of the selection and of groups can be told apart.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OTHER, PALETTE } from '../src/gl/color.ts';
import { KINDS } from '../src/views/graph_kinds.ts';

function channels(hex: string): [number, number, number] {
  const n = Number.parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** Weighted as the eye does, for colors of average redness. */
function distance(a: string, b: string): number {
  const [x, y] = [channels(a), channels(b)];
  const red = (x[0] + y[0]) / 2;
  const [r, g, blue] = x.map((one, i) => one - y[i]);
  return Math.sqrt((2 + red / 256) * r * r + 4 * g * g + (2 + (255 - red) / 256) * blue * blue);
}

const theme = readFileSync(new URL('../src/style/theme.css', import.meta.url), 'utf8');
const selections = [...theme.matchAll(/--select: (#[0-9a-f]{6});/g)].map((one) => one[1]);

test('the selection has a color that no group and no category has', () => {
  assert.equal(selections.length, 2);
  for (const selection of selections)
    for (const other of [...PALETTE, OTHER, ...KINDS.map((kind) => kind.color)])
      assert.ok(distance(selection, other) > 170, `${selection} resembles ${other} (${distance(selection, other).toFixed(0)})`);
});

test('groups and categories differ from one another', () => {
  for (const list of [[...PALETTE, OTHER], KINDS.map((kind) => kind.color)])
    list.forEach((one, i) => list.slice(i + 1).forEach((other) => assert.ok(distance(one, other) > 75, `${one} resembles ${other} (${distance(one, other).toFixed(0)})`)));
});

test('parameters have a color', () => {
  assert.notEqual(KINDS.find((kind) => kind.names.includes('parameter'))?.color, OTHER);
});
