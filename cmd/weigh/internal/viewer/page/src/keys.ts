// Keys that work on every page.

import { useEffect } from "preact/hooks";
import { go, href } from "./route";

/** Numbers go to pages, "/" goes to the filter, "?" shows the keys. */
export function useKeys(paths: string[], t: number, onHelp: () => void) {
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
      const at = e.target as HTMLElement;
      if (at.closest("input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea, select")) return;
      const page = paths[Number(e.key) - 1];
      if (page) go(href(page, { t: t || null }));
      else if (e.key === "/") {
        const filter = document.querySelector<HTMLInputElement>("input[type=search]");
        if (!filter) return;
        filter.focus();
        filter.select();
        e.preventDefault();
      } else if (e.key === "?") onHelp();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [paths.join(), t]);
}
