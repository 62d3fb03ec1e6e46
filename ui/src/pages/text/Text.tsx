// Texts: rendered as Markdown, as they were logged, or as a difference between two texts.
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useSeen } from "../../base/dom/useNear";
import { count, plural } from "../../base/text/format";
import { matcherOf } from "../../base/text/matching";
import { elementsOf } from "../../base/text/safe_html";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shownNameOf } from "../../domain/runs/run_names";
import { RunKey } from "../../domain/runs/RunKey";
import { SeriesPage, type Series } from "../../domain/runs/SeriesPage";
import { Snippet } from "../../domain/live/Snippet";
import { useKeys } from "../../base/keys";
import { Menu } from "../../widgets/Menu";
import { query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { loadTexts, titleOf } from "./data";
import { DiffCard } from "./DiffCard";
import { useFound } from "./found";
import "./text.css";

function TextCard({ run, tag, raw, find }: Series & { raw: boolean; find: string }): JSX.Element | null {
  const { ref, seen } = useSeen();
  const { state, retry } = useResource(`${run}\u0000${tag}\u0000${seen}`, (signal) =>
    seen ? loadTexts(run, tag, signal) : Promise.resolve(null),
  );
  const { data, error } = state.value;
  useFound(ref, find, [data, raw]);
  const matches = matcherOf(find);
  const shown = [...(data?.steps.keys() ?? [])]
    .reverse()
    .filter((i) => find === "" || (data?.texts[i] ?? []).some(matches));
  if (data && shown.length === 0 && find !== "") return null;
  return (
    <section class={data ? "text-card" : "text-card unseen"} aria-label={`${tag} of ${run}`} ref={ref}>
      <div class="panel-head">
        <h2 title={tag}>{titleOf(tag)}</h2>
        <span class="note run-line" title={run}>
          <RunKey run={run} />{" "}
          <span class="tail">
            <bdi>{shownNameOf(run)}</bdi>
          </span>
          {data && find !== "" ? `, ${shown.length} of ${plural(data.steps.length, "step")}` : ""}
        </span>
      </div>
      {error && !data && (
        <p class="trouble">
          {error.message}{" "}
          <button class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {data &&
        shown.map((i) => (
          <div key={i}>
            <div class="note">step {count(data.steps[i] ?? 0)}</div>
            {raw ? (
              <TextGrid shape={data.shapes[i] ?? []} texts={data.texts[i] ?? []} />
            ) : (
              <Markdown html={data.html[i] ?? ""} />
            )}
          </div>
        ))}
    </section>
  );
}

function Markdown({ html }: { html: string }): JSX.Element {
  const elements = useMemo(() => elementsOf(html), [html]);
  return <div class="text-body markdown">{elements}</div>;
}

function TextGrid({ shape, texts }: { shape: readonly number[]; texts: readonly string[] }): JSX.Element {
  const columns = shape.length >= 2 ? (shape.at(-1) ?? 1) : 1;
  if (texts.length === 1) return <pre class="text-body">{texts[0]}</pre>;
  const rows = Array.from({ length: Math.ceil(texts.length / columns) }, (_, r) =>
    texts.slice(r * columns, (r + 1) * columns),
  );
  return (
    <table class="table text-table">
      <tbody>
        {rows.map((row, r) => (
          <tr key={r}>
            {row.map((cell, c) => (
              <td key={c}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MODES = [
  { id: "markdown", text: "Markdown" },
  { id: "raw", text: "Raw" },
  { id: "diff", text: "Diff" },
] as const;

/**
 * The two runs to compare: the requested ones, otherwise the first two that have a text in common, otherwise one run
 * with itself.
 */
function sidesIn(all: readonly Series[]): readonly [string, string] {
  const runs = [...new Set(all.map(({ run }) => run))];
  const [a, b] = [query.value.get("ta"), query.value.get("tb")];
  const first = a !== null && runs.includes(a) ? a : (runs[0] ?? "");
  const tags = new Set(all.filter(({ run }) => run === first).map(({ tag }) => tag));
  const partner = all.find(({ run, tag }) => run !== first && tags.has(tag))?.run ?? first;
  return [first, b !== null && runs.includes(b) ? b : partner];
}

const stepIn = (key: string): number | null => {
  const text = query.value.get(key);
  return text === null || !Number.isFinite(Number(text)) ? null : Number(text);
};

export default function Text(): JSX.Element {
  const search = useRef<HTMLInputElement>(null);
  const mode = query.value.has("diff") ? "diff" : query.value.has("raw") ? "raw" : "markdown";
  const find = query.value.get("find") ?? "";
  useKeys([{ key: "f", does: "Find in texts", run: () => search.current?.focus() }]);
  const tools = (all: readonly Series[]): JSX.Element => {
    const [a, b] = sidesIn(all);
    const runs = [...new Set(all.map(({ run }) => run))];
    const pick = (key: "ta" | "tb", steps: string, mark: string, run: string): JSX.Element => (
      <Menu
        label={`${mark} ${run}`}
        value={run}
        choices={runs.map((name) => ({ value: name, text: name }))}
        onPick={(name) => setQuery({ [key]: name, [steps]: null })}
      >
        <span class={key === "ta" ? "in-a" : "in-b"}>{mark}</span>{" "}
        <span class="pick-run tail">
          <bdi>{shownNameOf(run)}</bdi>
        </span>
      </Menu>
    );
    return (
      <>
        <span class="seg" role="group" aria-label="Show texts as">
          {MODES.map(({ id, text }) => (
            <button
              key={id}
              aria-pressed={mode === id}
              onClick={() => setQuery({ raw: id === "raw" ? "1" : null, diff: id === "diff" ? "1" : null })}
            >
              {text}
            </button>
          ))}
        </span>
        {mode === "diff" ? (
          <span class="tool-group">
            {pick("ta", "sa", "●", a)}
            {pick("tb", "sb", "◆", b)}
          </span>
        ) : (
          <input
            class="field"
            ref={search}
            type="search"
            aria-label="Find in texts"
            placeholder="Find in texts"
            value={find}
            onInput={(event) => setQuery({ find: event.currentTarget.value }, "replace")}
          />
        )}
      </>
    );
  };
  /** In a comparison, one card for each text that both runs have. */
  const ofPair = (all: readonly Series[]): readonly Series[] => {
    if (mode !== "diff") return all;
    const [a, b] = sidesIn(all);
    const inB = new Set(all.filter(({ run }) => run === b).map(({ tag }) => tag));
    return all.filter(({ run, tag }) => run === a && inB.has(tag));
  };
  const card = (series: Series, all: readonly Series[]): JSX.Element => {
    if (mode !== "diff") return <TextCard {...series} raw={mode === "raw"} find={find} />;
    const [a, b] = sidesIn(all);
    return (
      <DiffCard
        tag={series.tag}
        sides={{ a, b, stepA: stepIn("sa"), stepB: stepIn("sb") }}
        onStep={(side, step) => setQuery({ [side === "a" ? "sa" : "sb"]: step })}
      />
    );
  };
  return (
    <SeriesPage
      kind="text"
      title="Text"
      note=""
      unit={mode === "diff" ? "tag" : "series"}
      tools={tools}
      inGrid={false}
      pick={ofPair}
      card={card}
      empty={
        <EmptyPage
          title="No texts yet"
          about="This page shows logged texts, such as notes, samples and reports, and compares two of them."
          lookedFor="texts"
        >
          <Snippet lines={["writer.add_text(", `    "notes", "**512** samples", 0)`]} />
        </EmptyPage>
      }
    />
  );
}
