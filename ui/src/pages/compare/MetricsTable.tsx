// Every metric that A or B has, its change, and the tag in which it was logged.
import type { JSX } from "preact";
import type { Metric, Model } from "../../api/compression/table";
import { flatTag } from "../../domain/models/flat_tags";
import {
  decimalsOfColumn,
  fixedInGroups,
  percent,
  points,
  ratio,
  significant,
  withoutUnit,
} from "../../base/text/format";
import { DERIVED } from "../../domain/models/DerivedMark";
import { asFraction, gain, isFraction } from "../../domain/models/gates";

/** The unit of sizes depends on the size of the model, but A and B always use the same unit. */
function unitFor(metric: Metric, a: number | null, b: number | null): { factor: number; unit: string } {
  const most = Math.max(Math.abs(a ?? 0), Math.abs(b ?? 0));
  if (metric.unit === "MB" && most > 0 && most < 1) return { factor: 1000, unit: "kB" };
  if (metric.unit === "MB" && most >= 10_000) return { factor: 0.001, unit: "GB" };
  return { factor: 1, unit: metric.unit };
}

/** The values of A and B as text. */
export function valueTexts(metric: Metric, a: number | null, b: number | null): readonly [string, string] {
  const { factor, unit } = unitFor(metric, a, b);
  const both = [a, b].flatMap((value) => (value === null ? [] : [value * factor]));
  const plain = both.every((value) => value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e6));
  const decimals = decimalsOfColumn(both); // A and B use the same number of decimals.
  const text = (value: number | null): string => {
    if (value === null) return "not logged";
    return isFraction(metric)
      ? `${percent(asFraction(value))} %`
      : `${plain ? fixedInGroups(value * factor, decimals) : significant(value * factor)}${unit ? ` ${unit}` : ""}`;
  };
  return [text(a), text(b)];
}

/** Red marks only a change that a gate forbids; an allowed loss has no colour. */
export function Change({
  metric,
  a,
  b,
  fails,
}: {
  metric: Metric;
  a: number | null;
  b: number | null;
  fails: boolean;
}): JSX.Element {
  if (a === null || b === null) return <span class="none">–</span>;
  if (isFraction(metric)) {
    const change = asFraction(b) - asFraction(a);
    return <span class={fails ? "verdict bad" : ""}>{change === 0 ? "no change" : points(change)}</span>;
  }
  const times = gain(a, b, metric.higherIsBetter ?? false);
  if (times === null || metric.higherIsBetter === null) return <span>{significant(b - a)}</span>;
  return (
    <span class={fails ? "verdict bad" : times < 1 ? "warn verdict" : ""}>
      {times === 1 ? "no change" : `${ratio(times)} better`.replace(/^(0\.\S+×) better$/, "$1")}
    </span>
  );
}

export function MetricsTable({
  model,
  metrics,
  a,
  b,
  failing,
}: {
  model: Model;
  metrics: readonly Metric[];
  a: string;
  b: string;
  failing: ReadonlySet<string>;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="metrics-title">
      <div class="panel-head">
        <h2 id="metrics-title">Metrics</h2>
        <span class="note">{metrics.length} logged</span>
      </div>
      <table class="table metrics">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col" class="num">
              <span class="in-a">● {a}</span>
            </th>
            <th scope="col" class="num">
              <span class="in-b">◆ {b}</span>
            </th>
            <th scope="col" class="num">
              Change
            </th>
            <th scope="col" class="wide-s">
              Where
            </th>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => {
            const [ca, cb] = [model.cell(a, metric.name), model.cell(b, metric.name)];
            const [ta, tb] = valueTexts(metric, ca?.value ?? null, cb?.value ?? null);
            return (
              <tr key={metric.name}>
                <td>
                  {withoutUnit(metric.label)}
                  {model.isDerived(metric.name, a, b) && (
                    <span class="dim" title={DERIVED}>
                      , derived
                    </span>
                  )}
                </td>
                <td
                  class={`num ${ca ? "" : "none"}`}
                  title={ca ? undefined : `not logged: ${flatTag(model.plainName, metric.name, a)}`}
                >
                  {ta}
                </td>
                <td
                  class={`num ${cb ? "" : "none"}`}
                  title={cb ? undefined : `not logged: ${flatTag(model.plainName, metric.name, b)}`}
                >
                  {tb}
                </td>
                <td class="num">
                  <Change
                    metric={metric}
                    a={ca?.value ?? null}
                    b={cb?.value ?? null}
                    fails={failing.has(metric.name)}
                  />
                </td>
                <td class="mono dim wide-s" title={`${cb?.run ?? ca?.run}: ${cb?.tag ?? ca?.tag}`}>
                  {(cb?.tag || ca?.tag || cb?.run || ca?.run)?.replace(`${model.plainName}/`, "")}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
