// The ranked table of layers. Only the visible rows exist as elements.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { dbText, gainText } from "../../domain/layers/decibels";
import { bytesColumn, fixed } from "../../base/text/format";
import { Name } from "../../widgets/Name";
import type { ColumnSpec } from "../../widgets/table/columns";
import { useColumns, type Columns } from "../../widgets/table/useColumns";
import { usePrinting, useRowsInSight } from "../../widgets/useRowsInSight";
import { limitText, nameOfFigure, sqnrText, topOf, type Layer, type Limits } from "../../domain/layers/layers";
import { clampDb } from "./depth_layout";

const ROW_HEIGHT = 28; // Equal to --row in the stylesheet.

// Maximum number of rows of a table that contains all rows as elements. In such a table, the browser's search finds all
// rows, and the columns fit their content.
const FEW = 200;

/**
 * The position of an SQNR along a bar, in per cent. All layers use one scale, which ends 8 dB below the lowest red
 * limit.
 */
const placesOf = (layers: readonly Layer[], limits: Limits) => {
  const top = topOf(limits);
  const end = layers.reduce((lowest, layer) => Math.min(lowest, layer.limits.red_db), limits.red_db) - 8;
  return (db: number): string => `${((top - clampDb(db, top, end)) / (top - end)) * 100}%`;
};

const toneOf = ({ level }: Layer): string => (level === "good" ? "" : level === "open" ? "none" : level);
const GLYPHS = { bad: "✗ ", warn: "▲ ", good: "", open: "" } as const;

/** The metric that decides the level of the layer, as text. */
function DecisiveFigure({ layer }: { layer: Layer }): JSX.Element {
  return (
    <>
      {GLYPHS[layer.level]}
      {layer.sqnrIsBound && Number.isFinite(layer.sqnr) ? "≤ " : ""}
      {sqnrText(layer)}
    </>
  );
}

function LayerName({ layer }: { layer: Layer }): JSX.Element {
  if (layer.role === "output") return <Name name={layer.name} />;
  return (
    <span class="named-part">
      <Name name={layer.name} />
      <span class="dim"> {layer.parameter || layer.role}</span>
    </span>
  );
}

const ROOM_FOR_LABEL = 35; // In per cent of the column. A label that is nearer to the first one would touch it.

function BarHead({ limits, place }: { limits: Limits; place: (db: number) => string }): JSX.Element {
  return (
    <>
      <span class="sr">Distance of the SQNR below {limitText(topOf(limits))} dB</span>
      <span class="short" aria-hidden="true">
        <em>{limitText(topOf(limits))}</em>
        {[limits.amber_db, limits.red_db]
          .filter((db) => parseFloat(place(db)) >= ROOM_FOR_LABEL)
          .map((db) => (
            <em key={db} style={{ left: place(db) }}>
              {limitText(db)}
            </em>
          ))}
      </span>
    </>
  );
}

function Bar({ layer, place }: { layer: Layer; place: (db: number) => string }): JSX.Element | null {
  if (Number.isNaN(layer.sqnr)) return null;
  return (
    <span class={`short ${layer.level}`} data-db={layer.sqnr}>
      <i style={{ width: place(layer.sqnr) }} />
      <u style={{ left: place(layer.limits.amber_db) }} />
      <u style={{ left: place(layer.limits.red_db) }} />
    </span>
  );
}

interface Column extends ColumnSpec {
  readonly numeric: boolean;
  readonly title?: string;
  readonly head: JSX.Element | string;
  readonly cell: (layer: Layer) => JSX.Element | string | null;
  /** Additional attributes of the cell. */
  readonly more?: (layer: Layer) => { readonly class?: string; readonly title?: string };
}

const GLYPH = 7.6; // The width of a digit in a cell, in pixels.
const PADDING = 20; // The left and right padding of a cell together, in pixels.
const GUTTER = 8; // Additional padding at the right of the last cell, in pixels.

