// Canvases that are sharp on screens with any pixel ratio.

/**
 * Sets the canvas to the given size in CSS pixels, with as many device pixels as the screen has for this size. The
 * context draws in CSS pixels.
 */
export function sizeCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
