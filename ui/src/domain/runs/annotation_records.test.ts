import { expect, it } from "vitest";
import { annotationsOf, NO_ANNOTATION, readLocal, tagsOf, withLocal } from "./annotation_records";

const SERVED = annotationsOf({
  writable: false,
  read_only_reason: "",
  allow_delete: false,
  problems: [],
  runs: {
    runs: ["a"],
    names: ["First"],
    notes: ["**x**"],
    notes_html: ["<p>x</p>"],
    tags: [["good"]],
    colours: [3],
    archived: [false],
  },
  views: { names: [], addresses: [] },
});

it("lays the changes of the browser over those of the server", () => {
  const all = withLocal(SERVED, { a: { note: "y" }, b: { archived: true } });
  expect(all.get("a")).toEqual({
    name: "First",
    note: "y",
    noteHtml: "",
    tags: ["good"],
    colour: 3,
    archived: false,
  });
  expect(all.get("b")).toEqual({ ...NO_ANNOTATION, archived: true });
});

it("ignores a storage that holds something else", () => {
  expect(readLocal(null)).toEqual({});
  expect(readLocal("{")).toEqual({});
  expect(readLocal('{"a":{"tags":"x"}}')).toEqual({});
  expect(readLocal('{"a":{"tags":["x"]}}')).toEqual({ a: { tags: ["x"] } });
});

it("takes tags apart at commas", () => {
  expect(tagsOf(" good, to publish,,good ")).toEqual(["good", "to publish"]);
});
