// "Save report": saves this page with the open program's files embedded, as one HTML file. Uses the same elements as
// `halo report` (viewer/embedding.md), so each can open what the other wrote.
import { gzip, pageWithData, sourceOfPage, toBase64, type EmbeddedFile, type Manifest } from '../core/embedding.ts';
import { bytes, shown } from './format.ts';
import { session, type Program } from './session.svelte.ts';
import type { Source } from './files.ts';

const LIMIT = 64 * 2 ** 20;

export async function saveReport(): Promise<string> {
  const data = new Map<string, string>();
  const files: EmbeddedFile[] = [];
  let total = 0;
  let leftOut = 0;

  const add = async (source: Source, kind: string): Promise<number> => {
    const element = `halo-data-${files.length}`;
    const raw = await source.read();
    data.set(element, toBase64(await gzip(new Uint8Array(raw))));
    total += data.get(element)!.length;
    files.push({ name: source.name, kind: source.kind ?? kind, bytes: raw.byteLength, element });
    return files.length - 1;
  };

  const programs: Manifest['programs'] = [];
  const open = session.program;
  // The program it is compared with comes second, so that the limit does not leave it out.
  const second = session.programs[Number(session.setting('against', '-1'))];
  const rest = session.programs.filter((program) => program !== open && program !== second);
  const against = second ? 1 : undefined;
  for (const program of [open, ...(second ? [second] : []), ...rest] as Program[]) {
    if (total > LIMIT) {
      leftOut++;
      continue;
    }
    const proto = program.module?.name.endsWith('.pb');
    const file = program.module ? await add(program.module, proto ? 'module-proto' : 'module-text') : null;
    const assignment: number[] = [];
    for (const source of program.assignment) assignment.push(await add(source, 'assignment'));
    const beside: number[] = [];
    for (const source of program.beside) beside.push(await add(source, source.name.endsWith('.pbtxt') ? 'autotuning' : 'trace'));
    programs.push({
      module: program.title,
      number: programs.length,
      rank: '',
      backend: '',
      stage: program.stage,
      role: program.step !== null ? 'pass' : program.named ? 'named' : 'only',
      pass: program.pass,
      step: program.step,
      file,
      assignment,
      with: beside,
    });
  }
  const manifest: Manifest = {
    schema: 'halo.embedding.v1',
    producer: 'halo viewer',
    source: 'embedded',
    title: open?.title ?? 'report',
    redacted: session.manifest?.redacted ?? false,
    first: { program: 0, view: session.route.view, ...(against === undefined ? {} : { against }) },
    programs,
    files,
    missing: session.manifest?.missing ?? [],
    left_out: leftOut,
  };
  const page = pageWithData(sourceOfPage(), manifest, data);
  const blob = new Blob([page], { type: 'text/html' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${(open?.title ?? 'report').replace(/[^\w.-]+/g, '_').slice(0, 80)}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  const left = leftOut > 0 ? `, ${leftOut} programs left out` : '';
  return `Saved ${shown(link.download, 80)} (${bytes(blob.size)}${left}).`;
}
