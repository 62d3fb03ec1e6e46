// Charts with a layout that the user logged: several tags in one chart, or a value between its bounds.
import { type Tags, tagsShape } from "../../api/board";
import { type LayoutChart, layoutsShape, type Layouts } from "../../api/scalars";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { limitsText, readLimits } from "../../base/text/limits";
import { plural } from "../../base/text/format";
import { runsOfTags } from "../../domain/runs/runs_of_tags";
import { cardColumn } from "../../widgets/CardWidth";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { setRuns, shownRuns } from "../../domain/runs/shown_runs";
import { Side } from "../../domain/runs/Side";
import { Snippet } from "../../domain/live/Snippet";
import { useKeys } from "../../base/keys";
import { listOf, listText, query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { Knobs } from "../../charts/scalars/Knobs";
import { ScalarCard } from "../../charts/scalars/ScalarCard";
import { fobsText, viewOf } from "../../charts/scalars/view";
import { marginsOf, matchingTags } from "./layout";
import { MarginChart, type Margin } from "./MarginChart";
import "../../domain/runs/cards.css";
import "./custom.css";

/** The list shows only runs that a chart uses; all runs if no chart has one. */
function runsOfLayout({ categories }: Layouts, tags: Tags): string[] {
  const used = new Set(
    categories.flatMap(({ charts }) =>
      charts.flatMap(({ tags: patterns, margins }) => [
        ...matchingTags(patterns ?? [], tags.names),
        ...(margins ? marginsOf(margins).map(({ value }) => value) : []),
      ]),
    ),
  );
  const runs = new Set(
    tags.names.flatMap((name, i) => (used.has(name) ? (tags.run_lists[i] ?? []).map((r) => tags.runs[r] ?? "") : [])),
  );
  return runsOfTags(tags).filter((run) => runs.size === 0 || runs.has(run));
}

const toggleKey = (key: string) => (): void => setQuery({ [key]: query.value.has(key) ? null : "1" });

export default function CustomScalars(): JSX.Element {
  const { state, retry } = useResource("custom", (signal) =>
    Promise.all([getJson(layoutsShape, "layouts", {}, signal), getJson(tagsShape, "tags", { kind: "scalar" }, signal)]),
  );
  const cursor = useSignal<number | null>(null);
  const { data, error } = state.value;
  const tags = data?.[1];
  useLayoutEffect(() => {
    if (data) setRuns(runsOfLayout(...data));
  }, [data]);
  useKeys([
    { key: "z", does: "Reset zoom", run: () => setQuery({ xlim: null }) },
    { key: "l", does: "Log y", run: toggleKey("ylog") },
    { key: "shift-l", does: "Log x", run: toggleKey("xlog") },
    { key: "escape", does: "Remove the mark", run: () => setQuery({ step: null }, "replace") },
  ]);
  const shown = shownRuns.value;
  const runsOf = useMemo(() => {
    const map = new Map<string, Set<string>>();
    tags?.names.forEach((name, i) => map.set(name, new Set((tags.run_lists[i] ?? []).map((r) => tags.runs[r] ?? ""))));
    return (tag: string): string[] => shown.filter((run) => map.get(tag)?.has(run));
  }, [tags, shown]);
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!data || !tags) return <div class="view" aria-busy="true" />;
  const [layouts] = data;
  if (layouts.categories.length === 0) return <Empty problems={layouts.problems} />;

  const view = viewOf(query.value);
  const limits = readLimits(query.value.get("ylim"));
  const turned = new Set(listOf(query.value.get("fold")));
  const setFobs = (fobs: readonly number[]): void =>
    setQuery({ step: fobsText(fobs.map((x) => (view.axis === "step" ? Math.round(x) : x))) }, "replace");
  const onZoom = (range: readonly [number, number] | null): void =>
    setQuery({ xlim: range ? `${range[0]}~${range[1]}` : null }, "replace");
  const card = (chart: LayoutChart, key: string): JSX.Element => {
    if (chart.margins) {
      const margins = marginsOf(chart.margins);
      const whole = (margin: Margin): readonly string[] => {
        const [lower, upper] = [new Set(runsOf(margin.lower)), new Set(runsOf(margin.upper))];
        return runsOf(margin.value).filter((run) => lower.has(run) && upper.has(run));
      };
      const missing = margins.filter((margin) => whole(margin).length === 0);
      return (
        <section key={key} class="card" aria-label={chart.title}>
          <header>
            <h3 title={chart.title}>{chart.title}</h3>
          </header>
          {missing.length < margins.length && (
            <MarginChart
              title={chart.title}
              margins={margins}
              runsOf={whole}
              view={view}
              cursor={cursor}
              onZoom={onZoom}
            />
          )}
          {margins.length === 0 && (
            <p class="note">The layout of this chart names no value together with its lower and upper bound.</p>
          )}
          {missing.map(({ value, lower, upper }) => (
            <p key={value} class="note">
              No shown run has all of the tags <Names of={[value, lower, upper]} />.
            </p>
          ))}
        </section>
      );
    }
    const drawn = matchingTags(chart.tags ?? [], tags.names).filter((tag) => runsOf(tag).length > 0);
    const unknown = (chart.tags ?? []).filter((pattern) => matchingTags([pattern], drawn).length === 0);
    if (drawn.length === 0)
      return (
        <section key={key} class="card" aria-label={chart.title}>
          <header>
            <h3 title={chart.title}>{chart.title}</h3>
          </header>
          <p class="note">
            No tag of the shown runs matches <Names of={unknown} />.
          </p>
        </section>
      );
    const shownCard = (
      <ScalarCard
        key={key}
        name={chart.title}
        tags={drawn}
        own={false}
        runsOf={runsOf}
        groups={null}
        view={view}
        cursor={cursor}
        first
        pinned={false}
        wide={query.value.get("wide") === chart.title}
        limits={limits.get(chart.title) ?? null}
        partners={() => []}
        onZoom={onZoom}
        onHot={() => undefined}
        onPin={() => undefined}
        onMix={() => undefined}
        onWide={() => setQuery({ wide: query.value.get("wide") === chart.title ? null : chart.title })}
        onMark={(x, extend, fob) =>
          setFobs(
            fob !== null
              ? view.fobs.filter((_, i) => i !== fob)
              : extend && view.fobs.length > 0
                ? [view.fobs[0]!, x]
                : [x],
          )
        }
        onMoveFob={(fob, x) => setFobs(view.fobs.map((old, i) => (i === fob ? x : old)))}
        onLimits={(next) => setQuery({ ylim: limitsText(new Map([...limits, [chart.title, next]])) }, "replace")}
      />
    );
    return unknown.length === 0 ? (
      shownCard
    ) : (
      <div key={key} class="cell">
        {shownCard}
        <p class="note unknown-tags">
          Nothing matches <Names of={unknown} />.
        </p>
      </div>
    );
  };
  return (
    <div class="view scalars">
      <Side>
        <Knobs view={view} grouping={false} />
      </Side>
      <div {...cardColumn()}>
        <div class="page-bar">
          <h1>Custom scalars</h1>
          <span class="note">
            {plural(
              layouts.categories.reduce((sum, { charts }) => sum + charts.length, 0),
              "chart",
            )}{" "}
            in the layout from the logs
          </span>
          <button class="link push" aria-pressed={view.table} onClick={toggleKey("table")}>
            {view.table ? "Charts" : "Table"}
          </button>
        </div>
        {layouts.problems.map((problem) => (
          <p key={problem} class="trouble">
            {problem}
          </p>
        ))}
        {layouts.categories.map(({ title, closed, charts }) => {
          const open = closed === turned.has(title);
          return (
            <section key={title} aria-label={title}>
              <button
                class="fold"
                aria-expanded={open}
                onClick={() => {
                  if (!turned.delete(title)) turned.add(title);
                  setQuery({ fold: listText([...turned]) });
                }}
              >
                <span class="caret" aria-hidden="true">
                  {open ? "▾" : "▸"}
                </span>
                <b>{title}</b>
                <span class="dim">{plural(charts.length, "chart")}</span>
              </button>
              {open && <div class="cards">{charts.map((chart, i) => card(chart, `${i} ${chart.title}`))}</div>}
            </section>
          );
        })}
      </div>
    </div>
  );
}

/** The tags and regular expressions of the layout. */
function Names({ of }: { of: readonly string[] }): JSX.Element {
  return (
    <>
      {of.map((name, i) => (
        <>
          {i > 0 && ", "}
          <span class="mono">{name}</span>
        </>
      ))}
    </>
  );
}

function Empty({ problems }: { problems: readonly string[] }): JSX.Element {
  return (
    <EmptyPage
      title="No custom charts yet"
      lookedFor={
        <>
          chart layouts: tags of the plugin <span class="mono">custom_scalars</span>
        </>
      }
      about="This page shows charts that combine several tags, as a logged layout defines them. Without a layout, combine charts on the Scalars page: drag the name of one chart onto another chart."
    >
      {problems.map((problem) => (
        <p key={problem} class="bad">
          {problem}
        </p>
      ))}
      <Snippet
        lines={[
          "writer.add_custom_scalars({",
          `    "Loss": {"both": ["Multiline",`,
          `        ["train/loss", "eval/loss"]]},`,
          "})",
        ]}
      />
    </EmptyPage>
  );
}
