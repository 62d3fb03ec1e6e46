// The labels of the x axis of a chart over steps: integers only, and the name left of them.
import type { JSX } from "preact";
import { labelWidth, placeOf } from "../../charts/drawing/axis_labels";
import { count } from "../../base/text/format";
import { ticks, type Scale } from "../../base/math/scale";

const GAP = 6; // Between the name and the first label, in pixels.

export function StepAxis({
  layout: { box, x },
  width,
  height,
  name,
}: {
  layout: { readonly box: { readonly l: number; readonly r: number }; readonly x: Scale };
  width: number;
  height: number;
  /** "step", or "channel" for logs whose steps are channels. */
  name: string;
}): JSX.Element {
  // Fewer labels if they are long: 1,000,000 is wider than 10.
  const most = Math.max(1, Math.min(4, Math.floor((box.r - box.l) / (labelWidth(count(x.domain[1])) + 24))));
  const labels = ticks(...x.domain, most)
    .filter(Number.isInteger)
    .map((t) => ({ text: count(t), ...placeOf(x(t), count(t), width) }));
  const startOf = (label: (typeof labels)[number]): number =>
    label.x - labelWidth(label.text) * { start: 0, middle: 0.5, end: 1 }[label.anchor];
  const first = labels[0] ? startOf(labels[0]) : box.l;
  // The name stays inside the chart; a label that would touch it is left out.
  const nameEnd = Math.max(labelWidth(name), Math.min(box.l - GAP, first - GAP));
  return (
    <>
      <text x={nameEnd} y={height - 6} text-anchor="end">
        {name}
      </text>
      {labels
        .filter((label) => startOf(label) >= nameEnd + GAP / 2)
        .map((label) => (
          <text key={label.text} x={label.x} y={height - 6} text-anchor={label.anchor}>
            {label.text}
          </text>
        ))}
    </>
  );
}
