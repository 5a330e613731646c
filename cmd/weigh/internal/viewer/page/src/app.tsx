// The frame of all pages: what is open, the way to each page, and the keys.

import "uplot/dist/uPlot.min.css";
import "./css/base.css";
import "./css/frame.css";
import "./css/grid.css";
import "./css/overview.css";
import "./css/tensor.css";
import "./css/pages.css";
import { render, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, useRecorded } from "./api";
import { base, visible } from "./format";
import { BytesPage } from "./bytes";
import { ComparePage } from "./compare";
import { Help } from "./help";
import { useKeys } from "./keys";
import { LayersPage } from "./layers";
import { Overview } from "./overview";
import { go, href, RouteContext, routeInHash, useRouter } from "./route";
import { SessionContext } from "./session";
import { TensorPage } from "./tensor";
import { TensorsPage } from "./tensors";
import type { Session } from "./types";
import { Empty, Failure, Middle } from "./ui";

const pages: [path: string, title: string, page: () => ComponentChildren][] = [
  ["/", "Overview", () => <Overview />],
  ["/tensors", "Tensors", () => <TensorsPage />],
  ["/layers", "Layers", () => <LayersPage />],
  ["/bytes", "Bytes", () => <BytesPage />],
  ["/compare", "Compare", () => <ComparePage />],
];

function App() {
  const route = useRouter();
  const [session, set] = useState<Session>();
  const [error, setError] = useState<ApiError>();
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    get<Session>("/api/session").then((s) => {
      set(s);
      if (s.compare && route.path === "/" && !route.query.has("t")) go(href("/compare"), true);
    }, setError);
  }, []);
  const t = Number(route.query.get("t") ?? 0);
  const target = session?.targets[t];
  const shown = pages.filter(([path]) => path !== "/compare" || session?.compare);
  const page = route.path === "/tensor" ? () => <TensorPage /> : shown.find(([path]) => path === route.path)?.[2];
  const title = route.path === "/tensor" ? route.query.get("name") ?? "Tensor" : shown.find(([p]) => p === route.path)?.[1];
  useEffect(() => {
    document.title = [title, target && base(target.name), "weigh"].filter(Boolean).map((s) => visible(s!, 80)).join(" · ");
  }, [title, target]);
  useKeys(shown.map(([path]) => path), t, () => setHelp((on) => !on));

  if (error) return <main class="alone"><h1>weigh view</h1><Failure message={error.message} again={() => location.reload()} /></main>;
  if (!session) return <main class="alone" aria-busy="true" />;
  return (
    <RouteContext.Provider value={route}>
      <SessionContext.Provider value={session}>
        <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>Skip to content</a>
        <Bar session={session} t={t} pages={shown.map(([path, name]) => [path, name])} path={route.path} onHelp={() => setHelp(true)} />
        <main ref={main} id="main" tabIndex={-1} class={`page ${route.path.slice(1) || "overview"}`}>
          {!target ? <Empty>There is no target {t}. <a href={href("/")}>Go to the overview</a></Empty>
            : page ? page() : <Empty>There is no page {visible(route.path, 80)}. <a href={href("/")}>Go to the overview</a></Empty>}
        </main>
        <Help open={help} onClose={() => setHelp(false)} session={session} />
      </SessionContext.Provider>
    </RouteContext.Provider>
  );
}

interface BarProps { session: Session; t: number; pages: [string, string][]; path: string; onHelp: () => void }

function Bar({ session, t, pages, path, onHelp }: BarProps) {
  const several = session.targets.length > 1;
  return (
    <header class="bar">
      <a class="brand" href={href("/", { t: several ? t : null })} aria-label="weigh: overview">
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <rect width="7" height="7" rx="1" class="m1" /><rect x="9" width="7" height="7" rx="1" class="m2" />
          <rect y="9" width="7" height="7" rx="1" class="m3" /><rect x="9" y="9" width="7" height="7" rx="1" class="m4" />
        </svg>
        <span>weigh</span>
      </a>
      {several && path !== "/compare" ? (
        <select class="target" aria-label="Target" value={t} onChange={(e) => go(href(path === "/tensor" ? "/" : path, { t: e.currentTarget.value }))}>
          {session.targets.map((x) => <option key={x.t} value={x.t}>{visible(x.name, 80)}</option>)}
        </select>
      ) : (
        <span class="target"><Middle text={path === "/compare" ? session.targets.map((x) => base(x.name)).join(" and ") : session.targets[t]?.name ?? ""} tail={24} /></span>
      )}
      <nav aria-label="Pages">
        {pages.map(([to, name]) => {
          const here = to === path || to === "/tensors" && path === "/tensor";
          return <a key={to} href={href(to, { t: several && to !== "/compare" ? t : null })} aria-current={here ? "page" : undefined}>{name}</a>;
        })}
      </nav>
      <button type="button" class="small help-button" onClick={onHelp} aria-label="Keyboard and help">?</button>
    </header>
  );
}

function start() {
  if (useRecorded()) routeInHash();
  const url = new URL(location.href);
  if (url.searchParams.has("token")) {
    url.searchParams.delete("token");
    history.replaceState(null, "", url);
  }
  render(<App />, document.getElementById("app")!);
}

start();
