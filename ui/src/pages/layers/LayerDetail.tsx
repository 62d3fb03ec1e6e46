// Details of the selected layer: its diagnosis, its metrics, and the histograms of A and B on one axis.
import { type WireNumber, toNumber } from "../../api/shape";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { BinTable } from "../../charts/histogram/BinTable";
import { HistogramChart } from "../../charts/histogram/HistogramChart";
import { QqChart } from "../../charts/histogram/QqChart";
import { dbWithUnit, gainWithUnit } from "../../domain/layers/decibels";
import { asSentence, bytes, count, fixed, significant, withTrueMinus } from "../../base/text/format";
import { emptyPages } from "../../domain/live/contents";
import { shellFolder } from "../../domain/live/Snippet";
import { useKeys } from "../../base/keys";
import { hrefOf, query, setQuery } from "../../base/address";
import { hasHistograms, nameOfFigure, sqnrWithUnit, type Layer } from "../../domain/layers/layers";
import { ChannelRibbon } from "./ChannelRibbon";
import { useOverlay } from "./overlay";
import { useSteps } from "./steps";

const VIEWS = [
  { id: "linear", text: "Linear" },
  { id: "log", text: "Log y" },
  { id: "cdf", text: "CDF" },
  { id: "error", text: "Error" },
  { id: "qq", text: "Q-Q" },
  { id: "table", text: "Table" },
] as const;

type ViewId = (typeof VIEWS)[number]["id"];

const viewHere = (): ViewId => VIEWS.find(({ id }) => id === query.value.get("hist"))?.id ?? "linear";
const show = (view: ViewId): void => setQuery({ hist: view === "linear" ? null : view }, "replace");

const NEGATIVE = /(?<![\w.])-(?=\d)/g; // A minus sign before a number, but not a hyphen inside a name.

function Fact({ name, value, level }: { name: string; value: string; level?: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={level ?? ""}>{value}</dd>
    </div>
  );
}

/** The name of the metric that is compared with the limits. */
function figureName(layer: Layer): string {
  const ofChannel = layer.sqnrBy === "worst_channel_sqnr_db" && layer.worstChannelNumber !== null;
  const name = `${nameOfFigure(layer)}${ofChannel ? ` ${layer.worstChannelNumber}` : ""}`;
  return name ? `SQNR, ${name}` : layer.sqnrIsBound ? "SQNR at most" : "SQNR";
}

function Finding({ layer }: { layer: Layer }): JSX.Element {
  const glyph = { bad: "✗", warn: "▲", good: "✓", open: "○" }[layer.level];
  return (
    <div class={`finding ${layer.level}`}>
      <span class={layer.level} aria-hidden="true">
        {glyph}
      </span>
      <span>
        <b>{layer.level === "open" ? "Not measured" : layer.causeHeadline}.</b>{" "}
        {layer.explanation &&
          asSentence(layer.explanation.replace(/^not measured: /, "").replace(NEGATIVE, withTrueMinus))}
      </span>
    </div>
  );
}

/**
 * A hint that explains how to measure the effect of the damage on the model's output. Shown for compared model files if
 * `--verify` did not run.
 */
function VerifyHint(): JSX.Element {
  const command = `compression-board compare A B --verify --logdir ${shellFolder()}`;
  return (
    <p class="note verify-hint" title={command}>
      To measure the gain from restoring layers to FP32, run <code>{command}</code>
    </p>
  );
}

function Distribution({ layer, a, b }: { layer: Layer; a: string; b: string }): JSX.Element {
  const view = viewHere();
  const [newest, setNewest] = useState(0); // The newest step that was drawn, also while another step is shown.
  const steps = useSteps(layer, newest);
  const { data, error, input, clip, retry } = useOverlay(layer, steps.of);
  useEffect(
    () => setNewest((before) => Math.max(before, ...(data?.series.map(({ step }) => step ?? 0) ?? []))),
    [data],
  );
  useKeys([{ key: "l", does: "Logarithmic y", run: () => show(viewHere() === "log" ? "linear" : "log") }]);
  const at = steps.shown === null ? steps.all.length - 1 : steps.all.findLastIndex((step) => step <= steps.shown!);
  const values = toNumber(data?.series[0]?.num ?? null);
  const reach = ([min, max]: readonly [WireNumber | undefined, WireNumber | undefined]): string =>
    `${significant(toNumber(min ?? null), 3)} to ${significant(toNumber(max ?? null), 3)}`;
  const [sa, sb] = [data?.series[0], data?.series[1]];
  const summary = `Values of ${layer.name} on one axis: ${a} from ${reach([sa?.min, sa?.max])}, ${b} from ${reach([sb?.min, sb?.max])}`;
  return (
    <section class="panel" aria-labelledby="hist-title">
      <div class="panel-head">
        <h2 id="hist-title">{layer.role === "output" ? "Output values" : "Values"}</h2>
        <span class="note">
          <span class="in-a">● {a}</span>, <span class="in-b">◆ {b}</span>
          {Number.isFinite(values) ? `; share of ${count(values)} values` : ""}
        </span>
        <span class="seg push" role="group" aria-label="Histogram">
          {VIEWS.map((v) => (
            <button key={v.id} aria-pressed={view === v.id} onClick={() => show(v.id)}>
              {v.text}
            </button>
          ))}
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
      {data?.series.map(
        (one, i) =>
          one.error && (
            <p key={i} class="note bad">
              {one.error.message}
            </p>
          ),
      )}
      {input && view === "table" && (
        <BinTable input={input} nameA={a} nameB={b} caption={`Values of ${layer.name} in ${a} and in ${b}`} />
      )}
      {input && view === "qq" && (
        <QqChart input={input} nameA={a} nameB={b} summary={`Quantiles of ${layer.name}, ${b} against ${a}`} />
      )}
      {input && view !== "table" && view !== "qq" && (
        <HistogramChart input={input} view={view} nameA={a} nameB={b} clip={clip} summary={summary} />
      )}
      {steps.all.length > 1 && (
        <label class="step-slider note">
          step
          <input
            type="range"
            min="0"
            max={steps.all.length - 1}
            value={at}
            aria-valuetext={`step ${steps.all[at]}`}
            onInput={(event) => {
              const index = Number(event.currentTarget.value);
              setQuery({ step: index === steps.all.length - 1 ? null : String(steps.all[index]) }, "replace");
            }}
          />
          <span class="num">{count(steps.all[at] ?? 0)}</span>
          <span>
            of {steps.all.length} steps
            {at === steps.all.length - 1 ? ", the last step" : ""}
          </span>
        </label>
      )}
    </section>
  );
}

