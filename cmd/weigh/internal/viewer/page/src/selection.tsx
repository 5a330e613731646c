// Which tensors are shown: the filters, which are in the address, as parameters of requests.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Params } from "./api";
import { base, int, visible } from "./format";
import { useGet } from "./hooks";
import { useRoute } from "./route";
import { useTarget } from "./session";
import type { Facets } from "./types";

const filters = ["include", "exclude", "dtype", "file", "flag", "min_bytes", "max_bytes"] as const;

/** The selection that the address names. */
export function useSelection(): Params {
  const { t } = useTarget();
  const { query } = useRoute();
  const params: Params = { t };
  for (const key of filters) {
    const values = query.getAll(key).filter(Boolean);
    if (values.length) params[key] = values.length === 1 ? values[0]! : values;
  }
  return params;
}

export function isFiltered(params: Params): boolean {
  return filters.some((f) => params[f] !== undefined);
}

export const unfiltered: Params = Object.fromEntries(filters.map((f) => [f, null]));

const sizes: [string, string][] = [
  ["", "any size"], ["1024", "1 KiB and more"], ["1048576", "1 MiB and more"], ["16777216", "16 MiB and more"],
  ["268435456", "256 MiB and more"], ["1073741824", "1 GiB and more"],
];

/** The controls of the filters. */
export function Filters() {
  const { t } = useTarget();
  const { query, change } = useRoute();
  const facets = useGet<Facets>("/api/facets", { t }).data;
  const select = (key: string, label: string, options: [string, string][]) => {
    const value = query.get(key) ?? "";
    return (
      <select key={key} aria-label={label} value={value} class={value ? "on" : ""} onChange={(e) => change({ [key]: e.currentTarget.value })}>
        {value && !options.some(([v]) => v === value) && <option value={value}>{visible(value, 60)}</option>}
        {options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
      </select>
    );
  };
  return (
    <>
      <NameFilter value={query.get("include") ?? ""} onChange={(include) => change({ include })} />
      {select("dtype", "Dtype", [["", "any dtype"], ...(facets?.dtypes ?? []).map((d): [string, string] => [d.dtype, `${visible(d.dtype, 20)} (${int(d.tensors)})`])])}
      {(facets?.files.length ?? 0) > 1 && select("file", "File", [["", "any file"], ...facets!.files.slice(0, 500).map((f): [string, string] => [f.file, `${visible(base(f.file), 60)} (${int(f.tensors)})`])])}
      {select("min_bytes", "Size", sizes)}
      {!!facets?.flags?.length && select("flag", "Flag", [["", "any flag"], ...facets.flags.map((f): [string, string] => [f.flag, `${f.flag} (${int(f.tensors)})`])])}
    </>
  );
}

/** The field for a name or pattern. What is typed takes effect after a moment. */
function NameFilter({ value, onChange }: { value: string; onChange: (v: string) => void }) {
  const [text, set] = useState(value);
  const typed = useRef(value);
  const timer = useRef(0);
  useEffect(() => { if (value !== typed.current) { typed.current = value; set(value); } }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (v: string) => { typed.current = v; onChange(v); };
  return (
    <input type="search" aria-label="Filter by name" placeholder="Filter: q_proj or **.mlp.*.weight" spellcheck={false} autocomplete="off" value={text}
      onInput={(e) => {
        const v = e.currentTarget.value;
        set(v);
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => send(v), 180);
      }}
      onKeyDown={(e) => {
        if (e.key === "Enter" || e.key === "ArrowDown") {
          clearTimeout(timer.current);
          send(text);
          document.querySelector<HTMLElement>(".grid")?.focus();
          e.preventDefault();
        } else if (e.key === "Escape") { set(""); send(""); }
      }} />
  );
}
