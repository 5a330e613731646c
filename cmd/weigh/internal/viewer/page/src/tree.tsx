// Tensors as a tree by the parts of their names. A branch is loaded when it is opened.

import { useEffect, useMemo, useReducer } from "preact/hooks";
import { address, ApiError, get, type Params } from "./api";
import { int, percent, plural, shape, size, visible } from "./format";
import { Grid, type Column } from "./grid";
import { go, useRoute } from "./route";
import { unfiltered } from "./selection";
import { useT } from "./session";
import { tensorHref } from "./tensors";
import type { Node } from "./types";
import { Empty, Failure, Middle } from "./ui";

interface Branch { node: Node; level: number; open: boolean; leaf: boolean; more?: number }

/** The branches that are open, in the order in which they are shown. */
class Forest {
  root?: Node;
  error?: ApiError;
  children = new Map<string, Node>();
  open = new Set<string>([""]);
  /** How many branches have been opened by themselves. */
  depth = 0;

  visible(): Branch[] {
    const list: Branch[] = [];
    const stack: { node: Node; level: number; more?: number }[] = [];
    // Below a folded branch, sizes are those of all the equal parts together.
    const push = (path: string, level: number, times: number) => {
      const answer = this.children.get(path);
      if (!answer) return;
      const all = (n: Node): Node => times > 1 ? { ...n, tensors: n.tensors * times, elements: n.elements * times, bytes: n.bytes * times, repeated: (n.repeated ?? 1) * times } : n;
      if (answer.more) stack.push({ node: answer, level, more: answer.more });
      for (const node of [...answer.children ?? []].reverse()) stack.push({ node: all(node), level });
    };
    push("", 1, 1);
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { node, level, more } = top;
      // A name that begins with a dot has an empty first part, whose path is that of the root.
      const leaf = more !== undefined || node.id !== undefined || node.path === "";
      const open = !leaf && this.open.has(node.path);
      list.push({ node, level, open, leaf, more });
      if (open) push(node.path, level + 1, node.repeated ?? 1);
    }
    return list;
  }
}

/** A branch with nothing but one tensor, as that tensor. */
function joined(n: Node): Node {
  const only = n.children?.length === 1 && !n.more ? n.children[0]! : undefined;
  return only?.id !== undefined && (n.repeated ?? 1) === 1 ? { ...only, word: `${n.word}.${only.word}` } : n;
}

export function Tree({ selection, fold }: { selection: Params; fold: boolean }) {
  const t = useT();
  const { change } = useRoute();
  const key = address("", { ...selection, fold });
  const forest = useMemo(() => new Forest(), [key]);
  const [version, redraw] = useReducer((n: number) => n + 1, 0);

  const load = async (path: string) => {
    if (forest.children.has(path)) return;
    try {
      const answer = await get<Node>("/api/tree", { ...selection, path, depth: 2, fold, limit: 500 });
      forest.children.set(path, { ...answer, children: answer.children?.map(joined) });
      if (path === "") forest.root = answer;
      // What has most of the bytes opens by itself, so that the first look shows more than three words.
      for (const child of answer.children ?? []) {
        if (joined(child).id === undefined && child.path && 2 * child.bytes > (forest.root?.bytes ?? 0) && forest.depth++ < 3) {
          forest.open.add(child.path);
          await load(child.path);
        }
      }
    } catch (e) {
      forest.error = e instanceof ApiError ? e : new ApiError(String(e), 0);
    }
    redraw(0);
  };
  useEffect(() => { void load(""); }, [forest]);
  const toggle = (b: Branch) => {
    if (b.leaf) return;
    if (b.open) forest.open.delete(b.node.path);
    else { forest.open.add(b.node.path); void load(b.node.path); }
    redraw(0);
  };
  const rows = useMemo(() => forest.visible(), [forest, version]);
  const whole = forest.root?.bytes ?? 0;

  const open = (b: Branch) => b.leaf && b.node.id !== undefined ? go(tensorHref(t, { id: b.node.id, name: b.node.path })) : toggle(b);
  const onKey = (k: string, b: Branch, at: number): number | undefined => {
    if (k === "ArrowRight") {
      if (!b.leaf && !b.open) { toggle(b); return at; }
      return b.leaf ? at : at + 1;
    }
    if (k !== "ArrowLeft") return undefined;
    if (b.open) { toggle(b); return at; }
    for (let i = at - 1; i >= 0; i--) if (rows[i]!.level < b.level) return i;
    return at;
  };
  return (
    <>
      <div class="summary" role="status">
        {forest.root && <><span>{plural(forest.root.tensors, "tensor")}</span><span>{plural(forest.root.elements, "element")}</span><span>{size(forest.root.bytes)}</span></>}
        {forest.error && rows.length > 0 && <span class="bad">{forest.error.message}</span>}
      </div>
      <Grid<Branch> tree label="Tensors by name" total={rows.length} rowAt={(i) => rows[i]} rowsKey={key}
        columns={columns(t, whole, toggle)} onOpen={open} onKey={onKey}
        level={(b) => ({ level: b.level, open: b.leaf ? undefined : b.open })}>
        {forest.error ? <Failure message={forest.error.message} /> : forest.root?.tensors === 0
          ? <Empty>No tensor matches. <button type="button" class="link" onClick={() => change(unfiltered)}>Clear filters</button></Empty> : undefined}
      </Grid>
    </>
  );
}

function columns(t: number | null, whole: number, toggle: (b: Branch) => void): Column<Branch>[] {
  return [
    {
      key: "name", title: "Name", width: "minmax(0, 1fr)", cell: (b) => {
        const word = b.more ? `${int(b.more)} more: filter to see them` : b.node.word ?? b.node.path;
        const times = b.node.repeated ?? 1;
        return (
          <span class="branch" style={{ paddingLeft: `${(b.level - 1) * 18}px` }}>
            {b.leaf ? <span class="twist" /> : (
              <button type="button" class="twist" tabIndex={-1} aria-label={`${b.open ? "Close" : "Open"} ${visible(word, 60)}`} onClick={() => toggle(b)}>{b.open ? "▼" : "▶"}</button>
            )}
            {b.leaf && b.node.id !== undefined && !b.more ? <a href={tensorHref(t, { id: b.node.id, name: b.node.path })} tabIndex={-1}><Middle text={word} /></a> : <Middle text={word} />}
            {times > 1 && <span class="chip times">×{int(times)}</span>}
          </span>
        );
      },
    },
    { key: "dtype", title: "Dtype", width: "76px", cell: (b) => b.more ? "" : visible(b.node.dtype, 16) },
    { key: "shape", title: "Shape", width: "minmax(90px, 170px)", wide: true, cell: (b) => shape(b.node.shape) },
    { key: "tensors", title: "Tensors", width: "90px", right: true, wide: true, cell: (b) => b.more || b.leaf ? "" : int(b.node.tensors) },
    { key: "elements", title: "Elements", width: "130px", right: true, wide: true, cell: (b) => b.more ? "" : int(b.node.elements) },
    { key: "bytes", title: "Size", width: "104px", right: true, cell: (b) => size(b.more ? b.node.more_bytes ?? 0 : b.node.bytes) },
    {
      key: "share", title: "Share", width: "110px", wide: true, cell: (b) => b.more ? "" : (
        <span class="share" title={percent(b.node.bytes, whole)}><i style={{ width: `${100 * b.node.bytes / (whole || 1)}%` }} /></span>
      ),
    },
  ];
}
