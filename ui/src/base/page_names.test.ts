import { expect, it } from "vitest";
import { addressOfName, newAddressOf } from "./page_names";

it("leads from the names that people type to the page, with what was asked of it", () => {
  expect(addressOfName("/stages", "")).toBe("graph");
  expect(addressOfName("/Scalars", "?smooth=0.9")).toBe("scalars?smooth=0.9");
  expect(addressOfName("/pr-curves", "")).toBe("pr");
  expect(addressOfName("/nowhere", "")).toBeNull();
  expect(addressOfName("/", "")).toBeNull();
});

it("opens TensorBoard's links", () => {
  expect(newAddressOf("#timeseries")).toBe("scalars");
  expect(newAddressOf("#graphs&run=train")).toBe("graph?graph=train");
  expect(newAddressOf("#main")).toBeNull();
  expect(newAddressOf("")).toBeNull();
});
