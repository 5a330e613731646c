// All tensors, as a table or as a tree over the same selection.

import { address } from "./api";
import { base, int, plural, shape, size, visible } from "./format";
import { Grid, type Column } from "./grid";
import { go, href, useRoute } from "./route";
import { Filters, isFiltered, unfiltered, useSelection } from "./selection";
import { useSession, useT } from "./session";
import { Tree } from "./tree";
import type { Row, Rows } from "./types";
import { Choice, Empty, Failure, Middle } from "./ui";
import { useWindows } from "./windows";

/** Where a tensor is shown. Names can be absent, or be in two files. */
export function tensorHref(t: number | null, row: { id: number; name?: string }): string {
  return href("/tensor", row.name !== undefined && row.name.length <= 1024 ? { t, name: row.name, id: row.id } : { t, id: row.id });
}

export function Flags({ of }: { of: string[] | null | undefined }) {
  if (!of?.length) return null;
  return <span class="flags">{of.map((f) => <span key={f} class={`chip${f === "packed" ? "" : " on"}`}>{f}</span>)}</span>;
}

function columns(t: number | null, files: boolean, flags: boolean): Column<Row>[] {
  const list: Column<Row>[] = [
    { key: "name", title: "Tensor", width: "minmax(0, 1fr)", sort: "name", cell: (r) => <Name t={t} row={r} /> },
    { key: "dtype", title: "Dtype", width: "76px", sort: "dtype", cell: (r) => visible(r.dtype, 16) },
    { key: "shape", title: "Shape", width: "minmax(90px, 170px)", sort: "shape", cell: (r) => <span title={shape(r.shape)}>{shape(r.shape)}</span> },
    { key: "elements", title: "Elements", width: "124px", right: true, wide: true, sort: "elements", down: true, cell: (r) => int(r.elements) },
    { key: "bytes", title: "Size", width: "104px", right: true, sort: "bytes", down: true, cell: (r) => size(r.bytes) },
  ];
  if (flags) list.push({ key: "flags", title: "Flags", width: "130px", wide: true, cell: (r) => <Flags of={r.flags} /> });
  if (files) list.push({ key: "file", title: "File", width: "minmax(100px, 220px)", wide: true, sort: "file", cell: (r) => <Middle text={base(r.file)} tail={22} /> });
  list.push({ key: "offset", title: "Offset", width: "124px", right: true, wide: true, sort: "offset", cell: (r) => r.file_offsets ? int(r.file_offsets[0]) : "-" });
  return list;
}

function Name({ t, row }: { t: number | null; row: Row }) {
  const label = row.label ?? row.name ?? "";
  return (
    <span class="branch">
      <a href={tensorHref(t, row)} tabIndex={-1}><Middle text={label} tail={22} /></a>
      {(row.count ?? 1) > 1 && <span class="chip times">×{int(row.count!)}</span>}
    </span>
  );
}

export function TensorsPage() {
  const { query, change } = useRoute();
  const selection = useSelection();
  const recorded = useSession().export;
  const view = query.get("view") === "tree" ? "tree" : "table";
  const fold = query.get("fold") === "1";
  return (
    <>
      <h1 class="hidden">Tensors</h1>
      <div class="tools">
        {!recorded && <Filters />}
        <div class="end">
          <label class="check"><input type="checkbox" checked={fold} onChange={(e) => change({ fold: e.currentTarget.checked })} />Fold equal layers</label>
          <Choice label="View" value={view} onChange={(v) => change({ view: v === "tree" ? v : null })} options={[["table", "Table"], ["tree", "Tree"]]} />
        </div>
      </div>
      {view === "tree" ? <Tree selection={selection} fold={fold} /> : <Table fold={fold} />}
    </>
  );
}

function Table({ fold }: { fold: boolean }) {
  const t = useT();
  const session = useSession();
  const { query, change } = useRoute();
  const selection = useSelection();
  const sort = query.get("sort") ?? "", reverse = query.get("reverse") === "1";
  const params = { ...selection, sort, reverse, fold };
  const list = useWindows<Rows, Row>("/api/rows", params, session.export ? session.limits.rows : 200, (a) => a.rows);
  const { answer } = list;
  const target = session.targets[Number(query.get("t") ?? 0)]!;
  return (
    <>
      <div class="summary" role="status">
        {answer && <span>{isFiltered(selection) ? `${int(answer.tensors)} of ${plural(answer.all, "tensor")}` : plural(answer.tensors, "tensor")}{fold ? ` in ${plural(answer.total, "row")}` : ""}</span>}
        {answer && <span>{plural(answer.elements, "element")}</span>}
        {answer && <span>{size(answer.bytes)}</span>}
        {isFiltered(selection) && <button type="button" class="link" onClick={() => change(unfiltered)}>Clear filters</button>}
        {!session.export && <a class="end" href={address("/api/rows.csv", params)} download="tensors.csv">Download as CSV</a>}
      </div>
      <Grid<Row> label="Tensors" total={list.total} rowAt={list.rowAt} onRange={list.onRange} rowsKey={list.key}
        columns={columns(t, target.files > 1, target.packed || isFiltered(selection))}
        sort={sort} reverse={reverse} onSort={session.export ? undefined : (s, r) => change({ sort: s, reverse: r })}
        onOpen={(r) => go(tensorHref(t, r))}>
        {list.error ? <Failure message={list.error.message} /> : answer && !list.loading && answer.total === 0
          ? <Empty>{answer.all ? <>No tensor matches the filters. <button type="button" class="link" onClick={() => change(unfiltered)}>Clear filters</button></> : "There are no tensors in this target."}</Empty> : undefined}
      </Grid>
    </>
  );
}
