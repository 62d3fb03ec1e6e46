// Small scatter plots of all columns against all metrics; a click opens one of them.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useSize } from "../../base/dom/useSize";
import { plural } from "../../base/text/format";
import { cutMiddle } from "../../base/text/middle";
import type { Column, Trials } from "./data";
import { layoutMatrix } from "./matrix_layout";
import { heatOf, type AxisView } from "./parallel_layout";

const GLYPH = 6.6; // The width of a character in pixels.

export function ScatterMatrix({
  trials,
  axes,
  colourBy,
  view,
  onPick,
}: {
  trials: Trials;
  axes: readonly Column[];
  colourBy: Column | undefined;
  view: AxisView;
  onPick: (x: Column, y: Column) => void;
}): JSX.Element {
  const { ref, width } = useSize<HTMLDivElement>();
  const heats = useMemo(() => heatOf(colourBy), [colourBy]);
  const layout = useMemo(() => layoutMatrix(axes, heats, width, view), [axes, heats, width, view]);
  return (
    <div class="matrix" ref={ref}>
      {!layout && width > 0 && <p class="note">Too many columns for this window: choose some under Columns.</p>}
      {layout && (
        <svg
          class="chart"
          width={width}
          height={layout.height}
          role="group"
          aria-label={`${plural(trials.names.length, "trial")}: every column against every metric`}
        >
          {layout.cells.map((cell) => (
            <g
              key={`${cell.x.id}\0${cell.y.id}`}
              class={cell.x.id === cell.y.id ? "" : "matrix-cell"}
              role={cell.x.id === cell.y.id ? undefined : "button"}
              tabindex={cell.x.id === cell.y.id ? undefined : 0}
              aria-label={`${cell.y.label} by ${cell.x.label}`}
              onClick={() => cell.x.id !== cell.y.id && onPick(cell.x, cell.y)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && cell.x.id !== cell.y.id) onPick(cell.x, cell.y);
              }}
            >
              <title>{cell.x.id === cell.y.id ? cell.x.label : `${cell.y.label} by ${cell.x.label}`}</title>
              <rect x={cell.left} y={cell.top} width={layout.cellWidth} height={layout.cellHeight} />
              {[...cell.dots].map(([heat, path]) => (
                <path key={heat} class={`matrix-dots ${heat}`} d={path} />
              ))}
            </g>
          ))}
          {layout.columns.map(({ column, middle }) => (
            <text key={column.id} x={middle} y={layout.height - 10} text-anchor="middle">
              <title>{column.label}</title>
              {cutMiddle(column.label, Math.max(4, Math.floor(layout.cellWidth / GLYPH)))}
            </text>
          ))}
          {layout.rows.map(({ column, middle }) => (
            <text key={column.id} transform={`translate(14 ${middle}) rotate(-90)`} text-anchor="middle">
              <title>{column.label}</title>
              {cutMiddle(column.label, Math.max(4, Math.floor(layout.cellHeight / GLYPH)))}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}
