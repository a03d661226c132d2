// Tests times as text, ticks, and the diagrams on logarithmic axes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Camera } from '../src/gl/camera.ts';
import { peaksOf, pointAt, powers, rangeOf, roofs, type Point } from '../src/time/scatter_scene.ts';
import { niceStep, scaled, seconds, tick } from '../src/time/seconds.ts';

test('times are written as the command writes them', () => {
  assert.deepEqual([2.574, 0.0857, 0.000157, 5.92e-3, 1.2e-8, 0, -0.001].map(seconds), ['2.57 s', '85.7 ms', '157 us', '5.92 ms', '12.0 ns', '0', '-1.00 ms']);
  assert.equal(seconds(0.99999), '1.00 s');
  assert.equal(seconds(NaN), '–');
});

test('rates', () => {
  assert.deepEqual([2.3e15, 8e12, 12345, 0.25].map(scaled), ['2.3 P', '8 T', '12.3 k', '0.25']);
});

test('ticks are one, two or five and have one unit', () => {
  assert.equal(niceStep(10, 10), 1);
  assert.equal(niceStep(2.574, 10), 0.5);
  assert.equal(niceStep(0.0003, 10), 5e-5);
  assert.equal(tick(1.5, 0.5), '1.5 s');
  assert.equal(tick(0.00015, 5e-5), '150 us');
  assert.equal(tick(0, 0.1), '0.0 s');
});

const point = (x: number, y: number): Point => ({ x, y, size: 3, color: '#000000', inst: 1, name: 'a' });

test('the range holds all points and the roof', () => {
  const range = rangeOf([point(0, 9), point(2, 12)], [3], [15]);
  assert.ok(range.x0 < 0 && range.x1 > 3 && range.y0 < 9 && range.y1 > 15);
  assert.deepEqual(rangeOf([], [], []), { x0: 0, y0: 0, x1: 1, y1: 1 });
  assert.deepEqual(powers(-0.5, 3.2, 10), [0, 1, 2, 3]);
  assert.ok(powers(-9, 9, 4).length <= 5);
});

test('bandwidth and peak meet at the ridge', () => {
  const [slope, peak] = roofs(1e12, [{ name: 'bf16', value: 1e15 }], -2, 5);
  assert.equal(slope.x1, 3);
  assert.equal(slope.y1, 15);
  assert.deepEqual([peak.x0, peak.y0, peak.x1, peak.y1], [3, 15, 5, 15]);
  assert.deepEqual(roofs(0, [], 0, 1), []);
});

test('peaks are those of the types that are multiplied', () => {
  const figures = [
    { name: 'bf16', value: 9e14 },
    { name: 'tf32', value: 4e14 },
    { name: 'f32', value: 6e13 },
    { name: 's8', value: 2e15 },
  ];
  assert.deepEqual(peaksOf(['bf16'], figures).map((one) => one.name), ['bf16', 'f32']);
  assert.deepEqual(peaksOf(['f32', 'f8e4m3fn'], figures).map((one) => one.name), ['bf16', 'tf32', 'f32']);
});

test('the point under the pointer', () => {
  const camera = new Camera(false, 0.1, 0.1, true);
  camera.world = { x0: 0, y0: 0, x1: 10, y1: 10 };
  camera.resize(100, 100);
  camera.fit();
  const points = [point(1, 1), point(5, 5)];
  assert.equal(pointAt(points, camera, 50, 52), 1);
  assert.equal(pointAt(points, camera, 10, 88), 0);
  assert.equal(pointAt(points, camera, 90, 10), -1);
});
