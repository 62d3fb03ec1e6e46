// Moves the selection through a graph by keys, and opens and closes groups. Pure functions.
import { groupsAround, Kind, possibleGroups, type Drawing } from "./data";

export type Way = "up" | "down" | "left" | "right";

function centre(drawing: Drawing, box: number): { x: number; y: number } {
  const { x, y, widths, heights } = drawing.view.boxes;
  return { x: x[box]! + widths[box]! / 2, y: y[box]! + heights[box]! / 2 };
}

/**
 * Finds the next box in a direction: up and down along lines, left and right to the nearest box of about the same
 * height.
 */
export function neighbour(drawing: Drawing, box: number, way: Way): number {
  const { boxes, links } = drawing.view;
  if (box < 0) return boxes.kinds.findIndex((kind) => kind !== Number(Kind.Open));
  const here = centre(drawing, box);
  let best = -1;
  let least = Infinity;
  const consider = (other: number, cost: number): void => {
    if (other === box || boxes.kinds[other] === Kind.Open || cost >= least) return;
    least = cost;
    best = other;
  };
  if (way === "up" || way === "down") {
    const ends = new Set<number>();
    links.sources.forEach((source, i) => {
      const end = links.ends[i]!;
      if (boxes.kinds[end] === Kind.Open) return;
      if (way === "down" && source === box) ends.add(end);
      if (way === "up" && end === box) ends.add(source);
    });
    for (const end of ends)
      consider(end, Math.abs(centre(drawing, end).y - here.y) + Math.abs(centre(drawing, end).x - here.x) / 4);
    return best < 0 ? box : best;
  }
  for (let other = 0; other < drawing.count; other += 1) {
    const there = centre(drawing, other);
    const dx = (there.x - here.x) * (way === "right" ? 1 : -1);
    const dy = Math.abs(there.y - here.y);
    if (dx > 1 && dy < dx) consider(other, dx + 3 * dy);
  }
  return best < 0 ? box : best;
}

/** The open groups after a group was opened or closed; a closed group closes the groups inside it. */
export function toggled(drawing: Drawing, box: number): string[] {
  const { boxes, open } = drawing.view;
  const path = boxes.paths[box] ?? "";
  if (boxes.kinds[box] === Kind.Closed) return [...open, path];
  const inside = new Set<string>([path]);
  for (let i = 0; i < drawing.count; i += 1) {
    if (boxes.kinds[i] === Kind.Open && groupsAround(drawing, i).includes(box)) inside.add(boxes.paths[i]!);
  }
  return open.filter((group) => !inside.has(group));
}

/** The groups that must be open for a path to be visible. */
export function openedFor(drawing: Drawing, path: string): string[] | null {
  if (drawing.indexOf.has(path)) return null;
  return [...new Set([...drawing.view.open, ...possibleGroups(path)])];
}