export function LayerDetail({
  model,
  layer,
  a,
  b,
  verified,
  kept,
  onKeep,
  pinned,
  onPin,
  children,
}: {
  model: string | null;
  layer: Layer;
  a: string;
  b: string;
  verified: boolean;
  kept: boolean;
  onKeep: () => void;
  pinned: boolean;
  onPin: () => void;
  /** The details of other layers, shown below to compare them with this one. */
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="detail" aria-live="polite">
      <section class="panel">
        <div class="panel-head">
          <h2 class="mono" title={layer.name}>
            {layer.name}
          </h2>
          <span class="note">
            {layer.role === "output" ? "output" : layer.parameter || layer.role}
            {layer.otherName !== layer.name
              ? `, paired with ${layer.otherName} by ${layer.pairedBy.replaceAll("_", " ")}`
              : ""}
          </span>
          {hasHistograms(layer) && (
            <button
              class="link push"
              aria-pressed={pinned}
              onClick={onPin}
              title="Keep the layer's histogram visible while other layers are selected"
            >
              {pinned ? "Unpin" : "Pin"}
            </button>
          )}
          {!emptyPages.value?.has("graph") && (
            <a
              class={`link${hasHistograms(layer) ? "" : " push"}`}
              href={hrefOf(["graph"], { layer: layer.name })}
              title="Show this layer in the graph"
            >
              Graph
            </a>
          )}
          <button
            class={`link${hasHistograms(layer) || !emptyPages.value?.has("graph") ? "" : " push"}`}
            aria-pressed={kept}
            onClick={onKeep}
            title="Keep this layer in fp32"
          >
            {kept ? "✓ Kept in fp32" : "Keep fp32"}
          </button>
        </div>
        <Finding layer={layer} />
        {layer.fix !== "" && (layer.level === "bad" || layer.level === "warn") && (
          <p class="note suggested-fix">
            <b>First fix to try:</b> {asSentence(layer.fix.replace(NEGATIVE, withTrueMinus))}
          </p>
        )}
        {!verified && (layer.level === "bad" || layer.level === "warn") && layer.carried !== null && <VerifyHint />}
        <dl class="facts">
          <Fact
            name={figureName(layer)}
            value={sqnrWithUnit(layer)}
            level={layer.level === "bad" || layer.level === "warn" ? layer.level : ""}
          />
          {layer.ownSqnr !== null && layer.sqnrBy !== "sqnr_db" && (
            <Fact name="SQNR of the whole" value={dbWithUnit(layer.ownSqnr)} />
          )}
          {layer.worstChannel !== null && layer.sqnrBy !== "worst_channel_sqnr_db" && (
            <Fact
              name={layer.worstChannelNumber === null ? "worst channel" : `worst channel ${layer.worstChannelNumber}`}
              value={dbWithUnit(layer.worstChannel)}
            />
          )}
          {layer.asEightBits !== null && (
            <Fact name={`8-bit score of ${layer.bits} bits`} value={dbWithUnit(layer.asEightBits)} />
          )}
          {layer.cosine !== null && <Fact name="cosine" value={fixed(layer.cosine, 4)} />}
          {layer.mse !== null && <Fact name="MSE" value={significant(layer.mse, 3)} />}
          {layer.kl !== null && <Fact name="KL" value={significant(layer.kl, 3)} />}
          {layer.w1 !== null && <Fact name="distance" value={`${significant(layer.w1, 3)} σ`} />}
          {layer.meanShift !== null && <Fact name="mean shift" value={`${significant(layer.meanShift, 3)} σ`} />}
          {layer.clipped !== null && <Fact name="clipped" value={`${significant(layer.clipped * 100, 3)} %`} />}
          {layer.rangeRatio !== null && <Fact name="range" value={`${significant(layer.rangeRatio, 3)}×`} />}
          {layer.scoreAlone !== null && (
            <Fact name="score if only this is quantized" value={significant(layer.scoreAlone)} />
          )}
          {layer.restored !== null && (
            <Fact name="restored alone" value={`${gainWithUnit(layer.restored)} at the end`} />
          )}
          {layer.bytes !== null && <Fact name="size" value={bytes(layer.bytes)} />}
          {layer.codesUsed !== null && <Fact name="codes used" value={`about ${count(layer.codesUsed)}`} />}
        </dl>
      </section>
      {hasHistograms(layer) && <Distribution key={layer.key} layer={layer} a={a} b={b} />}
      <ChannelRibbon
        model={model}
        layer={layer.name}
        tensor={layer.role === "output" ? "output" : layer.parameter || layer.role}
        a={a}
        b={b}
      />
      {children}
    </div>
  );
}
