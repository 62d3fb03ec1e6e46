// The browser's storage for one board. Servers on the same host share the storage, so the path prefix is part of each
// key.
import { base } from "./address";

const nameOf = (key: string): string => `${key} ${base.pathname}`;

/** The stored text; null if nothing is stored, or if the browser does not allow storage. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(nameOf(key));
  } catch {
    return null;
  }
}

export function remember(key: string, text: string): void {
  try {
    localStorage.setItem(nameOf(key), text);
  } catch {
    // Storage is forbidden or full: the state is lost when the page is closed.
  }
}
