// Starts the page: the one way to make a worker that the policy allows, the theme, the app.
import { mount } from 'svelte';
import App from './App.svelte';
import './style/theme.css';
import { startTheme } from './state/theme.svelte.ts';
import { session } from './state/session.svelte.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown;
}

// The page demands trusted types: only the worker, a blob of its own, may be loaded as a script.
const trusted = (window as unknown as { trustedTypes?: TrustedTypes }).trustedTypes;
trusted?.createPolicy('default', {
  createScriptURL(url) {
    if (!url.startsWith('blob:')) throw new TypeError(`not a script of this page: ${url.slice(0, 80)}`);
    return url;
  },
});

startTheme();
const target = document.getElementById('app')!;
target.replaceChildren(); // what was painted while the script was read
mount(App, { target });
void session.start();
