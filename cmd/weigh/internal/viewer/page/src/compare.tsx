// Two targets compared: what was added, removed or changed, and how far values are apart.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { CompareTensor } from "./comparetensor";
import { float, int, num, plural, shape, size } from "./format";
import { Grid, type Column } from "./grid";
import { useGet, useSlow } from "./hooks";
import { go, href, useRoute } from "./route";
import { useSession } from "./session";
import type { Apart, Change, Counts, Diff, LayerApart } from "./types";
import { Choice, Empty, Failure, Middle, Running, Waiting } from "./ui";
import { useWindows } from "./windows";

const kinds = ["changed", "retyped", "reshaped", "renamed", "added", "removed"];

export function ComparePage() {
  const session = useSession();
  const { query } = useRoute();
  const a = Number(query.get("a") ?? 0), b = Number(query.get("b") ?? 1);
  if (!session.targets[a] || !session.targets[b] || a === b) {
    return <Empty>To compare, open two targets: <code>weigh view A B</code></Empty>;
  }
  if (query.has("name")) return <CompareTensor a={a} b={b} />;
  return <Comparison a={a} b={b} />;
}

function Comparison({ a, b }: { a: number; b: number }) {
  const session = useSession();
  const { query, change } = useRoute();
  const [A, B] = [session.targets[a]!, session.targets[b]!];
  const view = query.get("view") === "layers" ? "layers" : query.get("view") === "components" ? "components" : "tensors";
  const local = !A.remote && !B.remote && A.bytes + B.bytes <= session.limits.local_budget;
  const headers = useGet<Diff>("/api/diff", { a, b, headers: 1, limit: 1 });
  const values = useSlow<Diff>("/api/diff", { a, b, values: 1, limit: 1 }, local && !session.export);
  const known = values.data ?? headers.data;
  return (
    <>
      <div class="title compare-title">
        <h1>Compare</h1>
        <dl class="sides">
          {[["A", A] as const, ["B", B] as const].map(([side, x]) => (
            <div key={side}><dt>{side}</dt><dd><a href={href("/", { t: x.t })}><Middle text={x.name} tail={28} /></a> <span class="soft num">{plural(x.tensors, "tensor")}, {size(x.bytes)}</span></dd></div>
          ))}
        </dl>
      </div>
      {headers.error && <Failure message={headers.error.message} />}
      {known && <Totals counts={known.counts} exact={!!values.data} />}
      <div class="tools">
        <Choice label="List" value={view} options={[["tensors", "Tensors"], ["layers", "Layers"], ["components", "Components"]]} onChange={(v) => change({ view: v === "tensors" ? null : v })} />
        <div class="end">
          {values.loading && <Running of={values} />}
          {!values.loading && !values.data && !session.export && <button type="button" class="primary" onClick={values.start}>Compare values (reads {size(A.bytes + B.bytes)})</button>}
        </div>
      </div>
      {values.error && <Failure message={values.error.message} again={values.start} />}
      {!known ? !headers.error && <Waiting lines={8} />
        : view === "tensors" ? <Changes a={a} b={b} measured={!!values.data} whole={known} />
        : <Moved list={(view === "layers" ? values.data?.layers : values.data?.components) ?? []} measured={!!values.data} noun={view} />}
    </>
  );
}

function Totals({ counts, exact }: { counts: Counts; exact: boolean }) {
  const { query, change } = useRoute();
  const on = query.get("kind") ?? "";
  const some = kinds.filter((k) => counts[k]);
  return (
    <div class="totals" role="group" aria-label="Kinds of change">
      {some.map((k) => (
        <button key={k} type="button" aria-pressed={on === k} class={`total ${on === k ? "on" : ""}`} onClick={() => change({ kind: on === k ? null : k })}>
          <b class="num">{int(counts[k]!)}</b> {k}
        </button>
      ))}
      {(counts.within ?? 0) > 0 && <span class="total flat"><b class="num">{int(counts.within!)}</b> within the tolerance</span>}
      <span class="total flat"><b class="num">{int(counts.equal ?? 0)}</b> {exact ? "equal" : "with equal names, dtypes and shapes"}</span>
    </div>
  );
}

const sideText = (c: Change) => {
  if (c.a && c.b && (c.a.dtype !== c.b.dtype || String(c.a.shape) !== String(c.b.shape))) return `${c.a.dtype} ${shape(c.a.shape)} → ${c.b.dtype} ${shape(c.b.shape)}`;
  const x = c.a ?? c.b;
  return x ? `${x.dtype} ${shape(x.shape)}` : "";
};

/** A bar for how far values are apart: 1 is as far as the values are large. */
function Distance({ of }: { of: Apart["relative_l2"] }) {
  const x = num(of);
  return (
    <span class="distance">
      <span class="share" aria-hidden="true"><i style={{ width: `${Math.min(100, 100 * Math.sqrt(Number.isFinite(x) ? Math.min(1, x) : of === null ? 0 : 1))}%` }} /></span>
      <span class="num">{float(of, 4)}</span>
    </span>
  );
}

