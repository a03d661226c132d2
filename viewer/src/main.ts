// Starts the page: sets up the only way to create a worker that the policy allows, the theme and the app.
import { mount } from 'svelte';
import App from './App.svelte';
import './style/theme.css';
import { startEditorLink } from './state/editor_link.svelte.ts';
import { startTheme } from './state/theme.svelte.ts';
import { session } from './state/session.svelte.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown;
}

// The page requires trusted types: only the worker, a blob of this page, may be loaded as a script.
const trusted = (window as unknown as { trustedTypes?: TrustedTypes }).trustedTypes;
trusted?.createPolicy('default', {
  createScriptURL(url) {
    if (!url.startsWith('blob:')) throw new TypeError(`not a script of this page: ${url.slice(0, 80)}`);
    return url;
  },
});

startTheme();
const target = document.getElementById('app')!;
target.replaceChildren(); // removes the placeholder that is shown while the script loads
mount(App, { target });
startEditorLink();
void session.start();
