// The view of one embedding: its points, a tooltip, and a panel with colours, search results and the neighbours of the
// selected point. The address holds the whole state.
import { resolveColour } from "../../base/dom/css_colour";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { hideReadout, showReadout } from "../../widgets/readout";
import { csvOf, fileName, saveAs } from "../../base/text/csv";
import { count, fixed, plural, significant } from "../../base/text/format";
import { matcherOf } from "../../base/text/matching";
import { lostPoints, type Camera } from "../../base/math/space";
import { SpaceView } from "../../widgets/SpaceView";
import { useCamera } from "../../widgets/useCamera";
import { useKeys } from "../../base/keys";
import { Menu } from "../../widgets/Menu";
import { query, setQuery } from "../../base/address";
import { ChosenPoint, Facts, nameOf, Picture } from "./ChosenPoint";
import type { Cloud } from "./data";
import { colouringOf, firstColumn, type Colouring } from "./labels";
import { paintScene, pointAt, type Inks, type Scene } from "./paint";
import { neighbours, type Nearness } from "./pca";
import { LayoutControls, readNear } from "./LayoutControls";
import { usePointLayout, type Method } from "./usePointLayout";

const METHODS: readonly { readonly id: Method; readonly name: string; readonly title: string }[] = [
  {
    id: "tsne",
    name: "t-SNE",
    title: "Keeps points close together that are close in all dimensions; up to 2,000 points",
  },
  {
    id: "umap",
    name: "UMAP",
    title: "Keeps points close together that are close in all dimensions; up to 100,000 points",
  },
];

const REACH = 10; // The max distance between pointer and point, in pixels.
const NEIGHBOURS = 20;
const HEATS = 6;

function inksOf(element: Element): Inks {
  const named = (name: string): string => resolveColour(element, `--${name}`);
  return {
    ink: named("ink"),
    dim: named("ink-3"),
    paper: named("paper-sunk"),
    line: named("line-strong"),
    font: `11px ${getComputedStyle(element).fontFamily}`,
    runs: Array.from({ length: 9 }, (_, i) => named(i === 0 ? "ink-3" : `run-${i}`)),
    heats: Array.from({ length: HEATS }, (_, i) => named(`heat-${i}`)),
  };
}

