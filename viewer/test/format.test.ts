// Tests the formatting of sizes, names and CSV fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, csvField, percent, shown } from '../src/state/format.ts';

test('sizes', () => {
  assert.equal(bytes(0), '0 B');
  assert.equal(bytes(1536), '1.50 KiB');
  assert.equal(bytes(80 * 2 ** 30), '80.0 GiB');
  assert.equal(bytes(-2048), '−2.00 KiB');
  assert.equal(count(1234567), '1\u202f234\u202f567');
  assert.equal(percent(0.0123), '1.2%');
  assert.equal(percent(1), '100%');
});

test('names cannot hide or turn text', () => {
  assert.equal(shown('a\u202eb\u0000'), 'a⟨202e⟩b⟨0000⟩');
  assert.ok(shown('x'.repeat(1_000_000)).length <= 240);
  assert.equal(shown('<script>'), '<script>');
});

test('CSV fields', () => {
  assert.equal(csvField('a,"b"'), '"a,""b"""');
  assert.equal(csvField('=1+1'), "'=1+1");
  assert.equal(csvField(-3), '-3');
});
