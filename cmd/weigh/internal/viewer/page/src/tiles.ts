// Tiles of a heat map: requested as they are needed, kept within a bound, and colored.

import { getBytes, type Params } from "./api";
import { paint, type Palette } from "./colors";

export const tileSize = 256;
const maxTiles = 200;
const maxRequests = 4;

export type Mode = "absmax" | "mean" | "sample";

export interface Tile {
  level: number; x: number; y: number;
  width: number; height: number; values: Float32Array;
  picture?: HTMLCanvasElement; painted?: string;
}

interface Wanted { level: number; x: number; y: number; key: string }

const keyOf = (level: number, x: number, y: number) => `${level}/${x}/${y}`;

export class Tiles {
  /** Bytes that the server read for the tiles so far. */
  read = 0;
  error = "";
  /** Which rows the last sampled tile shows, as "rows/of"; empty while all tiles are exact. */
  sampled = "";
  private kept = new Map<string, Tile>();
  private running = new Map<string, AbortController>();
  private failed = new Set<string>();
  private wanted: Wanted[] = [];

  constructor(private params: Params, readonly mode: Mode, private changed: () => void) {}

  get(level: number, x: number, y: number): Tile | undefined {
    return this.kept.get(keyOf(level, x, y));
  }

  get busy(): boolean { return this.running.size + this.wanted.length > 0; }

  /** Says which tiles are in view, the most urgent first. Requests for others are canceled. */
  want(list: [level: number, x: number, y: number][]) {
    this.wanted = [];
    const keys = new Set<string>();
    for (const [level, x, y] of list) {
      const key = keyOf(level, x, y);
      keys.add(key);
      const tile = this.kept.get(key);
      if (tile) { this.kept.delete(key); this.kept.set(key, tile); }
      else if (!this.running.has(key) && !this.failed.has(key)) this.wanted.push({ level, x, y, key });
    }
    for (const [key, abort] of this.running) if (!keys.has(key)) { abort.abort(); this.running.delete(key); }
    this.pump();
  }

  close() {
    this.wanted = [];
    for (const abort of this.running.values()) abort.abort();
    this.running.clear();
    this.kept.clear();
    this.changed = () => {};
  }

  private pump() {
    while (this.running.size < maxRequests && this.wanted.length) void this.load(this.wanted.shift()!);
  }

  private async load({ level, x, y, key }: Wanted) {
    const abort = new AbortController();
    this.running.set(key, abort);
    try {
      const { data, headers } = await getBytes("/api/tile", { ...this.params, mode: this.mode, level, x, y }, abort.signal);
      const width = Number(headers.get("Weigh-Width")), height = Number(headers.get("Weigh-Height"));
      this.read += Number(headers.get("Weigh-Bytes") ?? 0);
      this.sampled = headers.get("Weigh-Sampled") ?? this.sampled;
      this.kept.set(key, { level, x, y, width, height, values: new Float32Array(data) });
      if (this.kept.size > maxTiles) this.kept.delete(this.kept.keys().next().value!);
      this.error = "";
    } catch (e) {
      if (!abort.signal.aborted) {
        this.failed.add(key);
        this.error = e instanceof Error ? e.message : String(e);
      }
    } finally {
      if (this.running.get(key) === abort) this.running.delete(key);
      this.pump();
      if (!abort.signal.aborted) this.changed();
    }
  }
}

/** One value for fx × fy values each, by the mode. Without it the screen would show one of them by chance. */
function shrink(t: Tile, fx: number, fy: number, mode: Mode): { width: number; height: number; values: Float32Array } {
  if (fx === 1 && fy === 1) return t;
  const width = Math.ceil(t.width / fx), height = Math.ceil(t.height / fy), values = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const endY = Math.min(t.height, (y + 1) * fy), endX = Math.min(t.width, (x + 1) * fx);
      let best = 0, sum = 0, odd = 0;
      for (let j = y * fy; j < endY; j++) {
        for (let i = x * fx; i < endX; i++) {
          const v = t.values[j * t.width + i]!;
          if (v - v !== 0) odd = v !== v || odd !== odd ? NaN : v;
          else if (Math.abs(v) > Math.abs(best)) best = v;
          sum += v;
        }
      }
      values[y * width + x] = mode === "sample" ? t.values[y * fy * t.width + x * fx]!
        : odd !== 0 ? odd : mode === "mean" ? sum / ((endY - y * fy) * (endX - x * fx)) : best;
    }
  }
  return { width, height, values };
}

/** The picture of a tile, which is painted again only if colors, range or factors have changed. */
export function picture(t: Tile, mode: Mode, high: number, p: Palette, fx: number, fy: number): HTMLCanvasElement {
  const painted = `${high} ${p.table[0]} ${fx} ${fy}`;
  if (t.picture && t.painted === painted) return t.picture;
  const s = shrink(t, fx, fy, mode);
  const canvas = t.picture ?? document.createElement("canvas");
  canvas.width = s.width;
  canvas.height = s.height;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(s.width, s.height);
  paint(s.values, new Uint32Array(image.data.buffer), high, p);
  context.putImageData(image, 0, 0);
  t.picture = canvas;
  t.painted = painted;
  return canvas;
}