function Keys({
  colouring,
  framed,
  value: chosen,
  onValue,
}: {
  colouring: Colouring;
  framed: boolean;
  value: string | null;
  onValue: (value: string) => void;
}): JSX.Element {
  if (colouring.kind === "numbers") {
    return (
      <div class="heat-key">
        <span>{significant(colouring.least)}</span>
        <i aria-hidden="true" />
        <span>{significant(colouring.greatest)}</span>
      </div>
    );
  }
  return (
    <ul class="colour-keys">
      {colouring.keys.map(({ value, look }) => (
        <li key={value}>
          <button class="link" aria-pressed={value === chosen} onClick={() => onValue(value)}>
            <i
              class={`key-${look.shape}${framed ? " framed" : ""}`}
              style={{ [framed ? "borderColor" : "background"]: `var(--run-${look.colour})` }}
            />
            {value === "" ? "(none)" : value}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function CloudView({ title, cloud, total }: { title: string; cloud: Cloud; total: number }): JSX.Element {
  const [camera, setCamera] = useCamera();
  const asked = query.value;
  const [flat, find] = [asked.has("flat"), asked.get("find") ?? ""];
  const method = METHODS.find((each) => each.id === asked.get("by"))?.id ?? null;
  const how: Nearness = asked.has("distance") ? "distance" : "cosine";
  const seen: Camera = flat ? { ...camera, yaw: 0, pitch: 0 } : camera;
  const { labels, sprite } = cloud;
  const n = cloud.points.length / 3;
  const near = method ? readNear(method, asked) : 0;
  const layout = usePointLayout(cloud, method, flat, near);
  const points = (method ? layout.points : null) ?? cloud.points;
  const point = Number(asked.get("point") ?? NaN);
  const chosen = Number.isInteger(point) && point >= 0 && point < n ? point : -1;
  const column = useMemo(() => {
    const named = labels?.columns.indexOf(asked.get("colour") ?? "") ?? -1;
    return named >= 0 || !labels ? named : firstColumn(labels);
  }, [labels, asked.get("colour")]);
  const colouring = useMemo(() => (labels ? colouringOf(labels, column) : null), [labels, column]);
  const pictures = sprite !== null && asked.get("pictures") !== "0";
  const value = colouring?.kind === "values" ? asked.get("value") : null;
  const found = useMemo(() => {
    if (!labels || (find === "" && value === null)) return [];
    const matches = matcherOf(find);
    return labels.rows.flatMap((row, i) =>
      i < n && (find === "" || row.some(matches)) && (value === null || (row[column] ?? "") === value) ? [i] : [],
    );
  }, [labels, find, value, column]);
  const nearest = useMemo(
    () => (chosen >= 0 ? neighbours(cloud.rows, cloud.width, chosen, NEIGHBOURS, how) : []),
    [cloud, chosen, how],
  );
  const lost = useMemo(() => lostPoints(cloud.points), [cloud]);
  useKeys([{ key: "escape", does: "Select nothing", run: () => setQuery({ point: null, find: null, value: null }) }]);
  useEffect(() => hideReadout, []);

  const scene: Scene = useMemo(
    () => ({
      points,
      camera: seen,
      colouring,
      marked: new Set([...found, ...nearest.map(({ row }) => row)]),
      chosen,
      sprite: pictures ? sprite : null,
      nameOf: (row) => nameOf(labels, row),
      axes: method
        ? []
        : (flat ? cloud.shares.slice(0, 2) : cloud.shares).map((share, i) => `PC ${i + 1}, ${fixed(share * 100, 1)} %`),
    }),
    [
      cloud,
      points,
      method,
      seen.yaw,
      seen.pitch,
      seen.zoom,
      seen.x,
      seen.y,
      colouring,
      found,
      nearest,
      chosen,
      pictures,
      flat,
    ],
  );
  const paint = useMemo(
    () =>
      (context: CanvasRenderingContext2D, width: number, height: number, element: Element): void =>
        paintScene(context, scene, inksOf(element), width, height),
    [scene],
  );
  const rowAt = (x: number, y: number): number => {
    const { width, height } = document.querySelector(".projector .space")?.getBoundingClientRect() ?? {
      width: 0,
      height: 0,
    };
    return pointAt(points, seen, width, height, x, y, REACH);
  };
  const choose = (row: number): void => setQuery({ point: row < 0 ? null : String(row) });
  const save = (): void =>
    saveAs(
      fileName(title, "csv"),
      csvOf(
        ["row", "x", "y", ...(flat ? [] : ["z"]), ...(labels?.columns ?? [])],
        Array.from({ length: n }, (_, row) => row)
          .filter((row) => !Number.isNaN(points[3 * row]))
          .map((row) => [row, ...points.subarray(3 * row, 3 * row + (flat ? 2 : 3)), ...(labels?.rows[row] ?? [])]),
      ),
      "text/csv",
    );
  const notes = [
    n < total ? `The first ${count(n)} of ${count(total)} rows.` : "",
    lost > 0 ? `${plural(lost, "row")} with values that are not finite ${lost === 1 ? "is" : "are"} left out.` : "",
    method === "tsne" && layout.stride > 1
      ? `t-SNE lays out ${count(layout.sampled)} of them, evenly chosen: one in ${count(layout.stride)}.`
      : "",
  ].filter(Boolean);
  return (
    <>
      <div class="projector-main">
        <SpaceView
          camera={seen}
          flat={flat}
          onCamera={(next) => setCamera(flat ? { ...next, yaw: camera.yaw, pitch: camera.pitch } : next)}
          paint={paint}
          label={`${title}, ${plural(n - lost, "point")}`}
          onPick={(x, y) => choose(rowAt(x, y))}
          onPoint={(at) => {
            const row = at ? rowAt(at.x, at.y) : -1;
            if (!at || row < 0) return hideReadout();
            showReadout(
              <div class="point-readout">
                {sprite && <Picture sprite={sprite} row={row} side={48} />}
                <div>
                  <b>{nameOf(labels, row)}</b>
                  <Facts labels={labels} row={row} />
                </div>
              </div>,
              at.clientX,
              at.clientY,
            );
          }}
        />
        {notes.length > 0 && <p class="note">{notes.join(" ")}</p>}
      </div>
      <aside class="projector-side" aria-label="Points">
        <div class="seg-row">
          <span class="seg" role="group" aria-label="Method of the layout">
            <button
              aria-pressed={method === null}
              title="Shows the points along the directions in which they differ most"
              onClick={() => setQuery({ by: null })}
            >
              PCA
            </button>
            {METHODS.map(({ id, name, title: what }) => (
              <button key={id} aria-pressed={method === id} title={what} onClick={() => setQuery({ by: id })}>
                {name}
              </button>
            ))}
          </span>
          <span class="seg" role="group" aria-label="Space">
            <button aria-pressed={!flat} onClick={() => setQuery({ flat: null })}>
              3D
            </button>
            <button aria-pressed={flat} onClick={() => setQuery({ flat: "1" })}>
              2D
            </button>
          </span>
          {sprite && (
            <span class="seg" role="group" aria-label="Draw points as">
              <button aria-pressed={pictures} onClick={() => setQuery({ pictures: null })}>
                Pictures
              </button>
              <button aria-pressed={!pictures} onClick={() => setQuery({ pictures: "0" })}>
                Dots
              </button>
            </span>
          )}
        </div>
        {method && <LayoutControls layout={layout} method={method} near={near} />}
        {labels && (
          <input
            class="field"
            type="search"
            aria-label="Find points"
            placeholder="Find labels: regular expression"
            value={find}
            onInput={(event) => setQuery({ find: event.currentTarget.value }, "replace")}
          />
        )}
        {(find !== "" || value !== null) && (
          <p class="note" role="status">
            {found.length === 0 ? "No label matches." : `${plural(found.length, "point")} found`}{" "}
            <button class="link" onClick={() => setQuery({ find: null, value: null })}>
              Clear
            </button>
          </p>
        )}
        {labels && labels.columns.length > 1 && (
          <Menu
            label={`Colour by ${labels.columns[column]}`}
            value={labels.columns[column] ?? ""}
            choices={labels.columns.map((name) => ({ value: name, text: name }))}
            onPick={(name) => setQuery({ colour: name, value: null })}
          >
            <span class="dim">Colour by</span> {labels.columns[column]}
          </Menu>
        )}
        {colouring && (
          <Keys
            colouring={colouring}
            framed={pictures}
            value={value}
            onValue={(next) => setQuery({ value: next === value ? null : next })}
          />
        )}
        {labels && !colouring && (
          <p class="note">{labels.columns[column]} has too many different values for colours, or only one value.</p>
        )}
        {chosen < 0 && (
          <p class="note">Select a point to see what is near it in all {count(cloud.width)} dimensions.</p>
        )}
        {chosen >= 0 && <ChosenPoint cloud={cloud} row={chosen} near={nearest} how={how} onChoose={choose} />}
        <button class="link" onClick={save}>
          Save points as CSV
        </button>
      </aside>
    </>
  );
}
