// Tests the recording of drawings as SVG: shapes stay vectors, text stays text and is escaped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBatch, RectBatch } from '../src/gl/batch.ts';
import { escaped, SvgSheet } from '../src/gl/svg.ts';
import { fileName } from '../src/state/file_name.ts';
import { drawLive } from '../src/views/live_picture.ts';
import type { Pen } from '../src/gl/painter.ts';

test('rectangles and lines are elements', () => {
  const sheet = new SvgSheet(100, 50);
  sheet.begin(0xffffffff);
  const rects = new RectBatch();
  rects.push(10, 10, 40, 20, 0xff0000ff, 0xff00ff00);
  rects.push(500, 10, 40, 20, 0xff0000ff, 0xff00ff00); // outside
  sheet.rects(rects, 5, 1);
  const lines = new LineBatch();
  lines.push(0, 0, 10, 10, 0x80ff0000);
  lines.push(10, 10, 20, 5, 0x80ff0000);
  sheet.lines(lines, 2);
  const svg = sheet.toString('a picture');
  assert.equal(svg.match(/<rect /g)?.length, 2, 'the background and one rectangle');
  assert.match(svg, /fill="#ff0000" stroke="#00ff00"/);
  assert.match(svg, /<path d="M0 0L10 10L20 5" fill="none" stroke="#0000ff" stroke-opacity="0.5"/);
  assert.match(svg, /viewBox="0 0 100 50"/);
  assert.ok(!svg.includes('<image') && !svg.includes('data:'), 'no bitmap');
});

test('names cannot leave their element', () => {
  assert.equal(escaped(`<script>&"'`), '&lt;script&gt;&amp;&quot;&apos;');
  assert.equal(escaped('a\u0000b\ud800c'), 'a\ufffdb\ufffdc');
  const sheet = new SvgSheet(10, 10);
  sheet.font = '600 12px "<mono>"';
  sheet.fillStyle = '"/><script>';
  sheet.fillText('</text><script>alert(1)</script>', 1, 1);
  const svg = sheet.toString('</title><script>');
  assert.ok(!svg.includes('<script'));
});

test('text follows the state of the pen', () => {
  const sheet = new SvgSheet(100, 100);
  sheet.font = '600 10px mono';
  sheet.textAlign = 'right';
  sheet.textBaseline = 'middle';
  sheet.setTransform(2, 0, 0, 2, 0, 0);
  sheet.fillText('x', 10, 20);
  const svg = sheet.toString('t');
  assert.match(svg, /<text x="20" y="47" font-size="20" font-family="mono" font-weight="600" text-anchor="end"/);
});

test('the curve of live bytes is a path', () => {
  const sheet = new SvgSheet(400, 200);
  const live = Float64Array.from({ length: 50 }, (_, i) => i * 100);
  drawLive(
    { painter: sheet, pen: sheet as unknown as Pen, width: 400, height: 200, ratio: 1 },
    { live, held: 1000, peak: { position: 49, bytes: 5900 }, reserved: 8000, x0: 0, x1: 50 },
    { background: 0xffffffff, ink: '#111111', line: '#dddddd', curve: '#0000ff', area: '#ccccff', mark: '#ff0000', font: 'mono' },
  );
  const svg = sheet.toString('live bytes');
  assert.match(svg, /<path d="M[^"]*" fill="none" stroke="#0000ff"/);
  assert.match(svg, /peak 5\.8KiB/);
  assert.ok(!svg.includes('NaN'));
});

test('file names', () => {
  assert.equal(fileName('jit_step', 'gpu after optimizations', 'memory map, as dumped', 'svg'), 'jit_step.gpu_after_optimizations.memory-map-as-dumped.svg');
  assert.equal(fileName('../../etc/<b>', '', 'graph', 'png'), 'etc_b.graph.png');
  assert.equal(fileName('', '', 'graph', 'png'), 'program.graph.png');
});
