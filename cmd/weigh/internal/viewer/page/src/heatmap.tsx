// The heat map of a plane of a tensor: a canvas that is moved and zoomed, and what belongs to it.

import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Params } from "./api";
import { Camera } from "./camera";
import { paletteOf } from "./colors";
import { draw, inView, levelOf, valueAt } from "./drawing";
import { float, int, num, size } from "./format";
import { useDark, useNarrow, useSize } from "./hooks";
import { useGestures } from "./gestures";
import { Legend } from "./legend";
import { useRoute } from "./route";
import { Tiles, type Mode } from "./tiles";
import type { Norms, Plane } from "./types";
import { Choice } from "./ui";

interface Props {
  label: string; plane: Plane; params: Params; norms?: Norms;
  /** The index of the element that the address marks, if it is in this plane. */
  marked?: { row: number; column: number };
}

const modes = [["absmax", "Largest"], ["mean", "Mean"], ["sample", "Sample"]] as const;

/** The index of an element of the plane in the whole tensor. */
export function indexOf(plane: Plane, row: number, column: number): string {
  const index = plane.shape.map((_, i) => plane.at[i] ?? 0);
  const [r, c] = plane.shape.length === 1 ? [-1, 0] : plane.axes as [number, number];
  if (r >= 0) index[r] = row;
  if (c >= 0 && index.length) index[c] = column;
  return `[${index.join(", ")}]`;
}

export function HeatMap({ label, plane, params, norms, marked }: Props) {
  const { query, change } = useRoute();
  const mode = (modes.find(([m]) => m === query.get("mode")) ?? modes[0])[0] as Mode;
  const asked = Number(query.get("range"));
  const usual = plane.range?.high || plane.range?.most || 1;
  const high = asked > 0 ? asked : usual;
  const [tick, redraw] = useReducer((n: number) => n + 1, 0);
  const [cursor, setCursor] = useState<{ row: number; column: number }>();
  const exact = query.get("exact") === "1";
  const key = JSON.stringify([params, mode, exact]);
  const camera = useMemo(() => new Camera(plane.rows, plane.columns), [plane.rows, plane.columns]);
  const tiles = useMemo(() => new Tiles({ ...params, exact }, mode, () => redraw(0)), [key]);
  useEffect(() => () => tiles.close(), [tiles]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [box, area] = useSize<HTMLDivElement>();
  const narrow = useNarrow();
  const dark = useDark();
  const thin = plane.rows === 1;

  useLayoutEffect(() => {
    if (!area.width) return;
    const edge = thin ? 8 : narrow ? 30 : 48;
    const left = thin ? 8 : narrow ? 40 : 54;
    camera.resize({ x: left, y: 22, width: Math.max(10, area.width - left - edge), height: Math.max(10, area.height - 22 - edge) });
    redraw(0);
  }, [camera, area.width, area.height, narrow]);
  useEffect(() => {
    const view = query.get("view");
    if (marked) camera.goTo(marked.row, marked.column);
    else if (view) camera.text = view;
    redraw(0);
  }, [camera, marked?.row, marked?.column]);

  // The address follows the view, once it rests.
  const rest = useRef(0);
  const moved = () => {
    redraw(0);
    clearTimeout(rest.current);
    rest.current = window.setTimeout(() => change({ view: camera.text, cell: null }), 400);
  };
  useEffect(() => () => clearTimeout(rest.current), []);
  useGestures(canvas, camera, moved, setCursor);

  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => {
      const e = canvas.current;
      if (!e || !area.width) return;
      const ratio = devicePixelRatio || 1;
      const width = Math.round(area.width * ratio), height = Math.round(area.height * ratio);
      if (e.width !== width || e.height !== height) { e.width = width; e.height = height; }
      const style = getComputedStyle(e);
      const color = (name: string) => style.getPropertyValue(name).trim();
      const level = levelOf(camera, plane.levels);
      tiles.want([...inView(camera, plane.levels - 1), ...inView(camera, level)]);
      draw({
        context: e.getContext("2d")!, width: area.width, height: area.height, ratio, camera, tiles, levels: plane.levels,
        high, palette: paletteOf(dark), norms, cursor, marked, font: style.fontFamily,
        ink: color("--ink"), soft: color("--soft"), line: color("--line"), accent: color("--accent"),
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [tick, tiles, high, dark, norms, cursor, area.width, area.height, marked?.row, marked?.column]);

  const block = 2 ** levelOf(camera, plane.levels);
  const seen = cursor && valueAt(tiles, plane.levels, cursor.row, cursor.column);
  return (
    <div class="heatmap">
      <div class="heat-tools">
        <Choice label="A pixel shows" value={mode} options={modes} onChange={(m) => change({ mode: m === "absmax" ? null : m })} />
        <Legend high={high} usual={usual} most={plane.range?.most ?? usual} dark={dark} onChange={(r) => change({ range: r })} />
        <div class="zoom">
          <button type="button" class="small" aria-label="Zoom out" onClick={() => { camera.zoom(1 / 2, area.width / 2, area.height / 2); moved(); }}>−</button>
          <button type="button" class="small" aria-label="Zoom in" onClick={() => { camera.zoom(2, area.width / 2, area.height / 2); moved(); }}>+</button>
          <button type="button" class="small" disabled={camera.fitted} onClick={() => { camera.fit(); moved(); }}>Fit</button>
        </div>
      </div>
      <div class={`heat-area${thin ? " thin" : ""}`} ref={box}>
        <canvas ref={canvas} tabIndex={0} role="img" aria-label={`Heat map of ${label}. Arrow keys move, plus and minus zoom, 0 shows all.`} />
      </div>
      <p class="heat-note" aria-live="off">
        <span class="num readout">{cursor
          ? <>{indexOf(plane, cursor.row, cursor.column)} {seen ? <b>{float(seen.value)}</b> : ""} {seen && seen.block > 1 ? <span class="soft">{mode === "absmax" ? "largest" : mode} of {int(seen.block)}×{int(seen.block)}</span> : ""}</>
          : <span class="soft">{block === 1 ? "One pixel or more for each element." : `One pixel shows ${mode === "absmax" ? "the largest magnitude" : mode === "mean" ? "the mean" : "one"} of ${int(block)}×${int(block)} elements.`}</span>}
        </span>
        <Cost tiles={tiles} plane={plane} norms={norms} onExact={() => change({ exact: true })} />
      </p>
      {tiles.error && <p class="bad">{tiles.error}</p>}
    </div>
  );
}

/** What was read for the picture, and whether it shows a sample. */
function Cost({ tiles, plane, norms, onExact }: { tiles: Tiles; plane: Plane; norms?: Norms; onExact: () => void }) {
  const [rows, of] = tiles.sampled.split("/").map(Number);
  const s = plane.sampled;
  const most = norms && Math.max(0, ...(norms.rows ?? []).map(num).filter(Number.isFinite));
  return (
    <span class="soft num cost">
      {most ? `bars: norms, longest ${float(most, 3)} · ` : ""}
      {s ? `colors from a sample of ${int(s.rows)} of ${int(s.of)} rows · ` : ""}
      {of ? <>shows {int(rows!)} of {int(of)} rows <button type="button" class="link" onClick={onExact}>Exact</button> · </> : ""}
      read {size(plane.bytes + tiles.read)}
    </span>
  );
}
