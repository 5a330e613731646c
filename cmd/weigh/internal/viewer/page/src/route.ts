// The address bar is the state of a page: path and query say what is shown.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { address, type Params } from "./api";

export interface Route { path: string; query: URLSearchParams }

let exported = false;

/** An exported page is one file, so its state is behind the "#". */
export function routeInHash() { exported = true; }

function current(): Route {
  const url = new URL(exported ? location.hash.slice(1) || "/" : location.href, "http://x");
  return { path: url.pathname, query: url.searchParams };
}

/** Where a link to a page leads. */
export function href(path: string, params: Params = {}): string {
  return (exported ? "#" : "") + address(path, params);
}

const listeners = new Set<() => void>();

/** Goes to a page: as a new entry of the history, or in place of the current one. */
export function go(to: string, replace = false) {
  if (replace) history.replaceState(null, "", to);
  else {
    history.pushState(null, "", to);
    scrollTo(0, 0);
  }
  for (const f of listeners) f();
}

export function useRouter(): Route {
  const [route, set] = useState(current);
  useEffect(() => {
    const change = () => set(current());
    const click = (e: MouseEvent) => {
      const link = (e.target as Element | null)?.closest?.("a");
      if (!link || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
      if (link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
      const to = link.getAttribute("href") ?? "";
      if (exported ? !to.startsWith("#/") : !to.startsWith("/") || to.startsWith("/api/") || to.includes(".txt")) return;
      e.preventDefault();
      go(to);
    };
    listeners.add(change);
    addEventListener("popstate", change);
    addEventListener("hashchange", change);
    document.addEventListener("click", click);
    return () => {
      listeners.delete(change);
      removeEventListener("popstate", change);
      removeEventListener("hashchange", change);
      document.removeEventListener("click", click);
    };
  }, []);
  return route;
}

export const RouteContext = createContext<Route>({ path: "/", query: new URLSearchParams() });

/** The current page and a function that changes parameters of its query; an empty value removes one. */
export function useRoute(): Route & { change: (params: Params, push?: boolean) => void } {
  const route = useContext(RouteContext);
  const change = (params: Params, push = false) => {
    const all: Record<string, string[]> = {};
    for (const [k, v] of current().query) (all[k] ??= []).push(v);
    const merged: Params = { ...all, ...params };
    for (const k of ["axes", "at"]) if (Array.isArray(merged[k])) merged[k] = (merged[k] as string[]).join(",");
    go(href(route.path, merged), !push);
  };
  return { ...route, change };
}
