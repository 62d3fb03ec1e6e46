// Requests the embeddings, and prepares one of them for drawing.
import type { EmbeddingsResponse } from "../../api/media";
import { apiUrl, getBytes, getText } from "../../api/client";
import { centred } from "../../base/math/space";
import { readLabels, type Labels } from "./labels";
import type { Sprite } from "./paint";
import { project } from "./pca";
import { spriteSize } from "./sprite";

const MAX_ROWS = 100_000; // The max number of points, because more take too long to draw.
const MIN_ROWS = 20_000; // The max number of values of all vectors, which limits wide vectors.
const MAX_NUMBERS = 25_600_000; // The max number of values: 100,000 rows of 256 numbers.

const rowsFor = (width: number): number =>
  Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(MAX_NUMBERS / Math.max(1, width))));

export interface Cloud {
  readonly rows: Float32Array;
  readonly width: number;
  readonly points: Float32Array; // Centred coordinates.
  readonly shares: readonly [number, number, number];
  readonly labels: Labels | null;
  readonly sprite: (Sprite & { readonly url: string }) | null;
}

/** If the sprite image cannot be loaded, the points are shown as dots. */
async function loadSprite(url: string, single: readonly number[]): Promise<Cloud["sprite"]> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    return null;
  }
  const size = spriteSize(single, image.naturalWidth, image.naturalHeight);
  return size && { image, size, url };
}

function isSame(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

/**
 * The embedding with index `at`. If the embedding equals `known`, its rows and points stay the same objects, so that
 * changes of other logs do not restart the layout.
 */
export async function loadCloud(
  response: EmbeddingsResponse,
  at: number,
  signal: AbortSignal,
  known: Cloud | null,
): Promise<Cloud> {
  const [run = "", name = "", [, width = 0] = [], single] = [
    response.runs[at],
    response.names[at],
    response.shapes[at],
    response.sprites[at],
  ];
  const [bytes, text, sprite] = await Promise.all([
    getBytes("embeddings/tensor", { run, name, rows: rowsFor(width) }, signal),
    response.have_metadata[at] ? getText("embeddings/metadata", { run, name, rows: rowsFor(width) }, signal) : null,
    single ? loadSprite(apiUrl("embeddings/sprite", { run, name }), single) : null,
  ]);
  const [rows, labels] = [new Float32Array(bytes), text === null ? null : readLabels(text)];
  if (known && known.width === width && isSame(known.rows, rows)) return { ...known, labels, sprite };
  const { points, shares } = project(rows, width);
  return { rows, width, shares, points: centred(points), labels, sprite };
}
