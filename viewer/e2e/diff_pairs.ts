// Pairs of programs for the tests and pictures of the Diff view: a dump and an edited copy of it, stages of one
// compilation, and reports about two programs, which the evidence row makes (HALO_DIFF_REPORTS).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { example, must, scratch, seed } from './harness.ts';

export interface DiffPair {
  before: string[];
  after: string[];
}

/** Seed 002 before and after an edit: every exponential became a tanh, and no input is donated any more. */
export function editedSeed(): DiffPair {
  const path = seed('002');
  const text = readFileSync(path, 'utf8');
  const changed = text.replaceAll(' exponential(', ' tanh(');
  const edited = changed.replace(/input_output_alias=\{ .*? \}, /, '');
  must(changed !== text && edited !== changed, 'the seed has exponentials and donated inputs');
  const copy = join(scratch(), 'edited.txt');
  writeFileSync(copy, edited);
  return { before: [path], after: [copy] };
}

/** A small program that fits on the screen, and an edited copy with other names. */
export function smallPair(): DiffPair {
  const folder = scratch();
  const before = join(folder, 'old.hlo');
  const after = join(folder, 'new.hlo');
  const text = (names: string, inside: string, more: string, last: string): string => `HloModule step, is_scheduled=true

fused${names} {
  p${names} = f32[65536] parameter(0)
  q${names} = f32[65536] parameter(1)
  m${names} = f32[65536] ${inside}(p${names}, q${names})
  ROOT s${names} = f32[65536] subtract(m${names}, p${names})
}

ENTRY main${names} {
  x${names} = f32[65536] parameter(0)
  y${names} = f32[65536] parameter(1)
  r${names} = f32[65536] reverse(x${names}), dimensions={0}
${more}  f${names} = f32[65536] fusion(r${names}, y${names}), kind=kLoop, calls=fused${names}
${[...Array(20).keys()].map((i) => `  n${i}${names} = f32[65536] negate(${i === 0 ? `f${names}` : `n${i - 1}${names}`})\n`).join('')}  ROOT out${names} = f32[65536] add(n19${names}, ${last})
}
`;
  writeFileSync(before, text('', 'multiply', '  gone_sine = f32[65536] sine(r)\n', 'gone_sine'));
  writeFileSync(after, text('.9', 'maximum', '  new_tanh = f32[65536] tanh(r.9)\n  new_exp = f32[65536] exponential(new_tanh)\n', 'new_exp'));
  return { before: [before], after: [after] };
}

/** The stages of one compilation. */
export function stages(): string[] {
  return [example('cpu_mlp_train', 'before_optimizations.txt'), example('cpu_mlp_train', 'cpu_after_optimizations.txt')];
}

export function report(name: string): string {
  const path = join(process.env.HALO_DIFF_REPORTS ?? '', `${name}.html`);
  must(existsSync(path), `no report ${path}; scripts/evidence diff-view makes it`);
  return path;
}
