// How the values of a tensor are distributed: statistics, histogram, quantiles and what lies outside.

import type { Params } from "./api";
import { float, int, percent, size } from "./format";
import { Histogram } from "./histogram";
import { useSlow } from "./hooks";
import { useRoute } from "./route";
import { useSession } from "./session";
import type { Extremes, Num, Tensor, TensorStats } from "./types";
import { Panel, SlowResult } from "./ui";

interface Props { tensor: Tensor; values: Params; dims: number[]; auto: boolean }

export function Distribution({ tensor, values, dims, auto }: Props) {
  const session = useSession();
  const stats = useSlow<{ tensors: TensorStats[] }>("/api/stats", { ...values, bins: 64 }, auto || session.export);
  const extremes = useSlow<Extremes>("/api/extremes", values, auto && !session.export);
  const bytes = tensor.weight ? "" : ` (reads ${size(tensor.bytes)})`;
  return (
    <>
      <Panel title="Distribution">
        <SlowResult of={stats} ask={`Compute statistics${bytes}`}>
          {(data) => data.tensors[0] ? <Numbers stats={data.tensors[0]} /> : null}
        </SlowResult>
      </Panel>
      {!session.export && (
        <Panel title="Quantiles and outliers">
          <SlowResult of={extremes} ask={`Find quantiles and outliers${bytes}`}>
            {(data) => <Outside of={data} dims={dims} />}
          </SlowResult>
        </Panel>
      )}
    </>
  );
}

function Numbers({ stats: s }: { stats: TensorStats }) {
  const list: [string, string, boolean?][] = [
    ["Minimum", float(s.min)], ["Maximum", float(s.max)], ["Mean", float(s.mean)], ["Deviation", float(s.std)],
    ["Zeros", s.zeros ? `${int(s.zeros)} (${percent(s.zeros, s.count)})` : "0"], ["NaN", int(s.nan), s.nan > 0], ["Infinite", int(s.inf), s.inf > 0],
  ];
  return (
    <>
      <Histogram stats={s} />
      <dl class="numbers">
        {list.map(([name, value, bad]) => <div key={name}><dt>{name}</dt><dd class={bad ? "bad" : ""}>{value}</dd></div>)}
      </dl>
      {!!s.flags?.length && <p class="warn">{s.flags.join(", ")}</p>}
    </>
  );
}

function Outside({ of, dims }: { of: Extremes; dims: number[] }) {
  const { change } = useRoute();
  const go = (index: number[]) => {
    const cell = index.join(",");
    change({ cell, view: null, at: dims.length > 2 ? cell : null });
    document.querySelector(".picture")?.scrollIntoView({ block: "nearest" });
  };
  const place = (index: number[], value?: Num) => (
    <li key={index.join()}>
      <button type="button" class="link num" onClick={() => go(index)}>[{index.join(", ")}]</button>
      {value !== undefined && <span class="num">{float(value)}</span>}
    </li>
  );
  const beyond = (of.above ?? []).filter((a) => a.count > 0);
  const odd = (name: string, x: Extremes["nan"]) => x.count > 0 && (
    <div><h3 class="bad">{`${int(x.count)} ${name}`}</h3><ul class="places">{(x.first ?? []).slice(0, 20).map((i) => place(i))}</ul></div>
  );
  return (
    <div class="outside">
      {!!of.quantiles?.length && (
        <table class="plain quantiles">
          <tbody>{of.quantiles.map((q) => <tr key={q.q}><th scope="row">{Number((100 * q.q).toFixed(3))}%</th><td class="right num">{float(q.value)}</td></tr>)}</tbody>
        </table>
      )}
      <div class="outliers">
        {odd("NaN", of.nan)}
        {odd("infinite", of.inf)}
        <h3>Largest magnitudes</h3>
        <ul class="places">{(of.largest ?? []).map((x) => place(x.index, x.value))}</ul>
      </div>
      {beyond.length > 0 && <p class="full soft">{beyond.map((a) => `${int(a.count)} beyond ${a.sigma}`).join(", ")} deviations from the mean</p>}
    </div>
  );
}
