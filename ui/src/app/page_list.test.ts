import { expect, it } from "vitest";
import { addressOfName } from "../base/page_names";
import { COMPRESSION_ENTRIES, TENSORBOARD_ENTRIES } from "./page_list";

it("has an address of its own for every page, however it is written", () => {
  for (const { id } of [...COMPRESSION_ENTRIES, ...TENSORBOARD_ENTRIES]) {
    expect(addressOfName(`/${id}`, "")).toBeNull();
    expect(addressOfName(`/${id.toUpperCase()}`, "")).toBe(id);
  }
});
