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

export async function getJson<T>(route: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const response = await send(apiUrl(route, params), signal ? { signal } : {});
  return (await response.json()) as T;
}

export async function getText(route: string, params: Params = {}, signal?: AbortSignal): Promise<string> {
  return (await send(apiUrl(route, params), signal ? { signal } : {})).text();
}

export async function postJson<T>(route: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await send(apiUrl(route), post(body, signal));
  return (await response.json()) as T;
}

function post(body: unknown, signal?: AbortSignal) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  };
}
