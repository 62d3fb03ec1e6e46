// Texts: as the Markdown they mostly are, or as they were logged.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { count } from "../../lib/format";
import { RunKey } from "../../parts/RunKey";
import { SeriesPage, type Series } from "../../parts/SeriesPage";
import { elementsOf } from "../../lib/safe_html";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
import "./text.css";

interface TextAnswer {
  steps: number[];
  wall_times: number[];
  shapes: number[][];
  texts: string[][];
  html: string[];
}

function TextCard({ run, tag, raw }: Series & { raw: boolean }): JSX.Element {
  const { state, retry } = useResource(`${run}\u0000${tag}`, (signal) => getJson<TextAnswer>("text", { run, tag, limit: 50, html: "true" }, signal));
  const { data, error } = state.value;
  return (
    <section class="text-card" aria-label={`${tag} of ${run}`}>
      <div class="panel-head"><h2 title={tag}>{tag.replace(/\/text_summary$/, "")}</h2><span class="note run-line"><RunKey run={run} /> {run}</span></div>
      {error && !data && <p class="trouble">{error.message} <button class="link" onClick={retry}>Try again</button></p>}
      {data && [...data.steps.keys()].reverse().map((i) => (
        <div key={i}>
          <div class="note">step {count(data.steps[i] ?? 0)}</div>
          {raw ? <TextGrid shape={data.shapes[i] ?? []} texts={data.texts[i] ?? []} /> : <Markdown html={data.html[i] ?? ""} />}
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
  const rows = Array.from({ length: Math.ceil(texts.length / columns) }, (_, r) => texts.slice(r * columns, (r + 1) * columns));
  return (
    <table class="table text-table"><tbody>{rows.map((row, r) => <tr key={r}>{row.map((cell, c) => <td key={c}>{cell}</td>)}</tr>)}</tbody></table>
  );
}

export default function Text(): JSX.Element {
  const raw = query.value.has("raw");
  const tools = (
    <span class="seg" role="group" aria-label="Show texts as">
      <button aria-pressed={!raw} onClick={() => setQuery({ raw: null })}>Markdown</button>
      <button aria-pressed={raw} onClick={() => setQuery({ raw: "1" })}>Raw</button>
    </span>
  );
  return (
    <SeriesPage kind="text" title="Text" note="" tools={() => tools} inGrid={false} card={(series) => <TextCard {...series} raw={raw} />} empty={(
      <>
        <h1>No texts yet</h1>
        <p>This page shows logged texts: notes, samples, reports.</p>
        <pre>{`writer.add_text("notes", "calibrated on 512 samples", step)`}</pre>
      </>
    )} />
  );
}
