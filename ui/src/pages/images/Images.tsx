// Images: one card per tag and run, a slider over its steps.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { apiUrl, getJson } from "../../api/client";
import type { Tags } from "../../api/types";
import { count, plural } from "../../lib/format";
import { runsOfTags } from "../../lib/runs_of_tags";
import { allRuns, RunList, shownRuns } from "../../parts/RunList";
import { RunKey } from "../../parts/RunKey";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
import "../scalars/scalars.css";
import "./images.css";

interface ImagesAnswer {
  indices: number[];
  steps: number[];
  wall_times: number[];
  widths: number[];
  heights: number[];
  samples: number[];
}

function ImageCard({ run, tag, actual }: { run: string; tag: string; actual: boolean }): JSX.Element {
  const { state, retry } = useResource(`${run}\u0000${tag}`, (signal) => getJson<ImagesAnswer>("images", { run, tag, limit: 500 }, signal));
  const { data, error } = state.value;
  const [chosen, setChosen] = useState<number | null>(null);
  const [sample, setSample] = useState(0);
  const last = (data?.steps.length ?? 1) - 1;
  const at = Math.min(chosen ?? last, last);
  return (
    <section class="card image-card" aria-label={`${tag} of ${run}`}>
      <header><h3 title={tag}>{tag}</h3></header>
      <div class="note run-line"><RunKey run={run} /> <span title={run}>{run}</span></div>
      {error && !data && <p class="trouble">{error.message} <button class="link" onClick={retry}>Try again</button></p>}
      {data && at >= 0 && (
        <>
          <div class="image-box">
            <img class={actual ? "actual" : ""} loading="lazy" alt={`${tag}, step ${data.steps[at]}`} width={data.widths[at]} height={data.heights[at]}
              src={apiUrl("blob", { run, tag, index: data.indices[at], sample })} />
          </div>
          <div class="values">
            <span>step {count(data.steps[at] ?? 0)}</span>
            <span class="dim">{data.widths[at]} × {data.heights[at]}</span>
            {(data.samples[at] ?? 1) > 1 && (
              <button class="link" onClick={() => setSample((sample + 1) % (data.samples[at] ?? 1))}>sample {sample + 1} of {data.samples[at]}</button>
            )}
          </div>
          {last > 0 && <input type="range" min="0" max={last} value={at} aria-label={`Step of ${tag}`} onInput={(event) => setChosen(Number(event.currentTarget.value))} />}
        </>
      )}
    </section>
  );
}

export default function Images(): JSX.Element {
  const { state, retry } = useResource("image-tags", (signal) => getJson<Tags>("tags", { kind: "image" }, signal));
  const { data, error } = state.value;
  useEffect(() => {
    if (data) allRuns.value = runsOfTags(data);
  }, [data]);
  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  if (!data) return <div class="view" aria-busy="true" />;
  if (data.names.length === 0) {
    return (
      <div class="empty">
        <h1>No images yet</h1>
        <p>This page shows logged images, among them the similarity plots of quantization stages.</p>
        <pre>{`writer.add_image("sample", pixels, step)  # CHW, 0 to 1 or uint8`}</pre>
      </div>
    );
  }
  const actual = query.value.has("actual");
  const shown = new Set(shownRuns.value);
  const cards = data.names.flatMap((tag, i) => (data.run_lists[i] ?? []).map((r) => ({ tag, run: data.runs[r] ?? "" }))).filter((card) => shown.has(card.run));
  const most = Number(query.value.get("most") ?? 60);
  return (
    <div class="view scalars">
      <div class="side"><RunList /></div>
      <div class="main-column">
        <div class="page-bar">
          <h1>Images</h1><span class="note">{plural(cards.length, "series", "series")}, every step kept</span>
          <label class="label push">Actual size <input type="checkbox" checked={actual} onChange={() => setQuery({ actual: actual ? null : "1" })} /></label>
        </div>
        <div class="cards">{cards.slice(0, most).map((card) => <ImageCard key={`${card.run}\u0000${card.tag}`} {...card} actual={actual} />)}</div>
        {cards.length > most && <button class="link more" onClick={() => setQuery({ most: String(most + 60) }, "replace")}>Show more of {cards.length}</button>}
      </div>
    </div>
  );
}
