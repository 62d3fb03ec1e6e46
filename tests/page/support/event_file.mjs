// Event files written without the program under test: these bytes are the oracle of the page.
// docs/formats/record.md and event.md describe them.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});

function maskedCrc(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC32C[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  crc = (crc ^ 0xffffffff) >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function record(payload) {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(payload.length));
  return Buffer.concat([length, uint32(maskedCrc(length)), payload, uint32(maskedCrc(payload))]);
}

// Protobuf's wire format: a field is its number and type, then its value.
export function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
export const whole = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
export function bytes(field, value) {
  const content = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}
function double(field, value) {
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | 1), content]);
}
function float(field, value) {
  const content = Buffer.alloc(4);
  content.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), content]);
}
const doubles = (field, values) => bytes(field, Buffer.from(Float64Array.from(values).buffer));

function histogram(values, bins) {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const width = (max - min) / bins || 1;
  const counts = new Array(bins).fill(0);
  for (const v of values) counts[Math.min(bins - 1, Math.floor((v - min) / width))] += 1;
  return Buffer.concat([
    double(1, min), double(2, max), double(3, values.length),
    double(4, values.reduce((sum, v) => sum + v, 0)), double(5, values.reduce((sum, v) => sum + v * v, 0)),
    doubles(6, counts.map((_, i) => (i === bins - 1 ? max : min + (i + 1) * width))), doubles(7, counts),
  ]);
}

/** A PNG of `width` x `height` grey pixels, from a function of x and y that gives 0 to 255. */
export function png(width, height, greyAt) {
  const chunk = (name, content) => {
    const body = Buffer.concat([Buffer.from(name), content]);
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    crc.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8; // Bits; colour type 0 is grey.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = greyAt(x, y);
  }
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Appends to one event file; every call is on disk when it returns, as a flushed writer's is. */
export class EventFile {
  constructor(directory, { wallTime = 1_763_000_000 } = {}) {
    mkdirSync(directory, { recursive: true });
    this.path = join(directory, "events.out.tfevents.1763000000.page");
    this.wallTime = wallTime;
    this.pending = [];
    this.event(0, bytes(3, "brain.Event:2"));
    this.flush();
  }

  /** Later events are on disk only after flush(). */
  hold() {
    this.held = true;
    return this;
  }

  flush() {
    appendFileSync(this.path, Buffer.concat(this.pending));
    this.pending = [];
    this.held = false;
  }

  event(step, content) {
    this.wallTime += 0.5;
    this.pending.push(record(Buffer.concat([double(1, this.wallTime), whole(2, step), content])));
    if (!this.held) this.flush();
    return this;
  }

  value(tag, step, ...fields) {
    return this.event(step, bytes(5, bytes(1, Buffer.concat([bytes(1, tag), ...fields]))));
  }

  scalar(tag, value, step = 0) {
    return this.value(tag, step, float(2, value));
  }

  histogram(tag, values, step = 0, bins = 120) {
    return this.value(tag, step, bytes(5, histogram(values, bins)));
  }

  image(tag, width, height, encoded, step = 0) {
    return this.value(tag, step, bytes(4, Buffer.concat([whole(1, height), whole(2, width), whole(3, 1), bytes(4, encoded)])));
  }

  /** The hyperparameters of a run for the HParams page: numbers, texts and booleans by name. */
  hparams(values) {
    const valueOf = (v) => (typeof v === "number" ? double(2, v) : typeof v === "boolean" ? whole(4, v ? 1 : 0) : bytes(3, v));
    const map = Object.entries(values).map(([key, v]) => bytes(1, Buffer.concat([bytes(1, key), bytes(2, valueOf(v))])));
    const plugin = (content) => bytes(9, bytes(1, Buffer.concat([bytes(1, "hparams"), bytes(2, content)])));
    this.value("_hparams_/session_start_info", 0, plugin(bytes(3, Buffer.concat(map))));
    return this.value("_hparams_/session_end_info", 0, plugin(bytes(4, whole(1, 1))));
  }

  text(tag, text, step = 0) {
    return this.strings(`${tag}/text_summary`, text, "text", step);
  }

  /** A tensor of one string, for a plugin. */
  strings(tag, text, plugin, step = 0) {
    const strings = 7;
    const tensor = Buffer.concat([whole(1, strings), bytes(2, bytes(2, whole(1, 1))), bytes(8, text)]);
    return this.value(tag, step, bytes(8, tensor), bytes(9, bytes(1, bytes(1, plugin))));
  }
}
