// Tests the words of the list of passes, and the order of dumped stages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PassChange } from '../src/core/requests.ts';
import { groupFiles, stageOf, type Source } from '../src/state/files.ts';
import { kindOf, opcodeWords, signed, signedBytes } from '../src/views/pass_words.ts';

const none: PassChange = { same_text: false, instructions: 0, added: 0, removed: 0, computations: 0, fusions: 0, buffer_bytes: 0, largest_bytes: 0, opcodes: [] };
const file = (name: string): Source => ({ name, bytes: 1, read: async () => new ArrayBuffer(0) });

test('changes in words', () => {
  assert.equal(signed(0), '');
  assert.equal(signed(1200), '+1,200');
  assert.equal(signed(-3), '−3');
  assert.equal(signedBytes(-2048), '−2.0KiB');
  const opcodes = [
    { name: 'fusion', before: 0, after: 12 },
    { name: 'add', before: 30, after: 1 },
    { name: 'copy', before: 1, after: 2 },
  ];
  assert.equal(opcodeWords({ ...none, opcodes }, 2), '+12 fusion, −29 add, 1 more');
});

test('kinds of change', () => {
  assert.equal(kindOf(null), 'first');
  assert.equal(kindOf({ ...none, same_text: true }), 'same');
  assert.equal(kindOf(none), 'text');
  assert.equal(kindOf({ ...none, added: 1, removed: 1 }), 'counts');
});

test('the name of a pass', () => {
  const stage = stageOf('module_0001.jit_step.0054.config-assigner.after_pipeline-start.before_conv-fp8-fallback.txt');
  assert.equal(stage.title, 'jit_step');
  assert.equal(stage.step, 54);
  assert.equal(stage.pipeline, 'config-assigner');
  assert.equal(stage.pass, 'pipeline-start');
  assert.equal(stage.group, stageOf('module_0001.jit_step.before_optimizations.txt').group);
  assert.notEqual(stage.group, stageOf('module_0002.jit_step.before_optimizations.txt').group);
});

test('stages in the order of compilation', () => {
  const names = [
    'module_0001.jit_f.sm_9.0a_gpu_after_optimizations.txt',
    'module_0001.jit_f.0010.fusion.after_dce.before_cse.txt',
    'module_0001.jit_f.before_optimizations.txt',
    'module_0001.jit_f.0002.simplification.after_algsimp.before_dce.txt',
    'module_0001.jit_f.after_spmd_partitioner.txt',
    'module_0001.jit_f.gpu_target_config.pbtxt',
    'module_0001.jit_f.thunk_sequence_after_thunk_passes.txt',
  ];
  const { programs, ignored } = groupFiles(names.map(file));
  assert.deepEqual(programs.map((one) => one.step), [null, null, 2, 10, null]);
  assert.deepEqual(programs.map((one) => one.named), [false, true, false, false, false]);
  assert.match(programs[4].stage, /after optimizations/);
  assert.deepEqual(ignored, names.slice(6));
  assert.ok(programs.every((one) => one.beside.length === 1), 'the device belongs to every stage');
});
