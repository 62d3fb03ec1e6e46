import { expect, it } from "vitest";
import { flatTag } from "./flat_tags";

it("names the tag that a metric of a variant is logged under", () => {
  expect(flatTag("alexnet", "accuracy", "int8")).toBe("alexnet/metrics/accuracy/int8");
  expect(flatTag("alexnet", "latency_mean_ms", "fp32")).toBe("alexnet/performance/latency_ms/fp32");
  expect(flatTag("alexnet", "latency_p99_ms", "fp32")).toBe("alexnet/performance/latency_p99_ms/fp32");
  expect(flatTag("a/b", "energy_consumption_mw", "int8")).toBe("a/b/performance/energy_mw/int8");
});
