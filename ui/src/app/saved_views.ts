// Views: addresses that the user saved under a name. The browser stores them per board.
import { object, readOrNull, string } from "../api/shape";

const viewShape = object({ name: string, address: string });

export interface View {
  readonly name: string;
  /** The address relative to the root of the board: "scalars?smooth=0.9". */
  readonly address: string;
}

/** Ignores stored values that are not a list of views. */
export function readViews(text: string | null): View[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(parsed)) return [];
    return parsed.flatMap((item: unknown): View[] => {
      const view = readOrNull(viewShape, item);
      if (!view) return [];
      const { name, address } = view;
      // Accepts a stored address only if it stays inside the board, because the page navigates to the address.
      const isInside = /^[a-z]*(\?[^#]*)?$/.test(address);
      return name !== "" && isInside ? [{ name, address }] : [];
    });
  } catch {
    return [];
  }
}

/** The list after the view was added. A view of the same name gets the new address. */
export function withView(views: readonly View[], view: View): View[] {
  return [...views.filter((other) => other.name !== view.name), view].sort((p, q) => p.name.localeCompare(q.name));
}

export function withoutView(views: readonly View[], name: string): View[] {
  return views.filter((view) => view.name !== name);
}
