// Tests the decoder of result blocks: what it reads, and that a malformed block is an error and never a wrong value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseError, decodeResponse, Strings } from '../src/core/response.ts';

function block(json: string, arrays: Uint8Array = new Uint8Array(0)): ArrayBuffer {
  const text = new TextEncoder().encode(json);
  const start = (8 + text.length + 7) & ~7;
  const out = new Uint8Array(start + arrays.length);
  const head = new DataView(out.buffer);
  head.setUint32(0, out.length, true);
  head.setUint32(4, text.length, true);
  out.set(text, 8);
  out.set(arrays, start);
  return out.buffer;
}

test('plain values', () => {
  assert.deepEqual(decodeResponse(block('{"ok":true,"n":[1,"ü"]}')), { ok: true, n: [1, 'ü'] });
});

test('typed arrays, aligned and not', () => {
  const bytes = new Uint8Array(24);
  new DataView(bytes.buffer).setFloat64(8, 2.5, true);
  new DataView(bytes.buffer).setUint32(17, 70000, true);
  const json = '{"a":{"$array":"f64","at":8,"count":1},"b":{"$array":"u32","at":17,"count":1}}';
  const result = decodeResponse(block(json, bytes)) as { a: Float64Array; b: Uint32Array };
  assert.equal(result.a[0], 2.5);
  assert.equal(result.b[0], 70000);
});

test('strings', () => {
  const bytes = new Uint8Array(16);
  bytes.set(new TextEncoder().encode('addmul'));
  new DataView(bytes.buffer).setUint32(8, 3, true);
  new DataView(bytes.buffer).setUint32(12, 6, true);
  const json =
    '{"s":{"$strings":{"bytes":{"$array":"u8","at":0,"count":6},"ends":{"$array":"u32","at":8,"count":2}}}}';
  const { s } = decodeResponse(block(json, bytes)) as { s: Strings };
  assert.deepEqual([...s], ['add', 'mul']);
  assert.equal(s.at(1, 2), 'mu…');
});

test('Strings.of keeps every string', () => {
  assert.deepEqual([...Strings.of(['', 'é', 'x'])], ['', 'é', 'x']);
});

test('wrong blocks are errors', () => {
  const wrong = [
    new ArrayBuffer(4),
    block('{'),
    block('{"a":{"$array":"u32","at":0,"count":9}}'),
    block('{"a":{"$array":"u32","at":-4,"count":1}}', new Uint8Array(8)),
    block('{"a":{"$array":"u99","at":0,"count":0}}'),
    block('{"s":{"$strings":{"bytes":1,"ends":2}}}'),
    block('{"ok":true}').slice(0, 12),
  ];
  for (const one of wrong) assert.throws(() => decodeResponse(one), ResponseError);
});
