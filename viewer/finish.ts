// The last step of the build: embeds the compressed WebAssembly core in a data block of the page, and writes the
// page's Content-Security-Policy with the hashes of the inline script and style. policy() below lists everything
// that the page may do.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Allows the page's own script and style, compiling WebAssembly, and a worker created by the page. */
function policy(scripts: string[], styles: string[]): string {
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')} 'wasm-unsafe-eval'`,
    `style-src ${styles.join(' ')}`,
    'worker-src blob:',
    "connect-src 'self'", // `halo view` serves the page together with its data
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types svelte-trusted-html default',
  ].join('; ');
}

function hashes(html: string, element: RegExp): string[] {
  return [...html.matchAll(element)].map(
    (match) => `'sha256-${createHash('sha256').update(match[1], 'utf8').digest('base64')}'`,
  );
}

export function finishPage(wasm: string | undefined): Plugin {
  let folder = '';
  return {
    name: 'halo:finish',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
      if (config.build.outDir.startsWith('/')) folder = config.build.outDir;
    },
    closeBundle() {
      const path = join(folder, 'index.html');
      let html = readFileSync(path, 'utf8');
      if (wasm) {
        const core = gzipSync(readFileSync(wasm), { level: 9 }).toString('base64');
        const end = html.lastIndexOf('</body>'); // the page's script also contains this string
        html = `${html.slice(0, end)}<script type="application/octet-stream" id="halo-core">${core}</script>\n  ${html.slice(end)}`;
      }
      const scripts = hashes(html, /<script type="module"[^>]*>([\s\S]*?)<\/script>/g);
      const styles = hashes(html, /<style[^>]*>([\s\S]*?)<\/style>/g);
      if (scripts.length !== 1 || styles.length !== 1)
        throw new Error(`expected one script and one style in line, found ${scripts.length} and ${styles.length}`);
      html = html.replace('%POLICY%', () => policy(scripts, styles));
      for (const marker of ['<!--halo:data-->', '<!--/halo:data-->'])
        if (html.split(marker).length !== 2) throw new Error(`the page must hold ${marker} exactly once`);
      writeFileSync(path, html);
    },
  };
}
