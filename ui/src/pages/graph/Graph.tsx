// Shows one graph, or two graphs side by side with their differences; colours show what compression did to each part.
import { graphsShape, stagesShape, viewShape } from "../../api/graphs";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getJson, postJson } from "../../api/client";
import { hideReadout, showReadout } from "../../widgets/readout";
import { Icon, ICONS } from "../../widgets/icons";
import { useKeys } from "../../base/keys";
import { listOf, listText, query, setQuery } from "../../base/address";
import { model, sideA, sideB } from "../../domain/models/pair";
import { useResource } from "../../domain/live/resource";
import { BoxTable } from "./BoxTable";
import { fitAll, leastZoom, kept, panned, zoomed, type Camera } from "./camera";
import { describe, lookOf, usableModes, type LayerError, type Mode } from "./colours";
import { Card, Totals } from "./Cards";
import { Controls } from "./Controls";
import { boxOfPath, Kind, linksOf, readView, type Drawing, type Side } from "./data";
import { Empty } from "./Empty";
import { errorsOfBoxes, nextWorst, type PlacedError } from "./errors";
import { Find } from "./Find";
import { GraphCanvas } from "./GraphCanvas";
import { loadErrors } from "./load_errors";
import { MemoryCurve } from "./MemoryCurve";
import { DiffSummary, NodePanel } from "./NodePanel";
import { chooseSources, nameOf, readSources, type Shown } from "./sources";
import { Stages } from "./Stages";
import { usePlacedCamera } from "./usePlacedCamera";
import { usePlayedStages } from "./usePlayedStages";
import { neighbour, openedFor, toggled } from "./walk";
import "./graph.css";

const NONE_OPEN = "-"; // The value in the address if every group is closed.

export default function Graph(): JSX.Element {
  const graphs = useResource("graphs", (signal) => getJson(graphsShape, "graphs", {}, signal));
  const stages = useResource("stages", (signal) => getJson(stagesShape, "compression/stages", {}, signal));
  const sources = useMemo(
    () => (graphs.state.value.data ? readSources(graphs.state.value.data) : []),
    [graphs.state.value.data],
  );
  const { error, data } = graphs.state.value;
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={graphs.retry}>
          Try again
        </button>
      </p>
    );
  if (!data || !stages.state.value.data) return <div class="view" aria-busy="true" />;
  const shown = chooseSources(sources, stages.state.value.data.timelines, {
    graph: query.value.get("graph"),
    with: query.value.get("with"),
    stage: query.value.get("stage"),
    model: model.value,
    a: sideA.value,
    b: sideB.value,
  });
  if (!shown) return <Empty />;
  return (
    <GraphOf
      shown={shown}
      controls={(of, drawing, modes, mode, panes) => (
        <Controls sources={sources} shown={of} drawing={drawing} modes={modes} mode={mode} panes={panes} />
      )}
    />
  );
}

const NO_ERRORS: readonly PlacedError[] = [];

type ControlsOf = (
  shown: Shown,
  drawing: Drawing,
  modes: readonly Mode[],
  mode: Mode,
  panes: readonly Side[],
) => JSX.Element;

