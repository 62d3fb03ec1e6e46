// A card with the chart of one or more tags: the lines of all shown runs, and a legend with their values.
import { groupsShape } from "../../api/scalars";
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { postJson } from "../../api/client";
import { postForCurves } from "../../api/curves";
import { LineChart, type ChartFiles, type LineChartProps } from "../line/LineChart";
import { nearestIndex, type Line } from "../line/layout";
import { Name } from "../../widgets/Name";
import { hideReadout, showReadout } from "../../widgets/readout";
import { useNear } from "../../base/dom/useNear";
import { exact, plural, significant, steady } from "../../base/text/format";
import type { Limits } from "../../base/text/limits";
import type { RunGroup } from "../../domain/runs/run_groups";
import { timeTicks } from "../../base/math/scale";
import { titleOf, titles } from "../../domain/runs/run_titles";
import { shownNameOf } from "../../domain/runs/run_names";
import { RunKey } from "../../domain/runs/RunKey";
import { useResource } from "../../domain/live/resource";
import { CardTools, LimitFields } from "./CardTools";
import {
  areChannels,
  linesOf,
  isSample,
  keyOfCurve,
  linesOfGroups,
  shownNames,
  type ServedSmooth,
  withoutChannel,
  X_NAMES,
  xText,
} from "./lines";
import { ValueTable } from "./ValueTable";
import { AXES, type CardView, type TipOrder } from "./view";

const DIGITS = 5;

const keyOf = (line: Line): JSX.Element => <RunKey run={line.name} {...(line.look ? { look: line.look } : {})} />;

const MAX_VALUES = 4; // Two rows of two names fit into the narrowest card.
const MAX_LONG_VALUES = 3; // Long names get a row each.
const LONG_NAME = 14;

/** Whether the names of the lines need a row each. Looks at few of them, because a page has hundreds of cards. */
const hasLongNames = ({ tags, groups, runsOf }: CardProps): boolean =>
  groups === null &&
  tags.slice(0, 1).some((tag) =>
    runsOf(tag)
      .slice(0, MAX_LONG_VALUES)
      .some((run) => shownNameOf(run).length > LONG_NAME),
  );

