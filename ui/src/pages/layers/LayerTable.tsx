// The ranked list of layers. Only the rows in sight exist.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { dbText, gainText } from "../../domain/layers/decibels";
import { bytesColumn, exact, fixed } from "../../base/text/format";
import { usePrinting, useRowsInSight } from "../../widgets/useRowsInSight";
import { limitText, nameOfFigure, sqnrText, topOf, type Layer, type Limits } from "../../domain/layers/layers";
import { clampDb } from "./depth_layout";

const ROW_HEIGHT = 28; // --row.

// So many are all there, so that the browser finds them in the page and columns are as wide as they need.
const FEW = 200;

/** How far along a bar: all layers on one scale, which ends 8 dB below the lowest limit of what fails. */
const placesOf = (layers: readonly Layer[], limits: Limits) => {
  const top = topOf(limits);
  const end = layers.reduce((lowest, layer) => Math.min(lowest, layer.limits.red_db), limits.red_db) - 8;
  return (db: number): string => `${((top - clampDb(db, top, end)) / (top - end)) * 100}%`;
};

/** Which columns there is something for. */
interface Columns {
  /** The SQNR of whole layers, where the level of some depends on another figure. */
  readonly own: boolean;
  readonly worst: boolean;
  /** The adjusted score of layers of fewer bits. */
  readonly asEight: boolean;
  readonly cosine: boolean;
  readonly restored: boolean;
  readonly sizes: ReturnType<typeof bytesColumn> | null;
}

function columnsOf(layers: readonly Layer[]): Columns {
  const bytes = layers.flatMap((layer) => layer.bytes ?? []);
  return {
    own: layers.some((layer) => layer.ownSqnr !== null && layer.sqnrBy !== "sqnr_db"),
    worst: layers.some((layer) => layer.worstChannel !== null),
    asEight: layers.some((layer) => layer.asEightBits !== null),
    cosine: layers.some((layer) => layer.cosine !== null),
    restored: layers.some((layer) => layer.restored !== null),
    sizes: bytes.length > 0 ? bytesColumn(bytes) : null,
  };
}

const toneOf = ({ level }: Layer): string => (level === "good" ? "" : level === "open" ? "none" : level);
const GLYPHS = { bad: "✗ ", warn: "▲ ", good: "", open: "" } as const;

/** The number that decides the level, and its name where it is not the layer's SQNR. */
function DecisiveFigure({ layer }: { layer: Layer }): JSX.Element {
  const name = nameOfFigure(layer);
  return (
    <>
      {GLYPHS[layer.level]}
      {layer.sqnrIsBound && Number.isFinite(layer.sqnr) ? "≤ " : ""}
      {sqnrText(layer)}
      {name && <span class="dim"> {name}</span>}
    </>
  );
}

/** Where there is room for one of the two only, it is for what was measured at the end. */
const cosineClass = ({ restored }: Columns): string => `num ${restored ? "wide-l" : "wide-s"}`;

function Row({
  layer,
  index,
  selected,
  columns,
  place,
  onPick,
}: {
  layer: Layer;
  index: number;
  selected: boolean;
  columns: Columns;
  place: (db: number) => string;
  onPick: (layer: Layer) => void;
}): JSX.Element {
  const { sizes } = columns;
  return (
    <tr
      tabIndex={selected ? 0 : -1}
      aria-selected={selected}
      aria-rowindex={index + 2}
      onClick={() => onPick(layer)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onPick(layer);
      }}
    >
      <td class="mono" title={layer.name}>
        {layer.name}
        {layer.role === "output" ? "" : <span class="dim"> {layer.parameter || layer.role}</span>}
      </td>
      <td class={`num ${toneOf(layer)}`} title={layer.explanation}>
        <DecisiveFigure layer={layer} />
      </td>
      <td class="bar-cell">
        {!Number.isNaN(layer.sqnr) && (
          <span class={`short ${layer.level}`} data-db={layer.sqnr}>
            <i style={{ width: place(layer.sqnr) }} />
            <u style={{ left: place(layer.limits.amber_db) }} />
            <u style={{ left: place(layer.limits.red_db) }} />
          </span>
        )}
      </td>
      {columns.own && <td class="num wide-d wide-s">{layer.ownSqnr === null ? "–" : dbText(layer.ownSqnr)}</td>}
      {columns.worst && (
        <td class="num wide-d wide-s">{layer.worstChannel === null ? "–" : dbText(layer.worstChannel)}</td>
      )}
      {columns.asEight && (
        <td class="num wide-d wide-s" title={`${layer.bits} bits`}>
          {layer.asEightBits === null ? "–" : dbText(layer.asEightBits)}
        </td>
      )}
      {columns.cosine && <td class={cosineClass(columns)}>{layer.cosine === null ? "–" : fixed(layer.cosine, 4)}</td>}
      {columns.restored && (
        <td class="num">{layer.restored === null ? <span class="dim">–</span> : gainText(layer.restored)}</td>
      )}
      {sizes && (
        <td class="num wide-m" title={layer.bytes === null ? undefined : `${exact(layer.bytes)} bytes`}>
          {layer.bytes === null ? "–" : sizes.text(layer.bytes)}
        </td>
      )}
      <td class="dim">{layer.causeText}</td>
    </tr>
  );
}

