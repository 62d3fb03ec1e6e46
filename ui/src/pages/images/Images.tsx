// Images: one card per tag and run. All cards share step, brightness and contrast, so that images can be compared; a
// single card may be set to another step. Two runs can be shown one over the other.
import { imagesShape } from "../../api/media";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { apiUrl, getJson } from "../../api/client";
import { nearestIndex } from "../../charts/line/layout";
import { useSeen } from "../../base/dom/useNear";
import { count } from "../../base/text/format";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shownNameOf } from "../../domain/runs/run_names";
import { RunKey } from "../../domain/runs/RunKey";
import { SeriesPage, type Series } from "../../domain/runs/SeriesPage";
import { Snippet } from "../../domain/live/Snippet";
import { useSharedStep } from "../../domain/runs/useSharedStep";
import { Menu } from "../../widgets/Menu";
import { damagedText, everyKept } from "../../domain/live/damaged";
import { query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { filterOf, lookOf, pairOf, SMALL, type Look } from "./look";
import { PairCard, type PairMode } from "./PairCard";
import "./images.css";

function ImageCard({ run, tag, look }: Series & { look: Look }): JSX.Element {
  const { ref, seen } = useSeen();
  const { state, retry } = useResource(`${run}\u0000${tag}\u0000${seen}`, (signal) =>
    seen ? getJson(imagesShape, "images", { run, tag, limit: 500 }, signal) : Promise.resolve(null),
  );
  const { data, error } = state.value;
  const [own, setOwn] = useState<{ of: number | null; at: number } | null>(null);
  const [sample, setSample] = useState(0);
  const last = (data?.steps.length ?? 1) - 1;
  // A change of the shared step resets the cards that were set to their own step.
  const alone = own !== null && own.of === look.step ? own.at : null;
  const at = Math.min(alone ?? (look.step !== null && data ? nearestIndex(data.steps, look.step) : last), last);
  return (
    <section class="card image-card" ref={ref} aria-label={`${tag} of ${run}`}>
      <header>
        <h3 class="tail" title={tag}>
          <bdi>{tag}</bdi>
        </h3>
      </header>
      <div class="note run-line">
        <RunKey run={run} />{" "}
        <span class="tail" title={run}>
          <bdi>{shownNameOf(run)}</bdi>
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
      {!data && !error && <div class="image-box" />}
      {data && data.damaged.length > 0 && <p class="trouble">{damagedText("image", data.damaged)}</p>}
      {data && at >= 0 && (
        <>
          <div class="image-box">
            <img
              class={look.actual ? "actual" : (data.widths[at] ?? 0) < SMALL ? "small" : ""}
              loading="lazy"
              alt={`${tag}, step ${data.steps[at]}`}
              width={data.widths[at]}
              height={data.heights[at]}
              style={filterOf(look)}
              src={apiUrl("blob", { run, tag, index: data.indices[at], sample })}
            />
          </div>
          <div class="values">
            <span>step {count(data.steps[at] ?? 0)}</span>
            <span class="dim">
              {data.widths[at]} × {data.heights[at]}
            </span>
            {(data.samples[at] ?? 1) > 1 && (
              <button class="link" onClick={() => setSample((sample + 1) % (data.samples[at] ?? 1))}>
                sample {sample + 1} of {data.samples[at]}
              </button>
            )}
          </div>
          {last > 0 && (
            <input
              type="range"
              min="0"
              max={last}
              value={at}
              aria-label={`Step of ${tag}`}
              onInput={(event) => setOwn({ of: look.step, at: Number(event.currentTarget.value) })}
            />
          )}
        </>
      )}
    </section>
  );
}

const MODES: readonly { value: PairMode | "each"; text: string }[] = [
  { value: "each", text: "Each run" },
  { value: "wipe", text: "Wipe A | B" },
  { value: "difference", text: "Difference" },
];

export default function Images(): JSX.Element {
  const [split, setSplit] = useState(50);
  const shared = useSharedStep();
  const look = lookOf(query.value, shared.step);
  const slider = (key: "bright" | "contrast", text: string, value: number): JSX.Element => (
    <label class="label beside">
      {text}
      <input
        type="range"
        min="0.2"
        max="3"
        step="0.05"
        value={value}
        onInput={(event) =>
          setQuery({ [key]: event.currentTarget.value === "1" ? null : event.currentTarget.value }, "replace")
        }
      />
      <output>{value.toFixed(2)}×</output>
    </label>
  );
  const mode = MODES.find(({ value }) => value === query.value.get("ab"))?.value ?? "each";
  const pairIn = (all: readonly Series[]): readonly [string, string] | null =>
    mode === "each" ? null : pairOf(all, query.value.get("ia"), query.value.get("ib"));
  const tools = (all: readonly Series[]): JSX.Element => {
    const pair = pairIn(all);
    const runs = [...new Set(all.map(({ run }) => run))];
    const pick = (key: "ia" | "ib", mark: string, run: string): JSX.Element => (
      <Menu
        label={`${mark} ${run}`}
        value={run}
        choices={runs.map((name) => ({ value: name, text: name }))}
        onPick={(name) => setQuery({ [key]: name }, "replace")}
      >
        <span class={key === "ia" ? "in-a" : "in-b"}>{mark}</span>{" "}
        <span class="pick-run tail">
          <bdi>{shownNameOf(run)}</bdi>
        </span>
      </Menu>
    );
    return (
      <>
        <span class="seg" role="group" aria-label="Two runs">
          {MODES.map(({ value, text }) => (
            <button
              key={value}
              aria-pressed={mode === value}
              onClick={() => setQuery({ ab: value === "each" ? null : value })}
            >
              {text}
            </button>
          ))}
        </span>
        {pair && (
          <span class="tool-group">
            {pick("ia", "●", pair[0])}
            {pick("ib", "◆", pair[1])}
          </span>
        )}
        {mode !== "each" && !pair && <span class="note">No two of these runs have an image with the same tag.</span>}
      </>
    );
  };
  /** One card for each image that exists in both of the compared runs. */
  const ofPair = (all: readonly Series[]): readonly Series[] => {
    const pair = pairIn(all);
    if (!pair) return all;
    const inB = new Set(all.filter(({ run }) => run === pair[1]).map(({ tag }) => tag));
    return all.filter(({ run, tag }) => run === pair[0] && inB.has(tag));
  };
  const card = (series: Series, all: readonly Series[]): JSX.Element => {
    const pair = pairIn(all);
    return pair && mode !== "each" ? (
      <PairCard tag={series.tag} a={pair[0]} b={pair[1]} mode={mode} look={look} split={split} onSplit={setSplit} />
    ) : (
      <ImageCard {...series} look={look} />
    );
  };
  const knobs = (all: readonly Series[]): JSX.Element => (
    <>
      {shared.slider(all)}
      {slider("bright", "Brightness", look.brightness)}
      {slider("contrast", "Contrast", look.contrast)}
      <label class="label">
        Actual size{" "}
        <input type="checkbox" checked={look.actual} onChange={() => setQuery({ actual: look.actual ? null : "1" })} />
      </label>
    </>
  );
  return (
    <SeriesPage
      kind="image"
      title="Images"
      note={(runs) => (mode === "each" ? `, ${everyKept("step", runs)}` : "")}
      unit={mode === "each" ? "series" : "tag"}
      tools={tools}
      knobs={knobs}
      pick={ofPair}
      card={card}
      empty={
        <EmptyPage
          title="No images yet"
          about="This page shows logged images, among them the similarity plots of quantization stages."
          lookedFor="images"
        >
          <Snippet lines={["# channels, height, width; uint8 or 0 to 1", `writer.add_image("sample", pixels, step)`]} />
        </EmptyPage>
      }
    />
  );
}
