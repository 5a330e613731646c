// The first page: what the model is, where its parameters are, and whether anything is wrong.

import type { ComponentChildren } from "preact";
import { Findings } from "./findings";
import { base, float, int, percent, plural, short, size, visible } from "./format";
import { useGet, useSlow, type Slow } from "./hooks";
import { MetadataPanel } from "./metadata";
import { href } from "./route";
import { useT, useTarget } from "./session";
import { Treemap } from "./treemap";
import type { Check, DtypeTotal, Info, Model } from "./types";
import { Facts, Middle, Panel, Result, Running, severities, Waiting } from "./ui";

export function Overview() {
  const target = useTarget();
  const info = useGet<Info>("/api/info", { t: target.t });
  const check = useSlow<Check>("/api/check", { t: target.t }, !target.remote);
  return (
    <Result of={info} lines={12}>
      {(data) => (
        <div class="stack">
          <Summary info={data} check={check} />
          {data.totals.tensors > 0 && <Dtypes dtypes={data.dtypes} />}
          <div class="columns">
            <div class="stack first">
              <Treemap />
              <FilesPanel info={data} />
              <MetadataPanel />
            </div>
            <div class="stack">
              <Findings check={check} />
              <ModelPanel info={data} />
            </div>
          </div>
        </div>
      )}
    </Result>
  );
}

/** The name of a model in words, or undefined. */
function modelName(model?: Model): string | undefined {
  const a = model?.architecture;
  const value = a?.name?.value ?? a?.type?.value;
  if (value) return String(value);
  return model?.adapter ? `${model.adapter.kind} adapter` : undefined;
}

function Summary({ info, check }: { info: Info; check: Slow<Check> }) {
  const target = useTarget();
  const models = info.models ?? [];
  const name = models.length > 1 ? plural(models.length, "model") : modelName(models[0]);
  const logical = info.logical;
  const figures: [string, ComponentChildren, string?][] = [];
  const params = logical?.params ?? info.totals.params;
  figures.push(["Parameters", params === null ? "unknown" : <span title={int(params)}>{short(params)}</span>,
    params === null ? boundsOf(info) : logical && !logical.exact ? "estimated" : int(params)]);
  const experts = models[0]?.experts;
  if (models.length === 1 && experts?.active) {
    figures.push(["Active per token", short(experts.active), `${experts.chosen ?? "?"} of ${experts.count ?? "?"} experts`]);
  }
  if (logical && info.totals.elements !== params) figures.push(["Stored elements", short(info.totals.elements), int(info.totals.elements)]);
  figures.push(["Size", size(info.totals.bytes), `${int(info.totals.bytes)} bytes`]);
  if (logical?.bits_per_param) {
    figures.push(["Bits per parameter", float(logical.bits_per_param, 4), logical.scheme ? visible(logical.scheme, 60) : "not quantized"]);
  }
  figures.push(["Tensors", int(info.totals.tensors), `in ${plural(info.totals.files, "file")}`]);
  return (
    <div class="summary-head">
      <div class="title">
        <h1>{name ? visible(name, 120) : visible(base(target.name), 120)}</h1>
        <p class="line"><Middle text={target.name} tail={32} /></p>
      </div>
      <Verdict check={check} />
      <dl class="figures">
        {figures.map(([label, value, note]) => (
          <div key={label}><dt>{label}</dt><dd>{value}</dd>{note && <dd class="note">{note}</dd>}</div>
        ))}
      </dl>
    </div>
  );
}

function boundsOf(info: Info): string {
  const b = info.logical?.bounds;
  return b && b.length === 2 ? `${short(b[0]!)} to ${short(b[1]!)}` : "";
}

const toFindings = () => document.getElementById("findings")?.scrollIntoView({ block: "nearest" });

/** Whether anything is wrong, in one line that leads to the findings. */
function Verdict({ check }: { check: Slow<Check> }) {
  if (check.error) return <p class="verdict bad-wash">The check failed. <button type="button" class="link" onClick={toFindings}>Why</button></p>;
  if (!check.data) return <p class="verdict">{check.loading ? <Running of={check} /> : <button type="button" onClick={check.start}>Check the model</button>}</p>;
  const found = severities(check.data.counts);
  const bad = found.some(([s]) => s !== "note" && s !== "warning");
  if (!found.length && !check.data.unread?.length) return <p class="verdict ok-wash"><span class="ok" aria-hidden="true">✓</span> Checked: no findings</p>;
  return (
    <p class={`verdict ${bad || check.data.unread?.length ? "bad-wash" : found.some(([s]) => s === "warning") ? "warn-wash" : ""}`}>
      <button type="button" class="link" onClick={toFindings}>
        {found.length ? found.map(([s, n]) => s === "nonconforming" || s === "invalid" ? `${int(n)} ${s}` : plural(n, s)).join(", ") : plural(check.data.unread!.length, "unread file")}
      </button>
    </p>
  );
}

