// One tensor: what it is, how its values look, and how they are distributed.

import { useEffect } from "preact/hooks";
import type { Params } from "./api";
import { Axes, planeOf } from "./axes";
import { Distribution } from "./distribution";
import { base, int, plural, shape, size, visible } from "./format";
import { HeatMap } from "./heatmap";
import { useGet, useSlow } from "./hooks";
import { go, href, useRoute } from "./route";
import { useBudget, useSession, useT, useTarget } from "./session";
import { SlicePanel } from "./slice";
import { Flags } from "./tensors";
import type { Norms, Plane, Tensor } from "./types";
import { Choice, Copy, Empty, Facts, Failure, Middle, Panel, Result, Waiting } from "./ui";

/** What is read without asking, in bytes. */
const cheap = 64 << 20;

export function TensorPage() {
  const { t } = useTarget();
  const { query } = useRoute();
  const name = query.get("name"), id = query.get("id");
  // The number tells equal names apart, but a name is the same tensor tomorrow: it decides if they do not agree.
  const byId = useGet<Tensor>(id === null ? null : "/api/tensor", { t, id });
  const other = id === null || byId.error !== undefined || name !== null && byId.data !== undefined && byId.data.name !== name;
  const byName = useGet<Tensor>(other && name !== null && !useSession().export ? "/api/tensor" : null, { t, name });
  const tensor = other && name !== null ? byName : byId;
  const all = href("/tensors", { t: useT() });
  if (name === null && id === null) return <Empty>No tensor is selected. <a href={all}>Choose one</a></Empty>;
  if (tensor.error) {
    return (
      <div class="stack">
        <h1>{visible(name ?? `Tensor ${id}`, 200)}</h1>
        <Failure message={tensor.error.message} />
        <p><a href={all}>All tensors</a></p>
      </div>
    );
  }
  return <Result of={tensor} lines={10}>{(data) => <Content key={`${data.t} ${data.id}`} tensor={data} />}</Result>;
}

function Content({ tensor }: { tensor: Tensor }) {
  const { query } = useRoute();
  const as = tensor.views.includes(query.get("as") ?? "") ? query.get("as")! : tensor.views[0] ?? "stored";
  const dims = as === "weight" && tensor.weight ? tensor.weight.shape : tensor.shape;
  const values: Params = { t: tensor.t, id: tensor.id, as: tensor.views.length > 1 ? as : null };
  const count = dims.reduce((n, d) => n * d, 1);
  return (
    <div class="stack">
      <Head tensor={tensor} as={as} />
      {!tensor.readable ? <Panel title="Values"><Failure message={tensor.reason ?? "The values of this tensor cannot be shown."} /></Panel>
        : count === 0 ? <Panel title="Values"><Empty>The tensor has no elements.</Empty></Panel>
        : (
          <div class="tensor-columns">
            <div class="stack">
              <Picture tensor={tensor} dims={dims} values={values} />
              <SlicePanel tensor={tensor} values={values} dims={dims} />
            </div>
            <div class="stack">
              <Distribution tensor={tensor} values={values} dims={dims} auto={!tensor.remote && tensor.bytes <= cheap} />
              <Place tensor={tensor} />
            </div>
          </div>
        )}
      {(!tensor.readable || count === 0) && <Place tensor={tensor} />}
    </div>
  );
}

