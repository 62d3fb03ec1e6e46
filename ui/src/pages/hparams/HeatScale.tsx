import type { JSX } from "preact";
import { steady } from "../../base/text/format";
import { extent } from "../../base/math/scale";
import type { Column } from "./data";

/** The legend of the colours: from the min to the max of a metric. */
export function HeatScale({ of }: { of: Column | undefined }): JSX.Element | null {
  const range = of && extent(of.values.filter((value) => typeof value === "number"));
  if (!range || range[0] === range[1]) return null;
  return (
    <span class="heat-scale num">
      {steady(range[0], 3)}
      <span aria-hidden="true">
        {[1, 2, 3, 4, 5].map((heat) => (
          <i key={heat} class={`heat-${heat}`} />
        ))}
      </span>
      {steady(range[1], 3)}
    </span>
  );
}
