// What the check found, each with its cause and what to do.

import { int, visible } from "./format";
import type { Slow } from "./hooks";
import { href } from "./route";
import { useT } from "./session";
import type { Check, Finding } from "./types";
import { Middle, Panel, rank, Severity, SlowResult } from "./ui";

const shown = 100;

export function Findings({ check }: { check: Slow<Check> }) {
  return (
    <Panel title="Findings" id="findings" class="findings">
      <SlowResult of={check} ask="Check the model">
        {(data) => <List data={data} />}
      </SlowResult>
    </Panel>
  );
}

function List({ data }: { data: Check }) {
  const unread = data.unread ?? [];
  if (!data.findings.length && !unread.length) {
    return <p class="soft">weigh check found no problems in the structure, the index or the configuration.</p>;
  }
  const sorted = [...data.findings].sort((a, b) => rank(a.severity) - rank(b.severity));
  const rest = data.findings.length - shown + data.omitted;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="List of findings">
      <ul class="finding-list">
        {unread.map((u) => (
          <li key={u.file}><Severity of="error" /> <b>not read</b><p><Middle text={u.file} /></p><p>{visible(u.message, 600)}</p></li>
        ))}
        {sorted.slice(0, shown).map((f, i) => <Item key={i} of={f} />)}
      </ul>
      {rest > 0 && <p class="soft">and {int(rest)} more: run weigh check to see all</p>}
    </div>
  );
}

function Item({ of }: { of: Finding }) {
  const t = useT();
  return (
    <li>
      <div class="finding-head"><Severity of={of.severity} /> <span class="soft">{of.rule}</span>{of.allowed ? <span class="chip">allowed</span> : null}</div>
      {of.tensor && <p><a href={href("/tensor", { t, name: of.tensor })}><Middle text={of.tensor} tail={28} /></a></p>}
      <p>{visible(of.message, 800)}</p>
      {of.fix && <p class="fix">{visible(of.fix, 600)}</p>}
    </li>
  );
}
