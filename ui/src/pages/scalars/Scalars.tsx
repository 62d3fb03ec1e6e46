// Curves: one card per tag, one crosshair and one zoom over all of them.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import type { RangedTags } from "../../api/types";
import { count, plural } from "../../lib/format";
import { matcherOf } from "../../lib/matching";
import { runsHaving } from "../../lib/runs_of_tags";
import { groupRuns, USUAL_GROUPING } from "../../lib/run_groups";
import { allRuns, RunList, shownRuns } from "../../parts/RunList";
import { useKeys } from "../../shell/keys";
import { listOf, listText, query, setQuery } from "../../state/location";
import { status } from "../../state/live";
import { useResource } from "../../state/resource";
import { groupTags, openByItself, type TagGroup } from "./groups";
import { ScalarCard, type Axis, type CardView } from "./ScalarCard";
import "./scalars.css";

const AXES: readonly { value: Axis; text: string }[] = [
  { value: "step", text: "Step" }, { value: "relative", text: "Relative" }, { value: "wall", text: "Wall" },
];

// Groups are open by themselves up to this many tags, and a group shows so many cards until more are
// asked for: opening the page stays quick however many tags there are.
const OPEN_TAGS = 60;

// So many are drawn at once; of the others, those in sight after the first frame.
const FIRST_CARDS = 6;

function viewOf(): CardView {
  const zoom = query.value.get("xlim")?.split("~").map(Number) ?? [];
  return {
    axis: (AXES.find((axis) => axis.value === query.value.get("xaxis"))?.value) ?? "step",
    smoothing: Math.min(0.999, Math.max(0, Number(query.value.get("smooth") ?? "0.6"))),
    logX: query.value.has("xlog"),
    logY: query.value.has("ylog"),
    clip: query.value.get("clip") !== "0",
    zoom: zoom.length === 2 && zoom.every(Number.isFinite) ? [zoom[0]!, zoom[1]!] : null,
  };
}

function Knobs({ view }: { view: CardView }): JSX.Element {
  return (
    <div class="knobs">
      <label class="label">Smoothing <output>{view.smoothing.toFixed(2)}</output></label>
      <input type="range" min="0" max="0.99" step="0.01" value={view.smoothing} aria-label="Smoothing"
        onInput={(event) => setQuery({ smooth: event.currentTarget.value }, "replace")} />
      <div class="label">x
        <span class="seg" role="group" aria-label="Horizontal axis">
          {AXES.map((axis) => (
            <button key={axis.value} aria-pressed={view.axis === axis.value}
              onClick={() => setQuery({ xaxis: axis.value === "step" ? null : axis.value, xlim: null })}>{axis.text}</button>
          ))}
        </span>
      </div>
      <label class="label">Log y <input type="checkbox" checked={view.logY} onChange={() => setQuery({ ylog: view.logY ? null : "1" })} /></label>
      <label class="label">Log x <input type="checkbox" checked={view.logX} onChange={() => setQuery({ xlog: view.logX ? null : "1" })} /></label>
      <label class="label">Clip outliers <input type="checkbox" checked={view.clip} onChange={() => setQuery({ clip: view.clip ? "0" : null })} /></label>
      <label class="label" title="Runs that belong together, such as seeds, become one line with its spread">Mean of groups
        <input type="checkbox" checked={query.value.has("group")} onChange={() => setQuery({ group: query.value.has("group") ? null : USUAL_GROUPING })} /></label>
      {query.value.has("group") && (
        <input class="field mono" aria-label="What the names of a group share" title="What the first parenthesis catches is the name of the group" value={query.value.get("group") ?? ""}
          onInput={(event) => setQuery({ group: event.currentTarget.value || "()" }, "replace")} />
      )}
      {view.zoom && <button class="link" onClick={() => setQuery({ xlim: null })}>Reset zoom (z)</button>}
    </div>
  );
}

