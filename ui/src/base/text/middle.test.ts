import { describe, expect, it } from "vitest";
import { cutMiddle } from "./middle";

describe("names that are cut in the middle", () => {
  it("keep beginning and end, which tell them apart", () => {
    expect(cutMiddle("GPTQ W4G128Asym", 9)).toBe("GPTQ…Asym");
    expect(cutMiddle("GPTQ W4G128Sym", 9)).not.toBe(cutMiddle("GPTQ W4G128Asym", 9));
    expect(cutMiddle("short", 5)).toBe("short");
    expect(cutMiddle("accuracy_int8", 10)).toBe("accur…int8");
  });
});
