import { describe, expect, it } from "vitest";
import { foldedIds, stillEmpty } from "./folding";

const ids = ["overview", "scalars", "text", "mesh"];
const rare = new Set(["mesh"]);

describe("folding of the rail", () => {
  it("hides what is empty, but never the page that is open", () => {
    expect([...foldedIds(ids, rare, new Set(["overview", "text"]), null)]).toEqual(["overview", "text"]);
    expect([...foldedIds(ids, rare, new Set(["overview", "text"]), "text")]).toEqual(["overview"]);
  });
  it("hides only what is rare before it knows, and where everything is empty", () => {
    expect(foldedIds(ids, rare, new Set(), null).size).toBe(0);
    expect([...foldedIds(ids, rare, null, null)]).toEqual(["mesh"]);
    expect([...foldedIds(ids, rare, new Set(ids), null)]).toEqual(["mesh"]);
    expect(foldedIds(ids, rare, null, "mesh").size).toBe(0);
  });
  it("folds by the first response, and after that only lets pages out", () => {
    const first = stillEmpty(ids, null, new Set(["scalars", "mesh"]));
    expect([...first]).toEqual(["overview", "text"]);
    expect([...stillEmpty(ids, first, new Set(["scalars", "text"]))]).toEqual(["overview"]);
    expect([...stillEmpty(ids, first, new Set(["overview"]))]).toEqual(["text"]);
    expect([...stillEmpty(ids, new Set(), new Set(["scalars"]))]).toEqual([]);
  });
});
