// A histogram, with counts on a linear or a logarithmic scale.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { float, int, num, short } from "./format";
import { useDark, useSize } from "./hooks";
import type { TensorStats } from "./types";
import { Choice } from "./ui";

/** A chart that follows the size of its place and the colors of the page. */
export function Chart({ options, data, height, label }: {
  options: (colors: { ink: string; soft: string; line: string; accent: string }) => Omit<uPlot.Options, "width" | "height">;
  data: uPlot.AlignedData; height: number; label: string;
}) {
  const [place, { width }] = useSize<HTMLDivElement>();
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const dark = useDark();
  const ready = width > 0;
  useEffect(() => {
    if (!element || !ready) return;
    const style = getComputedStyle(element);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const all = options({ ink: color("--ink"), soft: color("--soft"), line: color("--line"), accent: color("--accent") });
    chart.current = new uPlot({ ...all, width, height }, data, element);
    return () => chart.current?.destroy();
  }, [element, ready, data, options, dark]);
  useLayoutEffect(() => {
    if (ready && chart.current && chart.current.width !== width) chart.current.setSize({ width, height });
  }, [width, height]);
  return <div class="chart" ref={place} role="img" aria-label={label} style={{ height: `${height}px` }}><div ref={setElement} /></div>;
}

export const axisFont = "11px system-ui, sans-serif";

export function Histogram({ stats }: { stats: TensorStats }) {
  const [scale, set] = useState<"linear" | "log">("linear");
  const h = stats.histogram;
  const { data, options, most } = useMemo(() => {
    const edges = (h?.edges ?? []).map(num), counts = h?.counts ?? [];
    const log = scale === "log";
    const top = Math.max(1, ...counts);
    // A bin is a step from its left edge; the last edge closes the last bin.
    const ys = counts.map((n) => log ? n > 0 ? n : null : n);
    const options = (c: { soft: string; line: string; accent: string }): Omit<uPlot.Options, "width" | "height"> => ({
      legend: { show: false }, cursor: { y: false, drag: { x: false, y: false }, points: { show: false } }, padding: [8, 8, 0, 0],
      scales: {
        x: { time: false, range: [edges[0]!, edges.at(-1)!] },
        y: log ? { distr: 3, range: [.5, top * 1.4] } : { range: [0, top * 1.05] },
      },
      axes: [
        { stroke: c.soft, font: axisFont, grid: { show: false }, ticks: { stroke: c.line, size: 4 }, size: 26, gap: 3, space: 64, values: (_u, v) => v.map((x) => float(x, 3)) },
        { stroke: c.soft, font: axisFont, grid: { stroke: c.line, width: 1 }, ticks: { show: false }, size: 50, gap: 4, space: 34, values: (_u, v) => v.map((n) => n === null ? "" : log && Math.log10(n) % 1 !== 0 ? "" : n < 1 ? "" : short(n)) },
      ],
      series: [{}, { stroke: c.accent, fill: c.accent, width: 0, points: { show: false }, paths: uPlot.paths.bars!({ align: 1, size: [1, Infinity], gap: counts.length <= 128 ? 1 : 0 }) }],
    });
    return { data: [edges.slice(0, -1), ys] as uPlot.AlignedData, options, most: counts.indexOf(top) };
  }, [h, scale]);
  if (!h || h.counts.length === 0) return <p class="soft">There are no finite values to count.</p>;
  const span = `${float(h.edges[most], 3)} to ${float(h.edges[most + 1], 3)}`;
  return (
    <div class="histogram">
      <div class="tools">
        <Choice label="Counts" value={scale} onChange={set} options={[["linear", "Linear"], ["log", "Logarithmic"]]} />
        <span class="soft num">most in {span}</span>
      </div>
      <Chart data={data} options={options} height={180} label={`Histogram of ${int(stats.count)} values from ${float(stats.min)} to ${float(stats.max)}. Most lie from ${span}.`} />
    </div>
  );
}
