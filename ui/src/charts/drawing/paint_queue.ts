// The order in which charts paint. Charts painted in one go appear only when the last one is done; in
// turns, the first is seen at once, and the page stays usable while the others follow.

const BUDGET_MILLISECONDS = 6; // The time for painting in a frame; one chart is painted in any case.

const waiting = new Map<object, () => void>();
let busy = false;

/** Calls `paint` now, or after a few frames if others came first. A later call with the same `key` takes its place. */
export function paintInTurn(key: object, paint: () => void): void {
  if (busy) {
    waiting.set(key, paint);
    return;
  }
  busy = true;
  paint();
  afterFrame();
}

/** `key` has nothing to paint any more. */
export function paintNoMore(key: object): void {
  waiting.delete(key);
}

// After what was painted is on the screen, not just before.
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
