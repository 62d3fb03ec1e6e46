// Shows the first values of a node's weights, those of A above those of B, and the scale and zero point of the
// quantizers of its output.
import type { JSX } from "preact";
import type { NodeResponse } from "../../api/graphs";
import { withTrueMinus } from "../../base/text/format";

const FIRST_VALUES = /^first_values\/(\d+)$/;

/** Attributes that are listed as weights. */
export const isWeight = (key: string): boolean => FIRST_VALUES.test(key);

const ROUNDING = ["", "scale", "zero point"]; // By input of QuantizeLinear and its inverse.

/** The settings of a node that quantizes or dequantizes. For scale and zero point, only the numbers are shown. */
export function roundingOf(
  keys: readonly string[],
  texts: readonly string[],
): readonly { readonly key: string; readonly text: string }[] {
  const all = keys.map((key, i) => ({ key, text: texts[i] ?? "" }));
  const numbers = all.flatMap(({ key, text }) => {
    const name = ROUNDING[Number(FIRST_VALUES.exec(key)?.[1] ?? 0)];
    return name ? [{ key: name, text: text.slice(text.lastIndexOf(" = ") + 3) }] : [];
  });
  const rest = all.filter(
    ({ key, text }) =>
      text !== "" && key !== "_output_shapes" && !isWeight(key) && !(key === "weights" && numbers.length > 0),
  );
  return [...numbers, ...rest];
}

const MINUS = /(?<![\w.])-(?=[\d.])/g;

export function NodeWeights({
  node,
  names,
  pair,
}: {
  node: NodeResponse;
  names: { a: string; b: string };
  pair: boolean;
}): JSX.Element | null {
  const sides = (["a", "b"] as const).map((side) => ({
    side,
    weights: node.weights.filter((weight) => weight.side === side),
    bytes: node[side]?.weight_bytes || node[side]?.memory_bytes || 0,
  }));
  if (sides.every(({ weights, bytes }) => weights.length === 0 && bytes === 0)) return null;
  return (
    <section class="panel node-weights" aria-labelledby="weights-title">
      <div class="panel-head">
        <h3 id="weights-title">First weights</h3>
        <span class="note">shown as real values, after dequantization</span>
      </div>
      {sides.map(({ side, weights, bytes }) => (
        <dl key={side} class="attributes">
          {weights.map(({ name, values }) => (
            <div key={name} class="long">
              <dt class={pair ? `in-${side}` : ""}>
                {pair ? `${side === "a" ? "●" : "◆"} ` : ""}
                {name}
              </dt>
              <dd class="mono">{values.replace(MINUS, withTrueMinus)}</dd>
            </div>
          ))}
          {weights.length === 0 && bytes > 0 && (
            <div class="long">
              <dt class={pair ? `in-${side}` : ""}>{pair ? names[side] : "Values"}</dt>
              <dd>
                not logged: <code>compression-board compare A B --logdir DIR</code> logs the first 16 values of each
                weight
              </dd>
            </div>
          )}
        </dl>
      ))}
    </section>
  );
}
