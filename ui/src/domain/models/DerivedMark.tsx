// The mark of a derived metric, such as a latency computed from a throughput.
import type { JSX } from "preact";

export const DERIVED = "derived from other metrics, not measured; not used for scores and gates";

export function DerivedMark(): JSX.Element {
  return (
    <span class="dim" title={DERIVED} role="img" aria-label="derived">
      †
    </span>
  );
}
