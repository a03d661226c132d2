// Tests the bands of nodes painted by bytes, and the widths of a table's columns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandOf, bandsOf, strengthOf } from '../src/views/graph_bytes.ts';
import { legendOf } from '../src/views/graph_legend.ts';
import { LETTER, PADDING, widthsOf } from '../src/views/table_widths.ts';

test('the largest node has the strongest color', () => {
  const bands = bandsOf([0, 5, 3 * 2 ** 30]);
  assert.deepEqual(bands, [2 ** 31, 2 ** 29, 2 ** 27, 2 ** 25, 2 ** 23]);
  assert.equal(bandOf(bands, 3 * 2 ** 30), 0);
  assert.equal(bandOf(bands, 2 ** 29), 1);
  assert.equal(bandOf(bands, 5), 5);
  for (let band = 1; band <= 5; band++) assert.ok(strengthOf(band) < strengthOf(band - 1));
  assert.deepEqual(bandsOf([0, 0]), []);
  assert.deepEqual(bandsOf([3]), [2]);
});

test('the legend names every band', () => {
  const entries = legendOf('bytes', bandsOf([2 ** 30]), 0xffffffff);
  assert.equal(entries.length, 6);
  assert.equal(entries[0].title, '1.00GiB or more');
  assert.equal(new Set(entries.map((one) => one.color)).size, 6);
  assert.ok(legendOf('category', [], 0xffffffff).length > 5);
});

test('numbers are never cut, text takes what is left', () => {
  const columns = [
    { name: 'name', kind: 'text' },
    { name: 'offset', kind: 'number' },
    { name: 'op_name', kind: 'text' },
  ];
  const longest = { name: 120, offset: 15, op_name: 30 };
  const narrow = widthsOf(columns, longest, 300);
  assert.ok(narrow[1] >= 15 * LETTER + PADDING, 'the offset has its space');
  const wide = widthsOf(columns, longest, 3000);
  assert.ok(wide[0] >= 120 * LETTER + PADDING, 'with free space nothing is cut');
  assert.equal(wide[2], narrow[2], 'what is whole does not grow');
  const middle = widthsOf(columns, longest, 1000);
  assert.ok(middle.reduce((sum, one) => sum + one, 0) <= 1000 && middle[0] > narrow[0]);
});
