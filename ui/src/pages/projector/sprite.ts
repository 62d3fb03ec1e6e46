// The sprite image: the images of all rows in one image, row by row, with as many side by side as fit. Pure functions.

export interface SpriteSize {
  /** The size of the image of one row. */
  readonly width: number;
  readonly height: number;
  /** The number of images side by side. */
  readonly columns: number;
}

/** The grid of images; null if the sprite is smaller than one image. */
export function spriteSize(
  single: readonly number[] | null | undefined,
  imageWidth: number,
  imageHeight: number,
): SpriteSize | null {
  const [width = 0, height = width] = single ?? [];
  if (!(width >= 1 && height >= 1) || width > imageWidth || height > imageHeight) return null;
  return { width, height, columns: Math.floor(imageWidth / width) };
}

/** The place of the image of a row. Beyond the end of the sprite, nothing is drawn. */
export function placeInSprite(size: SpriteSize, row: number): readonly [number, number] {
  return [(row % size.columns) * size.width, Math.floor(row / size.columns) * size.height];
}
