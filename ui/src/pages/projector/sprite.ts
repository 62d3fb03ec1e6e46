// The pictures of all rows in one image, row by row and as many side by side as fit. Pure.

export interface SpriteSize {
  /** The size of one picture. */
  readonly width: number;
  readonly height: number;
  /** Pictures in a row of the image. */
  readonly columns: number;
}

/** Null where the image has no room for a single picture. */
export function spriteSize(
  single: readonly number[] | null | undefined,
  imageWidth: number,
  imageHeight: number,
): SpriteSize | null {
  const [width = 0, height = width] = single ?? [];
  if (!(width >= 1 && height >= 1) || width > imageWidth || height > imageHeight) return null;
  return { width, height, columns: Math.floor(imageWidth / width) };
}

/** Where the picture of a row lies; what is beyond the image is nothing, and drawn as that. */
export function placeInSprite(size: SpriteSize, row: number): readonly [number, number] {
  return [(row % size.columns) * size.width, Math.floor(row / size.columns) * size.height];
}
