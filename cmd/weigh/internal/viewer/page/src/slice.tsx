// A part of a tensor as text, with the command that prints it.

import { useEffect, useState } from "preact/hooks";
import type { Params } from "./api";
import { useGet } from "./hooks";
import { useRoute } from "./route";
import { useSession } from "./session";
import type { Slice, Tensor } from "./types";
import { Command, Empty, Failure, Panel, Waiting } from "./ui";

function usual(dims: number[]): string {
  const n = dims.length;
  return dims.map((d, i) => i < n - 2 ? "0" : `:${Math.min(d, i === n - 1 ? 6 : 8)}`).join(", ") || "";
}

export function SlicePanel({ tensor, values, dims }: { tensor: Tensor; values: Params; dims: number[] }) {
  const { query, change } = useRoute();
  const session = useSession();
  const slice = query.get("slice") ?? usual(dims);
  const [text, set] = useState(slice);
  useEffect(() => set(slice), [slice]);
  const answer = useGet<Slice>(session.export ? null : "/api/slice", { ...values, slice });
  if (session.export) return <Panel title="Values"><Empty>A report has no values. {tensor.command && <Command text={tensor.command} />}</Empty></Panel>;
  return (
    <Panel title="Values" class="slice">
      <form class="tools" onSubmit={(e) => { e.preventDefault(); change({ slice: text.trim() }); }}>
        <label class="slice-field"><span class="soft mono">[</span>
          <input type="text" class="mono" aria-label="Slice, as in NumPy" value={text} spellcheck={false} autocomplete="off" onInput={(e) => set(e.currentTarget.value)} />
          <span class="soft mono">]</span></label>
        <button type="submit">Show</button>
      </form>
      {answer.error ? <Failure message={answer.error.message} />
        : answer.data ? <><pre class="values" tabIndex={0} role="group" aria-label="Values">{answer.data.text}</pre>{answer.data.command && <Command text={answer.data.command} />}</>
        : <Waiting lines={6} />}
    </Panel>
  );
}
