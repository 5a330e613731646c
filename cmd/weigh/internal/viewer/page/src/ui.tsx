// Small parts that all pages use.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Loaded, Slow } from "./hooks";
import { int, percent, size, visible } from "./format";

/** Text that loses its middle where there is no room, with the whole of it on demand. */
export function Middle({ text, tail = 16 }: { text: string; tail?: number }) {
  const shown = visible(text);
  const cut = Math.max(0, shown.length - tail);
  if (cut < 6) return <bdi class="middle" title={shown}><span class="head">{shown}</span></bdi>;
  return (
    <bdi class="middle" title={shown}>
      <span class="head">{shown.slice(0, cut)}</span>
      <span class="tail">{shown.slice(cut)}</span>
    </bdi>
  );
}

/** A titled part of a page. */
export function Panel(props: {
  title: string; id?: string; side?: ComponentChildren; class?: string; children: ComponentChildren;
}) {
  return (
    <section class={`panel ${props.class ?? ""}`} aria-label={props.title} id={props.id}>
      <div class="panel-head">
        <h2>{props.title}</h2>
        {props.side && <div class="panel-side">{props.side}</div>}
      </div>
      {props.children}
    </section>
  );
}

/** One choice of a few. */
export function Choice<V extends string>(props: {
  label: string; value: V; options: readonly (readonly [V, string])[]; onChange: (v: V) => void;
}) {
  return (
    <div class="choice" role="radiogroup" aria-label={props.label}>
      {props.options.map(([value, text]) => (
        <label key={value} class={value === props.value ? "on" : ""}>
          <input type="radio" name={props.label} checked={value === props.value} onChange={() => props.onChange(value)} />
          {text}
        </label>
      ))}
    </div>
  );
}

/** A button that copies text and says so. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [done, set] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return (
    <button type="button" class="small" onClick={copy} aria-label={label}>
      <span class="swap"><span class={done ? "gone" : ""}>Copy</span><span class={done ? "" : "gone"}>Copied</span></span>
    </button>
  );
}

/** A command line that can be copied. */
export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code tabIndex={0} aria-label="Command">{visible(text, 2000)}</code>
      <Copy text={text} label="Copy the command" />
    </div>
  );
}

/** An error in the words of the server. */
export function Failure({ message, again }: { message: string; again?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{visible(message, 2000)}</p>
      {again && <button type="button" onClick={again}>Try again</button>}
    </div>
  );
}

/** What stands where there is nothing. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** A placeholder of the size that the content will have. */
export function Waiting({ lines = 3 }: { lines?: number }) {
  return (
    <div class="waiting" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, i) => <span key={i} />)}
    </div>
  );
}

/** An answer, or its error, or a placeholder. */
export function Result<T>({ of, lines, children }: { of: Loaded<T>; lines?: number; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Failure message={of.error.message} />;
  return <Waiting lines={lines} />;
}

/** A slow answer: what it costs and a button to start it, its progress and a button to cancel it, or the answer. */
export function SlowResult<T>({ of, ask, children }: { of: Slow<T>; ask: string; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Failure message={of.error.message} again={of.start} />;
  if (!of.loading) {
    return (
      <div class="ask">
        {of.canceled && <p class="soft">Canceled.</p>}
        <button type="button" class="primary" onClick={of.start}>{ask}</button>
      </div>
    );
  }
  return <Running of={of} />;
}

/** The progress of a slow answer and a button to cancel it. */
export function Running<T>({ of }: { of: Slow<T> }) {
  const { done, total, unit } = of.progress ?? { done: 0, total: 0, unit: "" };
  const amount = unit === "bytes" ? size : int;
  return (
    <div class="running" role="status">
      <progress aria-label="Progress" max={total || 1} value={total ? done : undefined} />
      <span class="soft num">{total ? `${percent(done, total)} of ${amount(total)}` : "Reading"}</span>
      <button type="button" class="small" onClick={of.cancel}>Cancel</button>
    </div>
  );
}

const order = ["invalid", "error", "nonconforming", "warning", "note"];

/** The place of a severity: 0 is the worst. */
export const rank = (severity: string) => order.indexOf(severity);

/** The severities that occur, the worst first. */
export function severities(counts: Record<string, number>): [string, number][] {
  return order.filter((s) => counts[s]).map((s) => [s, counts[s]!]);
}

/** A severity as a mark and a word, so that color is not all that tells it. */
export function Severity({ of }: { of: string }) {
  const bad = of === "invalid" || of === "error";
  return <span class={`severity ${bad ? "bad" : of === "note" ? "soft" : "warn"}`}>{of}</span>;
}

/** A list of names and values. */
export function Facts({ items }: { items: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}
