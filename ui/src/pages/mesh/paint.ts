// Paints a mesh: its triangles from far to near, each as bright as it faces the eye, or its points.
import { farFirst, placed, type Eye } from "../../lib/space";

export interface Shape {
  readonly vertices: Float32Array; // Centred.
  readonly faces: Int32Array | null; // Three vertices each.
  readonly colours: Uint8Array | null; // Red, green, blue of each vertex.
}

/** Faces that name vertices which are not there are left out. */
export function facesIn(faces: Int32Array, vertexCount: number): Int32Array {
  const kept: number[] = [];
  for (let i = 0; i + 2 < faces.length; i += 3) {
    const corners = [faces[i]!, faces[i + 1]!, faces[i + 2]!];
    if (corners.every((corner) => corner >= 0 && corner < vertexCount)) kept.push(...corners);
  }
  return Int32Array.from(kept);
}

export function paintShape(context: CanvasRenderingContext2D, shape: Shape, eye: Eye, width: number, height: number, ink: string): void {
  context.clearRect(0, 0, width, height);
  const { xs, ys, depths } = placed(shape.vertices, eye, width, height);
  const part = (i: number, channel: number): number => shape.colours?.[3 * i + channel] ?? 160;
  if (!shape.faces || shape.faces.length === 0) {
    const size = xs.length > 5000 ? 1.5 : 2.5;
    for (const i of farFirst(depths)) {
      context.fillStyle = shape.colours ? `rgb(${part(i, 0)} ${part(i, 1)} ${part(i, 2)})` : ink;
      context.fillRect(xs[i]! - size / 2, ys[i]! - size / 2, size, size);
    }
    return;
  }
  const { faces } = shape;
  const middles = Float32Array.from({ length: faces.length / 3 }, (_, f) => depths[faces[3 * f]!]! + depths[faces[3 * f + 1]!]! + depths[faces[3 * f + 2]!]!);
  for (const f of farFirst(middles)) {
    const [p, q, r] = [faces[3 * f]!, faces[3 * f + 1]!, faces[3 * f + 2]!];
    const [ax, ay, az] = [xs[q]! - xs[p]!, ys[q]! - ys[p]!, (depths[q]! - depths[p]!) * (width / 2)];
    const [bx, by, bz] = [xs[r]! - xs[p]!, ys[r]! - ys[p]!, (depths[r]! - depths[p]!) * (width / 2)];
    const [nx, ny, nz] = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    const light = 0.45 + 0.55 * (Math.abs(nz) / (Math.hypot(nx, ny, nz) || 1)); // Both sides of it are seen.
    const shade = (channel: number): number => Math.round(((part(p, channel) + part(q, channel) + part(r, channel)) / 3) * light);
    context.fillStyle = context.strokeStyle = `rgb(${shade(0)} ${shade(1)} ${shade(2)})`;
    context.lineWidth = 0.5; // Closes the seams between neighbours.
    context.beginPath();
    context.moveTo(xs[p]!, ys[p]!);
    context.lineTo(xs[q]!, ys[q]!);
    context.lineTo(xs[r]!, ys[r]!);
    context.closePath();
    context.fill();
    context.stroke();
  }
}