function Head({ tensor, as }: { tensor: Tensor; as: string }) {
  const t = useT();
  const { change } = useRoute();
  const session = useSession();
  const name = tensor.label ?? tensor.name ?? `tensor ${tensor.id}`;
  const step = (id: number | null) => id === null || session.export ? undefined : href("/tensor", { t, id });
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if ((e.target as Element).closest("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey) return;
      const to = e.key === "[" ? step(tensor.previous) : e.key === "]" ? step(tensor.next) : undefined;
      if (to) go(to);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [tensor.id]);
  const link = (id: number | null, text: string) => {
    const to = step(id);
    return to ? <a class="step" href={to}>{text}</a> : <span class="step off" aria-hidden="true">{text}</span>;
  };
  const w = tensor.weight;
  return (
    <div class="tensor-head">
      <div class="tensor-name">
        <h1 class="name"><bdi>{visible(name, 300)}</bdi></h1>
        <Copy text={tensor.name ?? name} label="Copy the name" />
        {!session.export && <nav class="steps" aria-label="Neighbors">{link(tensor.previous, "← Previous")}{link(tensor.next, "Next →")}</nav>}
      </div>
      <p class="tensor-facts">
        {w && as === "weight" ? <span><b>{w.dtype}</b> {shape(w.shape)}</span> : <span><b>{visible(tensor.dtype, 24)}</b> {shape(tensor.shape) || "[]"}</span>}
        {w && <span>{tensor.views.includes("weight") ? "" : "part of "}{visible(w.scheme, 120)}</span>}
        <span>{plural(tensor.elements, "element")}{w ? " stored" : ""}</span>
        <span title={`${int(tensor.bytes)} bytes`}>{size(tensor.bytes)}</span>
        <Flags of={tensor.flags} />
        {tensor.views.length > 1 && (
          <Choice label="Values" value={as} onChange={(v) => change({ as: v === tensor.views[0] ? null : v, view: null, cell: null, at: null, axes: null, slice: null }, true)}
            options={tensor.views.map((v) => [v, v === "weight" ? "Unpacked" : "As stored"] as const)} />
        )}
      </p>
    </div>
  );
}

/** The plane that is shown, with the axes to choose it by. */
function Picture({ tensor, dims, values }: { tensor: Tensor; dims: number[]; values: Params }) {
  const { query } = useRoute();
  const session = useSession();
  const budget = useBudget();
  const { axes, at } = planeOf(query, dims);
  const params: Params = { ...values, axes: dims.length > 1 ? axes : null, at: dims.length > 2 ? at : null };
  const plane = useGet<Plane>(session.export ? null : "/api/plane", params);
  const norms = useSlow<Norms>("/api/norms", params, dims.length > 1 && !session.export && !tensor.remote && tensor.bytes <= Math.min(cheap, budget));
  if (session.export) return <Panel title="Heat map"><Empty>A report has no heat maps. Run <code>weigh view</code> on the model to see them.</Empty></Panel>;
  const cell = (query.get("cell") ?? "").split(",").filter(Boolean).map(Number);
  const here = cell.length === dims.length && cell.every((n, i) => n >= 0 && n < dims[i]!) &&
    dims.every((_, i) => axes.includes(i) || dims.length < 3 || cell[i] === at[i]);
  const marked = here ? dims.length > 1 ? { row: cell[axes[0]!]!, column: cell[axes[1]!]! } : { row: 0, column: cell[0] ?? 0 } : undefined;
  return (
    <Panel title="Heat map" class="picture" side={dims.length > 2 && <Axes dims={dims} axes={axes} at={at} />}>
      {plane.error ? <Failure message={plane.error.message} />
        : plane.data ? <HeatMap label={visible(tensor.label ?? tensor.name ?? "", 100)} plane={plane.data} params={params} norms={norms.data} marked={marked} />
        : <div class="heat-area"><Waiting lines={6} /></div>}
    </Panel>
  );
}

function Place({ tensor }: { tensor: Tensor }) {
  const t = useT();
  const w = tensor.weight;
  return (
    <Panel title="Place">
      <Facts items={[
        ["File", <a href={href("/bytes", { t, file: tensor.file })}><Middle text={base(tensor.file)} /></a>],
        ["Bytes in the file", tensor.file_offsets ? <a class="num" href={href("/bytes", { t, file: tensor.file, at: tensor.file_offsets[0] })}>{int(tensor.file_offsets[0])} to {int(tensor.file_offsets[1])}</a> : "unknown"],
        ["Stored as", <>{visible(tensor.dtype, 24)} {shape(tensor.shape) || "[]"}</>],
        ["Elements", int(tensor.elements)],
      ]} />
      {w?.reason && <p class="warn">{visible(w.reason, 300)}</p>}
      {w && (
        <table class="plain fixed parts">
          <thead><tr><th scope="col" class="w110">Part</th><th scope="col">Tensor</th></tr></thead>
          <tbody>
            {w.parts.map((p) => (
              <tr key={p.id}>
                <td>{visible(p.role, 40)}</td>
                <td>{p.id === tensor.id ? <Middle text={p.label ?? p.name ?? "this tensor"} /> : <a href={href("/tensor", { t, id: p.id, name: p.name, as: "stored" })}><Middle text={p.label ?? p.name ?? ""} /></a>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
