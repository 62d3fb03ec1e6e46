import { expect, it } from "vitest";
import { readViews, withoutView, withView } from "./saved_views";

it("keeps one address per name, in the order of names", () => {
  const views = withView(withView([], { name: "b", address: "scalars?smooth=0" }), { name: "a", address: "overview" });
  expect(views.map((v) => v.name)).toEqual(["a", "b"]);
  expect(withView(views, { name: "b", address: "layers" })).toEqual([
    { name: "a", address: "overview" },
    { name: "b", address: "layers" },
  ]);
  expect(withoutView(views, "a")).toEqual([{ name: "b", address: "scalars?smooth=0" }]);
  expect(readViews(JSON.stringify(views))).toEqual(views);
});
it("reads nothing else", () => {
  expect(readViews("{")).toEqual([]);
  expect(readViews('{"a":1}')).toEqual([]);
  expect(readViews(null)).toEqual([]);
  expect(
    readViews(
      JSON.stringify([
        null,
        { name: "x", address: "//evil.org" },
        { name: "y", address: "javascript:1" },
        { name: "z", address: "scalars" },
      ]),
    ),
  ).toEqual([{ name: "z", address: "scalars" }]);
});
