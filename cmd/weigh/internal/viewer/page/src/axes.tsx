// Which two axes of a tensor are shown, and where the others are.

import { useRoute } from "./route";

/** The plane that the address names, with what is wrong in it replaced. */
export function planeOf(query: URLSearchParams, dims: number[]): { axes: number[]; at: number[] } {
  const n = dims.length;
  let axes = (query.get("axes") ?? "").split(",").filter(Boolean).map(Number);
  const valid = axes.length === 2 && axes[0] !== axes[1] && axes.every((a) => Number.isInteger(a) && a >= 0 && a < n);
  if (!valid) axes = [n - 2, n - 1];
  const asked = (query.get("at") ?? "").split(",").map(Number);
  const at = dims.map((d, i) => axes.includes(i) ? 0 : Math.max(0, Math.min(d - 1, Math.trunc(asked[i] ?? 0) || 0)));
  return { axes, at };
}

export function Axes({ dims, axes, at }: { dims: number[]; axes: number[]; at: number[] }) {
  const { change } = useRoute();
  const choose = (which: 0 | 1, axis: number) => {
    const next = [...axes];
    if (next[1 - which] === axis) next[1 - which] = axes[which]!;
    next[which] = axis;
    change({ axes: next.join(","), view: null, cell: null });
  };
  const select = (which: 0 | 1, label: string) => (
    <label class="axis">{label}
      <select value={axes[which]} onChange={(e) => choose(which, Number(e.currentTarget.value))}>
        {dims.map((d, i) => <option key={i} value={i}>axis {i} ({d})</option>)}
      </select>
    </label>
  );
  return (
    <div class="axes">
      {select(0, "Rows")}
      {select(1, "Columns")}
      {dims.map((d, i) => axes.includes(i) ? null : (
        <label key={i} class="axis">axis {i}
          <input type="range" min={0} max={d - 1} value={at[i]} disabled={d < 2}
            onInput={(e) => change({ at: at.map((n, k) => k === i ? Number(e.currentTarget.value) : n).join(","), cell: null })} />
          <span class="num at">{at[i]}</span>
        </label>
      ))}
    </div>
  );
}
