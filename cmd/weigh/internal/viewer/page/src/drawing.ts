// Draws a heat map: tiles, numbers where there is room, indices and norms along the edges.

import type { Camera } from "./camera";
import type { Palette } from "./colors";
import { float, int, num } from "./format";
import { picture, tileSize, type Tiles } from "./tiles";
import type { Norms } from "./types";

export interface Scene {
  context: CanvasRenderingContext2D; width: number; height: number; ratio: number;
  camera: Camera; tiles: Tiles; levels: number; high: number; palette: Palette;
  norms?: Norms; cursor?: { row: number; column: number }; marked?: { row: number; column: number };
  ink: string; soft: string; line: string; accent: string; font: string;
}

const maxVisible = 60;

/** The level whose blocks are about a pixel along the axis that is shown larger, with a bounded number of tiles. */
export function levelOf(camera: Camera, levels: number): number {
  let level = Math.max(0, Math.floor(Math.log2(1 / Math.max(camera.sx, camera.sy)) + .01));
  const { column0, column1, row0, row1 } = camera.range;
  for (; level < levels - 1; level++) {
    const step = tileSize * 2 ** level;
    const n = (Math.ceil(column1 / step) - Math.floor(column0 / step)) * (Math.ceil(row1 / step) - Math.floor(row0 / step));
    if (n <= maxVisible) break;
  }
  return Math.min(level, levels - 1);
}

/** The tiles in view at a level, those in the middle first. */
export function inView(camera: Camera, level: number): [number, number, number][] {
  const { column0, column1, row0, row1 } = camera.range;
  const step = tileSize * 2 ** level;
  const list: [number, number, number][] = [];
  for (let y = Math.floor(row0 / step); y * step < row1; y++) {
    for (let x = Math.floor(column0 / step); x * step < column1; x++) list.push([level, x, y]);
  }
  const cx = (column0 + column1) / 2 / step - .5, cy = (row0 + row1) / 2 / step - .5;
  return list.sort((a, b) => Math.hypot(a[1] - cx, a[2] - cy) - Math.hypot(b[1] - cx, b[2] - cy));
}

export function draw(s: Scene) {
  const { context: c, camera } = s;
  c.setTransform(s.ratio, 0, 0, s.ratio, 0, 0);
  c.clearRect(0, 0, s.width, s.height);
  const level = levelOf(camera, s.levels);
  const covered = camera.covered;
  c.save();
  c.beginPath();
  c.rect(covered.x, covered.y, covered.width, covered.height);
  c.clip();
  c.imageSmoothingEnabled = false;
  for (let l = s.levels - 1; l >= level; l--) drawLevel(s, l);
  if (camera.sx >= 40 && camera.sy >= 15) drawNumbers(s);
  drawMarks(s);
  c.restore();
  c.strokeStyle = s.line;
  c.lineWidth = 1;
  c.strokeRect(covered.x - .5, covered.y - .5, covered.width + 1, covered.height + 1);
  drawIndices(s);
  if (s.norms) drawNorms(s, s.norms);
}

function drawLevel(s: Scene, level: number) {
  const { camera, context: c } = s;
  const block = 2 ** level;
  const factor = (size: number) => Math.min(tileSize, 2 ** Math.max(0, Math.floor(Math.log2(1 / (size * block)) + .01)));
  const fx = factor(camera.sx), fy = factor(camera.sy);
  for (const [, x, y] of inView(camera, level)) {
    const tile = s.tiles.get(level, x, y);
    if (!tile) continue;
    const image = picture(tile, s.tiles.mode, s.high, s.palette, fx, fy);
    const x0 = snap(camera.px(x * tileSize * block), s.ratio), y0 = snap(camera.py(y * tileSize * block), s.ratio);
    const x1 = snap(camera.px((x * tileSize + image.width * fx) * block), s.ratio);
    const y1 = snap(camera.py((y * tileSize + image.height * fy) * block), s.ratio);
    c.drawImage(image, x0, y0, x1 - x0, y1 - y0);
  }
}

/** A position on whole device pixels, so that no line shows between tiles. */
const snap = (x: number, ratio: number) => Math.round(x * ratio) / ratio;

/** The value of an element if its tile is here, and how many elements it stands for along each axis. */
export function valueAt(tiles: Tiles, levels: number, row: number, column: number): { value: number; block: number } | undefined {
  for (let level = 0; level < levels; level++) {
    const step = tileSize * 2 ** level;
    const x = Math.floor(column / step), y = Math.floor(row / step);
    const tile = tiles.get(level, x, y);
    if (!tile) continue;
    const i = Math.floor((column - x * step) / 2 ** level), j = Math.floor((row - y * step) / 2 ** level);
    if (i < tile.width && j < tile.height) return { value: tile.values[j * tile.width + i]!, block: 2 ** level };
  }
  return undefined;
}

