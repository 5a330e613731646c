// Rows of a long list, requested in windows as they come into view.

import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { address, ApiError, get, type Params } from "./api";

const maxWindows = 40;

export interface Windows<R, A> {
  /** The last answer, for totals. */
  answer?: A;
  error?: ApiError;
  total: number;
  key: string;
  loading: boolean;
  rowAt: (index: number) => R | undefined;
  onRange: (begin: number, end: number) => void;
}

/** Loads windows of `step` rows. The list is another one when path or params change; the old total stays until then. */
export function useWindows<A extends { total: number }, R>(
  path: string, params: Params, step: number, rowsOf: (a: A) => R[],
): Windows<R, A> {
  const key = address(path, params);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const last = useRef<{ answer?: A; total: number }>({ total: 0 });
  const list = useMemo(() => ({
    rows: new Map<number, R[]>(), waiting: new Map<number, AbortController>(), answer: undefined as A | undefined,
    error: undefined as ApiError | undefined,
  }), [key]);

  const load = (n: number) => {
    if (list.rows.has(n) || list.waiting.has(n)) return;
    const abort = new AbortController();
    list.waiting.set(n, abort);
    get<A>(path, { ...params, offset: n * step, limit: step }, abort.signal).then((answer) => {
      list.rows.set(n, rowsOf(answer));
      if (list.rows.size > maxWindows) list.rows.delete(list.rows.keys().next().value!);
      list.answer = answer;
      last.current = { answer, total: answer.total };
    }, (e) => {
      if (!abort.signal.aborted) list.error = e instanceof ApiError ? e : new ApiError(String(e), 0);
    }).finally(() => {
      if (list.waiting.get(n) === abort) list.waiting.delete(n);
      if (!abort.signal.aborted) redraw(0);
    });
  };
  useEffect(() => {
    load(0);
    return () => list.waiting.forEach((a) => a.abort());
  }, [list]);
  const answer = list.answer ?? (list.error ? undefined : last.current.answer);
  return {
    answer, error: list.error, key, loading: !list.answer && !list.error,
    total: list.error ? 0 : list.answer?.total ?? last.current.total,
    rowAt: (i) => list.rows.get(Math.floor(i / step))?.[i % step],
    onRange: (begin, end) => {
      const from = Math.floor(begin / step), to = Math.floor((end - 1) / step);
      for (const [n, abort] of list.waiting) if (n < from - 1 || n > to + 1) { abort.abort(); list.waiting.delete(n); }
      for (let n = from; n <= to; n++) load(n);
    },
  };
}