/** One bar, whose parts are dtypes by bytes. */
function Dtypes({ dtypes }: { dtypes: DtypeTotal[] }) {
  const t = useT();
  const sorted = [...dtypes].sort((a, b) => b.bytes - a.bytes);
  const total = sorted.reduce((n, d) => n + d.bytes, 0);
  return (
    <section class="dtypes" aria-label="Dtypes">
      <div class="bar-parts" aria-hidden="true">
        {sorted.map((d, i) => <i key={d.dtype} class={`tint${Math.min(i, 5)}`} style={{ flexGrow: d.bytes / (total || 1), flexBasis: "2px" }} />)}
      </div>
      <ul>
        {sorted.map((d, i) => (
          <li key={d.dtype}>
            <i class={`dot tint${Math.min(i, 5)}`} aria-hidden="true" />
            <a href={href("/tensors", { t, dtype: d.dtype })}>{visible(d.dtype, 24)}</a>
            <span class="num">{percent(d.bytes, total)}</span>
            <span class="soft num">{plural(d.tensors, "tensor")}, {size(d.bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const words: [string, string][] = [
  ["type", "Type"], ["layers", "Layers"], ["hidden", "Hidden size"], ["intermediate", "Intermediate size"], ["vocab", "Vocabulary"],
  ["heads", "Attention heads"], ["kv_heads", "Key and value heads"], ["head_size", "Head size"], ["context", "Context length"],
  ["sliding_window", "Sliding window"], ["rope_factor", "RoPE factor"], ["experts", "Experts"], ["experts_per_token", "Experts per token"],
  ["tokenizer", "Tokenizer"], ["file_type", "File type"],
];

function fact(value: unknown): string {
  return typeof value === "number" ? Number.isInteger(value) ? int(value) : float(value) : visible(String(value), 200);
}

/** The facts of an architecture or adapter that are known. */
function factsOf(model: Model): [string, ComponentChildren][] {
  const items: [string, ComponentChildren][] = [];
  for (const [key, name] of words) {
    const f = model.architecture?.[key];
    if (f && f.value !== null && f.value !== undefined && f.value !== 0) items.push([name, <span title={f.from ? `from ${f.from}` : ""}>{fact(f.value)}</span>]);
  }
  const a = model.adapter;
  if (a) {
    items.push(["Adapter", `${a.kind}, ${plural(a.modules, "module")}`]);
    if (a.rank?.value !== null) items.push(["Rank", fact(a.rank.value)]);
    if (a.alpha?.value !== null) items.push(["Alpha", fact(a.alpha.value)]);
    if (a.base?.value) items.push(["Base model", fact(a.base.value)]);
  }
  if (model.without_embedding && model.without_embedding !== model.logical.params) items.push(["Without the embedding", int(model.without_embedding)]);
  return items;
}

function ModelPanel({ info }: { info: Info }) {
  const models = info.models ?? [];
  return (
    <Panel title={models.length > 1 ? "Models" : "Model"}>
      {!models.some((m) => factsOf(m).length || (m.components?.length ?? 0) > 1) && <p class="soft">No configuration was found, so there are no facts about the model.</p>}
      {models.slice(0, 20).map((m) => (
        <div key={m.name} class="model">
          {models.length > 1 && <h3><Middle text={base(m.name)} /></h3>}
          <Facts items={factsOf(m)} />
          {(m.components?.length ?? 0) > 1 && <Components model={m} />}
          {m.logical.notes.map((n) => <p class="soft" key={n}>{visible(n)}</p>)}
        </div>
      ))}
    </Panel>
  );
}

function Components({ model }: { model: Model }) {
  const total = model.components!.reduce((n, c) => n + (c.params ?? c.elements), 0);
  return (
    <table class="plain">
      <thead><tr><th scope="col">Component</th><th scope="col" class="right">Parameters</th><th scope="col" class="right">Share</th></tr></thead>
      <tbody>
        {model.components!.map((c) => (
          <tr key={c.component}>
            <th scope="row">{visible(c.component, 60)}</th>
            <td class="right num">{c.params === null ? "unknown" : short(c.params)}</td>
            <td class="right num">{percent(c.params ?? c.elements, total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FilesPanel({ info }: { info: Info }) {
  const t = useT();
  const shown = info.files.slice(0, 100);
  return (
    <Panel title="Files" side={<span class="soft">{plural(info.totals.files, "file")}</span>}>
      {shown.length === 0 ? <Waiting lines={1} /> : (
        <div class="scroll" tabIndex={0} role="group" aria-label="List of files">
          <table class="plain fixed">
            <thead><tr><th scope="col">File</th><th scope="col" class="right w80">Tensors</th><th scope="col" class="right w110">Size</th></tr></thead>
            <tbody>
              {shown.map((f) => (
                <tr key={f.path}>
                  <td><a href={href("/bytes", { t, file: f.path })}><Middle text={base(f.path)} /></a></td>
                  <td class="right num">{int(f.tensors)}</td>
                  <td class="right num">{size(f.size)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {info.totals.files > shown.length && <p class="soft">and {int(info.totals.files - shown.length)} more</p>}
        </div>
      )}
    </Panel>
  );
}
