// Data embedded in the page itself (viewer/embedding.md): reads the manifest and the gzip and base64 encoded files,
// and writes a page with embedded data. Does not interpret the files.

export interface Program {
  module: string;
  number: number;
  rank: string;
  backend: string;
  stage: string;
  role: string;
  pass: string;
  step?: number | null;
  file: number | null;
  assignment: number[];
  with: number[];
}

export interface EmbeddedFile {
  name: string;
  kind: string;
  bytes: number;
  element?: string;
  url?: string;
}

export interface Missing {
  module: string;
  rank: string;
  what: string;
  why: string;
  flag: string;
}

export interface Manifest {
  schema: string;
  producer: string;
  source: 'embedded' | 'served';
  title: string;
  redacted: boolean;
  first: { program: number; view: string; against?: number };
  programs: Program[];
  files: EmbeddedFile[];
  missing: Missing[];
  left_out: number;
}

const SCHEMA = 'halo.embedding.v1';
const BEGIN = '<!--halo:data-->';
const END = '<!--/halo:data-->';

export function readManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (!String(manifest.schema).startsWith(SCHEMA))
    throw new Error(`This page reads ${SCHEMA}; the data inside is ${String(manifest.schema)}.`);
  return manifest;
}

/** Returns the manifest in this page, or undefined if the page has no data. */
export function manifestOfPage(): Manifest | undefined {
  const text = document.getElementById('halo-manifest')?.textContent;
  return text ? readManifest(text) : undefined;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const clean = text.trim();
  const native = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (native.fromBase64) return native.fromBase64(clean);
  const binary = atob(clean);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  const native = bytes as unknown as { toBase64?: () => string };
  if (native.toBase64) return native.toBase64();
  const parts: string[] = [];
  const step = 0x8000 - (0x8000 % 3); // a multiple of three, so that the encoded parts can be concatenated
  for (let i = 0; i < bytes.length; i += step) parts.push(btoa(String.fromCharCode(...bytes.subarray(i, i + step))));
  return parts.join('');
}

export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the bytes of a data block of the page. The block keeps its text, so that the page can be saved again. */
export async function bytesOfElement(id: string): Promise<ArrayBuffer | undefined> {
  const text = document.getElementById(id)?.textContent;
  return text ? gunzip(fromBase64(text)) : undefined;
}

/** Returns the manifest as JSON, escaped so that no name in it can close the element. */
export function manifestText(manifest: Manifest): string {
  return JSON.stringify(manifest).replaceAll('<', '\\u003c');
}

/** Returns the page with other data between its two markers. `page` is the source of a viewer's page. */
export function pageWithData(page: string, manifest: Manifest, data: ReadonlyMap<string, string>): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('this page has no marker for data');
  const blocks = [`<script type="application/json" id="halo-manifest">${manifestText(manifest)}</script>`];
  for (const [id, base64] of data) blocks.push(`<script type="application/octet-stream" id="${id}">${base64}</script>`);
  return page.slice(0, begin + BEGIN.length) + '\n' + blocks.join('\n') + '\n' + page.slice(end);
}

/** Returns the source of the open page without data: the policy, style, script and core, as parsed. */
export function sourceOfPage(): string {
  const keep = (selector: string): string =>
    [...document.querySelectorAll(selector)].map((element) => element.outerHTML).join('\n');
  return [
    '<!doctype html>',
    '<html lang="en"><head>',
    keep('head > meta'),
    '<title>Haloscope</title>',
    '<link rel="icon" href="data:,">',
    keep('head > style:not([data-made])'),
    '</head><body>',
    BEGIN + END,
    '<div id="app"><p class="boot">Haloscope</p></div>',
    keep('script[type="module"]'),
    keep('#halo-core'),
    '</body></html>',
    '',
  ].join('\n');
}
