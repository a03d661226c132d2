// Bundles the extension into dist/: one file for a desktop or server, one for the browser, and the viewer's page, which
// scripts/build_viewer makes. HALO_VIEWER_PAGE names another page; --no-page leaves it out, for checks.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'dist');
mkdirSync(out, { recursive: true });
const common = { bundle: true, external: ['vscode'], format: 'cjs', target: 'es2022', minify: true, logLevel: 'warning', absWorkingDir: here };
await build({ ...common, entryPoints: ['src/extension.ts'], platform: 'node', outfile: join(out, 'extension.js') });
await build({ ...common, entryPoints: ['src/browser.ts'], platform: 'browser', outfile: join(out, 'browser.js') });
if (!process.argv.includes('--no-page')) {
  const page = process.env.HALO_VIEWER_PAGE ?? join(here, '..', '..', 'build', 'release', 'share', 'haloscope', 'viewer.html');
  copyFileSync(page, join(out, 'viewer.html'));
}
