// One tensor in both targets: the heat map of A, of B, and of the difference.

import { HeatMap } from "./heatmap";
import { Axes, planeOf } from "./axes";
import { float, int, shape, visible } from "./format";
import { useGet } from "./hooks";
import { href, useRoute } from "./route";
import { useSession } from "./session";
import type { Diff, Plane, Tensor } from "./types";
import { Choice, Facts, Failure, Panel, Result, Waiting } from "./ui";

type Side = "diff" | "a" | "b";

export function CompareTensor({ a, b }: { a: number; b: number }) {
  const session = useSession();
  const { query, change } = useRoute();
  const name = query.get("name") ?? "";
  const one = useGet<Tensor>("/api/tensor", { t: a, name });
  const two = useGet<Tensor>("/api/tensor", { t: b, name: query.get("to") ?? name });
  const same = one.data && two.data && String(dimsOf(one.data)) === String(dimsOf(two.data));
  const side = (query.get("side") ?? (same ? "diff" : "a")) as Side;
  const options: (readonly [Side, string])[] = [["a", "A"], ["b", "B"]];
  if (same) options.unshift(["diff", "A − B"]);
  return (
    <div class="stack compare-tensor">
      <div class="title">
        <p><a href={href("/compare", { a: a || null, b: b === 1 ? null : b })}>All changes</a></p>
        <h1 class="name"><bdi>{visible(name, 300)}</bdi></h1>
      </div>
      {one.error || two.error ? <Failure message={(one.error ?? two.error)!.message} />
        : !one.data || !two.data ? <Waiting lines={8} /> : (
          <div class="tensor-columns">
            <Panel title="Heat map" class="picture" side={<Choice label="Values of" value={side} options={options} onChange={(s) => change({ side: s })} />}>
              <Picture tensor={side === "b" ? two.data : one.data} t={side === "b" ? b : a} minus={side === "diff" ? { t: b, id: two.data.id } : undefined} />
            </Panel>
            <div class="stack">
              <Numbers a={a} b={b} id={one.data.id} name={name} />
              {[["A", one.data, a] as const, ["B", two.data, b] as const].map(([label, x, t]) => (
                <Panel key={label} title={label} side={<a href={href("/tensor", { t, id: x.id, name: x.name })}>Open</a>}>
                  <Facts items={[["Target", visible(session.targets[t]!.name, 200)], ["Dtype", x.dtype], ["Shape", shape(x.shape)], ...x.weight ? [["Packed", visible(x.weight.scheme, 100)] as [string, string]] : []]} />
                </Panel>
              ))}
            </div>
          </div>
        )}
    </div>
  );
}

const dimsOf = (x: Tensor) => x.weight?.shape ?? x.shape;

function Picture({ tensor, t, minus }: { tensor: Tensor; t: number; minus?: { t: number; id: number } }) {
  const { query } = useRoute();
  const dims = dimsOf(tensor);
  const { axes, at } = planeOf(query, dims);
  const params = { t, id: tensor.id, axes: dims.length > 1 ? axes : null, at: dims.length > 2 ? at : null, minus_t: minus?.t, minus_id: minus?.id };
  const plane = useGet<Plane>("/api/plane", params);
  return (
    <>
      {dims.length > 2 && <Axes dims={dims} axes={axes} at={at} />}
      {plane.error ? <Failure message={plane.error.message} />
        : plane.data ? <HeatMap label={tensor.label ?? tensor.name ?? ""} plane={plane.data} params={params} /> : <div class="heat-area"><Waiting lines={6} /></div>}
    </>
  );
}

/** A pattern that matches the name alone. */
const pattern = (name: string) => name.replace(/[*?[\]\\{}]/g, "?");

/** How far the values are apart, as weigh diff --values says. */
function Numbers({ a, b, id, name }: { a: number; b: number; id: number; name: string }) {
  const diff = useGet<Diff>("/api/diff", { a, b, values: 1, include: pattern(name), limit: 20 });
  return (
    <Panel title="Difference">
      <Result of={diff}>
        {(data) => {
          const c = data.changes.find((x) => x.a_id === id);
          const v = c?.values;
          if (!c) return <p class="soft">The values are equal.</p>;
          if (!v) return <p class="soft">{c.kind}</p>;
          return (
            <Facts items={[
              ["Change", c.kind], ["Values", int(v.count)], ["Differ", int(v.differ)], ["Largest difference", float(v.max_delta)],
              ["Relative L2", float(v.relative_l2)], ["Cosine", float(v.cosine)],
            ]} />
          );
        }}
      </Result>
    </Panel>
  );
}
