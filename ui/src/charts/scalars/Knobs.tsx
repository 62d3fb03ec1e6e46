// The settings of all scalar cards: axes, smoothing, groups of runs.
import type { JSX } from "preact";
import { DEFAULT_GROUPING } from "../../domain/runs/run_groups";
import { CardWidth } from "../../widgets/CardWidth";
import { query, setQuery } from "../../base/address";
import { Menu } from "../../widgets/Menu";
import { AXES, TIP_ORDERS, TIP_ROWS, type CardView } from "./view";

function Tick({
  text,
  on,
  title,
  onChange,
}: {
  text: string;
  on: boolean;
  title?: string;
  onChange: () => void;
}): JSX.Element {
  return (
    <label class="label" title={title}>
      {text} <input type="checkbox" checked={on} onChange={onChange} />
    </label>
  );
}

export function Knobs({ view, grouping = true }: { view: CardView; grouping?: boolean }): JSX.Element {
  const toggle = (key: string) => (): void => setQuery({ [key]: query.value.has(key) ? null : "1" });
  return (
    <div class="knobs">
      <label class="label">
        Smoothing <output>{view.smoothing.toFixed(2)}</output>
      </label>
      <input
        type="range"
        min="0"
        max="0.99"
        step="0.01"
        value={view.smoothing}
        aria-label="Smoothing"
        onInput={(event) => setQuery({ smooth: event.currentTarget.value }, "replace")}
      />
      <div class="label">
        x
        <span class="seg" role="group" aria-label="Horizontal axis">
          {AXES.map((axis) => (
            <button
              key={axis.value}
              aria-pressed={view.axis === axis.value}
              onClick={() => setQuery({ xaxis: axis.value === "step" ? null : axis.value, xlim: null, step: null })}
            >
              {axis.text}
            </button>
          ))}
        </span>
      </div>
      <div class="knob-ticks">
        <Tick text="Log y" on={view.logY} onChange={toggle("ylog")} />
        <Tick text="Log x" on={view.logX} onChange={toggle("xlog")} />
        <Tick text="y from 0" on={view.fromZero} onChange={toggle("y0")} />
        <Tick text="Clip outliers" on={view.clip} onChange={() => setQuery({ clip: view.clip ? "0" : null })} />
      </div>
      <div class="label">
        Tooltip
        <span class="tip-knobs">
          <Menu
            label={`Tooltip: ${TIP_ORDERS.find((order) => order.value === view.tipOrder)?.text ?? ""}`}
            value={view.tipOrder}
            choices={TIP_ORDERS}
            onPick={(order) => setQuery({ tip: order === "nearest" ? null : order }, "replace")}
          >
            {TIP_ORDERS.find((order) => order.value === view.tipOrder)?.text}
          </Menu>
          <Menu
            label={`Number of lines in the tooltip: ${view.tipRows}`}
            value={String(view.tipRows)}
            choices={TIP_ROWS.map((rows) => ({ value: String(rows), text: `${rows} lines` }))}
            onPick={(rows) => setQuery({ tips: rows }, "replace")}
          >
            {view.tipRows}
          </Menu>
        </span>
      </div>
      {grouping && (
        <Tick
          text="Mean of run groups"
          on={query.value.has("group")}
          title="Runs of one group, such as runs with different seeds, become one line with its spread"
          onChange={() => setQuery({ group: query.value.has("group") ? null : DEFAULT_GROUPING })}
        />
      )}
      {grouping && query.value.has("group") && (
        <input
          class="field mono"
          aria-label="Regular expression for the names of run groups"
          title="The name of a group is the part of the run name that the first parentheses of this regular expression match"
          value={query.value.get("group") ?? ""}
          onInput={(event) => setQuery({ group: event.currentTarget.value || "()" }, "replace")}
        />
      )}
      <CardWidth />
      {view.zoom && (
        <button class="link" onClick={() => setQuery({ xlim: null })}>
          Reset zoom (z)
        </button>
      )}
      {view.fobs.length > 0 && (
        <button class="link" onClick={() => setQuery({ step: null })}>
          Remove the {view.fobs.length > 1 ? "marked range" : "mark"} (esc)
        </button>
      )}
    </div>
  );
}
