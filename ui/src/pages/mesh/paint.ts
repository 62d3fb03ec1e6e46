// Paints a mesh: its triangles from far to near, shaded by their angle to the light, or its points.
import { farFirst, placed, type Camera } from "../../base/math/space";
import { PLAIN, type MeshLook } from "./config";

export interface Shape {
  readonly vertices: Float32Array; // Coordinates centred on 0.
  readonly faces: Int32Array | null; // Three vertex indices per face.
  readonly colours: Uint8Array | null; // Red, green and blue of each vertex.
}

/** Leaves out faces with vertex indices out of range, or with non-finite vertices. */
export function facesIn(faces: Int32Array, vertices: Float32Array): Int32Array {
  const kept: number[] = [];
  const known = (corner: number): boolean =>
    corner >= 0 && corner < vertices.length / 3 && !Number.isNaN(vertices[3 * corner]);
  for (let i = 0; i + 2 < faces.length; i += 3) {
    const [p, q, r] = [faces[i]!, faces[i + 1]!, faces[i + 2]!];
    if (known(p) && known(q) && known(r)) kept.push(p, q, r);
  }
  return Int32Array.from(kept);
}

/** The brightness of a face, 0 to 1, from its normal; both sides are visible. */
export function brightness(look: MeshLook, nx: number, ny: number, nz: number): number {
  const length = Math.hypot(nx, ny, nz) || 1;
  const lit = look.lights.reduce(
    (sum, { from: [x, y, z], strength }) => sum + (strength * Math.abs(nx * x + ny * y + nz * z)) / length,
    look.ambient,
  );
  return Math.max(0.15, Math.min(1, lit));
}

/** The red, green and blue of a CSS colour such as "rgb(1, 2, 3)" or "#010203". */
export function channelsOf(colour: string): readonly [number, number, number] {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour);
  const part = (at: number): number => parseInt(hex?.[1]?.slice(at, at + 2) ?? "", 16);
  if (hex) return [part(0), part(2), part(4)];
  const [r = 160, g = 160, b = 160] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b];
}

export function paintShape(
  context: CanvasRenderingContext2D,
  shape: Shape,
  camera: Camera,
  width: number,
  height: number,
  ink: string,
  look: MeshLook = PLAIN,
): void {
  context.clearRect(0, 0, width, height);
  const { xs, ys, depths } = placed(shape.vertices, camera, width, height, look.fieldOfView);
  const { colours, faces } = shape;
  const plain = channelsOf(look.colour ?? ink);
  const part = (i: number, channel: number): number =>
    colours ? (colours[3 * i + channel] ?? 160) : (plain[channel] ?? 160);
  context.globalAlpha = look.opacity;
  if (!faces || faces.length === 0) {
    const size = (look.pointSize ?? (xs.length > 5000 ? 1.5 : 3.5)) * Math.sqrt(camera.zoom);
    for (const i of farFirst(depths)) {
      context.fillStyle = `rgb(${part(i, 0)} ${part(i, 1)} ${part(i, 2)})`;
      context.fillRect(xs[i]! - size / 2, ys[i]! - size / 2, size, size);
    }
    context.globalAlpha = 1;
    return;
  }
  const half = (Math.min(width, height) / 2) * camera.zoom; // Depths in the same unit as x and y.
  const middles = Float32Array.from(
    { length: faces.length / 3 },
    (_, f) => depths[faces[3 * f]!]! + depths[faces[3 * f + 1]!]! + depths[faces[3 * f + 2]!]!,
  );
  context.lineJoin = "round";
  context.lineWidth = look.wireframe ? 1 : 0.75; // Hides the gaps between neighbouring triangles.
  for (const f of farFirst(middles)) {
    const [p, q, r] = [faces[3 * f]!, faces[3 * f + 1]!, faces[3 * f + 2]!];
    const [ax, ay, az] = [xs[q]! - xs[p]!, ys[p]! - ys[q]!, (depths[q]! - depths[p]!) * half];
    const [bx, by, bz] = [xs[r]! - xs[p]!, ys[p]! - ys[r]!, (depths[r]! - depths[p]!) * half];
    const light = look.wireframe ? 1 : brightness(look, ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
    const shade = (channel: number): number =>
      Math.round(((part(p, channel) + part(q, channel) + part(r, channel)) / 3) * light);
    context.fillStyle = context.strokeStyle = `rgb(${shade(0)} ${shade(1)} ${shade(2)})`;
    context.beginPath();
    context.moveTo(xs[p]!, ys[p]!);
    context.lineTo(xs[q]!, ys[q]!);
    context.lineTo(xs[r]!, ys[r]!);
    context.closePath();
    if (!look.wireframe) context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
}
