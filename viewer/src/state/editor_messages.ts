// The messages between the page and the code editor that shows it in a panel (editor_link.svelte.ts).
import { VIEWS, type View } from './hash.ts';

export type ToPage = { type: 'show'; line: number } | { type: 'view'; view: View } | { type: 'theme'; dark: boolean };
export type FromPage = { type: 'ready' } | { type: 'selected'; line: number; name: string };

/** Returns a valid message of the editor, or null. */
export function messageOf(data: unknown): ToPage | null {
  const message = data as Partial<{ type: string; line: number; view: View; dark: boolean }> | null;
  if (message?.type === 'show' && Number.isSafeInteger(message.line) && message.line! >= 0) return { type: 'show', line: message.line! };
  if (message?.type === 'view' && VIEWS.includes(message.view!)) return { type: 'view', view: message.view! };
  if (message?.type === 'theme' && typeof message.dark === 'boolean') return { type: 'theme', dark: message.dark };
  return null;
}
