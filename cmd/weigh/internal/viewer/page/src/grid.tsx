// A table with any number of rows: only those in view are in the document.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { useNarrow } from "./hooks";

export interface Column<R> {
  key: string;
  title: string;
  width: string;
  right?: boolean;
  /** Not shown where there is little room. */
  wide?: boolean;
  /** The order that a click on the title asks for; none if absent. */
  sort?: string;
  /** Whether this order begins with the largest. */
  down?: boolean;
  cell: (row: R, index: number) => ComponentChildren;
}

export interface GridProps<R> {
  label: string;
  tree?: boolean;
  total: number;
  columns: Column<R>[];
  rowAt: (index: number) => R | undefined;
  /** Called with the rows in view, so that they can be loaded. */
  onRange?: (begin: number, end: number) => void;
  onOpen?: (row: R, index: number) => void;
  /** Called for other keys on a row. Returns the row to go to, or undefined. */
  onKey?: (key: string, row: R, index: number) => number | undefined;
  level?: (row: R) => { level: number; open?: boolean };
  /** The order that the rows have. In its own order, a column of numbers begins with the largest. */
  sort?: string; reverse?: boolean;
  onSort?: (sort: string, reverse: boolean) => void;
  /** Where the table begins, such as the row that the address names. */
  first?: number;
  /** Changes when the rows are others, to begin at the top again. */
  rowsKey: string;
  children?: ComponentChildren;
}

function useVirtual(total: number, height: number, body: { current: HTMLElement | null }) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const options = {
    count: total, overscan: 8, estimateSize: () => height, getScrollElement: () => body.current,
    observeElementRect, observeElementOffset, scrollToFn: elementScroll, onChange: () => redraw(0),
  };
  const [virtual] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [height]);
  return virtual;
}

export function Grid<R>(props: GridProps<R>) {
  const { columns, total } = props;
  const id = useId();
  const narrow = useNarrow();
  const height = narrow ? 52 : 28;
  const body = useRef<HTMLDivElement>(null);
  const virtual = useVirtual(total, height, body);
  const [at, setAt] = useState(props.first ?? -1);
  const items = virtual.getVirtualItems();
  const begin = items[0]?.index ?? 0, end = (items.at(-1)?.index ?? -1) + 1;
  useEffect(() => { if (end > begin) props.onRange?.(begin, end); }, [begin, end, props.rowsKey]);
  useLayoutEffect(() => {
    if (props.first !== undefined && props.first > 0) virtual.scrollToIndex(props.first, { align: "center" });
    else body.current?.scrollTo(0, 0);
    setAt(props.first ?? -1);
  }, [props.rowsKey, props.first]);

  const move = (to: number) => {
    const row = Math.max(0, Math.min(total - 1, to));
    setAt(row);
    virtual.scrollToIndex(row, { align: "auto" });
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).closest("button, input") || !total) return;
    const page = Math.max(1, Math.floor((body.current?.clientHeight ?? 300) / height) - 1);
    const steps: Record<string, number> = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: total - 1,
    };
    const row = props.rowAt(at);
    if (e.key in steps) move(steps[e.key]!);
    else if (e.key === "Enter" && row !== undefined) props.onOpen?.(row, at);
    else {
      const to = row === undefined ? undefined : props.onKey?.(e.key, row, at);
      if (to === undefined) return;
      move(to);
    }
    e.preventDefault();
  };
  if (total === 0) return <NoRows {...props} />;
  const template = columns.map((c) => c.width).join(" ");
  return (
    <div class="grid" role={props.tree ? "treegrid" : "grid"} aria-label={props.label} aria-rowcount={total + 1} aria-colcount={columns.length}
      tabIndex={0} aria-activedescendant={at >= begin && at < end ? `${id}-${at}` : undefined} onKeyDown={onKeyDown}>
      <div class="grid-head" role="rowgroup">
        <div class="row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {columns.map((c) => <Head key={c.key} column={c} {...props} />)}
        </div>
      </div>
      <div class="grid-body" role="rowgroup" ref={body}>
        <div class="grid-space" role="presentation" style={{ height: `${virtual.getTotalSize()}px` }}>
          {items.map((item) => {
            const row = props.rowAt(item.index);
            const place = row !== undefined ? props.level?.(row) : undefined;
            return (
              <div key={item.key} id={`${id}-${item.index}`} role="row" aria-rowindex={item.index + 2}
                aria-selected={item.index === at} aria-level={place?.level} aria-expanded={place?.open}
                class={`row${item.index === at ? " at" : ""}`} onMouseDown={() => setAt(item.index)}
                onDblClick={() => row !== undefined && props.onOpen?.(row, item.index)}
                style={{ height: `${height}px`, transform: `translateY(${item.start}px)`, gridTemplateColumns: template }}>
                {columns.map((c, i) => (
                  <div key={c.key} role="gridcell" class={`cell${i === 0 ? " first" : ""}${c.right ? " right" : ""}${c.wide ? " wide" : ""}${i === columns.length - 1 ? " last" : ""}`}>
                    {row !== undefined ? c.cell(row, item.index) : i === 0 && <div class="unloaded" />}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** What a table without rows looks like. */
function NoRows<R>({ columns, children }: GridProps<R>) {
  return (
    <div class="grid">
      <div class="grid-head" aria-hidden="true">
        <div class="row" style={{ gridTemplateColumns: columns.map((c) => c.width).join(" ") }}>
          {columns.map((c) => <div key={c.key} class={`cell plain${c.right ? " right" : ""}`}>{c.title}</div>)}
        </div>
      </div>
      <div class="over">{children}</div>
    </div>
  );
}

type HeadProps<R> = GridProps<R> & { column: Column<R> };

function Head<R>({ column: c, sort, reverse, onSort }: HeadProps<R>) {
  const on = c.sort !== undefined && c.sort === sort;
  const kind = `cell${c.right ? " right" : ""}`;
  if (c.sort === undefined || !onSort) return <div role="columnheader" class={`${kind} plain`}>{c.title}</div>;
  // The second click reverses the order, the third click is the order of the header.
  const click = () => {
    if (!on) onSort(c.sort!, false);
    else if (!reverse) onSort(c.sort!, true);
    else onSort("", false);
  };
  return (
    <div role="columnheader" class={kind} aria-sort={on ? (reverse ?? false) !== (c.down ?? false) ? "descending" : "ascending" : "none"}>
      <button type="button" onClick={click}>{c.title}</button>
    </div>
  );
}
