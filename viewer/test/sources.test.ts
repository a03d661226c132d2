// Tests which dropped file a path in a dump means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSourceName, matchSource } from '../src/state/source_match.ts';

test('source files are told by their names', () => {
  for (const name of ['model.py', 'a.PYI', 'kernel.cu', 'x.cc']) assert.ok(isSourceName(name), name);
  for (const name of ['module.txt', 'a.hlo', 'a.pb', 'py', 'model.py.txt', 'x.pbtxt']) assert.ok(!isSourceName(name), name);
});

test('the longest common end of the path decides', () => {
  const paths = ['/proj/a/layers.py', '/proj/b/layers.py', '/proj/model.py'];
  assert.equal(matchSource(paths, '/srv/proj/b/layers.py'), 1);
  assert.equal(matchSource(paths, 'C:\\work\\proj\\a\\layers.py'), 0);
  assert.equal(matchSource(paths, 'model.py'), 2);
  assert.equal(matchSource(paths, '/x/other.py'), -1);
  assert.equal(matchSource(paths, ''), -1);
  assert.equal(matchSource([], 'model.py'), -1);
  assert.equal(matchSource(['/somemodel.py'], '/model.py'), -1, 'part of a name is no match');
});

test('files that match equally well tell nothing', () => {
  const paths = ['/p/a/layers.py', '/p/b/layers.py'];
  assert.equal(matchSource(paths, '/elsewhere/layers.py'), -1);
  assert.equal(matchSource([...paths, '/elsewhere/layers.py'], '/elsewhere/layers.py'), 2);
});
