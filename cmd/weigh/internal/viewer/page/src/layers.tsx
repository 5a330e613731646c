// One chart for each kind of tensor over the layers, so that the odd layer stands out.

import { useMemo, useRef, useReducer } from "preact/hooks";
import type uPlot from "uplot";
import { float, int, num, percent, plural, shape, short, size, visible } from "./format";
import { axisFont, Chart } from "./histogram";
import { useGet, useSlow } from "./hooks";
import { go, href, useRoute } from "./route";
import { useBudget, useSession, useT, useTarget } from "./session";
import type { Kind, Kinds, Point } from "./types";
import { Choice, Empty, Middle, Result, Running, Failure } from "./ui";

type Measure = "std" | "mean" | "absmax" | "zeros";

const measures: readonly (readonly [Measure, string])[] = [
  ["std", "Deviation"], ["mean", "Mean"], ["absmax", "Largest magnitude"], ["zeros", "Zeros"],
];

function valueOf(p: Point, m: Measure): number {
  return m === "zeros" ? p.count ? p.zeros / p.count : 0 : num(p[m]);
}

/** The layers whose value is far from the median of its kind, by the median deviation. */
export function oddOnes(values: number[]): number[] {
  const finite = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (finite.length < 5) return [];
  const middle = finite[finite.length >> 1]!;
  const spread = finite.map((v) => Math.abs(v - middle)).sort((a, b) => a - b)[finite.length >> 1]!;
  const least = Math.max(spread * 6, Math.abs(middle) * .02, Number.MIN_VALUE);
  return values.flatMap((v, i) => Math.abs(v - middle) > least || Number.isNaN(v) ? [i] : []);
}

export function LayersPage() {
  const target = useTarget();
  const kinds = useGet<Kinds>("/api/layers", { t: target.t });
  return (
    <>
      <h1 class="hidden">Layers</h1>
      <Result of={kinds} lines={10}>
        {(data) => data.kinds.length ? <Charts data={data} /> : (
          <Empty>This model has no tensors that repeat in each layer. <a href={href("/tensors", { t: useT() })}>See all tensors</a></Empty>
        )}
      </Result>
    </>
  );
}

function Charts({ data }: { data: Kinds }) {
  const target = useTarget();
  const session = useSession();
  const budget = useBudget();
  const { query, change } = useRoute();
  const measure = (measures.find(([m]) => m === query.get("show")) ?? measures[0]!)[0];
  const parts = useRef(new Map<number, Point[]>());
  const [tick, redraw] = useReducer((n: number) => n + 1, 0);
  const due = useRef(0);
  const add = (p: Point) => {
    const list = parts.current.get(p.kind) ?? [];
    list.push(p);
    parts.current.set(p.kind, list);
    due.current ||= window.setTimeout(() => { due.current = 0; redraw(0); }, 150);
  };
  const auto = session.export || !target.remote && data.bytes <= budget;
  const series = useSlow<{ points: Point[] }, Point>("/api/series", { t: target.t }, auto, add);
  const byKind = useMemo(() => {
    const map = new Map<number, Point[]>();
    for (const p of series.data?.points ?? [...parts.current.values()].flat()) map.set(p.kind, [...map.get(p.kind) ?? [], p]);
    for (const list of map.values()) list.sort((a, b) => a.layer - b.layer);
    return map;
  }, [series.data, tick]);
  const started = series.loading || series.data !== undefined || byKind.size > 0;
  return (
    <>
      <div class="tools">
        <Choice label="Show" value={measure} options={measures} onChange={(m) => change({ show: m === "std" ? null : m })} />
        <div class="end layer-state">
          {series.loading ? <Running of={series} />
            : series.error ? null
            : !series.data && !session.export ? <button type="button" class="primary" onClick={series.start}>Compute statistics (reads {size(data.bytes)})</button>
            : <span class="soft">{plural(data.kinds.length, "kind")}, {plural(data.tensors, "tensor")}</span>}
        </div>
      </div>
      {series.error && !session.export && <Failure message={series.error.message} again={series.start} />}
      {session.export && series.error && <p class="soft">This report has no statistics of layers. Run <code>weigh view</code> on the model to see them.</p>}
      <div class="cards">
        {data.kinds.map((k) => <Card key={k.kind} kind={k} points={byKind.get(k.kind) ?? []} measure={measure} started={started} />)}
      </div>
    </>
  );
}