/** The column width that fits the widest of the given texts. The texts are numbers and are never shortened. */
const widthFor = (texts: readonly string[]): number =>
  Math.ceil(PADDING + GLYPH * texts.reduce((longest, text) => Math.max(longest, text.length), 0));

/** A column of numbers, if at least one layer has a value. */
function figures(
  spec: Pick<Column, "id" | "name" | "title" | "hidden">,
  layers: readonly Layer[],
  valueOf: (layer: Layer) => number | null,
  textOf: (value: number, layer: Layer) => string,
): Column[] {
  if (!layers.some((layer) => valueOf(layer) !== null)) return [];
  const text = (layer: Layer): string => {
    const value = valueOf(layer);
    return value === null ? "–" : textOf(value, layer);
  };
  return [{ ...spec, width: widthFor([spec.name, ...layers.map(text)]), numeric: true, head: spec.name, cell: text }];
}

/** On a narrow screen, only the columns with the name and the damage of a layer are shown by default. */
const isNarrow = (): boolean => window.innerWidth < 640;

function columnsOf(layers: readonly Layer[], limits: Limits, place: (db: number) => string): Column[] {
  const narrow = isNarrow();
  const bytes = layers.flatMap((layer) => layer.bytes ?? []);
  const sizes = bytes.length > 0 ? bytesColumn(bytes) : null;
  const kinds = [...new Set(layers.map(nameOfFigure))];
  const isNamed = kinds.some((kind) => kind !== "");
  const sqnrName = `SQNR, dB${kinds.length === 1 && kinds[0] ? ` ${kinds[0]}` : ""}`;
  const hasRestored = layers.some((layer) => layer.restored !== null);
  return [
    {
      id: "name",
      name: "Layer",
      width: narrow ? 120 : 188,
      grows: true,
      fixed: true,
      numeric: false,
      head: "Layer",
      cell: (layer) => <LayerName layer={layer} />,
      more: () => ({ class: "mono" }),
    },
    {
      id: "sqnr",
      name: "SQNR, dB",
      width: widthFor([sqnrName, ...layers.map((layer) => `${GLYPHS[layer.level]}${sqnrText(layer)}`)]),
      fixed: true,
      numeric: true,
      title: "The number that decides the level of the layer; the bar beside it shows the same number",
      head: sqnrName,
      cell: (layer) => <DecisiveFigure layer={layer} />,
      more: (layer) => ({ class: `num ${toneOf(layer)}`, title: layer.explanation }),
    },
    {
      id: "bar",
      name: "Bar of SQNR",
      width: 92,
      hidden: narrow,
      numeric: false,
      head: <BarHead limits={limits} place={place} />,
      cell: (layer) => <Bar layer={layer} place={place} />,
      more: () => ({ class: "bar-cell" }),
    },
    ...(isNamed
      ? [
          {
            id: "by",
            name: "Figure",
            width: widthFor(["Figure", ...layers.map(nameOfFigure)]),
            hidden: kinds.length === 1,
            numeric: false,
            title: "Which number decides the level of the layer; empty if it is the SQNR of the whole layer",
            head: "Figure",
            cell: nameOfFigure,
            more: () => ({ class: "dim" }),
          },
        ]
      : []),
    ...figures(
      {
        id: "restored",
        name: "Restored, dB",
        title: "Gain of the output SQNR if only this layer is restored to float",
      },
      layers,
      (layer) => layer.restored,
      gainText,
    ),
    ...figures(
      { id: "own", name: "Layer, dB", title: "SQNR of the whole layer", hidden: true },
      isNamed ? layers : [],
      (layer) => layer.ownSqnr,
      (db) => dbText(db),
    ),
    ...figures(
      {
        id: "worst",
        name: "Worst ch.",
        title:
          "The worst channel: its number, if it was logged, and its SQNR in dB; of the weights if the log is by compare",
        hidden: narrow || hasRestored,
      },
      layers,
      (layer) => layer.worstChannel,
      (db, layer) => `${layer.worstChannelNumber === null ? "" : `${layer.worstChannelNumber}: `}${dbText(db)}`,
    ),
    ...figures(
      {
        id: "eight",
        name: "8-bit score",
        title:
          "An adjusted score, not a measurement: the SQNR of 8 bits that would be as good for a layer of fewer bits",
      },
      layers,
      (layer) => layer.asEightBits,
      (db) => dbText(db),
    ),
    ...figures(
      { id: "cosine", name: "Cosine", hidden: narrow || hasRestored || isNamed },
      layers,
      (layer) => layer.cosine,
      (value) => fixed(value, 4),
    ),
    ...figures(
      { id: "size", name: `Size, ${sizes?.unit ?? ""}`, hidden: true },
      layers,
      (layer) => layer.bytes,
      (value) => sizes?.text(value) ?? "",
    ),
    {
      id: "cause",
      name: "Cause",
      width: widthFor(["Cause", ...layers.map((layer) => layer.causeText)]) + GUTTER,
      numeric: false,
      head: "Cause",
      cell: (layer) => layer.causeText,
      more: () => ({ class: "dim" }),
    },
  ];
}