function GraphOf({ shown, controls }: { shown: Shown; controls: ControlsOf }): JSX.Element {
  const { a, b } = shown;
  const source = { run: a.run, tag: a.tag, ...(b ? { with_run: b.run, with_tag: b.tag } : {}) };
  const version = `${a.version} ${a.profiles.join()} ${b?.version ?? ""} ${b?.profiles.join() ?? ""}`;
  const pairs = [
    { model: a.model || model.value, a: a.variant, b: b?.variant ?? "" },
    { model: model.value, a: sideA.value, b: sideB.value },
  ];
  const placed = useResource(JSON.stringify([source, version, pairs]), (signal) => loadErrors(source, pairs, signal))
    .state.value.data;

  // The worst layer comes first and is selected at the start, until the user changes or clears the selection.
  const layer = query.value.get("layer");
  const asked =
    layer === null || query.value.has("nothing") ? null : (placed?.find((one) => one.layer === layer)?.path ?? null);
  const worst =
    placed === null || placed.length === 0 || query.value.has("nothing")
      ? null
      : placed.reduce((least, one) => (one.sqnr < least.sqnr ? one : least)).path;
  const node = query.value.get("node") ?? asked ?? worst;
  // The first selection is visible from the start; later selections do not move the camera.
  const pairId = `${a.id} ${b?.id ?? ""}`;
  const first = useRef({ pairId, node });
  if (first.current.pairId !== pairId || first.current.node === null) first.current = { pairId, node };
  const openText = query.value.get("open");
  const trace = query.value.get("trace");
  const body = {
    ...source,
    ...(openText === null
      ? first.current.node === null
        ? {}
        : { reveal: first.current.node }
      : { open: openText === NONE_OPEN ? [] : listOf(openText) }),
    ...(query.value.has("constants") ? { constants: 1 } : {}),
    ...(query.value.has("quantization") ? { quantization: 1 } : {}),
    ...(trace === null ? {} : { trace, direction: query.value.get("direction") ?? "inputs" }),
  };
  const { state, retry } = useResource(
    JSON.stringify([body, version]),
    async (signal) => ({
      drawing: readView(await postJson(viewShape, "graphs/view", body, signal)),
      shown,
      source,
      version,
    }),
    { live: false },
  );
  const { data, error } = state.value;

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
  // While another graph is being loaded, the previous one stays visible with all its panels.
  return (
    <GraphView
      key={`${data.shown.a.id} ${data.shown.b?.id ?? ""}`}
      {...data}
      path={node}
      errors={placed ?? NO_ERRORS}
      trouble={error?.message ?? null}
      controls={controls}
    />
  );
}

