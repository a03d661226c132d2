// Tests positions in links, sorting and copying of the values in a range, and whether a program fits a device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryMap, RangeItem } from '../src/core/requests.ts';
import { devicesFor, fitOf, worldTop } from '../src/views/memory_capacity.ts';
import { asLines, COLUMNS, pickedBetween, readPicked, sorted, writePicked } from '../src/views/memory_range.ts';

const GIB = 2 ** 30;

test('positions and ranges are written and read', () => {
  for (const text of ['777', '400-900', '0']) assert.equal(writePicked(readPicked(text)), text);
  assert.deepEqual(readPicked('5-5'), { from: 5, to: 5 });
  for (const text of [undefined, '', 'x', '9-3', '1-', '-1', '1-2-3', '12345678901']) assert.equal(readPicked(text), null);
  assert.equal(writePicked(null), '');
  assert.deepEqual(pickedBetween(9.7, 3.2, 100), { from: 3, to: 9 });
  assert.deepEqual(pickedBetween(-4, 250, 100), { from: 0, to: 100 });
});

const items: RangeItem[] = [
  { value: 1, bytes: 10, change: 'through', kind: 'temp', name: 'b.10', scope: 'y', from: 4, to: 9 },
  { value: 2, bytes: 30, change: 'freed', kind: 'temp', name: 'b.9', scope: 'x', from: 1, to: 5 },
  { value: 3, bytes: 20, change: 'freed', kind: 'temp', name: 'a', scope: 'x', from: 2, to: 5 },
];
const column = (name: string): (typeof COLUMNS)[number] => COLUMNS.find((one) => one.name === name)!;
const order = (name: string, descending: boolean): number[] => sorted(items, column(name), descending).map((one) => one.value);

test('rows are sorted by number, by name with its numbers, and then by size', () => {
  assert.deepEqual(order('bytes', true), [2, 3, 1]);
  assert.deepEqual(order('bytes', false), [1, 3, 2]);
  assert.deepEqual(order('value', false), [3, 2, 1]);
  assert.deepEqual(order('scope', false), [2, 3, 1]);
  assert.deepEqual(order('alive', false), [2, 3, 1]);
});

test('copied rows are fields with tabs, and no formulas', () => {
  const text = asLines([{ value: 0, bytes: 2048, change: 'within', kind: 'temp', name: '=1\t2' }], [column('bytes'), column('value')]);
  assert.equal(text, "bytes\tvalue\n2048\t'=1 2\n");
});

const map = { height: 57 * GIB, device_bytes: 57 * GIB } as MemoryMap;
const device = (name: string, gib: number, backend = 'gpu'): { name: string; backend: string; bytes: number } => ({ name, backend, bytes: gib * GIB });

test('a program fits a device or does not', () => {
  const fits = fitOf(map, device('h100', 80));
  assert.ok(fits.fits);
  assert.match(fits.text, /^fits h100: 57.00GiB of 80.00GiB, 23.00GiB free$/);
  const not = fitOf(map, device('a100-40', 40));
  assert.ok(!not.fits);
  assert.match(not.text, /^does not fit a100-40: .* 17.00GiB too much$/);
  assert.equal(not.line, 40 * GIB);
  // What the picture leaves out takes space too.
  const temps = fitOf({ ...map, height: 50 * GIB } as MemoryMap, device('a100-40', 40));
  assert.equal(temps.line, 33 * GIB);
  assert.match(temps.title, /less 7.00GiB/);
});

test('the picture shows a capacity that is not far above the program', () => {
  assert.equal(worldTop([50], null), 52);
  assert.equal(worldTop([50], 40), 52);
  assert.equal(worldTop([50, 60], 100), 104);
  assert.equal(worldTop([50], 1000), 52);
});

test('devices of the backend come alone', () => {
  const all = [device('h100', 80), device('v5e', 16, 'tpu')];
  assert.deepEqual(devicesFor(all, 'tpu').map((one) => one.name), ['v5e']);
  assert.equal(devicesFor(all, 'cpu').length, 2);
  assert.equal(devicesFor(all, 'tpu', 'h100').length, 2);
});
