// How Svelte's compiler is called: TypeScript in components, styles taken out into the one sheet.
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default { preprocess: vitePreprocess(), compilerOptions: { css: 'external', runes: true } };
