// Chooses the colours of boxes from their values. Pure functions.
import { bytes, duration, plural, significant } from "../../base/text/format";
import { sqnrText, type Sqnr } from "../../domain/layers/layers";
import { isIn, Kind, opOf, type Drawing, type Side } from "./data";

export const MODES = [
  { id: "error", text: "Error" },
  { id: "bits", text: "Bits" },
  { id: "memory", text: "Memory" },
  { id: "time", text: "Time" },
  { id: "device", text: "Device" },
  { id: "structure", text: "Structure" },
] as const;

export type Mode = (typeof MODES)[number]["id"];
export type Level = "bad" | "warn" | "";

/** The error of a layer. It is shown at the box that contains the layer. */
export interface LayerError extends Sqnr {
  readonly layer: string;
  readonly level: Level;
}

export interface Look {
  /** The step on the colour ramp, 0 to 5; -1 for no colour. */
  readonly heat: Int8Array;
  /** The number of a run colour, 1 to 8, for modes without a ramp; 0 for no colour. */
  readonly colour: Uint8Array;
  readonly texts: readonly string[];
  readonly levels: readonly Level[];
}

export interface Legend {
  readonly kind: "ramp" | "set";
  readonly from: string;
  readonly to: string;
  readonly names: readonly { colour: number; name: string }[];
}

const STEPS = 6;
const COLOURS = 8;

/** The step on the ramp. Most values are small, so the square root is used to spread the values over the ramp. */
function step(value: number, most: number): number {
  return most > 0 && value > 0 ? Math.min(STEPS - 1, Math.floor(Math.sqrt(value / most) * STEPS)) : -1;
}

const BITS = [32, 16, 8, 6, 4, 2];

export function stepOfBits(bits: number): number {
  if (bits <= 0) return -1;
  const at = BITS.findIndex((width) => bits >= width);
  return at < 0 ? STEPS - 1 : at;
}

export function stepOfError(sqnr: number): number {
  return Math.max(0, Math.min(STEPS - 1, Math.floor((40 - sqnr) / 5)));
}

/** The colour modes that have data, in the order of the menu. */
export function usableModes(drawing: Drawing, errors: ReadonlyMap<number, LayerError>): Mode[] {
  const { view } = drawing;
  const sides = [view.boxes.a, view.boxes.b].filter((side) => side !== undefined);
  const some = (values: (side: (typeof sides)[number]) => readonly number[]): boolean =>
    sides.some((side) => values(side).some((v) => v > 0));
  return MODES.map((mode) => mode.id).filter((mode) => {
    switch (mode) {
      case "error":
        return errors.size > 0;
      case "bits":
        return some((side) => side.weight_bits) || some((side) => side.activation_bits);
      case "memory":
        return view.has_memory || some((side) => side.weight_bytes);
      case "time":
        return view.has_time;
      case "device":
        return view.devices.length > 1;
      case "structure":
        return true;
    }
  });
}

/** The kind of memory shown for boxes: measured memory, or the size of the weights. */
export function memoryName(drawing: Drawing): string {
  return drawing.view.has_memory ? "memory" : "weights";
}

type RampColumn = "memory_bytes" | "weight_bytes" | "compute_micros";

/** The largest value of the column in A and B, without open groups. */
function mostOf({ view }: Drawing, column: RampColumn): number {
  let result = 0;
  for (const side of [view.boxes.a, view.boxes.b]) {
    side?.[column].forEach((value, i) => {
      if (view.boxes.kinds[i] !== Kind.Open) result = Math.max(result, value);
    });
  }
  return result;
}

