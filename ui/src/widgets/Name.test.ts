import { expect, it } from "vitest";
import { tailStart } from "./Name";

it("keeps the end of a name, from a separator on where one is near", () => {
  const tailOf = (name: string): string => name.slice(tailStart(name));
  expect(tailOf("/model.22/cv3.2/cv3.2.1/conv/Conv_output_0")).toBe("/Conv_output_0");
  expect(tailOf("backbone.stages.3.blocks.11.mlp.fc2.weight")).toBe(".mlp.fc2.weight");
  expect(tailOf("conv1")).toBe("v1");
  expect(tailOf("")).toBe("");
});
