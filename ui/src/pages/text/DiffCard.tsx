// The difference between two texts: of two runs, or of one run at two steps.
import type { TextResponse } from "../../api/media";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { nearestIndex } from "../../charts/line/layout";
import { diffLines, type DiffLine } from "../../base/text/diff";
import { count, plural } from "../../base/text/format";
import { Menu } from "../../widgets/Menu";
import { useResource } from "../../domain/live/resource";
import { loadTexts, titleOf } from "./data";

const AROUND = 3; // The number of equal lines that are shown before and after a change.

const SIGNS = { same: " ", gone: "−", added: "+" } as const;

/** The lines of a diff. A range of equal lines far from any change is replaced by its number of lines. */
function folded(lines: readonly DiffLine[], open: boolean): (DiffLine | number)[] {
  const near = new Array<boolean>(lines.length).fill(open);
  lines.forEach((line, i) => {
    if (line.kind !== "same") near.fill(true, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const result: (DiffLine | number)[] = [];
  lines.forEach((line, i) => {
    const last = result.at(-1);
    if (near[i]) result.push(line);
    else if (typeof last === "number") result[result.length - 1] = last + 1;
    else result.push(1);
  });
  return result;
}

function Lines({ from, to }: { from: string; to: string }): JSX.Element {
  const [open, setOpen] = useState(false);
  const lines = useMemo(() => diffLines(from, to), [from, to]);
  const [gone, added] = (["gone", "added"] as const).map((kind) => lines.filter((line) => line.kind === kind).length);
  return (
    <>
      <p class="note" role="status">
        {gone === 0 && added === 0
          ? "The texts are the same."
          : `${plural(added ?? 0, "line")} added, ${plural(gone ?? 0, "line")} gone`}
      </p>
      <div class="text-body diff-lines">
        {folded(lines, open).map((line, i) =>
          typeof line === "number" ? (
            <button key={i} class="link" onClick={() => setOpen(true)}>
              … {plural(line, "equal line")}
            </button>
          ) : (
            <div key={i} class={line.kind}>
              <span class="sign">{SIGNS[line.kind]}</span>
              <span>{line.words.map((word, w) => (word.differs ? <mark key={w}>{word.text}</mark> : word.text))}</span>
            </div>
          ),
        )}
      </div>
    </>
  );
}

export interface Sides {
  readonly a: string;
  readonly b: string;
  /** The step of A. null means the newest step, or the step before it if A and B are the same run. */
  readonly stepA: number | null;
  readonly stepB: number | null;
}

export function DiffCard({
  tag,
  sides,
  onStep,
}: {
  tag: string;
  sides: Sides;
  onStep: (side: "a" | "b", step: string) => void;
}): JSX.Element {
  const { a, b } = sides;
  const { state, retry } = useResource([tag, a, b].join("\0"), (signal) =>
    Promise.all([loadTexts(a, tag, signal), loadTexts(b, tag, signal)]),
  );
  const { data, error } = state.value;
  const pick = (side: "a" | "b", response: TextResponse, at: number): JSX.Element => (
    <Menu
      label={`${side === "a" ? `● ${a}` : `◆ ${b}`} step ${count(response.steps[at] ?? 0)}`}
      value={String(response.steps[at])}
      onPick={(step) => onStep(side, step)}
      choices={[...response.steps].reverse().map((step) => ({ value: String(step), text: `step ${count(step)}` }))}
    >
      <span class={`in-${side}`}>{side === "a" ? "●" : "◆"}</span>{" "}
      <span class="pick-run tail">
        <bdi>{side === "a" ? a : b}</bdi>
      </span>{" "}
      <span class="dim">step {count(response.steps[at] ?? 0)}</span>
    </Menu>
  );
  const [first, second] = data ?? [null, null];
  const last = (response: TextResponse): number => response.steps.length - 1;
  const atA =
    first === null
      ? -1
      : sides.stepA !== null
        ? nearestIndex(first.steps, sides.stepA)
        : Math.max(0, last(first) - (a === b ? 1 : 0));
  const atB = second === null ? -1 : sides.stepB !== null ? nearestIndex(second.steps, sides.stepB) : last(second);
  return (
    <section class="text-card" aria-label={`${tag}: ${a} and ${b}`}>
      <div class="panel-head">
        <h2 title={tag}>{titleOf(tag)}</h2>
        {first && second && (
          <>
            {pick("a", first, atA)}
            {pick("b", second, atB)}
          </>
        )}
      </div>
      {error && !data && (
        <p class="trouble">
          {error.message}{" "}
          <button class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {first && second && (
        <Lines from={(first.texts[atA] ?? []).join("\n")} to={(second.texts[atB] ?? []).join("\n")} />
      )}
    </section>
  );
}
