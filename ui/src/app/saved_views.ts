// Named addresses that a user wants to return to. The browser stores them, per board.
import { object, readOrNull, string } from "../api/shape";

const viewShape = object({ name: string, address: string });

export interface View {
  readonly name: string;
  /** Below the board's root: "scalars?smooth=0.9". */
  readonly address: string;
}

/** Anything that is not a list of views is no view. */
export function readViews(text: string | null): View[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(parsed)) return [];
    return parsed.flatMap((item: unknown): View[] => {
      const view = readOrNull(viewShape, item);
      if (!view) return [];
      const { name, address } = view;
      // An address from storage is followed: it must stay inside the board.
      const isInside = /^[a-z]*(\?[^#]*)?$/.test(address);
      return name !== "" && isInside ? [{ name, address }] : [];
    });
  } catch {
    return [];
  }
}

/** The views with one more, or with another address for a name that is there. */
export function withView(views: readonly View[], view: View): View[] {
  return [...views.filter((other) => other.name !== view.name), view].sort((p, q) => p.name.localeCompare(q.name));
}

export function withoutView(views: readonly View[], name: string): View[] {
  return views.filter((view) => view.name !== name);
}
