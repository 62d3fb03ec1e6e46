// The queue of charts to be painted, a few per frame. The first chart is visible at once, and the page stays responsive
// while the others are painted.

const BUDGET_MILLISECONDS = 6; // The time for painting in one frame. At least one chart is painted per frame.

const waiting = new Map<object, () => void>();
let busy = false;

/**
 * Calls `paint` now, or a few frames later if other charts are earlier in the queue. A later call with the same `key`
 * replaces the earlier call.
 */
export function paintInTurn(key: object, paint: () => void): void {
  if (busy) {
    waiting.set(key, paint);
    return;
  }
  busy = true;
  paint();
  afterFrame();
}

/** Removes `key` from the queue. */
export function paintNoMore(key: object): void {
  waiting.delete(key);
}

// Called after the painted charts are visible on the screen, not just before.
function afterFrame(): void {
  requestAnimationFrame(() => setTimeout(paintNext));
}

function paintNext(): void {
  const began = performance.now();
  for (const [key, paint] of waiting) {
    waiting.delete(key);
    paint();
    if (performance.now() - began > BUDGET_MILLISECONDS) break;
  }
  if (waiting.size > 0) afterFrame();
  else busy = false;
}