export function lookOf(drawing: Drawing, mode: Mode, side: Side, errors: ReadonlyMap<number, LayerError>): Look {
  const { boxes } = drawing.view;
  const facts = (side === "a" ? boxes.a : boxes.b) ?? boxes.a;
  const heat = new Int8Array(drawing.count).fill(-1);
  const colour = new Uint8Array(drawing.count);
  const texts = new Array<string>(drawing.count).fill("");
  const levels = new Array<Level>(drawing.count).fill("");
  const leaves = [...Array(drawing.count).keys()].filter((i) => boxes.kinds[i] !== Kind.Open && isIn(drawing, i, side));
  // A and B use one common scale, so that equal colours mean equal values.
  const ramp = (column: RampColumn, text: (value: number) => string): void => {
    const [values, most] = [facts[column], mostOf(drawing, column)];
    for (const i of leaves) {
      heat[i] = step(values[i] ?? 0, most);
      if ((values[i] ?? 0) > 0) texts[i] = text(values[i]!);
    }
  };
  switch (mode) {
    case "error":
      for (const [box, error] of errors) {
        if (side === "a" && boxes.b) continue; // Errors belong to B, because they compare B with A.
        heat[box] = stepOfError(error.sqnr);
        texts[box] = sqnrText(error);
        levels[box] = error.level;
      }
      break;
    case "bits":
      for (const i of leaves) {
        const [weight, activation] = [facts.weight_bits[i]!, facts.activation_bits[i]!];
        heat[i] = stepOfBits(weight || activation);
        texts[i] = [weight ? `W${weight}` : "", activation ? `A${activation}` : ""].filter(Boolean).join(" ");
      }
      break;
    case "memory":
      ramp(drawing.view.has_memory ? "memory_bytes" : "weight_bytes", bytes);
      break;
    case "time":
      ramp("compute_micros", (micros) => duration(micros / 1e6));
      break;
    case "device":
      for (const i of leaves) colour[i] = boxes.devices[i]! === 0 ? 0 : ((boxes.devices[i]! - 1) % COLOURS) + 1;
      break;
    case "structure": {
      const ops = new Map<string, number>();
      for (const i of leaves) {
        if (boxes.kinds[i] === Kind.Closed) {
          colour[i] = boxes.structures[i]! === 0 ? 0 : ((boxes.structures[i]! - 1) % COLOURS) + 1;
          continue;
        }
        const op = opOf(drawing, i, side);
        if (!ops.has(op)) ops.set(op, ops.size);
        colour[i] = (ops.get(op)! % COLOURS) + 1;
      }
      break;
    }
  }
  return { heat, colour, texts, levels };
}

export function legendOf(drawing: Drawing, mode: Mode): Legend {
  const { view } = drawing;
  const ramp = (from: string, to: string): Legend => ({ kind: "ramp", from, to, names: [] });
  switch (mode) {
    case "error":
      return ramp("40 dB", "10 dB");
    case "bits":
      return ramp("32 bit", "2 bit");
    case "memory":
      return ramp("0", bytes(mostOf(drawing, view.has_memory ? "memory_bytes" : "weight_bytes")));
    case "time":
      return ramp("0", duration(mostOf(drawing, "compute_micros") / 1e6));
    case "device":
      return {
        kind: "set",
        from: "",
        to: "",
        names: view.devices.slice(1, 1 + COLOURS).map((name, i) => ({ colour: i + 1, name })),
      };
    case "structure":
      return { kind: "set", from: "", to: "", names: [] };
  }
}

/** A sentence that describes the colours for screen readers. */
export function describe(drawing: Drawing, mode: Mode): string {
  const { view } = drawing;
  const name = MODES.find((m) => m.id === mode)?.text.toLowerCase() ?? "";
  return `${plural(view.shown_count, "operation")} in ${plural(view.group_count, "group")}, ${plural(drawing.count, "box", "boxes")} shown, coloured by ${name}`;
}

export const shapeText = (shape: readonly (number | null)[] | null): string =>
  shape === null
    ? "?"
    : shape.length === 0
      ? "scalar"
      : shape.map((n) => (n === null || n < 0 ? "?" : significant(n, 12))).join("×");
