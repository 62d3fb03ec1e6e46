import { describe, expect, it } from "vitest";
import { arrange, arrangementText, moved, withShown, withWidth } from "./columns";

const SPECS = [
  { id: "name", name: "Layer", width: 200, grows: true, fixed: true },
  { id: "sqnr", name: "SQNR", width: 80 },
  { id: "cosine", name: "Cosine", width: 70, hidden: true },
];
const idsOf = (text: string | null): string[] =>
  arrange(SPECS, text)
    .filter((column) => column.shown)
    .map(({ spec }) => spec.id);

describe("columns of a table", () => {
  it("have their defaults without a text", () => {
    expect(idsOf(null)).toEqual(["name", "sqnr"]);
    expect(arrangementText(SPECS, arrange(SPECS, null))).toBeNull();
  });

  it("come back from the text as they were arranged", () => {
    const columns = moved(withShown(withWidth(arrange(SPECS, null), "name", 320), "cosine", true), "cosine", "name");
    const text = arrangementText(SPECS, columns);
    expect(text).toBe("cosine,name~320,sqnr");
    expect(arrange(SPECS, text)).toEqual(columns);
  });

  it("can be hidden, except those that the table needs", () => {
    expect(arrangementText(SPECS, withShown(arrange(SPECS, null), "sqnr", false))).toBe("name,!sqnr,!cosine");
    expect(idsOf("!name,!sqnr")).toEqual(["name"]);
  });

  it("that the text does not name stay behind their neighbour, and unknown ones are ignored", () => {
    expect(idsOf("sqnr,gone,name~1e9")).toEqual(["name", "sqnr"]);
    expect(idsOf("sqnr")).toEqual(["name", "sqnr"]);
    expect(arrange(SPECS, "sqnr~9").find(({ spec }) => spec.id === "sqnr")?.width).toBe(40);
  });
});
