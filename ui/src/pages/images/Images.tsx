// Images: one card per tag and run, a slider over its steps.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { apiUrl, getJson } from "../../api/client";
import { count } from "../../lib/format";
import { RunKey } from "../../parts/RunKey";
import { SeriesPage } from "../../parts/SeriesPage";
import { query, setQuery } from "../../state/location";
import { useResource } from "../../state/resource";
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
  const actual = query.value.has("actual");
  const tools = <label class="label">Actual size <input type="checkbox" checked={actual} onChange={() => setQuery({ actual: actual ? null : "1" })} /></label>;
  return (
    <SeriesPage kind="image" title="Images" note=", every step kept" tools={tools} card={(series) => <ImageCard {...series} actual={actual} />} empty={(
      <>
        <h1>No images yet</h1>
        <p>This page shows logged images, among them the similarity plots of quantization stages.</p>
        <pre>{`writer.add_image("sample", pixels, step)  # CHW, 0 to 1 or uint8`}</pre>
      </>
    )} />
  );
}
