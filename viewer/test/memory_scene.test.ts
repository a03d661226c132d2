// Tests that drawing and picking in memory maps agree on rectangle positions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryMap } from '../src/core/requests.ts';
import { RectBatch } from '../src/gl/batch.ts';
import { Camera } from '../src/gl/camera.ts';
import { mapRects, neighbour, rectAt } from '../src/views/memory_scene.ts';

const map = {
  begin: Uint32Array.of(0, 4, 4),
  end: Uint32Array.of(10, 6, 10),
  offset: Float64Array.of(0, 60e9, 70e9),
  size: Float64Array.of(50e9, 10e9, 10e9),
} as unknown as MemoryMap;

function camera(): Camera {
  const made = new Camera(false, 1, 1);
  made.resize(1000, 800);
  made.world = { x0: 0, y0: 0, x1: 10, y1: 80e9 };
  made.fit();
  return made;
}

const look = { fill: () => 0xff0000ff, faded: () => false, background: 0xffffffff, edge: 0xff000000 };

test('a rectangle is picked where it is drawn', () => {
  const batch = new RectBatch();
  assert.equal(mapRects(map, camera(), 1, look, batch).length, 3);
  for (let i = 0; i < 3; i++) {
    const [x, y, w, h] = batch.bounds.subarray(4 * i, 4 * i + 4);
    assert.equal(rectAt(map, camera(), x + w / 2, y + h / 2), i);
  }
  assert.equal(rectAt(map, camera(), 900, 800 - 550), -1);
});

test('what is out of sight is not drawn', () => {
  const close = camera();
  close.x0 = 6;
  close.x1 = 7;
  const batch = new RectBatch();
  mapRects(map, close, 1, look, batch);
  assert.equal(batch.count, 2);
});

test('arrows walk', () => {
  assert.equal(neighbour(map, 0, 1, 0), 1);
  assert.equal(neighbour(map, 1, 1, 0), 2);
  assert.equal(neighbour(map, 2, -1, 0), 1);
  assert.equal(neighbour(map, 0, 0, 1), 1);
  assert.equal(neighbour(map, 2, 1, 0), 2);
});
