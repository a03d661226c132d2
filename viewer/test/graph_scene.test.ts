// Tests that drawing, picking and keyboard navigation in a graph agree on node positions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBatch, RectBatch } from '../src/gl/batch.ts';
import { Camera } from '../src/gl/camera.ts';
import { Scene } from '../src/views/graph_scene.ts';

// An open box (0) with two nodes in it (1 above 2), and one beside it (3).
const scene = new Scene(
  {
    count: 4,
    x: Float32Array.of(0, 20, 20, 300),
    y: Float32Array.of(0, 30, 120, 30),
    w: Float32Array.of(200, 100, 100, 100),
    h: Float32Array.of(200, 40, 40, 40),
    isOpen: (node) => node === 0,
    fill: () => 0xff00ff00,
  },
  {
    from: Uint32Array.of(1, 3),
    to: Uint32Array.of(2, 2),
    far: Uint8Array.of(0, 0),
    points: Float32Array.of(70, 70, 70, 120, 350, 70, 70, 120),
    ends: Uint32Array.of(2, 4),
  },
);

function camera(): Camera {
  const made = new Camera(true, 10, 10);
  made.resize(800, 600);
  made.world = { x0: 0, y0: 0, x1: 400, y1: 200 };
  made.fit();
  return made;
}

const colors = { background: 0xffffffff, ink: 0xff000000, line: 0xff888888, select: 1, operand: 2, user: 3 };
const batches = () => ({ boxes: new RectBatch(), edges: new LineBatch(), strong: new LineBatch(), nodes: new RectBatch() });

test('nodes are picked where they are drawn, the innermost first', () => {
  const out = batches();
  const labels = scene.draw(camera(), 1, colors, -1, -1, out);
  assert.equal(out.nodes.count, 3);
  assert.equal(out.boxes.count, 1);
  for (const { node, x, y, w, h } of labels) if (node !== 0) assert.equal(scene.at(camera(), x + w / 2, y + h / 2), node);
  const box = labels.find((one) => one.node === 0)!;
  assert.equal(scene.at(camera(), box.x + 4, box.y + 4), 0);
  assert.equal(scene.at(camera(), 799, 599), -1);
});

test('edges of the selected node are drawn apart', () => {
  const out = batches();
  scene.draw(camera(), 1, colors, 2, -1, out);
  assert.ok(out.strong.count > 0);
  assert.ok(out.strong.colors.subarray(0, out.strong.count).every((color) => color === 2));
});

test('arrows walk along edges and sideways', () => {
  assert.equal(scene.neighbour(1, 0, 1), 2);
  assert.equal(scene.neighbour(2, 0, -1), 1);
  assert.equal(scene.neighbour(1, 1, 0), 3);
  assert.equal(scene.neighbour(3, -1, 0), 1);
  assert.equal(scene.neighbour(1, 0, -1), 1);
});

test('a million nodes stay within the batch', () => {
  const n = 1_000_000;
  const big = new Scene(
    {
      count: n,
      x: Float32Array.from({ length: n }, (_, i) => (i % 1000) * 120),
      y: Float32Array.from({ length: n }, (_, i) => Math.floor(i / 1000) * 80),
      w: new Float32Array(n).fill(100),
      h: new Float32Array(n).fill(40),
      isOpen: () => false,
      fill: () => 0xff00ff00,
    },
    {
      from: Uint32Array.from({ length: n - 1 }, (_, i) => i),
      to: Uint32Array.from({ length: n - 1 }, (_, i) => i + 1),
      far: new Uint8Array(n - 1),
      points: new Float32Array(4 * (n - 1)),
      ends: Uint32Array.from({ length: n - 1 }, (_, i) => 2 * i + 2),
    },
  );
  const far = new Camera(true, 10, 10);
  far.resize(1280, 720);
  far.world = { x0: 0, y0: 0, x1: 120000, y1: 80000 };
  far.fit();
  const out = batches();
  big.draw(far, 1, colors, -1, -1, out);
  assert.ok(out.nodes.count > 1000 && out.nodes.count <= 40000);
  assert.ok(out.edges.count <= 60000);
});
