// The ranked list of layers. Of thousands only the rows in sight exist.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { dbText, gainText } from "../../lib/decibels";
import { bytesColumn, exact, fixed } from "../../lib/format";
import { usePrinting, useRowsInSight } from "../../parts/useRowsInSight";
import { causeWord } from "./causes";
import { limitText, sqnrText, topOf, type Layer, type Limits } from "./data";
import { clampDb } from "./depth_layout";

const ROW_HEIGHT = 28; // --row.

// So many are all there, so that the browser finds them in the page and columns are as wide as they need.
const FEW = 200;

/** How far along a bar, which hangs over the limit of what fails by 8 dB. */
const placesOf = (limits: Limits) => (db: number): string => {
  const [top, end] = [topOf(limits), limits.red_db - 8];
  return `${((top - clampDb(db, top, end)) / (top - end)) * 100}%`;
};

/** Which columns there is something for. */
interface Columns {
  readonly worst: boolean;
  /** Whether some layer is judged by it, so that it has to be seen. */
  readonly byChannel: boolean;
  readonly cosine: boolean;
  readonly restored: boolean;
  readonly sizes: ReturnType<typeof bytesColumn> | null;
}

function columnsOf(layers: readonly Layer[]): Columns {
  const bytes = layers.flatMap((layer) => layer.bytes ?? []);
  return {
    worst: layers.some((layer) => layer.worstChannel !== null),
    byChannel: layers.some((layer) => layer.byChannel),
    cosine: layers.some((layer) => layer.cosine !== null),
    restored: layers.some((layer) => layer.restored !== null),
    sizes: bytes.length > 0 ? bytesColumn(bytes) : null,
  };
}

/** The mark of a layer stands at the number that it fails or is watched by. */
const toneOf = (layer: Layer, ofChannel: boolean): string => (layer.level === "good" || layer.byChannel !== ofChannel ? "" : layer.level);
const glyphOf = (layer: Layer, ofChannel: boolean): string => (layer.byChannel === ofChannel ? { bad: "✗ ", warn: "▲ ", good: "" }[layer.level] : "");

/** Where there is room for one of the two only, it is for what was measured at the end. */
const cosineClass = ({ restored }: Columns): string => `num ${restored ? "wide-l" : "wide-s"}`;

function Row({ layer, index, selected, columns, limits, onPick }: {
  layer: Layer; index: number; selected: boolean; columns: Columns; limits: Limits; onPick: (layer: Layer) => void;
}): JSX.Element {
  const { sizes } = columns;
  const place = placesOf(limits);
  return (
    <tr tabIndex={selected ? 0 : -1} aria-selected={selected} aria-rowindex={index + 2} onClick={() => onPick(layer)}
      onKeyDown={(event) => { if (event.key === "Enter") onPick(layer); }}>
      <td class="mono" title={layer.name}>{layer.name}{layer.role === "output" ? "" : <span class="dim"> {layer.parameter || layer.role}</span>}</td>
      <td class={`num ${toneOf(layer, false)}`} title={layer.explanation}>
        {glyphOf(layer, false)}{layer.sqnrIsBound && Number.isFinite(layer.sqnr) ? "≤ " : ""}{sqnrText(layer)}
      </td>
      <td class="bar-cell"><span class={`short ${layer.level}`}><i style={{ width: place(layer.judged) }} /><u style={{ left: place(limits.amber_db) }} /><u style={{ left: place(limits.red_db) }} /></span></td>
      {columns.worst && <td class={`num ${columns.byChannel ? "" : "wide-d"} ${toneOf(layer, true)}`}>{layer.worstChannel === null ? "–" : <>{glyphOf(layer, true)}{dbText(layer.worstChannel)}</>}</td>}
      {columns.cosine && <td class={cosineClass(columns)}>{layer.cosine === null ? "–" : fixed(layer.cosine, 4)}</td>}
      {columns.restored && <td class="num">{layer.restored === null ? <span class="dim">–</span> : gainText(layer.restored)}</td>}
      {sizes && <td class="num wide-m" title={layer.bytes === null ? undefined : `${exact(layer.bytes)} bytes`}>{layer.bytes === null ? "–" : sizes.text(layer.bytes)}</td>}
      <td class="dim">{causeWord(layer.cause)}</td>
    </tr>
  );
}

/** Where rows are that do not exist now. */
const Room = ({ rows }: { rows: number }): JSX.Element | null =>
  rows === 0 ? null : <tr class="room" aria-hidden="true"><td colSpan={8} style={{ height: `${rows * ROW_HEIGHT}px` }} /></tr>;

export function LayerTable({ layers, limits, picked, onPick }: { layers: readonly Layer[]; limits: Limits; picked: Layer | null; onPick: (layer: Layer) => void }): JSX.Element {
  const columns = useMemo(() => columnsOf(layers), [layers]);
  const place = placesOf(limits);
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
            <th scope="col" class="num">SQNR, dB</th>
            <th scope="col" class="bar-cell"><span class="sr">Short of {limitText(topOf(limits))} dB</span>
              <span class="short" aria-hidden="true"><em>{limitText(topOf(limits))}</em>{[limits.amber_db, limits.red_db].map((db) => <em key={db} style={{ left: place(db) }}>{limitText(db)}</em>)}</span></th>
            {columns.worst && <th scope="col" class={`num${columns.byChannel ? "" : " wide-d"}`}>Worst ch.</th>}
            {columns.cosine && <th scope="col" class={cosineClass(columns)}>Cosine</th>}
            {columns.restored && <th scope="col" class="num" title="Restored alone: what the end of the network gains when this is put back to float, and nothing else">Restored<span class="wide-s">, dB</span></th>}
            {columns.sizes && <th scope="col" class="num wide-m">Size, {columns.sizes.unit}</th>}
            <th scope="col">Cause</th>
          </tr>
        </thead>
        <tbody>
          <Room rows={first} />
          {layers.slice(first, last).map((layer, i) => (
            <Row key={layer.key} layer={layer} index={first + i} selected={layer === picked} columns={columns} limits={limits} onPick={onPick} />
          ))}
          <Room rows={layers.length - last} />
        </tbody>
      </table>
    </div>
  );
}
