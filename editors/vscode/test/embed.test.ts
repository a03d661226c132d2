// The page with programs in it, as the viewer reads it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { base64, embed, moduleName, partsBeside } from '../src/embed.ts';

const PAGE = '<body><!--halo:data--><!--/halo:data--><div id="app"></div></body>';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function manifestOf(html: string): { first: object; programs: { file: number; assignment: number[] }[]; files: { element: string; bytes: number }[] } {
  return JSON.parse(/id="halo-manifest">(.*?)<\/script>/.exec(html)![1]);
}

function dataOf(html: string, element: string): string {
  const data = new RegExp(`id="${element}">([^<]*)<`).exec(html)![1];
  return gunzipSync(Buffer.from(data, 'base64')).toString();
}

test('files are in the page, compressed, and listed', async () => {
  const module = { name: 'm.txt', kind: 'module-text' as const, bytes: bytes('HloModule </script>m') };
  const part = { name: 'm-buffer-assignment.txt', kind: 'assignment' as const, bytes: bytes('BufferAssignment:') };
  const html = await embed(PAGE, 'memory', [{ title: '</script><b>', files: [module, part] }], 'test');
  const manifest = manifestOf(html);
  assert.deepEqual(manifest.first, { program: 0, view: 'memory' });
  assert.deepEqual(manifest.programs.map((one) => [one.file, one.assignment]), [[0, [1]]]);
  assert.equal(dataOf(html, manifest.files[0].element), 'HloModule </script>m');
  assert.equal(dataOf(html, manifest.files[1].element), 'BufferAssignment:');
  assert.equal(html.match(/<script/g)!.length, 3); // no name closes an element
  assert.ok(html.startsWith('<body><!--halo:data-->') && html.endsWith('<!--/halo:data--><div id="app"></div></body>'));
});

test('the second program is the earlier one', async () => {
  const file = (name: string) => ({ name, kind: 'module-text' as const, bytes: bytes(name) });
  const html = await embed(PAGE, 'diff', [{ title: 'new', files: [file('new.txt')] }, { title: 'old', files: [file('old.txt')] }], 'test');
  assert.deepEqual(manifestOf(html).first, { program: 0, view: 'diff', against: 1 });
});

test('a page without the marks is refused', async () => {
  await assert.rejects(embed('<body></body>', 'memory', [], 'test'), /damaged/);
});

test('base64 of more than one piece', () => {
  const data = new Uint8Array(100001).map((_, at) => at * 7);
  assert.equal(base64(data), Buffer.from(data).toString('base64'));
});

test('the parts of an assignment are found by name', () => {
  const folder = ['m.after_optimizations.txt', 'm.after_optimizations-buffer-assignment.txt', 'm.after_optimizations-live-range.txt', 'x-buffer-assignment.txt'];
  assert.deepEqual(partsBeside('m.after_optimizations.txt', folder).map((part) => part.kind), ['assignment', 'live-range']);
  assert.deepEqual(partsBeside('other.hlo', folder), []);
});

test('titles', () => {
  assert.equal(moduleName('// c\nHloModule jit_f.3, is_scheduled=true'), 'jit_f.3');
  assert.equal(moduleName('ENTRY e {'), 'module');
});
