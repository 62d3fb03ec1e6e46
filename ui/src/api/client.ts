// Asks the server. Every failure becomes an ApiError that can be shown as it is.

import { base } from "../state/location";

export class ApiError extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

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
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ApiError(error.code, error.message);
  } catch {
    return new ApiError("http", `the server answered ${response.status} ${response.statusText}`);
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError("unreachable", "the server does not answer; is compression-board still running?");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

type Answered = (snapshot: number | undefined) => void;

let watch = (): Answered => () => undefined;

/** `watcher` is told of every question; what it returns is told which snapshot the answer is about. */
export function watchQuestions(watcher: () => Answered): void {
  watch = watcher;
}

function snapshotOf(answer: unknown): number | undefined {
  const named = typeof answer === "object" && answer !== null && "snapshot" in answer ? answer.snapshot : undefined;
  return typeof named === "number" ? named : undefined;
}

async function ask<T>(url: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
  const answered = watch();
  try {
    const answer = await read(await send(url, init));
    answered(snapshotOf(answer));
    return answer;
  } catch (problem) {
    if (problem instanceof ApiError) answered(undefined);
    throw problem;
  }
}

const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;

const ahead = new Map<string, Promise<unknown>>();

/** Asks for what will be needed: the first who asks the same by getJson gets the answer to this. */
export function askAhead(route: string): void {
  const { href } = new URL(route, root);
  const answer = ask<unknown>(href, {}, json);
  answer.catch(() => undefined); // Whoever needs it hears of it.
  ahead.set(href, answer);
  setTimeout(() => ahead.delete(href), 5000); // Nobody wanted it, and by now it is old.
}

export async function getJson<T>(route: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const url = apiUrl(route, params);
  const early = ahead.get(url);
  if (early) {
    ahead.delete(url);
    return early as Promise<T>;
  }
  return ask<T>(url, signal ? { signal } : {}, json);
}

export async function getText(route: string, params: Params = {}, signal?: AbortSignal): Promise<string> {
  return ask(apiUrl(route, params), signal ? { signal } : {}, (response) => response.text());
}

export async function getBytes(route: string, params: Params = {}, signal?: AbortSignal): Promise<ArrayBuffer> {
  return ask(apiUrl(route, params), signal ? { signal } : {}, (response) => response.arrayBuffer());
}

export async function postJson<T>(route: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return ask<T>(apiUrl(route), post(body, signal), json);
}

/** For answers that are not text; `accept` is the type that is asked for. */
export async function postForBytes<T>(route: string, body: unknown, accept: string, read: (bytes: ArrayBuffer) => T, signal?: AbortSignal): Promise<T> {
  const init = post(body, signal);
  return ask(apiUrl(route), { ...init, headers: { ...init.headers, Accept: accept } }, async (response) => read(await response.arrayBuffer()));
}

function post(body: unknown, signal?: AbortSignal) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  };
}
