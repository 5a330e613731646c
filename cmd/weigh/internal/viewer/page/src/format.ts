// Numbers and names as the command line writes them.

import type { Dim, Num } from "./types";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** An integer with separators. */
export const int = (n: number) => whole.format(n);

/** "1 file", "2 files". */
export const plural = (n: number, noun: string) => `${int(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A size in bytes: "125.00 KiB". */
export function size(n: number): string {
  if (n < 1024) return n === 1 ? "1 byte" : `${int(n)} bytes`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let i = -1;
  do { n /= 1024; i++; } while (n >= 1023.995 && i < units.length - 1);
  return `${n.toFixed(2)} ${units[i]}`;
}

/** A count, shortened: "64.00K", "7.24B". */
export function short(n: number): string {
  if (n < 1000) return int(n);
  const units = ["K", "M", "B", "T", "Q"];
  let i = -1;
  do { n /= 1000; i++; } while (n >= 999.995 && i < units.length - 1);
  return `${n.toFixed(2)}${units[i]}`;
}

/** A share of a whole, in percent. */
export function percent(part: number, whole: number): string {
  if (!whole) return "0.0%";
  const p = 100 * part / whole;
  return p > 0 && p < 0.05 ? "< 0.1%" : `${p.toFixed(1)}%`;
}

export const shape = (dims: Dim[] | null | undefined) => dims ? `[${dims.join(", ")}]` : "";

/** A float with six significant digits, as C's %g writes it. */
export function float(x: Num | null | undefined, digits = 6): string {
  if (x === null || x === undefined) return "-";
  if (typeof x === "string") return x.replace("Infinity", "Inf");
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "Inf" : "-Inf";
  if (x === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(x)));
  if (exponent >= -4 && exponent < Math.max(digits, 6)) return String(Number(x.toPrecision(digits)));
  const [mantissa, power] = x.toExponential(digits - 1).split("e") as [string, string];
  const sign = power.startsWith("-") ? "-" : "+";
  return `${Number(mantissa)}e${sign}${power.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** The number of a value that JSON may have written as a word. */
export const num = (x: Num | null | undefined): number =>
  typeof x === "number" ? x : x === null || x === undefined ? NaN : Number(x);

// Characters that would not be seen, or would change how others are seen: controls, directions, zero widths, tags.
const unseen = /[\p{Cc}\p{Cs}\p{DI}\u2028\u2029\ufff9-\ufffb]/gu;

/** Text from a file as it can be shown safely: what cannot be seen is escaped, and what is too long is elided. */
export function visible(text: string, most = 512): string {
  if (text.length > most) {
    const half = most >> 1;
    text = `${text.slice(0, half)}…${text.slice(-half)}`;
  }
  return text.replace(unseen, (c) => `\\u${c.codePointAt(0)!.toString(16).padStart(4, "0")}`);
}

/** The last part of a path. */
export const base = (path: string) => path.slice(path.replace(/\/+$/, "").lastIndexOf("/") + 1) || path;
