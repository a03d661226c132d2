// Messages of the code editor: what is not one is ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../src/state/editor_messages.ts';

test('valid messages', () => {
  assert.deepEqual(messageOf({ type: 'show', line: 7, more: 1 }), { type: 'show', line: 7 });
  assert.deepEqual(messageOf({ type: 'view', view: 'memory' }), { type: 'view', view: 'memory' });
  assert.deepEqual(messageOf({ type: 'theme', dark: true }), { type: 'theme', dark: true });
});

test('everything else', () => {
  const wrong = [null, undefined, 3, 'show', {}, { type: 'show' }, { type: 'show', line: -1 }, { type: 'show', line: 1.5 }, { type: 'show', line: '1' }, { type: 'view', view: 'shell' }, { type: 'theme', dark: 1 }];
  for (const one of wrong) assert.equal(messageOf(one), null);
});
