// Tidies package-lock.json after a change, the viewer's or that of the folder named: node viewer/strip_lock.mjs
// [FOLDER]. Download addresses are taken out: which registry serves a package is the
// installer's business, what it must be is said by version and checksum. Optional packages for other systems, which
// a partial registry leaves out of the lock, are named by version, so that `npm ci` finds the lock complete.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(process.argv[2] ?? import.meta.dirname, 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'sunos', 'netbsd', 'openbsd'];
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'wasm32', 'loong64'];
for (const [owner, entry] of Object.entries(lock.packages)) {
  delete entry.resolved;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || lock.packages[`${owner}/${place}`]) continue;
    const os = name === 'fsevents' ? 'darwin' : (systems.find((one) => name.includes(one)) ?? 'none');
    const cpu = processors.find((one) => name.includes(one));
    lock.packages[place] = { version: version.replace(/^[~^]/, ''), dev: true, optional: true, os: [os] };
    if (cpu) lock.packages[place].cpu = [cpu];
    if (name.includes('musl')) lock.packages[place].libc = ['musl'];
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
