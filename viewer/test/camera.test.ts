// Tests the camera: it keeps the point under the pointer and its limits, and a tied one keeps its scale.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../src/gl/camera.ts';

test('zoom keeps the point under the pointer, at addresses beyond 32 bits', () => {
  const camera = new Camera(false, 1, 1);
  camera.resize(1000, 500);
  camera.world = { x0: 0, y0: 0, x1: 5000, y1: 80e9 };
  camera.fit();
  const at = (): [number, number] => [camera.x0 + 300 / camera.scaleX, camera.y0 + 200 / camera.scaleY];
  const before = at();
  for (let i = 0; i < 40; i++) camera.zoom(1.3, 300, 200);
  assert.ok(Math.abs(at()[0] - before[0]) < 1e-6);
  assert.ok(Math.abs(at()[1] - before[1]) < 1e-3);
  assert.ok(camera.x1 - camera.x0 >= 0.99);
});

test('a tied camera has one scale, also after a resize', () => {
  const camera = new Camera(true, 10, 10);
  camera.resize(800, 600);
  camera.world = { x0: 0, y0: 0, x1: 4000, y1: 100 };
  camera.fit(camera.world, 10);
  assert.ok(Math.abs(camera.scaleX - camera.scaleY) < 1e-12);
  const scale = camera.scaleX;
  camera.resize(400, 900);
  assert.ok(Math.abs(camera.scaleX - scale) < 1e-12 && Math.abs(camera.scaleY - scale) < 1e-12);
});

test('some of the world stays in sight', () => {
  const camera = new Camera(true, 10, 10);
  camera.resize(100, 100);
  camera.world = { x0: 0, y0: 0, x1: 100, y1: 100 };
  camera.fit();
  camera.pan(1e9, -1e9);
  assert.ok(camera.x1 > 0 && camera.y0 < 100);
});