export default function Scalars(): JSX.Element {
  const { state, retry } = useResource("scalar-tags", (signal) => getJson<RangedTags>("tags", { kind: "scalar", ranges: 1 }, signal));
  const cursor = useSignal<number | null>(null);
  const { data, error } = state.value;
  // Before the frame is painted, which would else show tags without runs.
  useLayoutEffect(() => {
    if (data) allRuns.value = data.runs;
  }, [data]);
  useKeys([
    { key: "z", does: "Reset zoom", run: () => setQuery({ xlim: null }) },
    { key: "l", does: "Log y", run: () => setQuery({ ylog: query.value.has("ylog") ? null : "1" }) },
    { key: "shift-l", does: "Log x", run: () => setQuery({ xlog: query.value.has("xlog") ? null : "1" }) },
  ]);

  const view = viewOf();
  const wanted = query.value.get("tag") ?? "";
  const has = useMemo(() => (data ? runsHaving(data) : () => false), [data]);
  const shown = shownRuns.value;
  const grouping = query.value.get("group");
  const runGroups = useMemo(() => (grouping === null ? null : groupRuns(shown, grouping)), [grouping, shown]);
  const curves = useMemo(() => new Set(data?.names.filter((_, i) => (data.max_steps[i] ?? 0) > (data.min_steps[i] ?? 0))), [data]);
  const groups = useMemo(() => groupTags((data?.names ?? []).filter(matcherOf(wanted)).filter((tag) => shown.some((run) => has(tag, run))), (tag) => curves.has(tag)), [has, curves, wanted, shown]);
  const usual = useMemo(() => openByItself(groups, OPEN_TAGS), [groups]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  if (!data) return <div class="view" aria-busy="true" />;
  if (data.names.length === 0) return <Empty />;

  const pins = listOf(query.value.get("pins"));
  const closed = new Set(listOf(query.value.get("fold")));
  const opened = new Set(listOf(query.value.get("open")));
  const wide = query.value.get("wide");
  const visible = groups.reduce((sum, group) => sum + group.tags.length, 0);
  const isOpen = (group: TagGroup): boolean => (usual.has(group.name) ? !closed.has(group.name) : opened.has(group.name));
  const toggleGroup = (group: TagGroup): void => {
    const [key, set] = usual.has(group.name) ? (["fold", closed] as const) : (["open", opened] as const);
    if (!set.delete(group.name)) set.add(group.name);
    setQuery({ [key]: listText([...set]) });
  };
  const most = Math.max(OPEN_TAGS, Number(query.value.get("most") ?? OPEN_TAGS) || 0);
  let cards = 0;
  const card = (tag: string): JSX.Element => (
    <ScalarCard key={tag} tag={tag} first={++cards <= FIRST_CARDS} view={view} cursor={cursor} pinned={pins.includes(tag)} wide={wide === tag}
      runs={shown.filter((run) => has(tag, run))} groups={runGroups}
      onZoom={(range) => setQuery({ xlim: range ? `${range[0]}~${range[1]}` : null }, "replace")}
      onPin={() => setQuery({ pins: listText(pins.includes(tag) ? pins.filter((p) => p !== tag) : [...pins, tag]) })}
      onWide={() => setQuery({ wide: wide === tag ? null : tag })} />
  );
  return (
    <div class="view scalars">
      <div class="side">
        <RunList />
        <Knobs view={view} />
      </div>
      <div class="main-column">
        <div class="page-bar">
          <h1>Scalars</h1>
          <span class="note">{visible < data.names.length ? `${count(visible)} of ` : ""}{plural(data.names.length, "tag")} of {plural(shown.length, "run")}{runGroups ? ` in ${plural(runGroups.length, "group")}, mean ± standard deviation` : ", every point kept"}</span>
          <input class="field push" type="search" aria-label="Filter tags" placeholder="Filter tags: regular expression" value={wanted}
            onInput={(event) => setQuery({ tag: event.currentTarget.value }, "replace")} />
        </div>
        {pins.length > 0 && <Group name="Pinned" note="" open cards={pins.filter((tag) => data.names.includes(tag)).map(card)} />}
        {groups.length === 0 && <p class="panel note">No tag of the shown runs matches. <button class="link" onClick={() => setQuery({ tag: null, runs: null, hide: null, only: null })}>Clear the filters</button></p>}
        {groups.map((group) => (
          <Group key={group.name} name={group.name || "Without a group"} note={plural(group.tags.length, "tag")} open={isOpen(group)}
            onToggle={() => toggleGroup(group)} cards={isOpen(group) ? group.tags.slice(0, most).map(card) : []}
            {...(group.tags.length > most ? { onMore: () => setQuery({ most: String(most + OPEN_TAGS) }, "replace") } : {})} />
        ))}
      </div>
    </div>
  );
}

function Group({ name, note, open, onToggle, cards, onMore }: {
  name: string; note: string; open: boolean; onToggle?: () => void; cards: JSX.Element[]; onMore?: () => void;
}): JSX.Element {
  return (
    <section aria-label={name}>
      <button class="fold" aria-expanded={open} onClick={onToggle}>
        <span class="caret" aria-hidden="true">{open ? "▾" : "▸"}</span><b>{name}</b><span class="dim">{note}</span>
      </button>
      {open && <div class="cards">{cards}</div>}
      {open && onMore && <button class="link more" onClick={onMore}>Show more of {note}</button>}
    </section>
  );
}

function Empty(): JSX.Element {
  const now = status.value;
  return (
    <div class="empty">
      <h1>No scalars yet</h1>
      <p>This page draws numbers that change over steps, such as a loss.</p>
      {now && <p>{now.logdirs.paths.join(", ")} holds {plural(now.runs, "run")} and {plural(now.tags, "tag")}, none of them a scalar.</p>}
      <pre>{`from compression_board import SummaryWriter
with SummaryWriter("runs/train") as writer:
    for step in range(100):
        writer.add_scalar("loss", 1 / (step + 1), step)`}</pre>
    </div>
  );
}
