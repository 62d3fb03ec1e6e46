// Scalar curves: one card per tag; all cards share one crosshair and one zoom.
import { rangedTagsShape } from "../../api/board";
import { lastValuesShape } from "../../api/scalars";
import { toNumber } from "../../api/shape";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { getJson } from "../../api/client";
import { count, plural } from "../../base/text/format";
import { limitsText, readLimits } from "../../base/text/limits";
import { matcherOf } from "../../base/text/matching";
import { groupRuns } from "../../domain/runs/run_groups";
import { runsHaving, runsOfRanges } from "../../domain/runs/runs_of_tags";
import { cardColumn } from "../../widgets/CardWidth";
import { EmptyPage } from "../../domain/live/EmptyPage";
import type { LastOf } from "../../domain/runs/RunList";
import { allRuns, filteredRuns, setRuns, shownRuns } from "../../domain/runs/shown_runs";
import { Side } from "../../domain/runs/Side";
import { Snippet } from "../../domain/live/Snippet";
import { useKeys } from "../../base/keys";
import { everyKept } from "../../domain/live/damaged";
import { listOf, listText, query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { groupTags, openByItself, tagOfMost, type TagGroup } from "./groups";
import { Knobs } from "../../charts/scalars/Knobs";
import { ScalarCard, type CardsProps } from "../../charts/scalars/ScalarCard";
import { fobsText, mixed, mixesText, movedFob, partnersOf, readMixes, viewOf } from "../../charts/scalars/view";
import "../../domain/runs/cards.css";

// The max number of tags in the groups that are open by default, and of cards that a group first shows, so that the
// page opens fast with any number of tags.
const OPEN_TAGS = 60;

// The number of cards that are drawn at once. Other cards are drawn after the first frame if they are visible.
const FIRST_CARDS = 6;

const LATER_MILLISECONDS = 300; // The delay of this request, because charts have priority.

/** The last value of a tag in each run, for the list of runs. */
function useLastOf(tag: string | null): LastOf | null {
  const { state } = useResource(`last ${tag ?? ""}`, async (signal) => {
    if (tag === null) return null;
    await new Promise((resolve) => setTimeout(resolve, LATER_MILLISECONDS));
    if (signal.aborted) return null;
    const response = await getJson(lastValuesShape, "scalars/last", { contains: tag, whole: 1 }, signal);
    return { tag, values: new Map(response.runs.map((run, i) => [run, toNumber(response.values[i] ?? null)])) };
  });
  return state.value.data;
}

export default function Scalars(): JSX.Element {
  const { state, retry } = useResource("scalar-tags", (signal) =>
    getJson(rangedTagsShape, "tags", { kind: "scalar", ranges: 1 }, signal),
  );
  const cursor = useSignal<number | null>(null);
  const hot = useRef<{ name: string; xs: ArrayLike<number> } | null>(null);
  const { data, error } = state.value;
  // A layout effect, because otherwise the first frame would show tags without runs.
  useLayoutEffect(() => {
    if (data) setRuns(runsOfRanges(data));
  }, [data]);
  const pin = (tag: string): void => {
    const old = listOf(query.value.get("pins"));
    setQuery({ pins: listText(old.includes(tag) ? old.filter((one) => one !== tag) : [...old, tag]) });
  };
  const setFobs = (fobs: readonly number[]): void =>
    setQuery({ step: fobsText(fobs.map((x) => (query.value.has("xaxis") ? x : Math.round(x)))) }, "replace");
  const moveFob = (by: number): void => {
    const fobs = viewOf(query.value).fobs;
    const next = movedFob(hot.current?.xs ?? [], fobs.at(-1) ?? null, by);
    if (next !== null) setFobs([...fobs.slice(0, -1), next]);
  };
  useKeys([
    { key: "z", does: "Reset zoom", run: () => setQuery({ xlim: null }) },
    { key: "l", does: "Log y", run: () => setQuery({ ylog: query.value.has("ylog") ? null : "1" }) },
    { key: "shift-l", does: "Log x", run: () => setQuery({ xlog: query.value.has("xlog") ? null : "1" }) },
    {
      key: "m",
      does: "Pin the chart under the pointer",
      run: () => {
        if (hot.current && names.has(hot.current.name)) pin(hot.current.name);
      },
    },
    { key: "arrowleft", does: "Mark the previous point", run: () => moveFob(-1) },
    { key: "arrowright", does: "Mark the next point", run: () => moveFob(1) },
    { key: "shift-arrowleft", does: "Go ten points back", run: () => moveFob(-10) },
    { key: "shift-arrowright", does: "Go ten points forward", run: () => moveFob(10) },
    { key: "escape", does: "Remove the mark", run: () => setQuery({ step: null }, "replace") },
  ]);

  const view = viewOf(query.value);
  const wanted = query.value.get("tag") ?? "";
  const names = useMemo(() => new Set(data?.names), [data]);
  const has = useMemo(() => (data ? runsHaving(data) : () => false), [data]);
  const shown = shownRuns.value;
  const grouping = query.value.get("group");
  const runGroups = useMemo(() => (grouping === null ? null : groupRuns(shown, grouping)), [grouping, shown]);
  const curves = useMemo(
    () => new Set(data?.names.filter((_, i) => (data.max_steps[i] ?? 0) > (data.min_steps[i] ?? 0))),
    [data],
  );
  const groups = useMemo(
    () =>
      groupTags(
        (data?.names ?? []).filter(matcherOf(wanted)).filter((tag) => shown.some((run) => has(tag, run))),
        (tag) => curves.has(tag),
      ),
    [has, curves, wanted, shown],
  );
  const usual = useMemo(() => openByItself(groups, OPEN_TAGS), [groups]);
  const pins = listOf(query.value.get("pins"));
  const common = useMemo(() => {
    const tags = groups
      .filter((group) => usual.has(group.name))
      .flatMap((group) => group.tags)
      .slice(0, OPEN_TAGS);
    return tagOfMost(tags, (tag) => shown.reduce((sum, run) => sum + Number(has(tag, run)), 0), shown.length);
  }, [groups, usual, has, shown]);
  const last = useLastOf(pins[0] ?? common);
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
  if (data.names.length === 0) return <Empty />;

  const closed = new Set(listOf(query.value.get("fold")));
  const opened = new Set(listOf(query.value.get("open")));
  const wide = query.value.get("wide");
  const visible = groups.reduce((sum, group) => sum + group.tags.length, 0);
  const isOpen = (group: TagGroup): boolean =>
    usual.has(group.name) ? !closed.has(group.name) : opened.has(group.name);
  const toggleGroup = (group: TagGroup): void => {
    const [key, set] = usual.has(group.name) ? (["fold", closed] as const) : (["open", opened] as const);
    if (!set.delete(group.name)) set.add(group.name);
    setQuery({ [key]: listText([...set]) });
  };
  const most = Math.max(OPEN_TAGS, Number(query.value.get("most") ?? OPEN_TAGS) || 0);
  const limits = readLimits(query.value.get("ylim"));
  // Combined charts that an old address contains, if at least one of their tags still exists.
  const mixes = readMixes(query.value.get("mix")).filter((tags) => tags.some((tag) => names.has(tag)));
  let cards = 0;
  const shared: CardsProps = {
    view,
    cursor,
    groups: runGroups,
    runsOf: (tag) => shown.filter((run) => has(tag, run)),
    onZoom: (range) => setQuery({ xlim: range ? `${range[0]}~${range[1]}` : null }, "replace"),
    onMark: (x, extend, fob) =>
      setFobs(
        fob !== null
          ? view.fobs.filter((_, i) => i !== fob)
          : extend && view.fobs.length > 0
            ? [view.fobs[0]!, x]
            : [x],
      ),
    onMoveFob: (fob, x) => setFobs(view.fobs.map((old, i) => (i === fob ? x : old))),
    onHot: (name, xs) => (hot.current = { name, xs }),
  };
  const card = (tags: readonly string[]): JSX.Element => {
    const name = tags.join(" + ");
    return (
      <ScalarCard
        key={name}
        {...shared}
        name={name}
        tags={tags}
        limits={limits.get(name) ?? null}
        first={++cards <= FIRST_CARDS}
        pinned={pins.includes(name)}
        wide={wide === name}
        partners={() => partnersOf(tags[0] ?? "", data.names)}
        onPin={() => pin(name)}
        onWide={() => setQuery({ wide: wide === name ? null : name })}
        onMix={(tag) =>
          setQuery({
            mix: mixesText(tag === null ? mixes.filter((mix) => mix.join(" + ") !== name) : mixed(mixes, tag, tags)),
          })
        }
        onLimits={(next) => setQuery({ ylim: limitsText(new Map([...limits, [name, next]])) }, "replace")}
      />
    );
  };
  return (
    <div class="view scalars">
      <Side last={last}>
        <Knobs view={view} />
      </Side>
      <div {...cardColumn()}>
        <div class="page-bar">
          <h1>Scalars</h1>
          <span class="note">
            {visible < data.names.length ? `${count(visible)} of ` : ""}
            {plural(data.names.length, "tag")} of {plural(shown.length, "run")}
            {runGroups
              ? ` in ${plural(runGroups.length, "group")}, mean ± standard deviation`
              : shown.length > 0 && `, ${everyKept("point", shown)}`}
          </span>
          <button
            class="link push"
            aria-pressed={view.table}
            onClick={() => setQuery({ table: view.table ? null : "1" })}
          >
            {view.table ? "Charts" : "Table"}
          </button>
          <input
            class="field"
            type="search"
            aria-label="Filter tags"
            placeholder="Filter tags: regular expression"
            value={wanted}
            onInput={(event) => setQuery({ tag: event.currentTarget.value }, "replace")}
          />
        </div>
        {pins.length > 0 && (
          <Group name="Pinned" note="" open cards={pins.filter((tag) => names.has(tag)).map((tag) => card([tag]))} />
        )}
        {mixes.length > 0 && (
          <Group name="Drawn together" note="several tags in one chart" open cards={mixes.map(card)} />
        )}
        {groups.length === 0 && (
          <p class="panel note">
            {shown.length > 0
              ? "No tag of the shown runs matches"
              : filteredRuns.value.length === 0
                ? `None of ${plural(allRuns.value.length, "run")} matches “${query.value.get("runs")}”`
                : "No run is ticked"}
            .{" "}
            <button class="link" onClick={() => setQuery({ tag: null, runs: null, hide: null, only: null })}>
              Clear the filters
            </button>
          </p>
        )}
        {groups.map((group) => (
          <Group
            key={group.name}
            name={group.name || "Without a group"}
            note={plural(group.tags.length, "tag")}
            open={isOpen(group)}
            onToggle={() => toggleGroup(group)}
            cards={isOpen(group) ? group.tags.slice(0, most).map((tag) => card([tag])) : []}
            {...(group.tags.length > most
              ? { onMore: () => setQuery({ most: String(most + OPEN_TAGS) }, "replace") }
              : {})}
          />
        ))}
      </div>
    </div>
  );
}

function Group({
  name,
  note,
  open,
  onToggle,
  cards,
  onMore,
}: {
  name: string;
  note: string;
  open: boolean;
  onToggle?: () => void;
  cards: JSX.Element[];
  onMore?: () => void;
}): JSX.Element {
  return (
    <section aria-label={name}>
      <button class="fold" aria-expanded={open} onClick={onToggle}>
        <span class="caret" aria-hidden="true">
          {open ? "▾" : "▸"}
        </span>
        <b>{name}</b>
        <span class="dim">{note}</span>
      </button>
      {open && <div class="cards">{cards}</div>}
      {open && onMore && (
        <button class="link more" onClick={onMore}>
          Show more ({note} in total)
        </button>
      )}
    </section>
  );
}

function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="No scalars yet"
      about="This page draws scalars: numbers that change over steps, such as a loss."
      lookedFor="scalars"
    >
      <Snippet lines={["for step in range(1, 101):", `    writer.add_scalar("loss", 1/step, step)`]} />
    </EmptyPage>
  );
}
