// Sends requests to the server. Every failure becomes an ApiError whose message can be shown.

import { base } from "../base/address";
import { object, read, readOrNull, string, type Shape } from "./shape";

export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const errorShape = object({ error: object({ code: string, message: string }) });

const root = new URL("api/v1/", base);

export type Params = Record<string, string | number | readonly string[] | null | undefined>;

export function apiUrl(route: string, params: Params = {}): string {
  const url = new URL(route, root);
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined) continue;
    if (typeof value === "object") for (const item of value) url.searchParams.append(key, item);
    else url.searchParams.set(key, String(value));
  }
  return url.href;
}

async function failureOf(response: Response): Promise<ApiError> {
  const body = readOrNull(errorShape, await response.json().catch(() => null));
  if (body) return new ApiError(body.error.code, body.error.message);
  return new ApiError("http", `the server returned HTTP ${response.status} ${response.statusText}`);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError("unreachable", "the server cannot be reached; is compression-board still running?");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

type OnResponse = (snapshot: number | undefined) => void;

let watch = (): OnResponse => () => undefined;

/**
 * Calls `watcher` before every request. `watcher` returns a function. This function is called with the snapshot number
 * of the response.
 */
export function watchRequests(watcher: () => OnResponse): void {
  watch = watcher;
}

function snapshotOf(body: unknown): number | undefined {
  const named = typeof body === "object" && body !== null && "snapshot" in body ? body.snapshot : undefined;
  return typeof named === "number" ? named : undefined;
}

async function load<T>(url: string, init: RequestInit, decode: (response: Response) => Promise<T>): Promise<T> {
  const onResponse = watch();
  try {
    const body = await decode(await send(url, init));
    onResponse(snapshotOf(body));
    return body;
  } catch (problem) {
    if (problem instanceof ApiError) onResponse(undefined);
    throw problem;
  }
}

const json = (response: Response): Promise<unknown> => response.json();

const prefetched = new Map<string, Promise<unknown>>();

/** Sends a request before the page needs it. The next getJson() with the same address uses its response. */
export function prefetch(route: string): void {
  const { href } = new URL(route, root);
  const body = load(href, {}, json);
  body.catch(() => undefined); // getJson() reports the failure to its caller.
  prefetched.set(href, body);
  setTimeout(() => prefetched.delete(href), 5000); // The response was not used and is too old now.
}

const withSignal = (signal: AbortSignal | undefined): RequestInit => (signal ? { signal } : {});

export async function getJson<T>(
  shape: Shape<T>,
  route: string,
  params: Params = {},
  signal?: AbortSignal,
): Promise<T> {
  const url = apiUrl(route, params);
  const early = prefetched.get(url);
  prefetched.delete(url);
  return read(shape, await (early ?? load(url, withSignal(signal), json)), route);
}

/**
 * Requests responses that do not belong to a snapshot, such as annotations. They never cause a reload of the page's
 * data.
 */
export async function getStored<T>(shape: Shape<T>, route: string): Promise<T> {
  return read(shape, await json(await send(apiUrl(route), {})), route);
}

export async function getText(route: string, params: Params = {}, signal?: AbortSignal): Promise<string> {
  return load(apiUrl(route, params), withSignal(signal), (response) => response.text());
}

export async function getBytes(route: string, params: Params = {}, signal?: AbortSignal): Promise<ArrayBuffer> {
  return load(apiUrl(route, params), withSignal(signal), (response) => response.arrayBuffer());
}

export async function postJson<T>(shape: Shape<T>, route: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return read(shape, await load(apiUrl(route), post(body, signal), json), route);
}

/** Requests content that is not text, such as images; `accept` is the requested content type. */
export async function postForBytes<T>(
  route: string,
  body: unknown,
  accept: string,
  decode: (bytes: ArrayBuffer) => T,
  signal?: AbortSignal,
): Promise<T> {
  const init = post(body, signal);
  return load(apiUrl(route), { ...init, headers: { ...init.headers, Accept: accept } }, async (response) =>
    decode(await response.arrayBuffer()),
  );
}

function post(body: unknown, signal?: AbortSignal) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...withSignal(signal),
  };
}
