// A page with one card per tag and run of a kind of data: images, texts, histograms.
import { tagsShape } from "../../api/board";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { plural } from "../../base/text/format";
import { matcherOf } from "../../base/text/matching";
import { runsOfTags } from "./runs_of_tags";
import { tellingFirst } from "./series_order";
import { query, setQuery } from "../../base/address";
import { useResource } from "../live/resource";
import { CardWidth, cardColumn } from "../../widgets/CardWidth";
import { setRuns, shownRuns } from "./shown_runs";
import { Side } from "./Side";
import "./cards.css";

export interface Series {
  readonly run: string;
  readonly tag: string;
  /** The min and max step of the tag over all runs. */
  readonly steps: readonly [number, number];
}

const MORE = 60;

export function SeriesPage({
  kind,
  title,
  note,
  unit = "series",
  tools,
  knobs,
  empty,
  inGrid = true,
  pick = (all) => all,
  card,
}: {
  kind: string;
  title: string;
  /** A note that is shown after the number of cards. If it is a function, it is called with the shown runs. */
  note: string | ((runs: readonly string[]) => string);
  /** The subject of a card: one tag of one run, or one tag of all runs. */
  unit?: "series" | "tag";
  tools?: (all: readonly Series[]) => ComponentChildren;
  /** Controls below the list of runs. */
  knobs?: (all: readonly Series[]) => ComponentChildren;
  empty: JSX.Element;
  inGrid?: boolean;
  /** Selects the series that get a card from the series of the shown runs and tags. */
  pick?: (all: readonly Series[]) => readonly Series[];
  card: (series: Series, all: readonly Series[]) => JSX.Element;
}): JSX.Element {
  const { state, retry } = useResource(`${kind}-tags`, (signal) => getJson(tagsShape, "tags", { kind }, signal));
  const { data, error } = state.value;
  useLayoutEffect(() => {
    if (data) setRuns(runsOfTags(data));
  }, [data]);
  const wanted = query.value.get("tag") ?? "";
  const runs = shownRuns.value;
  const all = useMemo(() => {
    const [matches, shown] = [matcherOf(wanted), new Set(runs)];
    return (data?.names ?? [])
      .flatMap((tag, i): Series[] =>
        matches(tag)
          ? (data?.run_lists[i] ?? [])
              .map((r) => ({
                tag,
                run: data?.runs[r] ?? "",
                steps: [data?.min_steps[i] ?? 0, data?.max_steps[i] ?? 0] as const,
              }))
              .filter(({ run }) => shown.has(run))
          : [],
      )
      .sort(tellingFirst);
  }, [data, wanted, runs]);
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!data) return <div class="view" aria-busy="true" />;
  if (data.names.length === 0) return empty;
  const most = Number(query.value.get("most") ?? MORE);
  const series = pick(all);
  return (
    <div class="view scalars">
      <Side>
        {(knobs || inGrid) && (
          <div class="knobs">
            {knobs?.(all)}
            {inGrid && <CardWidth />}
          </div>
        )}
      </Side>
      <div {...cardColumn()}>
        <div class="page-bar">
          <h1>{title}</h1>
          <span class="note">
            {unit === "tag" ? plural(series.length, "tag") : plural(series.length, "series", "series")}
            {typeof note === "string" ? note : note(runs)}
          </span>
          {tools?.(all)}
          <input
            class="field push"
            type="search"
            aria-label="Filter tags"
            placeholder="Filter tags: regular expression"
            value={wanted}
            onInput={(event) => setQuery({ tag: event.currentTarget.value }, "replace")}
          />
        </div>
        {series.length === 0 && (
          <p class="panel note">
            Nothing matches.{" "}
            <button class="link" onClick={() => setQuery({ tag: null, hide: null, only: null, runs: null })}>
              Clear the filters
            </button>
          </p>
        )}
        <div class={inGrid ? `cards of-${kind}` : ""}>
          {series.slice(0, most).map((one) => (
            <div class="cell" key={`${one.run}\0${one.tag}`}>
              {card(one, all)}
            </div>
          ))}
        </div>
        {series.length > most && (
          <button class="link more" onClick={() => setQuery({ most: String(most + MORE) }, "replace")}>
            Show more ({series.length} in total)
          </button>
        )}
      </div>
    </div>
  );
}
