// State that follows requests and the window.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address, ApiError, get, getSlowly, type Params, type Progress } from "./api";

export interface Loaded<T> { data?: T; error?: ApiError; loading: boolean }

const kept = new Map<string, unknown>();
const maxKept = 60;

function keep(key: string, value: unknown) {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
}

function asApiError(e: unknown): ApiError {
  return e instanceof ApiError ? e : new ApiError(e instanceof Error ? e.message : String(e), 0);
}

/** Gets an answer, again whenever the parameters change. The old answer stays until the new one is here. */
export function useGet<T>(path: string | null, params: Params = {}): Loaded<T> {
  const url = path === null ? "" : address(path, params);
  const [state, set] = useState<Loaded<T> & { url: string }>({ loading: true, url: "" });
  useEffect(() => {
    if (path === null) return;
    if (kept.has(url)) {
      set({ data: kept.get(url) as T, loading: false, url });
      return;
    }
    const abort = new AbortController();
    set((old) => ({ data: old.data, loading: true, url }));
    get<T>(path, params, abort.signal).then(
      (data) => { keep(url, data); set({ data, loading: false, url }); },
      (e) => { if (!abort.signal.aborted) set({ error: asApiError(e), loading: false, url }); },
    );
    return () => abort.abort();
  }, [url]);
  if (url && state.url !== url && kept.has(url)) return { data: kept.get(url) as T, loading: false };
  return state.url === url ? state : { ...state, error: undefined, loading: true };
}

export interface Slow<T> extends Loaded<T> { progress?: Progress; start: () => void; cancel: () => void; canceled: boolean }

/** Gets a slow answer: at once if auto, and otherwise when start is called. Leaving the page cancels it. */
export function useSlow<T, P = never>(path: string, params: Params, auto: boolean, onPart?: (part: P) => void): Slow<T> {
  const url = address(path, params);
  const [state, set] = useState<Loaded<T> & { progress?: Progress; url: string; canceled?: boolean }>({ loading: auto, url });
  const abort = useRef<AbortController | undefined>(undefined);
  const start = useCallback(() => {
    abort.current?.abort();
    if (kept.has(url)) {
      set({ data: kept.get(url) as T, loading: false, url });
      return;
    }
    const control = abort.current = new AbortController();
    set({ loading: true, url });
    getSlowly<T, P>(path, params, control.signal, (progress) => set((old) => ({ ...old, progress })), onPart).then(
      (data) => { keep(url, data); set({ data, loading: false, url }); },
      (e) => { if (!control.signal.aborted) set({ error: asApiError(e), loading: false, url }); },
    );
  }, [url]);
  const cancel = useCallback(() => {
    abort.current?.abort();
    set({ loading: false, url, canceled: true });
  }, [url]);
  useEffect(() => {
    if (auto || kept.has(url)) start();
    else set({ loading: false, url });
    return () => abort.current?.abort();
  }, [url, auto]);
  const now = state.url === url ? state : { loading: auto };
  return { ...now, canceled: state.url === url && state.canceled === true, start, cancel };
}

/** The size of an element in CSS pixels, as it changes. */
export function useSize<E extends HTMLElement>(): [(e: E | null) => void, { width: number; height: number }] {
  const [size, set] = useState({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver | undefined>(undefined);
  const ref = useCallback((e: E | null) => {
    observer.current?.disconnect();
    if (!e) return;
    const measure = () => set((old) => {
      const width = e.clientWidth, height = e.clientHeight;
      return old.width === width && old.height === height ? old : { width, height };
    });
    measure();
    observer.current = new ResizeObserver(measure);
    observer.current.observe(e);
  }, []);
  return [ref, size];
}

/** Whether a media query matches, as it changes. */
export function useMedia(query: string): boolean {
  const [matches, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = () => set(list.matches);
    change();
    list.addEventListener("change", change);
    return () => list.removeEventListener("change", change);
  }, [query]);
  return matches;
}

export const useDark = () => useMedia("(prefers-color-scheme: dark)");
export const useNarrow = () => useMedia("(max-width: 700px)");
