// The key metrics at the top of the page: typical, worst and best values, and the number of models that pass. The
// report shows the same metrics.
import type { JSX } from "preact";
import type { Summary } from "../../api/compression/summary";

function Tile({
  name,
  figure,
  unit,
  from,
}: {
  name: string;
  figure: string;
  unit?: string;
  from: JSX.Element | string;
}): JSX.Element {
  return (
    <div class="tile">
      <div class="name">{name}</div>
      <div class="figure">
        {figure}
        {unit && <small> {unit}</small>}
      </div>
      <div class="from">{from}</div>
    </div>
  );
}

/** Green only if every model was checked and passes. */
function GatesTile({ counts }: { counts: Summary["counts"] }): JSX.Element {
  const open = counts.incomplete + counts.not_checked;
  const all = counts.fail + counts.watch + counts.pass + open;
  const passing = counts.pass + counts.watch;
  return (
    <Tile
      name="Gates"
      figure={String(passing)}
      unit={open > 0 && open < all ? `of ${all - open} checked pass` : `of ${all} pass`}
      from={
        counts.fail > 0 ? (
          <span class="verdict bad">
            {counts.fail} fail{open > 0 ? `; ${open} not fully checked` : ", see table"}
          </span>
        ) : open > 0 ? (
          <span class="verdict open">{open} models not fully checked</span>
        ) : counts.watch > 0 ? (
          <span class="verdict warn">{counts.watch} to watch</span>
        ) : (
          <span class="verdict good">none fails</span>
        )
      }
    />
  );
}

/** `of` is empty if all models are included. Otherwise it is a text such as "3 of 12 models". */
export function Tiles({ summary, of: some = "" }: { summary: Summary; of?: string }): JSX.Element {
  return (
    <div class="tiles" data-of={some} {...(some ? { title: some } : {})}>
      {summary.headlines.map(({ name, figure, unit, note, model }) => {
        const fails = summary.verdicts.get(model)?.state === "fail";
        const of = (
          <span title={model} class={name === "Worst drop" && fails ? "verdict bad" : ""}>
            {model}
          </span>
        );
        return (
          <Tile
            key={name}
            name={name}
            figure={figure}
            unit={unit}
            from={
              model === "" ? (
                note
              ) : (
                <span class="of-many">
                  {of}
                  {note && <span>{note}</span>}
                </span>
              )
            }
          />
        );
      })}
      <GatesTile counts={summary.counts} />
    </div>
  );
}
