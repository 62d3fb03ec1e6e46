// Embeddings: vectors of many numbers as points in space, along the directions in which they differ most.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { getBytes, getJson, getText } from "../../api/client";
import { hideReadout, showReadout } from "../../charts/readout";
import { resolveColour } from "../../lib/colour";
import { count, fixed, plural, significant } from "../../lib/format";
import { matcherOf } from "../../lib/matching";
import { centred, farFirst, FIRST_EYE, placed } from "../../lib/space";
import { Nothing } from "../../parts/Nothing";
import { Space } from "../../parts/Space";
import { useKeys } from "../../shell/keys";
import { Menu } from "../../shell/Menu";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
import { coloursOf, readLabels, type Labels } from "./labels";
import { neighbours, project } from "./pca";
import "./projector.css";

const MOST_ROWS = 20_000; // More dots than a screen can tell apart.
const REACH = 8; // Pixels around a dot.

interface EmbeddingsAnswer {
  runs: string[];
  names: string[];
  shapes: number[][];
  have_metadata: boolean[];
}

interface Cloud {
  readonly rows: Float32Array;
  readonly width: number;
  readonly points: Float32Array;
  readonly shares: readonly [number, number, number];
  readonly labels: Labels | null;
}

async function loadCloud(run: string, name: string, width: number, labelled: boolean, signal: AbortSignal): Promise<Cloud> {
  const [bytes, text] = await Promise.all([
    getBytes("embeddings/tensor", { run, name, rows: MOST_ROWS }, signal),
    labelled ? getText("embeddings/metadata", { run, name, rows: MOST_ROWS }, signal) : Promise.resolve(null),
  ]);
  const rows = new Float32Array(bytes);
  const { points, shares } = project(rows, width);
  return { rows, width, shares, points: centred(points), labels: text === null ? null : readLabels(text) };
}

