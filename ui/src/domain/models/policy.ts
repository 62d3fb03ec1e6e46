// The policy that models are checked with: its name, or the user's own limits. The address holds it: policy=smallest,
// policy=drop<=0.5 ratio>=3. The server decides whether a model passes (api/compression/summary.ts).
import { computed } from "@preact/signals";
import { query } from "../../base/address";
import { isRules, POLICIES } from "./gates";

export const policy = computed((): string => {
  const asked = query.value.get("policy") ?? "";
  return POLICIES.some(({ name }) => name === asked) || isRules(asked) ? asked : POLICIES[0]!.name;
});
