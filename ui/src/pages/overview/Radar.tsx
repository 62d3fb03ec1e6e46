// A radar chart of the ticked models over the metrics, and the same values as a table.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useSize } from "../../base/dom/useSize";
import { ratio } from "../../base/text/format";
import { layoutRadar, spokesOf, type RadarLayout } from "./radar_layout";
import type { OverviewData, Row } from "./rows";

function Shapes({ layout, rows, hot }: { layout: RadarLayout; rows: readonly Row[]; hot: string | null }): JSX.Element {
  const { x, y } = layout.centre;
  return (
    <>
      {layout.rings.map((ring) => (
        <circle key={ring.text} class={ring.even ? "radar-even" : "radar-ring"} cx={x} cy={y} r={ring.r} />
      ))}
      {layout.spokes.map((spoke) => (
        <g key={spoke.name}>
          <path class="grid" d={`M${x} ${y}L${spoke.x} ${spoke.y}`} />
          <text class="name" x={spoke.label.x} y={spoke.label.y} text-anchor={spoke.label.anchor}>
            {spoke.name}
          </text>
        </g>
      ))}
      {layout.shapes.map((shape, i) => (
        <g key={rows[i]?.name} class={`radar-shape radar-${i + 1}${hot === rows[i]?.name ? " hot" : ""}`}>
          <path d={shape.path} />
          {shape.corners.map((corner, k) => (
            <circle key={k} cx={corner.x} cy={corner.y} r="3" />
          ))}
        </g>
      ))}
      {layout.rings.map((ring) => (
        <text key={ring.text} class="halo" x={x + 6} y={y - ring.r - 2}>
          {ring.text}
        </text>
      ))}
    </>
  );
}

export function Radar({
  data,
  rows,
  a,
  b,
  hot,
  onRemove,
  onClear,
}: {
  data: OverviewData;
  rows: readonly Row[];
  a: string;
  b: string;
  hot: Signal<string | null>;
  onRemove: (name: string) => void;
  onClear: () => void;
}): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const spokes = useMemo(() => spokesOf(data, rows), [data, rows]);
  const layout = useMemo(() => layoutRadar(spokes, width, height), [spokes, width, height]);
  return (
    <section class="panel radar-panel" aria-labelledby="radar-title">
      <div class="panel-head">
        <h2 id="radar-title">Ticked models</h2>
        <span class="note long">
          how many times better <span class="in-b">{b}</span> is than <span class="in-a">{a}</span>; further out is
          better
        </span>
        <button class="link push" onClick={onClear}>
          Untick all
        </button>
      </div>
      <div class="radar-parts">
        {spokes.length >= 3 && (
          <div
            class="radar"
            ref={ref}
            role="img"
            aria-label={`${rows.length} models compared by ${spokes.map((spoke) => spoke.name).join(", ")}; the table beside the chart has the numbers`}
          >
            {layout && (
              <svg class={`chart${rows.some((row) => row.name === hot.value) ? " has-hot" : ""}`} height={height}>
                <Shapes layout={layout} rows={rows} hot={hot.value} />
              </svg>
            )}
          </div>
        )}
        <div class="radar-table scroll-x keep-names">
          <table class="table">
            <caption class="sr">
              How many times better {b} is than {a}
            </caption>
            <thead>
              <tr>
                <th scope="col">Model</th>
                {spokes.map((spoke) => (
                  <th key={spoke.name} scope="col" class="num">
                    {spoke.name}
                  </th>
                ))}
                <th scope="col">
                  <span class="sr">Untick</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <tr
                  key={row.name}
                  onPointerEnter={() => (hot.value = row.name)}
                  onPointerLeave={() => (hot.value = null)}
                >
                  <th scope="row">
                    <i class={`radar-key radar-${i + 1}`} aria-hidden="true" />
                    <span title={row.name}>{row.name}</span>
                  </th>
                  {spokes.map((spoke) => {
                    const gain = spoke.gains[i];
                    return (
                      <td key={spoke.name} class="num">
                        {gain == null ? (
                          <span class="none" title="not measured">
                            –
                          </span>
                        ) : (
                          ratio(gain)
                        )}
                      </td>
                    );
                  })}
                  <td>
                    <button class="link" aria-label={`Untick ${row.name}`} onClick={() => onRemove(row.name)}>
                      ✕
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  );
}
