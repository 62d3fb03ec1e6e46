// Addresses with a name: what somebody wants to come back to. Kept by the browser, per board.

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
      const { name, address } = (item ?? {}) as Partial<View>;
      // An address from storage is followed: it must stay inside the board.
      const isInside = typeof address === "string" && /^[a-z]*(\?[^#]*)?$/.test(address);
      return typeof name === "string" && name !== "" && isInside ? [{ name, address }] : [];
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
