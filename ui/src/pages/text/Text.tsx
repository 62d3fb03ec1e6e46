// Texts as they were logged. Nothing in them is taken for markup.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { getJson } from "../../api/client";
import type { Tags } from "../../api/types";
import { count, plural } from "../../lib/format";
import { runsOfTags } from "../../lib/runs_of_tags";
import { allRuns, RunList, shownRuns } from "../../parts/RunList";
import { RunKey } from "../../parts/RunKey";
import { useResource } from "../../state/resource";
import "../scalars/scalars.css";
import "./text.css";

interface TextAnswer {
  steps: number[];
  wall_times: number[];
  shapes: number[][];
  texts: string[][];
}

function TextCard({ run, tag }: { run: string; tag: string }): JSX.Element {
  const { state, retry } = useResource(`${run}\u0000${tag}`, (signal) => getJson<TextAnswer>("text", { run, tag, limit: 50 }, signal));
  const { data, error } = state.value;
  return (
    <section class="text-card" aria-label={`${tag} of ${run}`}>
      <div class="panel-head"><h2>{tag}</h2><span class="note run-line"><RunKey run={run} /> {run}</span></div>
      {error && !data && <p class="trouble">{error.message} <button class="link" onClick={retry}>Try again</button></p>}
      {data && [...data.steps.keys()].reverse().map((i) => (
        <div key={i}>
          <div class="note">step {count(data.steps[i] ?? 0)}</div>
          <TextGrid shape={data.shapes[i] ?? []} texts={data.texts[i] ?? []} />
        </div>
      ))}
    </section>
  );
}

function TextGrid({ shape, texts }: { shape: readonly number[]; texts: readonly string[] }): JSX.Element {
  const columns = shape.length >= 2 ? (shape.at(-1) ?? 1) : 1;
  if (texts.length === 1) return <pre class="text-body">{texts[0]}</pre>;
  const rows = Array.from({ length: Math.ceil(texts.length / columns) }, (_, r) => texts.slice(r * columns, (r + 1) * columns));
  return (
    <table class="table text-table"><tbody>{rows.map((row, r) => <tr key={r}>{row.map((cell, c) => <td key={c}>{cell}</td>)}</tr>)}</tbody></table>
  );
}

export default function Text(): JSX.Element {
  const { state, retry } = useResource("text-tags", (signal) => getJson<Tags>("tags", { kind: "text" }, signal));
  const { data, error } = state.value;
  useEffect(() => {
    if (data) allRuns.value = runsOfTags(data);
  }, [data]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  if (!data) return <div class="view" aria-busy="true" />;
  if (data.names.length === 0) {
    return (
      <div class="empty">
        <h1>No texts yet</h1>
        <p>This page shows logged texts: notes, samples, reports.</p>
        <pre>{`writer.add_text("notes", "calibrated on 512 samples", step)`}</pre>
      </div>
    );
  }
  const shown = new Set(shownRuns.value);
  const cards = data.names.flatMap((tag, i) => (data.run_lists[i] ?? []).map((r) => ({ tag, run: data.runs[r] ?? "" }))).filter((card) => shown.has(card.run));
  return (
    <div class="view scalars">
      <div class="side"><RunList /></div>
      <div class="main-column">
        <div class="page-bar"><h1>Text</h1><span class="note">{plural(cards.length, "series", "series")}</span></div>
        {cards.slice(0, 100).map((card) => <TextCard key={`${card.run}\u0000${card.tag}`} {...card} />)}
      </div>
    </div>
  );
}
