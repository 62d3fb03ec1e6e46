// A metric of each class in A and in B, the largest drop first.
import { classesShape } from "../../api/compression/panels";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { plural } from "../../base/text/format";
import { Menu } from "../../widgets/Menu";
import { query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { metricsOf, readClasses, summaryOf } from "./class_rows";

const FIRST = 12;
const MOST = 500; // The max number of shown rows; the server has all classes.

/** Shows nothing if no metric per class was logged, because few users log one. */
export function ClassPanel({ model, a, b }: { model: string; a: string; b: string }): JSX.Element | null {
  const { state } = useResource(JSON.stringify(["classes", model, a, b]), (signal) =>
    getJson(classesShape, "compression/classes", { model, a, b }, signal),
  );
  const { data } = state.value;
  const metrics = useMemo(() => (data ? metricsOf(data) : []), [data]);
  const metric = metrics.find((name) => name === query.value.get("class")) ?? metrics[0];
  const rows = useMemo(() => (data && metric !== undefined ? readClasses(data, metric) : []), [data, metric]);
  if (metric === undefined) return null;
  const all = query.value.has("classes");
  const shown = rows.slice(0, all ? MOST : FIRST);
  // The start of the bars, in per cent of their column's width.
  const zero = rows.some((row) => row.share < 0) ? 50 : 0;
  return (
    <section class="panel" aria-labelledby="classes-title">
      <div class="panel-head">
        <h2 id="classes-title">Metric drop per class</h2>
        <span class="note">{summaryOf(rows)}</span>
        {metrics.length > 1 && (
          <span class="push">
            <Menu
              label={`Metric: ${metric}`}
              value={metric}
              choices={metrics.map((name) => ({ value: name, text: name }))}
              onPick={(name) => setQuery({ class: name === metrics[0] ? null : name }, "replace")}
            >
              {metric}
            </Menu>
          </span>
        )}
      </div>
      <table class="bytes classes">
        <caption class="sr">
          {metric} of each class in {a} and in {b}, the largest drop first
        </caption>
        <colgroup>
          <col class="col-class" />
          <col />
          <col class="col-bytes" />
          <col class="col-bytes" />
          <col class="col-change" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">
              <span class="sr">Drop</span>
            </th>
            <th scope="col" class="num">
              <span class="in-a">● {a}</span>
            </th>
            <th scope="col" class="num">
              <span class="in-b">◆ {b}</span>
            </th>
            <th scope="col" class="num">
              Drop{rows[0]?.unit ? `, ${rows[0].unit}` : ""}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <span title={row.name}>{row.name}</span>
              </th>
              <td class="bars signed" aria-hidden="true">
                <i class="zero" style={{ left: `${zero}%` }} />
                {row.share !== 0 && (
                  <i
                    class={row.share > 0 ? "worse" : "better"}
                    style={{
                      left: `${zero + Math.min(0, row.share) * 50}%`,
                      width: `${Math.abs(row.share) * (100 - zero)}%`,
                    }}
                  />
                )}
              </td>
              <td class="num">{row.a}</td>
              <td class="num">{row.b}</td>
              <td class={`num ${row.share > 0 ? "" : "dim"}`}>{row.drop}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > FIRST && (
        <p class="note">
          <button class="link" onClick={() => setQuery({ classes: all ? null : "all" }, "replace")}>
            {all ? "Fewer classes" : `All ${plural(rows.length, "class", "classes")}`}
          </button>
          {all && rows.length > MOST && ` the first ${MOST} of them`}
        </p>
      )}
    </section>
  );
}
