// Tests what the timeline draws: tracks, slices under a point, hatching, flows, and what it asks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Strings } from '../src/core/response.ts';
import { LineBatch, RectBatch } from '../src/gl/batch.ts';
import { Camera } from '../src/gl/camera.ts';
import { bandsOf, drawFlows, drawSlices, hatch, nextSlice, sliceAt, wanted } from '../src/time/timeline_scene.ts';
import type { Timeline } from '../src/time/types.ts';

interface One {
  track: number;
  kind: number;
  begin: number;
  end: number;
  busy?: number;
  waiting?: number;
  issued?: number;
  done?: number;
}

function made(slices: One[], memory: [number, number][] = []): Timeline {
  const f = (get: (one: One) => number): Float64Array => Float64Array.from(slices, get);
  const u = (get: (one: One) => number): Uint8Array => Uint8Array.from(slices, get);
  const none = (): Uint8Array => new Uint8Array(slices.length);
  return {
    seconds: 10,
    from: 0,
    to: 10,
    events: slices.length,
    complete: true,
    rows: 1,
    tracks: [...new Set(slices.map((one) => one.track))].sort().map((track) => ({ track, name: `track ${track}` })),
    slice_kinds: [],
    op_kinds: [],
    bounds: [],
    sources: [],
    confidences: [],
    track: u((one) => one.track),
    row: none(),
    kind: u((one) => one.kind),
    critical: none(),
    op_kind: none(),
    bound: none(),
    confidence: none(),
    inst: Uint32Array.from(slices, (_, i) => i),
    begin: f((one) => one.begin),
    end: f((one) => one.end),
    count: f(() => 1),
    busy: f((one) => one.busy ?? one.end - one.begin),
    waiting: f((one) => one.waiting ?? 0),
    issued: f((one) => one.issued ?? -1),
    done: f((one) => one.done ?? -1),
    insts: Uint32Array.from(slices, (_, i) => i),
    names: new Strings(new Uint8Array(0), new Uint32Array(slices.length)),
    memory_at: Float64Array.from(memory, ([at]) => at),
    memory_bytes: Float64Array.from(memory, ([, size]) => size),
  };
}

const [KERNEL, WAIT, TRANSFER, MANY] = [0, 1, 4, 5];
const STEP = made(
  [
    { track: 0, kind: 3, begin: 0, end: 10 },
    { track: 1, kind: KERNEL, begin: 0, end: 4 },
    { track: 1, kind: WAIT, begin: 4, end: 6, busy: 0, waiting: 2 },
    { track: 1, kind: MANY, begin: 6, end: 10, busy: 1, waiting: 2 },
    { track: 2, kind: TRANSFER, begin: 1, end: 6, issued: 0.5, done: 4 },
  ],
  [[0, 5]],
);

function camera(): Camera {
  const made = new Camera(false, 1e-9, 1);
  made.world = { x0: 0, y0: 0, x1: 10, y1: 1 };
  made.resize(1000, 300);
  made.fit();
  return made;
}

const COLORS = { fill: () => 0xff112233, faded: () => false, background: 0xffffffff, edge: 0xff000000, hatch: 0xff0000ff };

test('tracks share the height and do not overlap', () => {
  for (const height of [150, 300, 900]) {
    const bands = bandsOf(STEP, height);
    assert.deepEqual(bands.tracks.map((one) => one.track), [0, 1, 2]);
    const all = [...bands.tracks, bands.memory!];
    all.forEach((one, i) => i > 0 && assert.ok(one.y >= all[i - 1].y + all[i - 1].h, `${height}: ${i}`));
    if (height >= 300) assert.ok(bands.memory!.y + bands.memory!.h <= height);
    assert.ok(bands.tracks[1].h > bands.tracks[2].h);
  }
  assert.equal(bandsOf(made([{ track: 1, kind: KERNEL, begin: 0, end: 1 }]), 300).memory, null);
});

test('several slices are drawn as high as their track is busy', () => {
  const rects = new RectBatch();
  const lines = new LineBatch();
  const bands = bandsOf(STEP, 300);
  drawSlices(STEP, camera(), bands, 1, COLORS, rects, lines);
  const h = bands.tracks[1].h;
  const heights = Array.from({ length: rects.count }, (_, i) => rects.bounds[4 * i + 3]);
  assert.ok(heights.some((one) => Math.abs(one - h / 4) < 1e-3), 'a quarter is busy');
  assert.ok(heights.some((one) => Math.abs(one - h / 2) < 1e-3), 'a half waits');
  assert.ok(lines.count > 10, 'waits and the exposed part of the transfer are hatched');
});

test('hatching stays inside', () => {
  const lines = new LineBatch();
  hatch(10, 20, 30, 40, 6, 1, lines);
  assert.ok(lines.count > 8);
  for (let i = 0; i < lines.count; i++) {
    const [x0, y0, x1, y1] = lines.ends.subarray(4 * i, 4 * i + 4);
    for (const x of [x0, x1]) assert.ok(x >= 10 && x <= 40, `x ${x}`);
    for (const y of [y0, y1]) assert.ok(y >= 20 && y <= 60, `y ${y}`);
  }
});

test('flows lead from the start to the transfer and to the end of the wait', () => {
  const lines = new LineBatch();
  drawFlows(STEP, camera(), bandsOf(STEP, 300), 1, () => 7, lines);
  assert.equal(lines.count, 2);
  assert.deepEqual([lines.ends[0], lines.ends[2], lines.ends[4], lines.ends[6]], [50, 100, 600, 600]);
  lines.clear();
  drawFlows(STEP, camera(), bandsOf(STEP, 300), 1, () => 0, lines);
  assert.equal(lines.count, 0);
});

test('the slice under a point', () => {
  const bands = bandsOf(STEP, 300);
  const y = (track: number): number => bands.tracks[track].y + 3;
  assert.equal(sliceAt(STEP, camera(), bands, 200, y(1)), 1);
  assert.equal(sliceAt(STEP, camera(), bands, 500, y(1)), 2);
  assert.equal(sliceAt(STEP, camera(), bands, 500, y(2)), 4);
  assert.equal(sliceAt(STEP, camera(), bands, 900, y(2)), -1);
  assert.equal(sliceAt(STEP, camera(), bands, 601, y(2)), 4); // within two pixels
});

test('arrows move along a track and between tracks', () => {
  assert.equal(nextSlice(STEP, 1, 1, 0), 2);
  assert.equal(nextSlice(STEP, 2, -1, 0), 1);
  assert.equal(nextSlice(STEP, 1, 0, 1), 4);
  assert.equal(nextSlice(STEP, 4, 0, 1), 4);
});

test('more is asked for when one moves out or closer, not otherwise', () => {
  const loaded = { from: 0, to: 10, pixels: 1000, seconds: 10 };
  assert.equal(wanted(loaded, 0, 10, 1000), null);
  assert.equal(wanted(loaded, -1, 9, 1000), null);
  const near = wanted(loaded, 4, 5, 1000)!;
  assert.ok(near.from === 3.5 && near.to === 5.5 && near.pixels === 2000);
  assert.equal(wanted({ from: 3.5, to: 5.5, pixels: 2000, seconds: 10 }, 4.2, 5.2, 1000), null);
  assert.ok(wanted({ from: 3.5, to: 5.5, pixels: 2000, seconds: 10 }, 5, 6, 1000));
});
