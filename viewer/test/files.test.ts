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

test('profiles and what the autotuner measured belong to the modules beside them', () => {
  const base = 'module_0040.pjit_step';
  const { programs, ignored } = groupFiles(
    [`rank0.${base}.sm_8.0_gpu_after_optimizations.txt`, `${base}.autotune_results.pbtxt`, 'module_0041.other.autotune_results.pbtxt', 'host.xplane.pb', 'host.trace.json'].map(file),
  );
  assert.equal(programs.length, 1);
  assert.deepEqual(programs[0].beside.map((one) => one.name), [`${base}.autotune_results.pbtxt`, 'host.xplane.pb', 'host.trace.json']);
  assert.equal(ignored.length, 0);
});

test('a profile alone shows the programs inside it', () => {
  const { programs, ignored } = groupFiles([file('host.xplane.pb'), file('steps.csv')]);
  assert.equal(programs.length, 1);
  assert.equal(programs[0].module?.name, 'host.xplane.pb');
  assert.deepEqual(programs[0].beside.map((one) => one.name), ['steps.csv']);
  assert.deepEqual(ignored, []);
  assert.deepEqual(groupFiles([file('steps.csv')]).ignored, ['steps.csv']);
});
