// Tests that each page of a list is asked for once, and again after a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Paged } from '../src/state/paged.ts';

test('a page is asked for once', async () => {
  const pages = new Paged<string>(60);
  pages.begin('zero');
  let asked = 0;
  const ask = async () => `page ${++asked}`;
  assert.deepEqual(await Promise.all([pages.fetch(3, ask), pages.fetch(3, ask)]), ['page 1', null]);
  assert.equal(await pages.fetch(3, ask), null);
  assert.equal(await pages.fetch(0, ask), null);
  assert.equal(pages.get(3), 'page 1');
});

test('a page whose request failed is asked for again', async () => {
  const pages = new Paged<string>(60);
  pages.begin('zero');
  await assert.rejects(pages.fetch(2, () => Promise.reject(new Error('the worker ended'))), /the worker ended/);
  assert.equal(pages.get(2), undefined);
  assert.equal(await pages.fetch(2, async () => 'two'), 'two');
  assert.equal(pages.get(2), 'two');
});

test('what comes after another list is wanted is dropped', async () => {
  const pages = new Paged<string>(60);
  pages.begin('old');
  let answer: (page: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const late = pages.fetch(1, () => new Promise<string>((resolve) => (answer = resolve)));
  const failing = pages.fetch(2, () => new Promise<string>((_, reject) => (fail = reject)));
  pages.renew();
  pages.begin('new');
  answer('one');
  fail(new Error('too late'));
  assert.equal(await late, null);
  assert.equal(await failing, null);
  assert.equal(pages.get(0), 'new');
  assert.equal(pages.get(1), undefined);
  assert.equal(await pages.fetch(1, async () => 'one of the new'), 'one of the new');
});

test('old pages are dropped', async () => {
  const pages = new Paged<number>(3);
  pages.begin(0);
  for (let i = 1; i < 4; i++) await pages.fetch(i, async () => i);
  assert.equal(pages.get(3), 3);
  assert.equal(pages.get(0), undefined);
});
