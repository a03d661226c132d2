// Which of the source files that the user dropped a path in a dump means. Dumps hold paths of the machine that traced
// the program, so only the ends of paths are compared.

/** Files that are taken as sources; everything else is taken as a part of a dump. */
const SOURCE = /\.(py|pyi|pyx|jl|rs|c|cc|cpp|cxx|cu|cuh|h|hh|hpp)$/i;

export function isSourceName(name: string): boolean {
  return SOURCE.test(name);
}

function partsOf(path: string): string[] {
  return path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
}

/** Returns how many parts the ends of two paths have in common. */
function commonEnd(a: string[], b: string[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  return same;
}

/**
 * Returns the position of the path that shares the longest end with `wanted`, at least its file name; -1 if there is
 * none. Of equally good ones the first counts, unless they are different files of one name, which tells nothing.
 */
export function matchSource(paths: readonly string[], wanted: string): number {
  const parts = partsOf(wanted);
  let best = -1;
  let most = 0;
  let tied = false;
  paths.forEach((path, at) => {
    const same = commonEnd(partsOf(path), parts);
    if (same === 0 || same < most) return;
    tied = same === most && paths[best] !== path;
    if (same > most) {
      best = at;
      most = same;
      tied = false;
    }
  });
  return tied ? -1 : best;
}
