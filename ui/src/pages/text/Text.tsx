// Texts as they were logged. Nothing in them is taken for markup.
import type { JSX } from "preact";
import { getJson } from "../../api/client";
import { count } from "../../lib/format";
import { RunKey } from "../../parts/RunKey";
import { SeriesPage } from "../../parts/SeriesPage";
import { useResource } from "../../state/resource";
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
  return (
    <SeriesPage kind="text" title="Text" note="" inGrid={false} card={(series) => <TextCard {...series} />} empty={(
      <>
        <h1>No texts yet</h1>
        <p>This page shows logged texts: notes, samples, reports.</p>
        <pre>{`writer.add_text("notes", "calibrated on 512 samples", step)`}</pre>
      </>
    )} />
  );
}
