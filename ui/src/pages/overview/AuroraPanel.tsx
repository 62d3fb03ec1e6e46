import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readWeights, TERMS, DEFAULT_WEIGHTS, weightsText, type AuroraWeights } from "../../domain/models/aurora";
import { fixed } from "../../base/text/format";
import { logScale } from "../../base/math/scale";
import { Breakable } from "../../widgets/Breakable";
import { Waterfall } from "../../charts/Waterfall";
import { query, setQuery } from "../../base/address";
import type { Row } from "./rows";

const SHOWN = 12;

function WeightsEditor({ weights }: { weights: AuroraWeights }): JSX.Element {
  const change = (name: keyof AuroraWeights, text: string): void => {
    const value = Number(text);
    if (text === "" || !Number.isFinite(value) || value < 0) return;
    setQuery({ weights: weightsText({ ...weights, [name]: name === "penalty" ? value : value / 100 }) }, "replace");
  };
  const isDefault = weightsText(weights) === null;
  return (
    <div class="weights" role="group" aria-label="Weights of the AURORA score">
      {TERMS.map(({ name, metric }) => (
        <label key={name} title={metric}>
          <span>{name}</span>
          <input
            class="field"
            type="number"
            min="0"
            max="100"
            step="5"
            value={Number((weights[name] * 100).toFixed(4))}
            onInput={(event) => change(name, event.currentTarget.value)}
          />
        </label>
      ))}
      <label title="The score is multiplied by exp(-penalty × relative loss of quality)">
        <span>penalty</span>
        <input
          class="field"
          type="number"
          min="0"
          step="1"
          value={weights.penalty}
          onInput={(event) => change("penalty", event.currentTarget.value)}
        />
      </label>
      <p class="note">
        Weights in per cent. Metrics that were not logged are left out, and the other weights are scaled up.{" "}
        {isDefault ? (
          "These are the defaults."
        ) : (
          <button class="link" onClick={() => setQuery({ weights: null }, "replace")}>
            Reset the weights to the defaults
          </button>
        )}
      </p>
    </div>
  );
}

/**
 * Models by AURORA score. Bars start at 1.00 (break-even); the scale is logarithmic, because the score is a product.
 */
export function AuroraPanel({
  rows,
  hot,
  onOpen,
}: {
  rows: readonly Row[];
  hot: Signal<string | null>;
  onOpen: (name: string) => void;
}): JSX.Element {
  const weights = readWeights(query.value.get("weights"));
  const [editing, setEditing] = useState(weights !== DEFAULT_WEIGHTS);
  const [unfolded, setUnfolded] = useState<string | null>(null);
  const scored = rows
    .flatMap((row) =>
      row.aurora?.score != null && row.aurora.score > 0 ? [{ row, aurora: row.aurora, score: row.aurora.score }] : [],
    )
    .sort((p, q) => q.score - p.score);
  const missing = rows.length - scored.length;
  const reason = rows
    .find((row) => row.aurora?.reason)
    ?.aurora?.reason?.replace(/^no AURORA score: /, "")
    .replaceAll(" %", "\u00a0%");
  const shown = scored.length > SHOWN ? [...scored.slice(0, SHOWN - 3), ...scored.slice(-3)] : scored;
  const at = logScale(
    Math.min(0.8, ...shown.map((s) => s.score)),
    Math.max(1.25, ...shown.map((s) => s.score)),
    0,
    100,
  );
  const even = at(1);
  return (
    <section class="panel" aria-labelledby="aurora-title">
      <div class="panel-head">
        <h2 id="aurora-title">AURORA</h2>
        <span class="note">1.00 means break-even with the baseline</span>
        <button class="link push" aria-expanded={editing} onClick={() => setEditing(!editing)}>
          Weights
        </button>
      </div>
      {editing && <WeightsEditor weights={weights} />}
      {scored.length > 0 && (
        <ol class="ranks">
          <li class="rank note" aria-hidden="true">
            <span />
            <span class="track">
              <span class="even-label" style={{ left: `${even}%` }}>
                1.00
              </span>
            </span>
            <span class="num">score</span>
            <span
              class="num"
              title="Coverage: how much of the AURORA score's total weight belongs to metrics that were logged"
            >
              cover
            </span>
          </li>
          {shown.map(({ row, aurora, score }, i) => {
            const open = unfolded === row.name;
            return (
              <li key={row.name} class={i === SHOWN - 3 && scored.length > SHOWN ? "gap" : ""}>
                <button
                  class={`rank${hot.value === row.name ? " hot" : ""}`}
                  aria-expanded={open}
                  title={`${row.name}: ${aurora.kind}. Show the factors of its AURORA score`}
                  onPointerEnter={() => (hot.value = row.name)}
                  onPointerLeave={() => (hot.value = null)}
                  onClick={() => setUnfolded(open ? null : row.name)}
                >
                  <span class="whole-name">
                    <Breakable name={row.name} />
                  </span>
                  <span class="track">
                    <span
                      class="bar"
                      style={{ left: `${Math.min(even, at(score))}%`, width: `${Math.abs(at(score) - even)}%` }}
                    />
                    <span class="even" style={{ left: `${even}%` }} />
                  </span>
                  <span class="num">{fixed(score, 2)}</span>
                  <span class="num dim">{fixed(aurora.coverage, 2)}</span>
                </button>
                {open && (
                  <div class="unfolded">
                    {aurora.factors.length > 0 ? (
                      <Waterfall score={aurora} />
                    ) : (
                      <p class="note">The AURORA score was logged without its factors.</p>
                    )}
                    <p class="note">
                      {aurora.kind}
                      {aurora.formula ? `, formula ${aurora.formula}` : ""}.{" "}
                      <button class="link" onClick={() => onOpen(row.name)}>
                        Compare {row.name}
                      </button>
                    </p>
                  </div>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {rows.length === 0 && <p class="note">No model passes the filters.</p>}
      <p class="note aurora-note">
        {scored.length > SHOWN && (
          <>
            Only the {SHOWN - 3} best and the 3 worst of {scored.length} models are shown.{" "}
          </>
        )}
        {missing > 0 && (
          <>
            <span class="mid">
              {missing} of {rows.length} models {missing === 1 ? "has" : "have"} no score
            </span>
            {reason ? `: ${reason}.` : "."}
          </>
        )}
      </p>
    </section>
  );
}
