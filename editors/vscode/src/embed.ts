// Puts files into a copy of the viewer's page, as `halo report` does (viewer/embedding.md). This serves documents that
// the command cannot read: unsaved text, files of a virtual workspace, and everything in a browser.

export interface PageFile {
  name: string;
  kind: 'module-text' | 'assignment' | 'assignment-values' | 'live-range';
  bytes: Uint8Array;
}

export interface PageProgram {
  title: string;
  /** The module's text first, then the parts of its buffer assignment. */
  files: PageFile[];
}

const OPEN = '<!--halo:data-->';
const CLOSE = '<!--/halo:data-->';

/** The parts of a buffer assignment by the ending of the file's name after the module's stem. */
const PARTS: [string, PageFile['kind']][] = [
  ['-buffer-assignment.txt', 'assignment'],
  ['-buffer-assignment-values.txt', 'assignment-values'],
  ['-live-range.txt', 'live-range'],
];

/** Which of a folder's files belong to a module's text, with their kinds. */
export function partsBeside(module: string, folder: string[]): { name: string; kind: PageFile['kind'] }[] {
  const stem = module.replace(/\.(txt|hlo)$/, '');
  return PARTS.map(([ending, kind]) => ({ name: stem + ending, kind })).filter((part) => folder.includes(part.name));
}

/** The module's name in its header, for titles. */
export function moduleName(text: string): string {
  return /^HloModule\s+([A-Za-z_][\w.-]*)/m.exec(text.slice(0, 4096))?.[1] ?? 'module';
}

export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x6000) text += btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000)));
  return text;
}

/** The page with the programs in it. The second program, if any, is the earlier one that the first is compared with. */
export async function embed(page: string, view: string, programs: PageProgram[], producer: string): Promise<string> {
  const begin = page.indexOf(OPEN);
  const end = page.indexOf(CLOSE);
  if (begin < 0 || end < begin) throw new Error('The viewer page of this extension is damaged. Install the extension again.');
  const files: object[] = [];
  const elements: string[] = [];
  const listed = [];
  for (const program of programs) {
    const first = files.length;
    for (const file of program.files) {
      const element = `halo-data-${files.length}`;
      files.push({ name: file.name, kind: file.kind, bytes: file.bytes.length, element });
      elements.push(`<script type="application/octet-stream" id="${element}">${base64(await gzip(file.bytes))}</script>`);
    }
    const assignment = program.files.slice(1).map((_, at) => first + 1 + at);
    listed.push({ module: program.title, number: 0, rank: '', backend: '', architecture: '', stage: '', role: 'only', pass: '', step: null, file: first, assignment, with: [] });
  }
  const manifest = {
    schema: 'halo.embedding.v1',
    producer,
    source: 'embedded',
    title: programs[0].title,
    redacted: false,
    first: { program: 0, view, ...(programs.length > 1 ? { against: 1 } : {}) },
    programs: listed,
    files,
    missing: [],
    left_out: 0,
  };
  const data = JSON.stringify(manifest).replaceAll('<', '\\u003c');
  const inserted = [`<script type="application/json" id="halo-manifest">${data}</script>`, ...elements].join('\n');
  return page.slice(0, begin + OPEN.length) + inserted + page.slice(end);
}