function Card({ kind: k, points, measure, started }: { kind: Kind; points: Point[]; measure: Measure; started: boolean }) {
  const t = useT();
  const ys = points.map((p) => valueOf(p, measure));
  const odd = oddOnes(ys);
  const bad = points.filter((p) => p.nan > 0 || p.inf > 0);
  const show = (y: number) => measure === "zeros" ? percent(y, 1) : float(y, 4);
  const least = Math.min(...ys.filter(Number.isFinite)), most = Math.max(...ys.filter(Number.isFinite));
  const to = (p: Point) => href("/tensor", { t, id: p.id });
  return (
    <section class="card" aria-label={visible(k.label, 120)}>
      <h2><Middle text={k.label} tail={24} /></h2>
      <p class="soft card-note num">{plural(k.layers, "layer")} · {visible(k.dtype, 16)} {shape(k.shape)}{k.per_layer > 1 ? ` · ${int(k.per_layer)} per layer` : ""}</p>
      {points.length ? <SeriesChart points={points} ys={ys} odd={odd} measure={measure} label={`${visible(k.label, 100)}: ${ys.length ? `${show(least)} to ${show(most)}` : ""}`} onOpen={(p) => go(to(p))} />
        : <div class="chart-space">{started ? "" : <span class="soft">{short(k.tensors)} × {size(k.bytes / Math.max(1, k.tensors))}</span>}</div>}
      <p class="card-odd">
        {bad.length > 0 && <span class="bad">NaN or infinite in {bad.slice(0, 4).map((p) => <a key={p.layer} href={to(p)}>layer {p.layer}</a>)}</span>}
        {odd.length > 0 && odd.length <= Math.max(3, points.length / 4) ? <span class="warn">Stands out: {odd.slice(0, 4).map((i) => <a key={i} href={to(points[i]!)}>layer {points[i]!.layer}</a>)}{odd.length > 4 ? ` and ${odd.length - 4} more` : ""}</span>
          : bad.length === 0 && ys.length > 0 && <span class="soft num">{show(least)} to {show(most)}</span>}
      </p>
    </section>
  );
}

interface SeriesProps { points: Point[]; ys: number[]; odd: number[]; measure: Measure; label: string; onOpen: (p: Point) => void }

function SeriesChart({ points, ys, odd, measure, label, onOpen }: SeriesProps) {
  const key = `${points.length} ${measure} ${points.at(-1)?.layer}`;
  const data = useMemo(() => {
    const finite = ys.map((y) => Number.isFinite(y) ? y : null);
    return [points.map((p) => p.layer), finite, finite.map((y, i) => odd.includes(i) ? y : null)] as uPlot.AlignedData;
  }, [key]);
  const options = useMemo(() => (c: { soft: string; line: string; accent: string; ink: string }): Omit<uPlot.Options, "width" | "height"> => ({
    legend: { show: false }, padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8, fill: c.accent } },
    scales: {
      x: { time: false, range: (_u, lo, hi) => lo === hi ? [lo - .5, hi + .5] : [lo, hi] },
      y: { range: (_u, lo, hi) => bounds(lo, hi, measure) },
    },
    axes: [
      { stroke: c.soft, font: axisFont, grid: { show: false }, ticks: { stroke: c.line, size: 4 }, size: 24, gap: 3, space: 36, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500] },
      { stroke: c.soft, font: axisFont, grid: { stroke: c.line, width: 1 }, ticks: { show: false }, size: 54, gap: 4, space: 30, values: (_u, v) => v.map((y) => measure === "zeros" ? `${Number((100 * y).toPrecision(3))}%` : float(y, 3)) },
    ],
    series: [{}, { stroke: c.accent, width: 1.5, points: { show: points.length < 40, size: 4, fill: c.accent } }, { stroke: c.ink, width: 0, points: { show: true, size: 9, stroke: "#c05a00", fill: "#f0a030", width: 1.5 } }],
    hooks: {
      ready: [(u) => u.over.addEventListener("click", () => { const p = points[u.cursor.idx ?? -1]; if (p) onOpen(p); })],
      setCursor: [(u) => {
        const p = points[u.cursor.idx ?? -1];
        u.over.title = p ? `layer ${p.layer}: ${float(valueOf(p, measure))}` : "";
      }],
    },
  }), [key]);
  return <div class="series"><Chart data={data} options={options} height={132} label={label} /></div>;
}

/** A range that does not make a flat line look like a wild one. */
function bounds(lo: number | null, hi: number | null, measure: Measure): [number, number] {
  if (lo === null || hi === null) return [0, 1];
  if (measure === "zeros" || measure === "absmax" || measure === "std") return [0, hi > 0 ? hi * 1.1 : 1];
  const most = Math.max(Math.abs(lo), Math.abs(hi)) || 1;
  return [lo < 0 ? -most * 1.1 : 0, most * 1.1];
}
