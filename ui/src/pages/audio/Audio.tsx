// Sounds: one card per tag and run, every step of it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { apiUrl, getJson } from "../../api/client";
import { count } from "../../lib/format";
import { Nothing } from "../../parts/Nothing";
import { RunKey } from "../../parts/RunKey";
import { SeriesPage, type Series } from "../../parts/SeriesPage";
import { useResource } from "../../state/resource";
import "./audio.css";

interface AudioAnswer {
  indices: number[];
  steps: number[];
  samples: number[];
  content_types: string[];
}

function AudioCard({ run, tag }: Series): JSX.Element {
  const { state, retry } = useResource(`${run}\u0000${tag}`, (signal) => getJson<AudioAnswer>("audio", { run, tag, limit: 500 }, signal));
  const { data, error } = state.value;
  const [chosen, setChosen] = useState<number | null>(null);
  const [sample, setSample] = useState(0);
  const last = (data?.steps.length ?? 0) - 1;
  const at = Math.min(chosen ?? last, last);
  const samples = data?.samples[at] ?? 1;
  const source = data && at >= 0 ? apiUrl("blob", { run, tag, index: data.indices[at], sample: Math.min(sample, samples - 1) }) : "";
  return (
    <section class="card audio-card" aria-label={`${tag} of ${run}`}>
      <header><h3 title={tag}>{tag}</h3></header>
      <div class="note run-line"><RunKey run={run} /> <span class="tail" title={run}><bdi>{run}</bdi></span></div>
      {error && !data && <p class="trouble">{error.message} <button class="link" onClick={retry}>Try again</button></p>}
      {data && at >= 0 && (
        <>
          <audio controls preload="none" src={source} aria-label={`${tag} of ${run}, step ${data.steps[at]}`} />
          <div class="values">
            <span>step {count(data.steps[at] ?? 0)}</span>
            <span class="dim">{data.content_types[at]}</span>
            {samples > 1 && <button class="link" onClick={() => setSample((sample + 1) % samples)}>sample {Math.min(sample, samples - 1) + 1} of {samples}</button>}
            <a class="link" href={source} download={`${tag.replace(/[^\w.-]+/g, "_")}_${data.steps[at]}`}>Save</a>
          </div>
          {last > 0 && <input type="range" min="0" max={last} value={at} aria-label={`Step of ${tag} of ${run}`} aria-valuetext={`step ${data.steps[at]}`} onInput={(event) => setChosen(Number(event.currentTarget.value))} />}
        </>
      )}
    </section>
  );
}

export default function Audio(): JSX.Element {
  return (
    <SeriesPage kind="audio" title="Audio" note=", every step kept" card={(series) => <AudioCard {...series} />} empty={(
      <Nothing title="No sounds yet" about="This page plays what was logged as audio." lookedFor="sounds">
        <pre>{`writer.add_audio("sample", waveform, step, sample_rate=16000)`}</pre>
      </Nothing>
    )} />
  );
}
