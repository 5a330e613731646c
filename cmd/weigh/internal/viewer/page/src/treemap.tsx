// Where the parameters are: rectangles whose areas are sizes, to go down by a click.

import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";
import { useMemo } from "preact/hooks";
import { int, percent, plural, shape, short, size, visible } from "./format";
import { useGet, useNarrow, useSize } from "./hooks";
import { href, useRoute } from "./route";
import { useSession, useT, useTarget } from "./session";
import type { Node } from "./types";
import { Choice, Empty, Panel, Result } from "./ui";

type Box = HierarchyRectangularNode<Node>;
type Measure = "bytes" | "elements";

export function Treemap() {
  const { t } = useTarget();
  const { query, change } = useRoute();
  const path = query.get("at") ?? "";
  const by = (query.get("by") ?? "bytes") as Measure;
  const tree = useGet<Node>("/api/tree", { t, path, depth: 6, fold: 1, sort: "bytes" });
  const crumbs = path ? path.split(".") : [];
  return (
    <Panel title="Where the parameters are" class="map" side={
      <Choice label="Area" value={by} onChange={(v) => change({ by: v === "bytes" ? null : v })} options={[["bytes", "Bytes"], ["elements", "Elements"]]} />
    }>
      <nav class="crumbs" aria-label="Part of the model">
        <a href={href("/", { t: useT(), by: query.get("by") })} aria-current={path ? undefined : "true"}>all</a>
        {crumbs.map((word, i) => (
          <span key={i}><span class="soft" aria-hidden="true">.</span>
            <a href={href("/", { t, by: query.get("by"), at: crumbs.slice(0, i + 1).join(".") })}
              aria-current={i === crumbs.length - 1 ? "true" : undefined}>{visible(word, 40)}</a></span>
        ))}
        {tree.data && <span class="soft num whole">{plural(tree.data.tensors, "tensor")}, {size(tree.data.bytes)}</span>}
      </nav>
      <Result of={tree} lines={12}>{(root) => <Map root={root} by={by} />}</Result>
    </Panel>
  );
}

/** Steps through nodes with one child, which would be boxes around boxes. */
function inner(node: Node): Node {
  const words: string[] = [];
  let n = node;
  while (n.children?.length === 1 && !n.more) {
    n = childrenOf(n)[0]!;
    if (n.word) words.push(n.word);
  }
  return words.length ? { ...n, word: [node.word, ...words].filter(Boolean).join(".") } : node;
}

/** The children with the sizes that they have in all the equal parts that a folded node stands for. */
function childrenOf(n: Node): Node[] {
  const times = n.repeated ?? 1;
  return (n.children ?? []).map((c) => times > 1 ? { ...c, bytes: c.bytes * times, elements: c.elements * times, repeated: (c.repeated ?? 1) * times } : c);
}

function layout(root: Node, by: Measure, width: number, height: number): Box {
  const children = (n: Node): Node[] => {
    const list = childrenOf(n).map(inner);
    if (n.more) {
      list.push({ word: `${int(n.more)} more`, path: "", tensors: 0, elements: 0, bytes: n.more_bytes ?? 0, dtype: "" });
    }
    return list;
  };
  const h = hierarchy(inner(root), children).sum((n) => n.children?.length ? 0 : n[by]).sort((a, b) => b.value! - a.value!);
  return treemap<Node>().tile(treemapSquarify.ratio(1.3)).size([width, height]).round(true)
    .paddingInner(2).paddingTop((n) => n.depth > 0 && n.children ? 20 : 0)
    .paddingLeft((n) => n.depth > 0 && n.children ? 3 : 0).paddingRight((n) => n.depth > 0 && n.children ? 3 : 0)
    .paddingBottom((n) => n.depth > 0 && n.children ? 3 : 0)(h);
}

function Map({ root, by }: { root: Node; by: Measure }) {
  const [ref, { width }] = useSize<HTMLDivElement>();
  const narrow = useNarrow();
  const height = narrow ? 340 : 460;
  const boxes = useMemo(() => {
    if (!width) return [];
    const all = layout(root, by, width, height);
    return all.descendants().filter((b) => b.depth > 0 || !b.children).filter((b) => b.x1 - b.x0 >= 3 && b.y1 - b.y0 >= 3).slice(0, 600);
  }, [root, by, width, height]);
  if (!root[by]) return <Empty>There are no {by === "bytes" ? "bytes" : "elements"} here.</Empty>;
  return (
    <div class="treemap" ref={ref} style={{ height: `${height}px` }} role="list" aria-label="Parts by size">
      {boxes.map((b, i) => <Rectangle key={`${b.data.path} ${i}`} of={b} total={root[by]} by={by} />)}
    </div>
  );
}

function Rectangle({ of: b, total, by }: { of: Box; total: number; by: Measure }) {
  const t = useT();
  const { query } = useRoute();
  const recorded = useSession().export;
  const n = b.data;
  const width = b.x1 - b.x0, height = b.y1 - b.y0;
  const group = !!b.children;
  const place = { left: `${b.x0}px`, top: `${b.y0}px`, width: `${width}px`, height: `${height}px` };
  const word = visible(n.word ?? n.path ?? "", 80);
  const amount = by === "bytes" ? size(n.bytes) : short(n.elements);
  const title = `${word}\n${n.repeated && n.repeated > 1 ? `${int(n.repeated)} equal parts, ` : ""}${amount}, ${percent(n[by], total)}\n${n.dtype} ${shape(n.shape)}`.trim();
  const text = width > 46 && height > 16;
  const label = text && (
    <span class="box-text">
      <b>{word}</b>{n.repeated && n.repeated > 1 && width > 90 && !word.startsWith("[") ? ` ×${int(n.repeated)}` : ""}
      {(group ? width > 150 : height > 36) && <span class="box-note">{group ? `${amount} · ` : ""}{percent(n[by], total)}</span>}
    </span>
  );
  // The lightness of a box is its depth, so that it needs no legend.
  const kind = `box depth${Math.min(b.depth, 4)}${group ? " group" : ""}`;
  const to = !n.path || recorded && n.id === undefined ? undefined
    : n.id !== undefined && !(n.repeated && n.repeated > 1) ? href("/tensor", { t, name: n.path })
    : n.id !== undefined ? href("/tensors", { t, include: `**${n.path.slice(n.path.lastIndexOf(".", n.path.lastIndexOf(".") - 1) + 1)}` })
    : href("/", { t, at: n.path, by: query.get("by") });
  return (
    <div role="listitem" class="box-place" style={place} title={title}>
      {to ? <a class={kind} href={to} aria-label={text ? undefined : title.replaceAll("\n", ", ")}>{label}</a> : <span class={kind}>{label}</span>}
    </div>
  );
}
