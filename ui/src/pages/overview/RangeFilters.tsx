// Sliders for the columns of the table. A slider writes a condition into the filter: drop<=1.
import type { JSX } from "preact";
import { extent } from "../../base/math/scale";
import { significant } from "../../base/text/format";
import { useUnfolded } from "../../widgets/useUnfolded";
import { filterColumns, limitsOf, withLimits, type FilterColumn, type Limits } from "./row_filter";
import type { OverviewData } from "./rows";

const STEPS = 200;

/** A slider has STEPS positions along the values; the scale is logarithmic if the values span several powers of ten. */
function trackOf([low, high]: readonly [number, number]): {
  readonly at: (value: number) => number;
  readonly value: (position: number) => number;
} {
  const isLog = low > 0 && high / low > 20;
  const [from, to] = isLog ? [Math.log(low), Math.log(high)] : [low, high];
  return {
    at: (value) => Math.round((((isLog ? Math.log(Math.max(value, low)) : value) - from) / (to - from)) * STEPS),
    value: (position) => {
      const linear = from + ((to - from) * position) / STEPS;
      return isLog ? Math.exp(linear) : linear;
    },
  };
}

function RangeRow({
  column,
  range,
  limits,
  onLimits,
}: {
  column: FilterColumn;
  range: readonly [number, number];
  limits: Limits;
  onLimits: (limits: Limits) => void;
}): JSX.Element {
  const track = trackOf(range);
  const within = (position: number): number => Math.max(0, Math.min(STEPS, position));
  const least = limits.min === null ? 0 : within(track.at(limits.min));
  const most = limits.max === null ? STEPS : within(track.at(limits.max));
  const slider = (end: "min" | "max", position: number): JSX.Element => (
    <input
      type="range"
      min={0}
      max={STEPS}
      value={position}
      aria-label={`${end === "min" ? "Min" : "Max"} ${column.label}`}
      aria-valuetext={significant(track.value(position))}
      onInput={(event) => {
        const to = Number(event.currentTarget.value);
        onLimits(
          end === "min"
            ? { ...limits, min: to <= 0 ? null : track.value(Math.min(to, most)) }
            : { ...limits, max: to >= STEPS ? null : track.value(Math.max(to, least)) },
        );
      }}
    />
  );
  return (
    <div class="range-row">
      <span>{column.label}</span>
      <span class="two-ends">
        {slider("min", least)}
        {slider("max", most)}
      </span>
      <span class="num">
        {significant(limits.min ?? range[0])} to {significant(limits.max ?? range[1])}
      </span>
    </div>
  );
}

export function RangeFilters({
  data,
  words,
  onWords,
}: {
  data: OverviewData;
  words: string;
  onWords: (words: string) => void;
}): JSX.Element {
  const { open, setOpen, root, onKeyDown } = useUnfolded();
  const columns = filterColumns(data);
  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button class="pick" aria-expanded={open} onClick={() => setOpen(!open)}>
        Ranges
        <span class="caret" aria-hidden="true">
          ▼
        </span>
      </button>
      {open && (
        <div class="menu-list right range-menu" role="group" aria-label="Filter models by ranges of columns">
          {columns.map((column) => {
            const values = data.rows.map(column.valueOf).filter((v): v is number => v !== null && Number.isFinite(v));
            const range = extent(values);
            if (!range || range[0] === range[1]) return null;
            return (
              <RangeRow
                key={column.id}
                column={column}
                range={range}
                limits={limitsOf(columns, column, words)}
                onLimits={(limits) => onWords(withLimits(columns, column, words, limits))}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}
