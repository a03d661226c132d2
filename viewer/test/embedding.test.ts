// Tests that data written into a page is read back unchanged, and that no name in it can close its element.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBase64, gunzip, gzip, manifestText, pageWithData, readManifest, toBase64, type Manifest } from '../src/core/embedding.ts';

const manifest: Manifest = {
  schema: 'halo.embedding.v1',
  producer: 'test',
  source: 'embedded',
  title: '</script><script>alert(1)</script>',
  redacted: false,
  first: { program: 0, view: 'overview' },
  programs: [],
  files: [],
  missing: [],
  left_out: 0,
};

test('base64 both ways, at every length around the seams', () => {
  for (const length of [0, 1, 2, 3, 0x8000 - 2, 0x8000 - 1, 0x8000, 70001]) {
    const bytes = new Uint8Array(length).map((_, i) => (i * 31) & 255);
    assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'));
    assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
  }
});

test('gzip both ways', async () => {
  const bytes = new TextEncoder().encode('HloModule m\n'.repeat(100));
  assert.deepEqual(new Uint8Array(await gunzip(await gzip(bytes))), bytes);
});

test('a hostile title stays inside its element', () => {
  const page = 'a<!--halo:data-->old<!--/halo:data-->b';
  const out = pageWithData(page, manifest, new Map([['halo-data-0', 'QQ==']]));
  assert.equal(out.split('</script>').length, 3);
  assert.ok(!out.includes('old'));
  const inside = /id="halo-manifest">(.*?)<\/script>/.exec(out)![1];
  assert.equal(readManifest(inside).title, manifest.title);
});

test('another schema is refused', () => {
  assert.throws(() => readManifest('{"schema":"halo.embedding.v2"}'), /reads halo.embedding.v1/);
  assert.ok(manifestText(manifest).startsWith('{'));
});
