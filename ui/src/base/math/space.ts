// Projects 3D points to the screen: rotation, zoom and perspective of a camera. Pure functions.

export interface Camera {
  readonly yaw: number;
  readonly pitch: number;
  readonly zoom: number;
  /** Shift of the picture to the right and up, in halves of its shorter side. */
  readonly x: number;
  readonly y: number;
}

export const FIRST_CAMERA: Camera = { yaw: 0.6, pitch: 0.4, zoom: 1, x: 0, y: 0 };

/** The camera as text for the address: "0.6~0.4~1~0~0"; null for the default camera. */
export function cameraText(camera: Camera, first: Camera): string | null {
  const parts = (of: Camera): string =>
    [of.yaw, of.pitch, of.zoom, of.x, of.y].map((value) => Number(value.toFixed(3))).join("~");
  return parts(camera) === parts(first) ? null : parts(camera);
}

/** Reads a camera from an address. Invalid text gives the default camera. */
export function readCamera(text: string | null, first: Camera): Camera {
  const parts = (text ?? "").split("~").map(Number);
  const [yaw = 0, pitch = 0, zoom = 1, x = 0, y = 0] = parts;
  return text !== null && parts.length === 5 && parts.every(Number.isFinite) && zoom > 0
    ? turned(zoomed({ yaw, pitch, zoom, x, y }, 1), 0, 0)
    : first;
}

/**
 * Centres and scales points: coordinates x, y, z in sequence, centred on 0, the farthest point at distance 1. A point
 * with a non-finite coordinate becomes NaN in all coordinates.
 */
export function centred(points: Float32Array): Float32Array {
  const n = Math.floor(points.length / 3);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const result = new Float32Array(3 * n);
  for (let i = 0; i < n; i += 1) {
    const somewhere = Number.isFinite(points[3 * i]! + points[3 * i + 1]! + points[3 * i + 2]!);
    for (let axis = 0; axis < 3; axis += 1) {
      const value = somewhere ? points[3 * i + axis]! : NaN;
      result[3 * i + axis] = value;
      if (value < low[axis]!) low[axis] = value;
      if (value > high[axis]!) high[axis] = value;
    }
  }
  const middle = low.map((value, axis) => (Number.isFinite(value) ? (value + high[axis]!) / 2 : 0));
  let far = 0;
  for (let i = 0; i < n; i += 1) {
    for (let axis = 0; axis < 3; axis += 1) result[3 * i + axis]! -= middle[axis]!;
    const distance = Math.hypot(result[3 * i]!, result[3 * i + 1]!, result[3 * i + 2]!);
    if (distance > far) far = distance;
  }
  return far > 0 ? result.map((value) => value / far) : result;
}

/** The number of points with NaN coordinates. */
export function lostPoints(points: Float32Array): number {
  let lost = 0;
  for (let i = 0; i < points.length; i += 3) if (Number.isNaN(points[i])) lost += 1;
  return lost;
}

export interface Placed {
  readonly xs: Float32Array;
  readonly ys: Float32Array;
  /** The depth of a point; larger is nearer. */
  readonly depths: Float32Array;
}

/**
 * Projects centred points to the screen, with y up. `fieldOfView` in degrees gives a perspective view, in which nearer
 * points are larger; without it the view is orthographic.
 */
export function placed(points: Float32Array, camera: Camera, width: number, height: number, fieldOfView = 0): Placed {
  const n = points.length / 3;
  const [xs, ys, depths] = [new Float32Array(n), new Float32Array(n), new Float32Array(n)];
  const [cy, sy, cp, sp] = [Math.cos(camera.yaw), Math.sin(camera.yaw), Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const half = Math.min(width, height) / 2;
  const scale = half * 0.92 * camera.zoom;
  const distance = fieldOfView > 0 ? 1 / Math.sin((fieldOfView * Math.PI) / 360) : Infinity;
  for (let i = 0; i < n; i += 1) {
    const [x, y, z] = [points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!];
    const [tx, tz] = [x * cy + z * sy, z * cy - x * sy];
    const depth = tz * cp + y * sp;
    const nearer = distance === Infinity ? scale : (scale * distance) / Math.max(0.05, distance - depth);
    xs[i] = width / 2 + camera.x * half + tx * nearer;
    ys[i] = height / 2 - camera.y * half - (y * cp - tz * sp) * nearer;
    depths[i] = depth;
  }
  return { xs, ys, depths };
}

export function turned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, yaw: camera.yaw + dx, pitch: Math.max(-Math.PI / 2, Math.min(Math.PI / 2, camera.pitch + dy)) };
}

export function zoomed(camera: Camera, factor: number): Camera {
  return { ...camera, zoom: Math.max(0.2, Math.min(50, camera.zoom * factor)) };
}

export function moved(camera: Camera, x: number, y: number): Camera {
  return { ...camera, x: camera.x + x, y: camera.y + y };
}

/**
 * The indices of the points, farthest first, so that near points are painted over far ones; points with NaN are left
 * out.
 */
export function farFirst(depths: Float32Array): Uint32Array {
  return Uint32Array.from(depths.keys())
    .filter((i) => !Number.isNaN(depths[i]))
    .sort((p, q) => depths[p]! - depths[q]!);
}
