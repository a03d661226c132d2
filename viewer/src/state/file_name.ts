// Names of the files that the page saves.

/** Returns a file name such as `jit_step.after_optimizations.memory-map.svg`. */
export function fileName(title: string, stage: string, what: string, ending: string): string {
  const clean = (text: string, to: string): string => text.replace(/[^\w.-]+/g, to).replace(/^[_.-]+|[_.-]+$/g, '');
  const parts = [clean(title, '_').slice(0, 80) || 'program', clean(stage, '_').slice(0, 80), clean(what, '-')];
  return `${parts.filter(Boolean).join('.')}.${ending}`;
}