function CloudView({ title, cloud, total }: { title: string; cloud: Cloud; total: number }): JSX.Element {
  const [eye, setEye] = useState(FIRST_EYE);
  const [flat, how] = [query.value.has("flat"), query.value.has("distance") ? "distance" as const : "cosine" as const];
  const seen = flat ? { yaw: 0, pitch: 0, zoom: eye.zoom } : eye;
  const find = query.value.get("find") ?? "";
  const chosen = Number(query.value.get("point") ?? NaN);
  const { labels } = cloud;
  const column = Math.max(0, labels?.columns.indexOf(query.value.get("colour") ?? labels.columns[0] ?? "") ?? 0);
  const colours = useMemo(() => (labels ? coloursOf(labels, column) : null), [labels, column]);
  const n = cloud.points.length / 3;
  const nameOf = (row: number): string => labels?.rows[row]?.[0] || `row ${row}`;
  const near = useMemo(() => (chosen >= 0 && chosen < n ? neighbours(cloud.rows, cloud.width, chosen, 20, how) : []), [cloud, chosen, how]);
  const marked = useMemo(() => {
    const matches = matcherOf(find);
    return new Set([...(find === "" || !labels ? [] : labels.rows.flatMap((row, i) => (row.some(matches) ? [i] : []))), ...near.map(({ row }) => row)]);
  }, [labels, find, near]);
  useKeys([{ key: "z", does: "As it was first", run: () => setEye(FIRST_EYE) }, { key: "escape", does: "Select nothing", run: () => setQuery({ point: null }) }]);
  useEffect(() => hideReadout, []);

  const paint = useMemo(() => (context: CanvasRenderingContext2D, width: number, height: number, element: Element): void => {
    context.clearRect(0, 0, width, height);
    const { xs, ys, depths } = placed(cloud.points, seen, width, height);
    const inks = Array.from({ length: 9 }, (_, i) => resolveColour(element, i === 0 ? "--ink-3" : `--run-${i}`));
    const [ink, paper] = [resolveColour(element, "--ink"), resolveColour(element, "--paper")];
    const some = marked.size > 0;
    for (const i of farFirst(depths)) {
      const strong = marked.has(i) || i === chosen;
      context.globalAlpha = some && !strong ? 0.2 : 0.55 + 0.4 * ((depths[i]! + 1) / 2);
      context.fillStyle = inks[colours?.colours[i] ?? 0] ?? ink;
      context.beginPath();
      context.arc(xs[i]!, ys[i]!, i === chosen ? 5 : strong ? 4 : n > 5000 ? 1.5 : 2.5, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
    context.font = `11px ${getComputedStyle(element).fontFamily}`;
    for (const i of [...marked].slice(0, 20).concat(chosen >= 0 && chosen < n ? [chosen] : [])) {
      context.lineWidth = 3;
      context.strokeStyle = paper;
      context.fillStyle = ink;
      context.strokeText(nameOf(i), xs[i]! + 6, ys[i]! + 4);
      context.fillText(nameOf(i), xs[i]! + 6, ys[i]! + 4);
    }
  }, [cloud, seen.yaw, seen.pitch, seen.zoom, colours, marked, chosen]);
  const nearest = (x: number, y: number, width: number, height: number): number => {
    const { xs, ys } = placed(cloud.points, seen, width, height);
    let [found, least] = [-1, REACH];
    for (let i = 0; i < n; i += 1) {
      const far = Math.hypot(xs[i]! - x, ys[i]! - y);
      if (far < least) [found, least] = [i, far];
    }
    return found;
  };
  const sizeOf = (): { width: number; height: number } => document.querySelector(".projector .space")?.getBoundingClientRect() ?? { width: 0, height: 0 };
  const pick = (x: number, y: number): void => {
    const { width, height } = sizeOf();
    const row = nearest(x, y, width, height);
    setQuery({ point: row < 0 ? null : String(row) });
  };
  return (
    <>
      <div class="projector-main">
        <Space eye={seen} onEye={setEye} paint={paint} onPick={pick} label={`${title}, ${plural(n, "point")}`}
          onPoint={(at) => {
            const { width, height } = sizeOf();
            const row = at ? nearest(at.x, at.y, width, height) : -1;
            if (!at || row < 0) return hideReadout();
            showReadout(<><b>{nameOf(row)}</b><dl class="two">{labels?.columns.slice(1).map((name, c) => <><dt>{name}</dt><dd>{labels.rows[row]?.[c + 1]}</dd></>)}</dl></>, at.clientX, at.clientY);
          }} />
        <p class="note">{n < total ? `The first ${count(n)} of ${count(total)} rows. ` : ""}The directions show {cloud.shares.map((share) => `${fixed(share * 100, 1)} %`).join(", ")} of what differs.</p>
      </div>
      <aside class="projector-side" aria-label="Points">
        <input class="field" type="search" aria-label="Find points" placeholder="Find labels: regular expression" value={find} onInput={(event) => setQuery({ find: event.currentTarget.value }, "replace")} />
        <label class="label">From the front <input type="checkbox" checked={flat} onChange={() => setQuery({ flat: flat ? null : "1" })} /></label>
        {labels && labels.columns.length > 1 && (
          <Menu label={`Colour by ${labels.columns[column]}`} value={labels.columns[column] ?? ""} choices={labels.columns.map((name) => ({ value: name, text: name }))} onPick={(name) => setQuery({ colour: name })}><span class="dim">Colour by</span> {labels.columns[column]}</Menu>
        )}
        {colours && <ul class="colour-keys">{colours.values.map((value, i) => <li key={value}><i style={{ background: `var(--run-${i + 1})` }} />{value}</li>)}</ul>}
        {near.length === 0 ? <p class="note">Select a point to see what is near it, in all {cloud.width} dimensions.</p> : (
          <>
            <div class="panel-head"><h2>Near {nameOf(chosen)}</h2>
              <span class="seg push" role="group" aria-label="Near by">
                <button aria-pressed={how === "cosine"} onClick={() => setQuery({ distance: null })}>Cosine</button>
                <button aria-pressed={how === "distance"} onClick={() => setQuery({ distance: "1" })}>Distance</button>
              </span>
            </div>
            <table class="table"><tbody>{near.map(({ row, far }) => <tr key={row}><td><button class="link" onClick={() => setQuery({ point: String(row) })}>{nameOf(row)}</button></td><td class="num">{significant(far, 3)}</td></tr>)}</tbody></table>
          </>
        )}
      </aside>
    </>
  );
}

export default function Projector(): JSX.Element {
  const list = useResource("embeddings", (signal) => getJson<EmbeddingsAnswer>("embeddings", {}, signal));
  const { data, error } = list.state.value;
  const ids = data?.names.map((name, i) => `${data.runs[i]} ${name}`) ?? [];
  const at = Math.max(0, ids.indexOf(query.value.get("tensor") ?? ""));
  const [rows = 0, width = 0] = data?.shapes[at] ?? [];
  const cloud = useResource(JSON.stringify([ids[at], rows, width]), (signal) => (data && ids.length > 0 && width > 0 ? loadCloud(data.runs[at] ?? "", data.names[at] ?? "", width, data.have_metadata[at] ?? false, signal) : Promise.resolve(null)));
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={list.retry}>Try again</button></p>;
  if (!data) return <div class="view" aria-busy="true" />;
  if (ids.length === 0) return <Empty />;
  const problem = cloud.state.value.error;
  return (
    <div class="view projector-page">
      <div class="page-bar">
        <h1>Projector</h1>
        <span class="note">{count(rows)} × {count(width)}, principal components</span>
        <Menu label={`Embedding ${ids[at]}`} value={ids[at] ?? ""} choices={ids.map((id) => ({ value: id, text: id }))} onPick={(id) => setQuery({ tensor: id, point: null })}>{ids[at]}</Menu>
      </div>
      {problem && <p class="trouble" role="alert">{problem.message} <button class="link" onClick={cloud.retry}>Try again</button></p>}
      <div class="projector">{cloud.state.value.data && <CloudView title={ids[at] ?? ""} cloud={cloud.state.value.data} total={rows} />}</div>
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <Nothing title="No embeddings yet" about="This page shows vectors of many numbers as points in space: what is alike lies together."
      lookedFor={<>files <span class="mono">projector_config.pbtxt</span> beside the events</>}>
      <pre>{`writer.add_embedding(features, metadata=labels, tag="features", global_step=step)`}</pre>
    </Nothing>
  );
}
