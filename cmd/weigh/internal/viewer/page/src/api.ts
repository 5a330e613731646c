// Requests to the server, and the same answers out of an exported page.

export type Params = Record<string, string | number | boolean | string[] | number[] | null | undefined>;

/** An error that the server reports in one line, with the HTTP status, or 0 if no answer came. */
export class ApiError extends Error {
  constructor(message: string, readonly status: number) { super(message); }
}

let recorded: Record<string, unknown> | null = null;

/** Reads the answers that an exported page has. Without them, requests go to the server. */
export function useRecorded(): boolean {
  const text = document.getElementById("weigh-export")?.textContent;
  if (text) recorded = (JSON.parse(text) as { answers: Record<string, unknown> }).answers;
  return recorded !== null;
}

/** The address of a request. Parameters are in alphabetical order, so that equal requests have equal addresses. */
export function address(path: string, params: Params = {}): string {
  const pairs: [string, string][] = [];
  for (const key of Object.keys(params).sort()) {
    const value = params[key];
    if (value === null || value === undefined || value === "" || value === false) continue;
    const list = Array.isArray(value) ? value : [value === true ? 1 : value];
    if (key === "axes" || key === "at") pairs.push([key, list.join(",")]);
    else for (const v of list) pairs.push([key, String(v)]);
  }
  const query = new URLSearchParams(pairs).toString();
  return query ? `${path}?${query}` : path;
}

async function open(url: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal, credentials: "same-origin" });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new ApiError("The server does not answer. Start weigh view again and open the address that it prints.", 0);
  }
  if (response.ok) return response;
  let message = `${response.status} ${response.statusText}`;
  try {
    const answer = await response.json() as { error?: string | { message?: string } };
    message = (typeof answer.error === "string" ? answer.error : answer.error?.message) ?? message;
  } catch { /* the status says it */ }
  throw new ApiError(message, response.status);
}

function fromRecord<T>(url: string): T {
  if (recorded && url in recorded) return recorded[url] as T;
  throw new ApiError("This report does not contain this part. Run weigh view on the model to see it.", 404);
}

/** Gets a JSON answer. */
export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const url = address(path, params);
  if (recorded) return fromRecord<T>(url);
  return await (await open(url, signal)).json() as T;
}

/** Gets bytes and the headers that describe them. */
export async function getBytes(path: string, params: Params, signal?: AbortSignal): Promise<{ data: ArrayBuffer; headers: Headers }> {
  const url = address(path, params);
  if (recorded) return fromRecord(url);
  const response = await open(url, signal);
  return { data: await response.arrayBuffer(), headers: response.headers };
}

export interface Progress { done: number; total: number; unit?: string }
interface Line<T, P> { progress?: Progress; part?: P; result?: T; error?: string | { message: string } }

/** Gets the answer of a slow request, which reports progress and perhaps parts. Aborting the signal cancels it. */
export async function getSlowly<T, P = never>(
  path: string, params: Params, signal: AbortSignal, onProgress: (p: Progress) => void, onPart?: (part: P) => void,
): Promise<T> {
  if (recorded) return fromRecord<T>(address(path, params));
  const response = await open(address(path, { ...params, progress: 1 }), signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = done ? "" : lines.pop()!;
    for (const text of lines) {
      if (!text.trim()) continue;
      const line = JSON.parse(text) as Line<T, P>;
      if (line.progress) onProgress(line.progress);
      if (line.part) onPart?.(line.part);
      if (line.error) throw new ApiError(typeof line.error === "string" ? line.error : line.error.message, 200);
      if (line.result !== undefined) return line.result;
    }
    if (done) throw new ApiError("The response is incomplete. Reload the page.", 0);
  }
}