/** The names of all lines of a chart, with a search field. */
function Legend({
  lines,
  names,
  at,
}: {
  lines: readonly Line[];
  names: readonly string[];
  at: number | null;
}): JSX.Element {
  const [words, setWords] = useState("");
  const found = lines
    .map((line, i) => ({ line, name: names[i] ?? line.name }))
    .filter(({ line }) => `${line.name}\n${titleOf(line.name)}`.toLowerCase().includes(words.toLowerCase()));
  return (
    <div class="legend">
      {lines.length > 12 && (
        <input
          class="field"
          type="search"
          aria-label="Search the lines of the chart by name"
          placeholder={`Search ${lines.length} lines`}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <ul>
        {found.map(({ line, name }) => {
          const raw = line.ys[at === null ? line.xs.length - 1 : nearestIndex(line.xs, at)] ?? NaN;
          return (
            <li key={line.name} title={`${line.name}: ${exact(raw)}`}>
              {keyOf(line)}
              <span class="name">{name}</span>
              <span class={Number.isFinite(raw) ? "num" : "num bad"}>{steady(raw)}</span>
            </li>
          );
        })}
      </ul>
      {found.length === 0 && <p class="note">No line of the chart has this name.</p>}
    </div>
  );
}

/**
 * The legend below a chart. Its height is fixed before the curves are loaded: two rows if there are more than two runs.
 * Its columns are wide enough for a name and a number. A click opens the legend with all lines.
 */
function Values({
  count: expected,
  isLong,
  lines,
  cursor,
  nameOf = (name) => name,
}: {
  count: number;
  isLong: boolean;
  lines: readonly Line[];
  cursor: Signal<number | null> | null;
  nameOf?: (name: string) => string;
}): JSX.Element {
  // Reads the position of the pointer here, so that moving the pointer renders only these numbers and not the whole
  // card.
  const at = cursor?.value ?? null;
  const [open, setOpen] = useState(false);
  const names = useMemo(() => shownNames(lines).map(nameOf), [lines, titles.value]);
  if (open) {
    return (
      <>
        <button class="link" aria-expanded="true" onClick={() => setOpen(false)}>
          Fewer lines
        </button>
        <Legend lines={lines} names={names} at={at} />
      </>
    );
  }
  const most = isLong ? MAX_LONG_VALUES : MAX_VALUES;
  const rows = isLong ? `long-names rows-${Math.min(expected, most)}` : expected > 2 ? "named two" : "named";
  return (
    <div class={lines.some((line) => line.look) ? "values" : `values reserved ${rows}`}>
      {lines.slice(0, lines.length > most ? most - 1 : most).map((line, k) => {
        const i = at === null ? line.xs.length - 1 : nearestIndex(line.xs, at);
        const raw = line.ys[i] ?? NaN;
        return (
          <span
            key={line.name}
            title={`${line.name}: ${exact(raw)}`}
            class={`${line.look ? "long" : ""}${Number.isFinite(raw) ? "" : " bad"}`}
          >
            {keyOf(line)}
            {line.look ? (
              <span class="dim tail">
                <bdi>{names[k]}</bdi>
              </span>
            ) : (
              names[k] && (
                <span class="dim name">
                  <Name name={names[k] ?? ""} title={line.name} />
                </span>
              )
            )}
            {steady(raw)}
          </span>
        );
      })}
      {lines.length > most && (
        <button class="link" aria-expanded="false" onClick={() => setOpen(true)}>
          and {lines.length - most + 1} more
        </button>
      )}
    </div>
  );
}

/** NaN is sorted last in ascending and descending order. */
function byValue(p: number, q: number, descending: boolean): number {
  if (Number.isNaN(p) || Number.isNaN(q)) return Number(Number.isNaN(p)) - Number(Number.isNaN(q));
  return descending ? q - p : p - q;
}

/** The values of the lines at the pointer, by default the nearest ones first. */
function Nearest({
  lines,
  at,
  xName,
  text,
  order,
  limit,
}: {
  order: TipOrder;
  limit: number;
  lines: readonly Line[];
  at: NonNullable<Parameters<NonNullable<LineChartProps["onPoint"]>>[0]>;
  xName: string;
  text: (x: number) => string;
}): JSX.Element {
  const rows = lines
    .map((line) => {
      const i = nearestIndex(line.xs, at.x);
      const raw = line.ys[i] ?? NaN;
      const value = Number.isFinite(raw) ? ((line.smooth ?? line.ys)[i] ?? NaN) : raw;
      return { line, raw, value, x: line.xs[i] ?? NaN, far: Number.isFinite(value) ? at.distance(value) : Infinity };
    })
    .sort(
      order === "nearest"
        ? (p, q) => p.far - q.far
        : order === "name"
          ? (p, q) => p.line.name.localeCompare(q.line.name)
          : (p, q) => byValue(p.value, q.value, order === "highest"),
    );
  const first = rows[0];
  return (
    <>
      <table class="nearest">
        <thead>
          <tr>
            <th colSpan={2}>{first && `${xName} ${text(first.x) || significant(first.x)}`.trim()}</th>
            {lines.some((line) => line.smooth) && <td class="num dim">smoothed</td>}
            <td class="num dim">value</td>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit).map(({ line, raw, value, x }) => (
            <tr key={line.name}>
              <td>{keyOf(line)}</td>
              <td class="name tail">
                <bdi>{titleOf(line.name)}</bdi>
              </td>
              <td class={Number.isFinite(raw) ? "num" : "num bad"}>{steady(value, DIGITS)}</td>
              {line.smooth && <td class="num dim">{steady(raw, DIGITS)}</td>}
              {x !== first?.x && <td class="num dim">at {text(x)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit && <span class="dim">and {rows.length - limit} more</span>}
    </>
  );
}

/** The lines of a card, and the requests for their data. */
interface Asked {
  readonly lines: (smoothing: number, served: ServedSmooth) => Line[];
  readonly total: number;
  /** Requests the smoothed values of the curves that are samples of their logs. Null if no curve is a sample. */
  readonly smooth: ((smoothing: number, signal: AbortSignal) => Promise<ServedSmooth>) | null;
  /** The smoothed values of the first points of a curve, so that a growing chart does not flicker. */
  readonly served: ServedSmooth;
  readonly servedWeight: number;
}

const NOTHING_SERVED: ServedSmooth = new Map();

async function ask(
  tags: readonly string[],
  runsOf: RunsOf,
  groups: readonly RunGroup[] | null,
  view: CardView,
  signal: AbortSignal,
): Promise<Asked> {
  const common = { points: 1200, axis: view.axis };
  if (groups) {
    const responses = await Promise.all(
      tags.map((tag) => {
        const here = new Set(runsOf(tag));
        const members = groups
          .map((group) => [group.name, group.runs.filter((run) => here.has(run))] as const)
          .filter(([, of]) => of.length > 0);
        return postJson(groupsShape, "scalars/groups", { ...common, tag, groups: Object.fromEntries(members) }, signal);
      }),
    );
    return {
      lines: (smoothing) => responses.flatMap((response, i) => linesOfGroups(response, smoothing, tags[i], tags)),
      total: responses.flatMap((response) => response.groups).reduce((sum, one) => sum + (one.x?.length ?? 0), 0),
      smooth: null,
      served: NOTHING_SERVED,
      servedWeight: 0,
    };
  }
  const range = view.zoom ? { from: view.zoom[0], to: view.zoom[1] } : {};
  const { series } = await postForCurves(
    { ...common, ...range, wall_times: view.axis === "step" ? 0 : 1, series: seriesOf(tags, runsOf) },
    signal,
  );
  const smooth = async (weight: number, later: AbortSignal): Promise<ServedSmooth> => {
    const names = series.filter(isSample).map(({ run, tag }) => [run, tag] as const);
    const request = { ...common, ...range, wall_times: 0, series: names, smooth: weight } as const;
    const response = await postForCurves(request, later);
    return new Map(response.series.map((one) => [keyOfCurve(one), one.values]));
  };
  const sampled = series.some(isSample);
  return {
    lines: (smoothing, served) => linesOf(series, view.axis, smoothing, tags, served),
    total: series.reduce((sum, one) => sum + (one.total ?? 0), 0),
    smooth: sampled ? smooth : null,
    served: sampled && view.smoothing > 0 ? await smooth(view.smoothing, signal) : NOTHING_SERVED,
    servedWeight: view.smoothing,
  };
}

type RunsOf = (tag: string) => readonly string[];

const seriesOf = (tags: readonly string[], runsOf: RunsOf): (readonly [string, string])[] =>
  tags.flatMap((tag) => runsOf(tag).map((run) => [run, tag] as const));

/** Properties that all cards of a page share. */
export interface CardsProps {
  readonly runsOf: RunsOf;
  readonly groups: readonly RunGroup[] | null;
  readonly view: CardView;
  readonly cursor: Signal<number | null>;
  readonly onZoom: LineChartProps["onZoom"];
  readonly onMark: NonNullable<LineChartProps["onMark"]>;
  readonly onMoveFob: NonNullable<LineChartProps["onMoveFob"]>;
  /** The x values at which the arrow keys stop while the pointer is on this card. */
  readonly onHot: (name: string, xs: ArrayLike<number>) => void;
}

interface CardProps extends CardsProps {
  readonly name: string;
  readonly tags: readonly string[];
  readonly limits: Limits | null;
}

const expectedLines = ({ tags, groups, runsOf }: CardProps): number =>
  groups ? groups.length * tags.length : tags.reduce((sum, tag) => sum + runsOf(tag).length, 0);

/**
 * The curves that the server has smoothed with the current smoothing weight. Until the response arrives, the previous
 * curves.
 */
function useServedSmooth(data: Asked | null, smoothing: number): ServedSmooth {
  const [newest, setNewest] = useState<{ readonly of: Asked; readonly values: ServedSmooth } | null>(null);
  useEffect(() => {
    if (!data?.smooth || smoothing === 0 || (smoothing === data.servedWeight && newest?.of !== data)) return undefined;
    const cancel = new AbortController();
    data.smooth(smoothing, cancel.signal).then(
      (values) => setNewest({ of: data, values }),
      () => undefined, // On failure, the curve stays as it was; the next move of the slider requests it again.
    );
    return () => cancel.abort();
  }, [data, smoothing]);
  return data !== null && newest?.of === data ? newest.values : (data?.served ?? NOTHING_SERVED);
}

function LoadedCard(props: CardProps & { files: ChartFiles; hot: { current: ArrayLike<number> } }): JSX.Element {
  const { name, tags, groups, view, cursor } = props;
  const key = [
    view.axis,
    groups ? JSON.stringify(groups) : (view.zoom?.join("~") ?? ""),
    ...tags.flatMap((tag) => ["", tag, ...props.runsOf(tag)]),
  ].join("\0");
  const { state, retry } = useResource(key, (signal) => ask(tags, props.runsOf, groups, view, signal));
  const { data, error, stale } = state.value;
  const byChannel = view.axis === "step" && !groups && tags.every((tag) => areChannels(props.runsOf(tag)));
  const xName = byChannel ? "channel" : X_NAMES[view.axis];
  const nameOf = byChannel ? withoutChannel : (name: string): string => name;
  const smoothing = byChannel ? 0 : view.smoothing;
  const served = useServedSmooth(data, smoothing);
  const lines = useMemo(() => data?.lines(smoothing, served) ?? [], [data, smoothing, served]);
  props.hot.current = useMemo(
    () => lines.reduce<ArrayLike<number>>((longest, { xs }) => (xs.length > longest.length ? xs : longest), []),
    [lines],
  );
  const text = useMemo(() => xText(view.axis), [view.axis]);
  useEffect(() => hideReadout, []);
  if (error && !data) {
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  }
  const fobs = view.fobs.map((x) => ({ x, text: text(Math.round(x)) }));
  const table = (full: boolean): JSX.Element => (
    <ValueTable
      label={name}
      lines={lines}
      fobs={view.fobs}
      full={full}
      nameOf={nameOf}
      xText={text}
      xName={byChannel ? "Channel" : (AXES.find((axis) => axis.value === view.axis)?.text ?? "")}
    />
  );
  if (view.table) return table(true);
  const summary = lines
    .slice(0, 5)
    .map((line) => `${titleOf(line.name)} ends at ${significant(line.ys[line.ys.length - 1] ?? NaN)}`)
    .join(", ");
  return (
    <>
      <LineChart
        lines={lines}
        summary={`${name}, ${plural(data?.total ?? 0, "point")}: ${summary}`}
        cursor={cursor}
        files={props.files}
        title={lines.some((line) => line.smooth) ? `${name}, smoothed ${view.smoothing}; faint: as logged` : name}
        changing={stale}
        onZoom={props.onZoom}
        fobs={fobs}
        onMark={props.onMark}
        onMoveFob={props.onMoveFob}
        onPoint={(at) =>
          at && lines.length > 0
            ? showReadout(
                <Nearest lines={lines} at={at} xName={xName} text={text} order={view.tipOrder} limit={view.tipRows} />,
                at.clientX,
                at.clientY,
              )
            : hideReadout()
        }
        logX={view.logX}
        logY={view.logY}
        fromZero={view.fromZero}
        clipOutliers={view.clip}
        xRange={view.zoom}
        yRange={props.limits}
        xText={text}
        xName={xName}
        {...(view.axis === "step" ? {} : { xTicks: timeTicks })}
      />
      {fobs.length > 0 ? (
        table(false)
      ) : (
        <Values
          count={expectedLines(props)}
          isLong={hasLongNames(props)}
          lines={lines}
          cursor={cursor}
          nameOf={nameOf}
        />
      )}
    </>
  );
}

export function ScalarCard(
  props: CardProps & {
    pinned: boolean;
    wide: boolean;
    /** Whether the user combined the tags of this chart. If not, the card has no tools to change the combination. */
    own?: boolean;
    /** Whether the card is one of the first cards, which most windows show without scrolling. */
    first: boolean;
    partners: () => readonly string[];
    onPin: () => void;
    onWide: () => void;
    /** Adds another tag to this chart; null removes the chart of several tags. */
    onMix: (tag: string | null) => void;
    onLimits: (limits: Limits) => void;
  },
): JSX.Element {
  const { ref, near } = useNear(props.first);
  const files = useRef<ChartFiles>({ svg: null, png: null }).current;
  const hot = useRef<ArrayLike<number>>([]);
  const [limiting, setLimiting] = useState(false);
  const heat = (): void => props.onHot(props.name, hot.current);
  // Adding or removing a mark shows or hides the tables in all cards. Scrolls the page so that the clicked place stays
  // under the pointer.
  const onMark: CardsProps["onMark"] = (x, extend, fob) => {
    const top = ref.current?.getBoundingClientRect().top ?? 0;
    props.onMark(x, extend, fob);
    requestAnimationFrame(() =>
      ref.current?.closest("main")?.scrollBy(0, ref.current.getBoundingClientRect().top - top),
    );
  };
  const dragged = (event: DragEvent): boolean => event.dataTransfer?.types.includes(DRAGGED) ?? false;
  return (
    <section
      class={`card${props.wide ? " wide" : ""}`}
      ref={ref}
      aria-label={props.name}
      onPointerEnter={heat}
      onFocusIn={heat}
      onDragOver={(event) => {
        if (dragged(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        const tag = event.dataTransfer?.getData(DRAGGED);
        if (tag) {
          event.preventDefault();
          props.onMix(tag);
        }
      }}
    >
      <header>
        <h3
          class="tail"
          title={
            props.tags.length > 1 || props.own === false
              ? props.name
              : `${props.name}: drag it onto another chart to draw both in one`
          }
          draggable={props.own !== false && props.tags.length === 1}
          onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, props.name)}
        >
          <bdi>{props.name}</bdi>
        </h3>
        {near && (
          <CardTools
            {...props}
            series={() => seriesOf(props.tags, props.runsOf)}
            files={files}
            onLimit={() => setLimiting(true)}
          />
        )}
      </header>
      {(limiting || props.limits) && (
        <LimitFields
          name={props.name}
          limits={props.limits}
          onLimits={(limits) => {
            setLimiting(limits[0] !== null || limits[1] !== null);
            props.onLimits(limits);
          }}
        />
      )}
      {near ? (
        <LoadedCard {...props} onMark={onMark} files={files} hot={hot} />
      ) : (
        <>
          <div class="plot" />
          <Values count={expectedLines(props)} isLong={hasLongNames(props)} lines={[]} cursor={null} />
        </>
      )}
    </section>
  );
}

const DRAGGED = "application/x-tag";
