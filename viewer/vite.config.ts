// Builds the page into one file. Two details are special: the worker is a classic script (module blob workers
// fail on file:), and the last plugin embeds the WebAssembly core and the policy's hashes in the page.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';
import { finishPage } from './finish.ts';

export default defineConfig({
  plugins: [svelte(), viteSingleFile(), finishPage(process.env.HALO_VIEW_WASM)],
  worker: { format: 'iife' },
  build: {
    target: 'es2022',
    outDir: process.env.HALO_VIEWER_OUT ?? 'dist',
    emptyOutDir: true,
    modulePreload: false,
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
  },
});
