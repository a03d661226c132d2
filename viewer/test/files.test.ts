// Tests the grouping of dropped files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupFiles, titleOf, type Source } from '../src/state/files.ts';

const file = (name: string): Source => ({ name, bytes: 1, read: async () => new ArrayBuffer(0) });

test('a module and the pieces of its assignment', () => {
  const base = 'module_0003.jit_step.sm_9.0_gpu_after_optimizations';
  const { programs, ignored } = groupFiles(
    [`${base}.txt`, `${base}-buffer-assignment.txt`, `${base}-live-range.txt`, `${base}.hlo.pb`, `${base}-memory-usage-report.txt`].map(file),
  );
  assert.equal(programs.length, 1);
  assert.equal(programs[0].title, 'jit_step');
  assert.equal(programs[0].assignment.length, 2);
  assert.equal(ignored.length, 2);
});

test('one module and one assignment are a pair whatever their names', () => {
  const { programs } = groupFiles([file('a.txt'), file('b-buffer-assignment.txt')]);
  assert.equal(programs.length, 1);
  assert.equal(programs[0].assignment.length, 1);
});

test('an assignment alone is a program', () => {
  const { programs } = groupFiles([file('x-buffer-assignment.txt')]);
  assert.equal(programs[0].module, null);
});

test('titles', () => {
  assert.deepEqual(titleOf('module_0001.jit_f.cpu_after_optimizations.txt'), { title: 'jit_f', stage: 'cpu after optimizations' });
  assert.deepEqual(titleOf('001_59.txt'), { title: '001_59', stage: '' });
});