function changeColumns(to: (c: Change) => string | undefined, measured: boolean): Column<Change>[] {
  const list: Column<Change>[] = [
    {
      key: "name", title: "Tensor", width: "minmax(0, 1fr)", cell: (c) => {
        const text = c.to ? `${c.name} → ${c.to}` : c.name;
        const link = to(c);
        return link ? <a href={link} tabIndex={-1}><Middle text={text} tail={24} /></a> : <Middle text={text} tail={24} />;
      },
    },
    { key: "kind", title: "Change", width: "92px", cell: (c) => <span class={`kind ${c.kind}`}>{c.kind}</span> },
    { key: "what", title: "Dtype and shape", width: "minmax(120px, 260px)", wide: measured, cell: (c) => <span title={sideText(c)}>{sideText(c)}</span> },
  ];
  const value = (f: (v: Apart) => ComponentChildren) => (c: Change) => c.values ? f(c.values) : <span class="soft">-</span>;
  if (measured) {
    list.push(
      { key: "differ", title: "Differ", width: "110px", right: true, wide: true, cell: value((v) => int(v.differ)) },
      { key: "max", title: "Largest difference", width: "140px", right: true, wide: true, cell: value((v) => float(v.max_delta, 4)) },
      { key: "cosine", title: "Cosine", width: "96px", right: true, wide: true, cell: value((v) => float(v.cosine, 5)) },
      { key: "l2", title: "Relative L2", width: "170px", sort: "change", down: true, right: true, cell: value((v) => <Distance of={v.relative_l2} />) },
    );
  }
  return list;
}

function Changes({ a, b, measured, whole }: { a: number; b: number; measured: boolean; whole: Diff }) {
  const { query, change } = useRoute();
  const sort = query.get("sort") ?? (measured ? "change" : "");
  const kind = query.get("kind");
  const list = useWindows<Diff, Change>("/api/diff", { a, b, kind, ...measured ? { values: 1, sort } : { headers: 1 } }, 200, (x) => x.changes);
  const to = (c: Change) => c.a_id !== null && c.b_id !== null ? href("/compare", { a: a || null, b: b === 1 ? null : b, name: c.name, to: c.to ?? null })
    : c.a_id !== null ? href("/tensor", { t: a, id: c.a_id, name: c.name }) : c.b_id !== null ? href("/tensor", { t: b, id: c.b_id, name: c.to ?? c.name }) : undefined;
  const columns = useMemo(() => changeColumns(to, measured), [a, b, measured]);
  return (
    <Grid<Change> label="Changed tensors" total={list.total} rowAt={list.rowAt} onRange={list.onRange} rowsKey={list.key} columns={columns}
      sort={sort} onSort={(s) => change({ sort: s === "" ? "name" : s })}
      onOpen={(c) => { const link = to(c); if (link) go(link); }}>
      {list.error ? <Failure message={list.error.message} />
        : !list.loading && list.total === 0 ? <Empty>{whole.different && measured ? "No tensor differs in this way." : measured ? "All tensors are equal." : "Names, dtypes and shapes are equal. Compare values to see whether the numbers are."}</Empty> : undefined}
    </Grid>
  );
}

/** Which layers or components moved most. */
function Moved({ list, measured, noun }: { list: LayerApart[]; measured: boolean; noun: string }) {
  const [sort, setSort] = useState("change");
  const sorted = useMemo(() => sort === "change" ? [...list].sort((x, y) => order(y) - order(x)) : list, [list, sort]);
  const columns: Column<LayerApart>[] = [
    { key: "name", title: noun === "layers" ? "Layer" : "Component", width: "minmax(0, 1fr)", sort: "name", cell: (l) => (
      noun === "layers" ? <a href={href("/tensors", { t: 0, include: `${l.name}.**` })} tabIndex={-1}><Middle text={l.name} /></a> : <a href={href("/tensors", { t: 0, include: l.name })} tabIndex={-1}><Middle text={l.name} /></a>
    ) },
    { key: "tensors", title: "Tensors", width: "90px", right: true, wide: true, cell: (l) => int(l.tensors) },
    { key: "differ", title: "Differ", width: "130px", right: true, wide: true, cell: (l) => int(l.differ) },
    { key: "max", title: "Largest difference", width: "140px", right: true, wide: true, cell: (l) => float(l.max_delta, 4) },
    { key: "cosine", title: "Cosine", width: "96px", right: true, wide: true, cell: (l) => float(l.cosine, 5) },
    { key: "l2", title: "Relative L2", width: "170px", right: true, sort: "change", down: true, cell: (l) => <Distance of={l.relative_l2} /> },
  ];
  return (
    <Grid<LayerApart> label={`Changed ${noun}`} total={sorted.length} rowAt={(i) => sorted[i]} rowsKey={`${noun} ${sort} ${list.length}`} columns={columns}
      sort={sort} onSort={(s) => setSort(s === "change" ? s : "name")}>
      {sorted.length === 0 ? <Empty>{measured ? `No ${noun} differ.` : "Compare values to see this."}</Empty> : undefined}
    </Grid>
  );
}

const order = (x: Apart) => { const v = num(x.relative_l2); return Number.isNaN(v) ? Infinity : v; };
