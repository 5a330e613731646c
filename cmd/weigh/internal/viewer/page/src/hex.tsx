// Bytes of a file as hexadecimal digits and characters.

import { useEffect, useState } from "preact/hooks";
import { ApiError, getBytes } from "./api";
import { int, plural, visible } from "./format";
import { useNarrow } from "./hooks";
import type { Region } from "./types";
import { Empty, Failure, Panel, Waiting } from "./ui";

const page = 512;

export function Hex({ t, file, region, size }: { t: number; file: string; region?: Region; size: number }) {
  const [offset, setOffset] = useState(0);
  const [state, set] = useState<{ data?: Uint8Array; at?: number; error?: string }>({});
  useEffect(() => setOffset(region?.bytes[0] ?? 0), [region?.bytes[0]]);
  useEffect(() => {
    if (!region || !size) return;
    const abort = new AbortController();
    getBytes("/api/hex", { t, file, offset, length: page }, abort.signal).then(
      ({ data }) => set({ data: new Uint8Array(data), at: offset }),
      (e) => { if (!abort.signal.aborted) set({ error: e instanceof ApiError ? e.message : String(e) }); },
    );
    return () => abort.abort();
  }, [file, offset, region !== undefined, size]);
  const name = region ? region.label ?? region.name ?? region.kind : "";
  return (
    <Panel title="Bytes" class="hex" side={region && (
      <>
        <button type="button" class="small" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - page))}>Earlier</button>
        <button type="button" class="small" disabled={offset + page >= size} onClick={() => setOffset(offset + page)}>Later</button>
      </>
    )}>
      {!region ? <Empty>Choose a region to see its bytes.</Empty>
        : state.error ? <Failure message={state.error} />
        : state.data ? (
          <>
            <p class="soft">{visible(name, 60)}, {plural(region.size, "byte")}, from {int(state.at ?? 0)}</p>
            <Dump data={state.data} at={state.at ?? 0} />
          </>
        ) : <Waiting lines={8} />}
    </Panel>
  );
}

function Dump({ data, at }: { data: Uint8Array; at: number }) {
  const wide = useNarrow() ? 8 : 16;
  const digits = Math.max(6, (at + data.length).toString(16).length);
  const lines: string[] = [];
  for (let i = 0; i < data.length; i += wide) {
    const row = [...data.subarray(i, i + wide)];
    const hex = row.map((b, k) => b.toString(16).padStart(2, "0") + (k === 7 && wide > 8 ? " " : "")).join(" ").padEnd(wide > 8 ? 48 : 23);
    const text = row.map((b) => b >= 32 && b < 127 ? String.fromCharCode(b) : "·").join("");
    lines.push(`${(at + i).toString(16).padStart(digits, "0")}  ${hex}  ${text}`);
  }
  return <pre class="dump" tabIndex={0} role="group" aria-label="Bytes as hexadecimal digits">{lines.join("\n")}</pre>;
}
