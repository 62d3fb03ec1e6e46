import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { fixed, plural, steady } from "../../base/text/format";
import type { Column, Trials } from "./data";
import { importances, type Importance } from "./importance";

const MAX_LEVELS = 6;

function directionText(direction: number | null): string {
  if (direction === null || Math.abs(direction) < 0.2) return "";
  return `${direction > 0 ? "▲ rises" : "▼ falls"} with it (${fixed(direction, 2)})`;
}

function whyNot({ trials, levels }: Importance): string {
  if (trials === 0) return "no trial has both";
  if (trials > 1 && levels.length === 1) return "the same in all of them";
  return trials < 4 ? `only ${plural(trials, "trial")}` : "differs in every trial, or the metric does not";
}

/**
 * A table of settings, sorted by how much of the metric's variance they explain. It shows the mean of the metric for
 * each value of a setting.
 */
export function ImportanceList({
  trials,
  metric,
  onPick,
}: {
  trials: Trials;
  metric: Column;
  onPick: (column: Column) => void;
}): JSX.Element {
  const rows = useMemo(() => importances(trials.columns, metric), [trials, metric]);
  return (
    <div class="scroll">
      <table class="table importance">
        <caption class="sr">Settings by the share of the variance of {metric.label} that they explain</caption>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Explains</th>
            <th scope="col" class="num">
              Trials
            </th>
            <th scope="col">{metric.label}</th>
            <th scope="col">Mean metric for each value</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.column.id}>
              <td>
                <button
                  class="link"
                  title={`Show a scatter plot of ${row.column.label} and ${metric.label}`}
                  onClick={() => onPick(row.column)}
                >
                  {row.column.label}
                </button>
              </td>
              <td>
                {row.share === null ? (
                  <span class="none">not known: {whyNot(row)}</span>
                ) : (
                  <span class="share">
                    <span class="track">
                      <i style={{ width: `${row.share * 100}%` }} />
                    </span>
                    <span class="num">{fixed(row.share * 100, 0)} %</span>
                  </span>
                )}
              </td>
              <td class="num" data-unit={row.trials === 1 ? "trial" : "trials"}>
                {row.trials}
              </td>
              <td class="dim">{directionText(row.direction)}</td>
              <td>
                <div class="levels">
                  {row.levels.slice(0, MAX_LEVELS).map((level) => (
                    <span key={level.text} title={plural(level.trials, "trial")}>
                      <span class="dim">{level.text}</span> {steady(level.mean)}
                    </span>
                  ))}
                  {row.levels.length > MAX_LEVELS && <span class="dim">and {row.levels.length - MAX_LEVELS} more</span>}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="note">No setting differs between these trials.</p>}
      <p class="note">
        Effect of each setting alone: the share of the metric's variance between the setting's values, corrected for
        chance (ω²). Interactions of settings are not included.
      </p>
    </div>
  );
}