function Row({
  layer,
  index,
  selected,
  columns,
  onPick,
}: {
  layer: Layer;
  index: number;
  selected: boolean;
  columns: readonly Column[];
  onPick: (layer: Layer) => void;
}): JSX.Element {
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
      {columns.map((column) => (
        <td key={column.id} data-column={column.id} class={column.numeric ? "num" : ""} {...column.more?.(layer)}>
          {column.cell(layer)}
        </td>
      ))}
    </tr>
  );
}

/** The height of the rows that do not exist as elements at the moment. */
const Room = ({ rows, columns }: { rows: number; columns: number }): JSX.Element | null =>
  rows === 0 ? null : (
    <tr class="room" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  );

/** The columns for these layers, with the order and widths that the user has set. */
export function useLayerColumns(layers: readonly Layer[], limits: Limits): Columns<Column> {
  const place = useMemo(() => placesOf(layers, limits), [layers, limits]);
  const specs = useMemo(() => columnsOf(layers, limits, place), [layers, limits, place]);
  return useColumns(specs);
}

export function LayerTable({
  layers,
  columns,
  picked,
  onPick,
}: {
  layers: readonly Layer[];
  columns: Columns<Column>;
  picked: Layer | null;
  onPick: (layer: Layer) => void;
}): JSX.Element {
  const all = usePrinting() || layers.length <= FEW;
  const sight = useRowsInSight(layers.length, ROW_HEIGHT);
  const [first, last] = all ? [0, layers.length] : [sight.first, sight.last];
  const at = picked ? layers.indexOf(picked) : -1;
  useEffect(() => sight.show(at, ROW_HEIGHT), [picked, at]);
  return (
    <div class="list" ref={sight.ref} onScroll={sight.onScroll}>
      <table class="table arranged" style={columns.style} aria-rowcount={layers.length + 1}>
        <caption class="sr">Layers, worst first</caption>
        {columns.colgroup}
        <thead>
          <tr aria-rowindex={1}>
            {columns.shown.map((column) =>
              columns.head(column, column.head, {
                class: column.id === "bar" ? "bar-cell" : column.numeric ? "num" : "",
                ...(column.title ? { title: column.title } : {}),
              }),
            )}
          </tr>
        </thead>
        <tbody>
          <Room rows={first} columns={columns.shown.length} />
          {layers.slice(first, last).map((layer, i) => (
            <Row
              key={layer.key}
              layer={layer}
              index={first + i}
              selected={layer === picked}
              columns={columns.shown}
              onPick={onPick}
            />
          ))}
          <Room rows={layers.length - last} columns={columns.shown.length} />
        </tbody>
      </table>
    </div>
  );
}
