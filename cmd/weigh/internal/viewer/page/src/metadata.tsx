// The metadata of files: in words where they are known, and as they are.

import { useState } from "preact/hooks";
import { base, int, visible } from "./format";
import { useGet } from "./hooks";
import { useTarget } from "./session";
import type { Metadata } from "./types";
import { Empty, Facts, Panel, Result } from "./ui";

export function MetadataPanel() {
  const { t } = useTarget();
  const [file, set] = useState("");
  const metadata = useGet<Metadata>("/api/metadata", { t, file });
  const files = [...new Set([metadata.data?.file ?? "", ...metadata.data?.others ?? []])].filter(Boolean);
  const side = files.length > 1 && (
    <select aria-label="File" value={metadata.data?.file} onChange={(e) => set(e.currentTarget.value)}>
      {files.sort().map((f) => <option key={f} value={f}>{visible(base(f), 80)}</option>)}
    </select>
  );
  return (
    <Panel title="Metadata" side={side} class="full">
      <Result of={metadata}>{(data) => <Content data={data} />}</Result>
    </Panel>
  );
}

function Content({ data }: { data: Metadata }) {
  if (!data.total) return <Empty>The files have no metadata.</Empty>;
  const words = data.words ?? [];
  return (
    <div class="metadata">
      {words.map((w) => (
        <div key={w.title}>
          <h3>{visible(w.title, 80)}</h3>
          <Facts items={w.facts.map((f) => [visible(f.name, 80), visible(f.value, 1000)])} />
        </div>
      ))}
      {words.length ? <details><summary>Raw metadata ({int(data.total)})</summary><Entries data={data} /></details> : <Entries data={data} />}
    </div>
  );
}

/** The metadata as it is in the file. */
function Entries({ data }: { data: Metadata }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="All metadata">
      <dl class="entries">
        {data.entries.map((e, i) => (
          <div key={i}>
            <dt><bdi>{visible(e.key, 120)}</bdi></dt>
            <dd><bdi>{visible(e.value, 1200) || <span class="soft">empty</span>}</bdi>{e.cut && <span class="soft"> ({int(e.bytes)} bytes)</span>}</dd>
          </div>
        ))}
      </dl>
      {data.total > data.entries.length && <p class="soft">and {int(data.total - data.entries.length)} more</p>}
    </div>
  );
}
