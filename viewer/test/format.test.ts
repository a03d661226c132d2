// Tests the formatting of sizes, names and CSV fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, csvField, distinct, percent, shown, splitForMiddle } from '../src/state/format.ts';

test('sizes and counts are written as the command writes them', () => {
  assert.equal(bytes(0), '0B');
  assert.equal(bytes(1023), '1023B');
  assert.equal(bytes(1536), '1.5KiB');
  assert.equal(bytes(217293), '212.2KiB');
  assert.equal(bytes(1179648), '1.12MiB'); // a tie is rounded to even
  assert.equal(bytes(80 * 2 ** 30), '80.00GiB');
  assert.equal(bytes(-2048), '-2.0KiB');
  assert.equal(bytes(NaN), '–');
  assert.equal(count(9917), '9,917');
  assert.equal(count(1234567), '1,234,567');
  assert.equal(percent(0.0123), '1.2%');
  assert.equal(percent(1), '100%');
});

test('names cannot hide or turn text', () => {
  assert.equal(shown('a\u202eb\u0000'), 'a⟨202e⟩b⟨0000⟩');
  assert.ok(shown('x'.repeat(1_000_000)).length <= 240);
  assert.equal(shown('<script>'), '<script>');
});

test('names are shortened in the middle', () => {
  assert.equal(shown('abcdefghij', 7), 'abc…hij');
  assert.deepEqual(splitForMiddle('short'), ['short', '']);
  const [start, end] = splitForMiddle(`jit(train_step)/${'x'.repeat(40)}/moe/dot_general`);
  assert.ok(start.startsWith('jit(train_step)/') && end === 'oe/dot_general');
});

test('rows that differ are shown differently', () => {
  const start = 'jit(train_step)/transpose(jvp(Transformer))';
  const names = ['while/body/attention', 'while/body/moe_gate', 'cond/body/moe_gate'].map((one) => `${start}/${one}/remat/checkpoint/dot_general`);
  const short = distinct([...names, 'parameters'], 30);
  assert.equal(new Set(short).size, 4);
  assert.ok(short.every((one) => one.length <= 32));
  assert.ok(short.slice(0, 3).every((one) => one.startsWith('jit(') && one.includes('…') && one.endsWith('eneral')));
  assert.equal(short[3], 'parameters');
  assert.deepEqual(distinct(['a', 'a'], 10), ['a', 'a']);
});

test('CSV fields', () => {
  assert.equal(csvField('a,"b"'), '"a,""b"""');
  assert.equal(csvField('=1+1'), "'=1+1");
  assert.equal(csvField(-3), '-3');
});