function GraphView({
  shown,
  path,
  source,
  version,
  drawing,
  errors,
  trouble,
  controls,
}: {
  shown: Shown;
  path: string | null;
  source: Record<string, string>;
  version: string;
  drawing: Drawing;
  errors: readonly PlacedError[];
  trouble: string | null;
  controls: ControlsOf;
}): JSX.Element {
  const [hovered, setHovered] = useState(-1);
  const [finding, setFinding] = useState(query.value.has("find"));
  const [foundPaths, setFoundPaths] = useState<readonly string[]>([]);
  const [narrow, setNarrow] = useState(window.innerWidth < 720);

  const { view } = drawing;
  const pair = view.boxes.b !== undefined;
  const boxErrors = useMemo(() => errorsOfBoxes(drawing, errors), [drawing, errors]);
  const modes = useMemo(() => usableModes(drawing, boxErrors), [drawing, boxErrors]);
  const mode = modes.find((id) => id === query.value.get("color")) ?? modes[0] ?? "structure";
  const wantedPane = query.value.get("pane");
  const panes = useMemo((): Side[] => {
    if (!pair) return ["a"];
    if (wantedPane === "a" || wantedPane === "b") return [wantedPane];
    return narrow ? ["b"] : ["a", "b"];
  }, [pair, wantedPane, narrow]);
  const looks = useMemo(
    () => ({ a: lookOf(drawing, mode, "a", boxErrors), b: lookOf(drawing, mode, "b", boxErrors) }),
    [drawing, mode, boxErrors],
  );

  const selected = path === null ? -1 : boxOfPath(drawing, path);
  const strong = useMemo(() => {
    const links = selected < 0 ? null : linksOf(drawing, selected);
    return new Set(links ? [...links.in, ...links.out] : []);
  }, [drawing, selected]);
  const found = useMemo(
    () => new Set(foundPaths.map((one) => boxOfPath(drawing, one)).filter((box) => box >= 0)),
    [drawing, foundPaths],
  );
  const marks = useMemo(() => ({ selected, hovered, strong, found }), [selected, hovered, strong, found]);

  useEffect(() => {
    const onResize = (): void => setNarrow(window.innerWidth < 720);
    window.addEventListener("resize", onResize);
    return () => window.removeEventListener("resize", onResize);
  }, []);

  const { camera, pane, onPane, goHome, hold, textOf } = usePlacedCamera(drawing, path, selected);
  const { playing, play, open: openStage, step: stepStage } = usePlayedStages(shown);

  const setOpen = (open: readonly string[]): void =>
    setQuery({ open: open.length === 0 ? NONE_OPEN : listText(open) }, "replace");
  const toggle = (box: number): void => {
    if (view.boxes.kinds[box] === Kind.Node || box < 0) return;
    hold(box);
    setOpen(toggled(drawing, box));
  };
  const pick = (box: number): void =>
    setQuery(box < 0 ? { node: null, nothing: "1" } : { node: view.boxes.paths[box]!, nothing: null });
  const pickPath = (target: string): void => {
    const open = openedFor(drawing, target);
    setQuery({ node: target, nothing: null, ...(open ? { open: listText(open) } : {}) });
  };
  const setTrace = (direction: "inputs" | "outputs"): void => {
    const on =
      path !== null && (query.value.get("trace") !== path || (query.value.get("direction") ?? "inputs") !== direction);
    setQuery({ trace: on ? path : null, direction: on && direction === "outputs" ? "outputs" : null });
  };
  const collapse = (): void => {
    const group =
      selected >= 0 && view.boxes.kinds[selected] === Kind.Open ? selected : (view.boxes.parents[selected] ?? -1);
    if (group < 0) return;
    toggle(group);
    setQuery({ node: view.boxes.paths[group]! }, "replace");
  };

  const walkWorst = (by: 1 | -1) => (): void => {
    const next = nextWorst(errors, path, by);
    if (next !== null) pickPath(next);
  };

  const move = (change: (from: Camera) => Camera) => (): void => {
    const from = camera.peek();
    if (from) camera.value = kept(change(from), view, pane.current);
  };
  const zoom = (factor: number) =>
    move((from) =>
      zoomed(from, factor, { x: pane.current.width / 2, y: pane.current.height / 2 }, leastZoom(view, pane.current)),
    );
  useKeys([
    { key: "f", does: "Find nodes", run: () => setFinding(true) },
    { key: "t", does: "Trace inputs", run: () => setTrace("inputs") },
    { key: "shift-t", does: "Trace outputs", run: () => setTrace("outputs") },
    {
      key: "e",
      does: "Expand the group",
      run: () => {
        if (view.boxes.kinds[selected] === Kind.Closed) toggle(selected);
      },
    },
    { key: "c", does: "Collapse the group", run: collapse },
    { key: "shift-c", does: "Collapse everything", run: () => setOpen([]) },
    { key: "n", does: "Go to the next worst layer", run: walkWorst(1) },
    { key: "shift-n", does: "Go to the previous worst layer", run: walkWorst(-1) },
    { key: "[", does: "Previous stage", run: () => stepStage(-1) },
    { key: "]", does: "Next stage", run: () => stepStage(1) },
    { key: "w", does: "Zoom in", run: zoom(1.25) },
    { key: "s", does: "Zoom out", run: zoom(0.8) },
    { key: "a", does: "Pan left", run: move((from) => panned(from, 80, 0)) },
    { key: "d", does: "Pan right", run: move((from) => panned(from, -80, 0)) },
    { key: "z", does: "Reset zoom", run: goHome },
    {
      key: "shift-z",
      does: "Show the whole graph",
      run: () => {
        camera.value = fitAll(view, pane.current);
      },
    },
    {
      key: "escape",
      does: "Select nothing",
      run: () => setQuery({ node: null, nothing: "1", trace: null, direction: null }),
    },
  ]);

  // A group shows its worst layer. A node shows only its own layer, even if the box around it contains a worse one.
  const errorOf = (of: string): LayerError | undefined =>
    view.boxes.paths[selected] === of && view.boxes.kinds[selected] !== Kind.Node
      ? boxErrors.get(selected)
      : errors.find((one) => one.path === of);
  const onHover = (box: number, side: Side, x: number, y: number): void => {
    if (box !== hovered) setHovered(box);
    if (box < 0) return hideReadout();
    showReadout(<Card drawing={drawing} box={box} side={side} error={boxErrors.get(box)} />, x, y);
  };
  useEffect(() => hideReadout, []);

  const names = { a: nameOf(shown.a), b: shown.b ? nameOf(shown.b) : "" };
  const summary = `${describe(drawing, mode)}${path === null ? "" : `; ${path} is selected`}`;
  const asTable = query.value.has("table");
  return (
    <div class="view graph">
      {controls(shown, drawing, modes, mode, panes)}
      {trouble !== null && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      {view.problems.map((problem) => (
        <p key={problem} class="trouble">
          {problem}
        </p>
      ))}
      {shown.timeline && (
        <Stages timeline={shown.timeline} stage={shown.stage} playing={playing} onPlay={play} onPick={openStage} />
      )}
      <div class="graph-area">
        {asTable ? (
          <BoxTable
            drawing={drawing}
            side={panes.at(-1) ?? "a"}
            look={looks[panes.at(-1) ?? "a"]}
            selected={selected}
            onPick={pick}
            onToggle={toggle}
          />
        ) : (
          <GraphCanvas
            drawing={drawing}
            panes={panes}
            looks={looks}
            marks={marks}
            camera={camera}
            titles={pair ? names : { a: "", b: "" }}
            summary={summary}
            onPane={onPane}
            onPick={pick}
            onToggle={toggle}
            onWalk={(way) => pick(neighbour(drawing, selected, way))}
            onHover={onHover}
            onRest={(at) => setQuery({ at: textOf(at) }, "replace")}
          />
        )}
        {finding ? (
          <Find
            source={source}
            version={version}
            pattern={query.value.get("find") ?? ""}
            onPattern={(find) => setQuery({ find }, "replace")}
            onFound={setFoundPaths}
            onPick={pickPath}
            onClose={() => {
              setFinding(false);
              setFoundPaths([]);
              setQuery({ find: null }, "replace");
            }}
          />
        ) : (
          <button class="pick find-open" onClick={() => setFinding(true)}>
            Find <kbd>f</kbd>
          </button>
        )}
        {!asTable && (
          <div class="zoom" role="group" aria-label="Zoom">
            <button class="icon" aria-label="Zoom in" onClick={zoom(1.4)}>
              +
            </button>
            <button class="icon" aria-label="Zoom out" onClick={zoom(1 / 1.4)}>
              −
            </button>
            <button
              class="icon"
              aria-label="Show the whole graph"
              onClick={() => {
                camera.value = fitAll(view, pane.current);
              }}
            >
              <Icon d={ICONS.wide} />
            </button>
          </div>
        )}
      </div>
      <MemoryCurve source={source} version={version} selected={path} onPick={pickPath} />
      <aside class="side" aria-label="Selected node" aria-live="polite">
        {path !== null && (
          <NodePanel
            path={path}
            source={source}
            version={version}
            pair={pair}
            names={names}
            error={errorOf(path)}
            onPick={pickPath}
            summary={pair ? <DiffSummary view={view} /> : null}
          >
            <>
              {selected >= 0 && view.boxes.kinds[selected] !== Kind.Node && (
                <button onClick={() => toggle(selected)}>
                  {view.boxes.kinds[selected] === Kind.Open ? "Collapse" : "Expand"} {view.boxes.labels[selected]}
                </button>
              )}
              {errors.length > 1 && (
                <button title="Go to the layer with the next lower damage (n)" onClick={walkWorst(1)}>
                  Next worst
                </button>
              )}
              <button aria-pressed={trace(path, "inputs")} onClick={() => setTrace("inputs")}>
                Trace inputs
              </button>
              <button aria-pressed={trace(path, "outputs")} onClick={() => setTrace("outputs")}>
                Trace outputs
              </button>
            </>
          </NodePanel>
        )}
        {pair && path === null && <DiffSummary view={view} />}
        {!pair && path === null && <Totals drawing={drawing} />}
        <section class="panel">
          <p class="note">
            Keys: f find, n next worst layer, t trace inputs, e expand, c collapse,
            <br />
            {shown.timeline ? "[ ] previous or next stage, " : ""}w a s d zoom and pan, arrow keys go from node to node
          </p>
        </section>
      </aside>
    </div>
  );
}

function trace(path: string, direction: "inputs" | "outputs"): boolean {
  return query.value.get("trace") === path && (query.value.get("direction") ?? "inputs") === direction;
}
