// Opens what the user dropped or chose: source files are kept beside the program, everything else is a new program.
import type { Source } from './files.ts';
import { session } from './session.svelte.ts';
import { sources } from './sources.svelte.ts';

export async function openFiles(list: readonly Source[]): Promise<void> {
  const before = sources.files.length;
  const rest = await sources.keep(list);
  const given = list.length - rest.length;
  if (rest.length > 0) await session.take(rest);
  if (given === 0) return;
  const added = sources.files.length - before;
  const refused = given - added > 0 ? ` ${given - added} were replaced or are too large.` : '';
  session.say(`${added} source ${added === 1 ? 'file' : 'files'} added. Select an instruction to see its line.${refused}`);
}
