// The browser's storage for one board. Boards of one machine share it; their path prefix tells them apart.
import { base } from "./address";

const nameOf = (key: string): string => `${key} ${base.pathname}`;

/** Null where nothing is stored, or where the browser stores nothing. */
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
    // Storage is closed or full: the state lasts as long as the page.
  }
}
