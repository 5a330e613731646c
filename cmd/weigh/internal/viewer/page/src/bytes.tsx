// The map of a file: what lies where, and the bytes themselves on demand.

import { useMemo } from "preact/hooks";
import { base, int, percent, plural, shape, size, visible } from "./format";
import { Grid, type Column } from "./grid";
import { Hex } from "./hex";
import { useGet } from "./hooks";
import { href, useRoute } from "./route";
import { useSession, useT, useTarget } from "./session";
import type { Cell, Facets, Layout, Region } from "./types";
import { Empty, Failure, Middle } from "./ui";
import { useWindows } from "./windows";

const damaged = ["overlap", "gap", "trailing", "missing", "unknown"];

const kindClass = (kind: string) => damaged.includes(kind) ? "damaged" : kind === "tensor" ? "tensor" : "frame";

export function BytesPage() {
  const { t } = useTarget();
  const session = useSession();
  const { query, change } = useRoute();
  const facets = useGet<Facets>("/api/facets", { t });
  const files = facets.data?.files ?? [];
  const file = query.get("file") ?? files[0]?.file ?? "";
  if (session.export) return <Empty>A report has no map of the bytes. Run <code>weigh view</code> on the model to see it.</Empty>;
  if (facets.error) return <Failure message={facets.error.message} />;
  if (facets.data && !file) return <Empty>There are no files with tensors in this target.</Empty>;
  return (
    <>
      <h1 class="hidden">Bytes</h1>
      <div class="tools">
        {files.length > 1 ? (
          <select class="file-select" aria-label="File" value={file} onChange={(e) => change({ file: e.currentTarget.value, at: null })}>
            {!files.some((f) => f.file === file) && <option value={file}>{visible(base(file), 100)}</option>}
            {files.slice(0, 1000).map((f) => <option key={f.file} value={f.file}>{visible(base(f.file), 100)}</option>)}
          </select>
        ) : <span class="line"><Middle text={base(file)} tail={24} /></span>}
      </div>
      {file && <FileMap key={file} t={t} file={file} />}
    </>
  );
}

function FileMap({ t, file }: { t: number; file: string }) {
  const link = useT();
  const { query, change } = useRoute();
  const at = query.get("at");
  const list = useWindows<Layout, Region>("/api/layout", { t, file }, 200, (a) => a.regions);
  const start = useGet<Layout>(at === null ? null : "/api/layout", { t, file, at, limit: 1 });
  const region = at === null ? undefined : start.data?.regions[0];
  const columns = useMemo(() => regionColumns(link), [link]);
  if (list.error) return <Failure message={list.error.message} />;
  const end = list.answer?.size ?? 0;
  return (
    <>
      <Strip t={t} file={file} size={end} region={region} />
      <ul class="kinds" aria-label="Kinds of bytes">
        {(list.answer?.kinds ?? []).map((k) => (
          <li key={k.kind}><i class={`dot ${kindClass(k.kind)}`} aria-hidden="true" />{k.kind} <span class="soft num">{k.regions > 1 ? `${int(k.regions)} × ` : ""}{size(k.bytes)} ({percent(k.bytes, end)})</span></li>
        ))}
        {list.answer && <li class="end soft num">{plural(end, "byte")}</li>}
      </ul>
      <div class="bytes-columns">
        <Grid<Region> label="Regions of the file" total={list.total} rowAt={list.rowAt} onRange={list.onRange} rowsKey={list.key}
          first={at !== null ? start.data?.offset : undefined}
          columns={columns} onOpen={(r) => change({ at: r.bytes[0] }, true)} />
        <Hex t={t} file={file} region={region} size={end} />
      </div>
    </>
  );
}

function regionColumns(link: number | null): Column<Region>[] {
  return [
    {
      key: "kind", title: "Region", width: "minmax(0, 1fr)", cell: (r) => (
        <span class="branch"><i class={`dot ${kindClass(r.kind)}`} aria-hidden="true" />
          {r.name && kindClass(r.kind) === "damaged" && <span class="bad damage">{r.kind}</span>}
          {r.name ? r.id !== undefined ? <a href={href("/tensor", { t: link, id: r.id, name: r.name })} tabIndex={-1}><Middle text={r.label ?? r.name} tail={20} /></a> : <Middle text={r.label ?? r.name} tail={20} />
            : <span class={kindClass(r.kind) === "damaged" ? "bad" : ""}>{r.kind}{r.detail ? <span class="soft"> {visible(r.detail, 160)}</span> : ""}</span>}
        </span>
      ),
    },
    { key: "dtype", title: "Dtype and shape", width: "minmax(60px, 150px)", wide: true, cell: (r) => `${visible(r.dtype ?? "", 16)} ${shape(r.shape)}` },
    { key: "begin", title: "Begin", width: "118px", right: true, cell: (r) => <BeginLink region={r} /> },
    { key: "size", title: "Size", width: "100px", right: true, cell: (r) => size(r.size) },
  ];
}

/** The offset of a region, which shows its bytes. */
function BeginLink({ region }: { region: Region }) {
  const { query } = useRoute();
  const all = Object.fromEntries(query);
  return <a href={href("/bytes", { ...all, at: region.bytes[0] })} tabIndex={-1} title="Show the bytes">{int(region.bytes[0])}</a>;
}

/** The whole file as one strip, in which damage is never too small to be seen. */
function Strip({ t, file, size: whole, region }: { t: number; file: string; size: number; region?: Region }) {
  const { change } = useRoute();
  const map = useGet<{ cells: Cell[] }>("/api/bytemap", { t, file, cells: 512 });
  const cells = map.data?.cells ?? [];
  return (
    <div class="strip" role="group" aria-label={`Map of the file, ${int(whole)} bytes`} onClick={(e) => {
      const box = e.currentTarget.getBoundingClientRect();
      const cell = cells[Math.floor((e.clientX - box.left) / box.width * cells.length)];
      if (cell) change({ at: cell.begin }, true);
    }}>
      <svg viewBox={`0 0 ${Math.max(1, cells.length)} 1`} preserveAspectRatio="none" aria-hidden="true">
        {cells.map((c, i) => <rect key={i} x={i} y={0} width={1.05} height={1} class={`${kindClass(c.kind)}${(c.id ?? c.regions) % 2 ? " alt" : ""}`} />)}
      </svg>
      {region && whole > 0 && <i class="here" style={{ left: `${100 * region.bytes[0] / whole}%`, width: `max(2px, ${100 * (region.bytes[1] - region.bytes[0]) / whole}%)` }} />}
    </div>
  );
}