function drawNumbers(s: Scene) {
  const { context: c, camera } = s;
  const { row0, row1, column0, column1 } = camera.range;
  c.font = `11px ${s.font}`;
  c.textAlign = "center";
  c.textBaseline = "middle";
  const dark = s.palette.css(0).startsWith("rgb(24");
  for (let row = row0; row < row1; row++) {
    for (let column = column0; column < column1; column++) {
      const tile = s.tiles.get(0, Math.floor(column / tileSize), Math.floor(row / tileSize));
      if (!tile) continue;
      const v = tile.values[(row % tileSize) * tile.width + column % tileSize]!;
      const strength = Math.abs(v) / s.high;
      const onLight = dark ? strength > .45 : strength < .45;
      c.fillStyle = v - v !== 0 ? "#fff" : onLight ? "#111" : "#fff";
      c.fillText(float(v, camera.sx > 56 ? 4 : 3), camera.px(column + .5), camera.py(row + .5), camera.sx - 4);
    }
  }
}

function drawMarks(s: Scene) {
  const { context: c, camera } = s;
  const box = (row: number, column: number, width: number) => {
    const w = Math.max(camera.sx, 7), h = Math.max(camera.sy, 7);
    c.lineWidth = width;
    c.strokeRect(camera.px(column + .5) - w / 2, camera.py(row + .5) - h / 2, w, h);
  };
  if (s.marked) { c.strokeStyle = s.accent; box(s.marked.row, s.marked.column, 2); }
  if (s.cursor) { c.strokeStyle = s.ink; box(s.cursor.row, s.cursor.column, 1); }
}

/** Distances that are easy to count by. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  for (const f of [1, 2, 5, 10]) if (f * power >= least) return Math.max(1, f * power);
  return power * 10;
}

function drawIndices(s: Scene) {
  const { context: c, camera } = s;
  const area = camera.covered;
  c.font = `11px ${s.font}`;
  c.fillStyle = s.soft;
  const { row0, row1, column0, column1 } = camera.range;
  c.textAlign = "center";
  c.textBaseline = "bottom";
  const stepX = niceStep(64 / camera.sx);
  for (let k = Math.ceil(column0 / stepX) * stepX; k < column1; k += stepX) {
    const x = camera.px(k + (camera.sx >= 12 ? .5 : 0));
    const half = c.measureText(int(k)).width / 2;
    if (x - half >= area.x - 8 && x + half <= area.x + area.width + 8) c.fillText(int(k), x, area.y - 5);
  }
  c.textAlign = "right";
  c.textBaseline = "middle";
  const stepY = niceStep(26 / camera.sy);
  for (let k = Math.ceil(row0 / stepY) * stepY; k < row1; k += stepY) {
    const y = camera.py(k + (camera.sy >= 12 ? .5 : 0));
    if (y >= area.y - 2 && y <= area.y + area.height + 2) c.fillText(int(k), area.x - 6, y);
  }
}

/** Bars along the right and lower edge: the norm of each row and column. */
function drawNorms(s: Scene, norms: Norms) {
  const { context: c, camera } = s;
  const area = camera.covered, depth = 34, gap = 7;
  c.fillStyle = s.accent;
  const bars = (list: (number | string)[], step: number, first: number, last: number, at: (k: number) => number, put: (from: number, to: number, share: number) => void) => {
    let most = 0;
    for (const n of list) { const v = num(n); if (Number.isFinite(v) && v > most) most = v; }
    if (!most) return;
    for (let i = Math.floor(first / step); i < list.length && i * step < last; i++) {
      const v = num(list[i]!);
      put(at(i * step), at((i + 1) * step), Number.isFinite(v) ? v / most : 1);
    }
  };
  const { row0, row1, column0, column1 } = camera.range;
  const clampY = (y: number) => Math.max(area.y, Math.min(area.y + area.height, y));
  const clampX = (x: number) => Math.max(area.x, Math.min(area.x + area.width, x));
  if (norms.rows && camera.rows > 1) {
    bars(norms.rows, norms.row_step, row0, row1, (k) => clampY(camera.py(k)), (a, b, share) => c.fillRect(area.x + area.width + gap, a, share * depth, Math.max(.5, b - a)));
  }
  if (norms.columns && camera.rows > 1) {
    bars(norms.columns, norms.column_step, column0, column1, (k) => clampX(camera.px(k)), (a, b, share) => c.fillRect(a, area.y + area.height + gap, Math.max(.5, b - a), share * depth));
  }
}
