// Computes the differences between two lists: lines of a text, or words of a line.

export interface Change<T> {
  readonly kind: "same" | "gone" | "added";
  readonly items: readonly T[];
}

// Max number of differences that are searched for. Texts with more differences are reported as completely different,
// because the search time grows with length times differences.
const MAX_DIFFERENCES = 1000;

/** The shortest edit script from one list to the other (Myers); adjacent changes are joined. */
export function diff<T>(from: readonly T[], to: readonly T[]): Change<T>[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  while (
    end < from.length - start &&
    end < to.length - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  )
    end += 1;
  const [a, b] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const middle = shortest(a, b) ?? [
    ...a.map((item) => ["gone", item] as const),
    ...b.map((item) => ["added", item] as const),
  ];
  return joined([
    ...from.slice(0, start).map((item) => ["same", item] as const),
    ...middle,
    ...from.slice(from.length - end).map((item) => ["same", item] as const),
  ]);
}

type Step<T> = readonly [Change<T>["kind"], T];

function joined<T>(steps: readonly Step<T>[]): Change<T>[] {
  const changes: { kind: Change<T>["kind"]; items: T[] }[] = [];
  for (const [kind, item] of steps) {
    const last = changes.at(-1);
    if (last?.kind === kind) last.items.push(item);
    else changes.push({ kind, items: [item] });
  }
  return changes;
}

/** The differences between two lists; null if there are too many. */
function shortest<T>(a: readonly T[], b: readonly T[]): Step<T>[] | null {
  const most = Math.min(a.length + b.length, MAX_DIFFERENCES);
  const furthest = new Map<number, number>([[1, 0]]); // For each diagonal x - y, the largest x that was reached.
  const trail: Map<number, number>[] = [];
  for (let d = 0; d <= most; d += 1) {
    trail.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      let x =
        k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
          ? (furthest.get(k + 1) ?? 0)
          : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return backwards(a, b, trail);
    }
  }
  return null;
}

function backwards<T>(a: readonly T[], b: readonly T[], trail: readonly Map<number, number>[]): Step<T>[] {
  const steps: Step<T>[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trail.length - 1; d >= 0; d -= 1) {
    const furthest = trail[d]!;
    const k = x - y;
    const before = k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1)) ? k + 1 : k - 1;
    const px = furthest.get(before) ?? 0;
    const py = px - before;
    while (x > px && y > py) {
      x -= 1;
      y -= 1;
      steps.push(["same", a[x]!]);
    }
    if (d === 0) break;
    if (x === px) steps.push(["added", b[(y -= 1)]!]);
    else steps.push(["gone", a[(x -= 1)]!]);
  }
  return steps.reverse();
}

/** A line of a comparison. It is in both texts or in only one of them. Words that differ are marked. */
export interface DiffLine {
  readonly kind: Change<string>["kind"];
  readonly words: readonly { readonly text: string; readonly differs: boolean }[];
}

const wordsOf = (line: string): string[] => line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
const whole =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, words: [{ text, differs: false }] });

/**
 * Compares two texts line by line. If lines were replaced by the same number of lines, their words are compared, too.
 */
export function diffLines(from: string, to: string): DiffLine[] {
  const changes = diff(from.split("\n"), to.split("\n"));
  return changes.flatMap((change, i): DiffLine[] => {
    const [before, after] = [changes[i - 1], changes[i + 1]];
    if (change.kind === "added" && before?.kind === "gone" && before.items.length === change.items.length) return [];
    if (change.kind !== "gone" || after?.kind !== "added" || after.items.length !== change.items.length)
      return change.items.map(whole(change.kind));
    const pairs = change.items.map((line, at) => diff(wordsOf(line), wordsOf(after.items[at] ?? "")));
    const side =
      (kind: "gone" | "added") =>
      (words: readonly Change<string>[]): DiffLine => ({
        kind,
        words: words
          .filter((word) => word.kind === "same" || word.kind === kind)
          .map((word) => ({ text: word.items.join(""), differs: word.kind === kind })),
      });
    return [...pairs.map(side("gone")), ...pairs.map(side("added"))];
  });
}
