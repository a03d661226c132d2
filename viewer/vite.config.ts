// Builds the page into one file. What is special to it: the worker is a classic script (blob workers of
// modules fail on file:), and the last plugin puts the WebAssembly core and the policy's hashes into the page.
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
  },
});
