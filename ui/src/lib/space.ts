// Points in space as seen from somewhere: turned, brought nearer, laid on the screen. Pure.

export interface Eye {
  readonly yaw: number;
  readonly pitch: number;
  readonly zoom: number;
}

export const FIRST_EYE: Eye = { yaw: 0.6, pitch: 0.4, zoom: 1 };

/** x, y, z one after the other, moved so that they lie around 0, the farthest of them at distance 1. */
export function centred(points: Float32Array): Float32Array {
  const n = Math.floor(points.length / 3);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 3 * n; i += 1) {
    const value = points[i]!;
    if (!Number.isFinite(value)) continue;
    low[i % 3] = Math.min(low[i % 3]!, value);
    high[i % 3] = Math.max(high[i % 3]!, value);
  }
  const middle = low.map((value, axis) => (Number.isFinite(value) ? (value + high[axis]!) / 2 : 0));
  const result = Float32Array.from(points.subarray(0, 3 * n), (value, i) => value - middle[i % 3]!);
  let far = 0;
  for (let i = 0; i < n; i += 1) {
    const distance = Math.hypot(result[3 * i]!, result[3 * i + 1]!, result[3 * i + 2]!);
    if (distance > far) far = distance;
  }
  return far > 0 ? result.map((value) => value / far) : result;
}

export interface Placed {
  readonly xs: Float32Array;
  readonly ys: Float32Array;
  /** Greater is nearer. */
  readonly depths: Float32Array;
}

/** Where centred points are on a screen: y is up, the eye is far away. */
export function placed(points: Float32Array, eye: Eye, width: number, height: number): Placed {
  const n = points.length / 3;
  const [xs, ys, depths] = [new Float32Array(n), new Float32Array(n), new Float32Array(n)];
  const [cy, sy, cp, sp] = [Math.cos(eye.yaw), Math.sin(eye.yaw), Math.cos(eye.pitch), Math.sin(eye.pitch)];
  const scale = (Math.min(width, height) / 2) * 0.92 * eye.zoom;
  for (let i = 0; i < n; i += 1) {
    const [x, y, z] = [points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!];
    const [tx, tz] = [x * cy + z * sy, z * cy - x * sy];
    xs[i] = width / 2 + tx * scale;
    ys[i] = height / 2 - (y * cp - tz * sp) * scale;
    depths[i] = tz * cp + y * sp;
  }
  return { xs, ys, depths };
}

export function turned(eye: Eye, dx: number, dy: number): Eye {
  return { ...eye, yaw: eye.yaw + dx, pitch: Math.max(-Math.PI / 2, Math.min(Math.PI / 2, eye.pitch + dy)) };
}

export function zoomed(eye: Eye, factor: number): Eye {
  return { ...eye, zoom: Math.max(0.2, Math.min(50, eye.zoom * factor)) };
}

/** Indices, the farthest first, so that near ones are painted over them. */
export function farFirst(depths: Float32Array): Uint32Array {
  return Uint32Array.from(depths.keys()).sort((p, q) => depths[p]! - depths[q]!);
}