/** Where rows are that do not exist now. */
const Room = ({ rows }: { rows: number }): JSX.Element | null =>
  rows === 0 ? null : (
    <tr class="room" aria-hidden="true">
      <td colSpan={10} style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  );

export function LayerTable({
  layers,
  limits,
  picked,
  onPick,
}: {
  layers: readonly Layer[];
  limits: Limits;
  picked: Layer | null;
  onPick: (layer: Layer) => void;
}): JSX.Element {
  const columns = useMemo(() => columnsOf(layers), [layers]);
  const place = useMemo(() => placesOf(layers, limits), [layers, limits]);
  const all = usePrinting() || layers.length <= FEW;
  const sight = useRowsInSight(layers.length, ROW_HEIGHT);
  const [first, last] = all ? [0, layers.length] : [sight.first, sight.last];
  const at = picked ? layers.indexOf(picked) : -1;
  useEffect(() => sight.show(at, ROW_HEIGHT), [picked, at]);
  return (
    <div class="list" ref={sight.ref} onScroll={sight.onScroll}>
      <table class={`table${all ? "" : " long"}`} aria-rowcount={layers.length + 1}>
        <caption class="sr">Layers, worst first</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Layer</th>
            <th scope="col" class="num" title="The number that decides the level of the layer, as drawn beside it">
              SQNR, dB
            </th>
            <th scope="col" class="bar-cell">
              <span class="sr">Short of {limitText(topOf(limits))} dB</span>
              <span class="short" aria-hidden="true">
                <em>{limitText(topOf(limits))}</em>
                {[limits.amber_db, limits.red_db].map((db) => (
                  <em key={db} style={{ left: place(db) }}>
                    {limitText(db)}
                  </em>
                ))}
              </span>
            </th>
            {columns.own && (
              <th scope="col" class="num wide-d wide-s" title="SQNR of the whole layer">
                Whole
              </th>
            )}
            {columns.worst && (
              <th scope="col" class="num wide-d wide-s">
                Worst ch.
              </th>
            )}
            {columns.asEight && (
              <th
                scope="col"
                class="num wide-d wide-s"
                title="An adjusted score, not a measurement: the SQNR of 8 bits that would be as good for a layer of fewer bits"
              >
                8-bit score
              </th>
            )}
            {columns.cosine && (
              <th scope="col" class={cosineClass(columns)}>
                Cosine
              </th>
            )}
            {columns.restored && (
              <th scope="col" class="num" title="Gain of the output SQNR when only this is restored to float">
                Restored<span class="wide-s">, dB</span>
              </th>
            )}
            {columns.sizes && (
              <th scope="col" class="num wide-m">
                Size, {columns.sizes.unit}
              </th>
            )}
            <th scope="col">Cause</th>
          </tr>
        </thead>
        <tbody>
          <Room rows={first} />
          {layers.slice(first, last).map((layer, i) => (
            <Row
              key={layer.key}
              layer={layer}
              index={first + i}
              selected={layer === picked}
              columns={columns}
              place={place}
              onPick={onPick}
            />
          ))}
          <Room rows={layers.length - last} />
        </tbody>
      </table>
    </div>
  );
}
