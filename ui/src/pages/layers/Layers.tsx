// The layers of a pair: the error by depth, the ranked table, and the diagnosis of the selected layer.
import { tagsShape } from "../../api/board";
import { type SidesResponse, keepFloatShape, layersShape, sidesShape } from "../../api/compression/layers";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { getJson, postJson } from "../../api/client";
import { asSentence, plural } from "../../base/text/format";
import { matcherOf } from "../../base/text/matching";
import { Dialog } from "../../widgets/Dialog";
import { useKeys } from "../../base/keys";
import { Menu } from "../../widgets/Menu";
import { hrefOf, listOf, listText, query, setQuery } from "../../base/address";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { pythonFolder, shellFolder } from "../../domain/live/Snippet";
import { model, sideA, sideB } from "../../domain/models/pair";
import { useResource } from "../../domain/live/resource";
import {
  hasHistograms,
  pairToShow,
  readLayers,
  SORTS,
  sortLayers,
  usableSorts,
  type Layer,
  type SortId,
} from "../../domain/layers/layers";
import { Depth } from "./Depth";
import { LayerDetail } from "./LayerDetail";
import { LayerTable, useLayerColumns } from "./LayerTable";
import { Pinned } from "./Pinned";
import { withPin } from "./pins";
import { Verified } from "./Verified";
import type { FloatParts } from "../../domain/layers/verified_runs";
import "../../domain/layers/layers.css";

function KeepDialog({ operations, onClose }: { operations: readonly string[]; onClose: () => void }): JSX.Element {
  const { state, retry } = useResource(
    JSON.stringify(operations),
    (signal) => postJson(keepFloatShape, "compression/keep_float", { layers: operations }, signal),
    { live: false },
  );
  const { data, error } = state.value;
  return (
    <Dialog label="Keep in fp32" onClose={onClose}>
      <h2>{plural(operations.length, "layer")} kept in fp32</h2>
      {error && (
        <p class="trouble" role="alert">
          {error.message}{" "}
          <button class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {data?.titles.map((title, i) => (
        <section key={title}>
          <div class="panel-head">
            <h3>{title}</h3>
            <button class="link push" onClick={() => void navigator.clipboard?.writeText(data.snippets[i] ?? "")}>
              Copy
            </button>
          </div>
          <pre class="snippet">{data.snippets[i]}</pre>
        </section>
      ))}
    </Dialog>
  );
}

/** The layer that the address names; without one, the worst layer. */
function pickedOf(shown: readonly Layer[]): Layer | null {
  const wanted = query.value.get("sel");
  if (wanted === null) return shown[0] ?? null;
  // Some links are created from tags. Layer names in tags have no leading slash.
  return (
    shown.find((layer) => layer.key === wanted || layer.name === wanted) ??
    shown.find((layer) => layer.name === `/${wanted}`) ??
    shown[0] ??
    null
  );
}

/** Which SQNRs are upper bounds, because only histograms were logged. */
function boundsText(layers: readonly Layer[]): string {
  const bounds = layers.filter((layer) => layer.sqnrIsBound).length;
  if (bounds === 0) return "";
  return bounds === layers.length ? ", upper bounds from histograms" : ", ≤ upper bounds from histograms";
}

const NO_LIMITS = { red_db: 20, amber_db: 30 };

/** The CSS class of the verdict on the outputs, by level. Other levels are grey, because nothing was measured. */
const OUTPUTS_CLASS: Readonly<Record<string, string>> = { broken: "bad", degraded: "warn", sound: "good" };

export default function Layers(): JSX.Element {
  const sides = useResource("sides", (signal) => getJson(sidesShape, "compression/sides", {}, signal)).state.value;
  const pair = sides.data ? pairToShow(sides.data, { model: model.value, a: sideA.value, b: sideB.value }) : null;
  const key = pair ? JSON.stringify(pair) : "";
  const { state, retry } = useResource(key, (signal) =>
    pair
      ? getJson(layersShape, "compression/layers", { a: pair.a, b: pair.b, model: pair.model }, signal)
      : Promise.resolve(null),
  );
  const { data, error } = state.value;
  const layers = useMemo(() => (data ? readLayers(data) : []), [data]);

  // Some toolkits log the similarity of the models only as images, without numbers.
  const pictures = useResource(data?.not_measured ? "pictures" : "", (signal) =>
    data?.not_measured ? getJson(tagsShape, "tags", { kind: "image" }, signal) : Promise.resolve(null),
  ).state.value.data;
  const similarities =
    pictures?.names.some((tag) => /^(similarity_distance|cosine_similarity)_sample_/.test(tag)) ?? false;

  const role = query.value.get("role") ?? "all";
  const sorts = usableSorts(layers);
  const sort = sorts.find((id) => id === query.value.get("sort")) ?? ("sqnr" satisfies SortId);
  const words = query.value.get("find") ?? "";
  const find = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => {
    const matches = matcherOf(words);
    return sortLayers(
      layers.filter((layer) => (role === "all" || layer.role === role) && matches(layer.name)),
      sort,
    );
  }, [layers, role, sort, words]);
  const columns = useLayerColumns(shown, data?.limits ?? NO_LIMITS);
  const picked = pickedOf(shown);
  const pick = (layer: Layer): void =>
    setQuery({ sel: layers.filter((l) => l.name === layer.name).length > 1 ? layer.key : layer.name, channel: null });
  const kept = listOf(query.value.get("keep"));
  const dialog = query.value.has("snippet");
  const fallbackOf = (name: string): string => layers.find((layer) => layer.name === name)?.fallback ?? name;
  const pickPart = ({ layer, tensors }: FloatParts): void => {
    const rows = layers.filter((row) => row.name === layer);
    const row = rows.find(({ role: of }) => of === tensors[0]) ?? rows[0];
    if (row) pick(row);
  };
  const pins = listOf(query.value.get("pins"));
  const togglePin = (layer: Layer | null): void => {
    if (layer && hasHistograms(layer))
      setQuery({ pins: listText(withPin(listOf(query.value.get("pins")), layer.key)) }, "replace");
  };

  const move = (by: number) => (): void => {
    const now = pickedOf(shown);
    const next = shown[Math.max(0, Math.min(shown.length - 1, (now ? shown.indexOf(now) : 0) + by))];
    if (next) pick(next);
  };
  useKeys([
    { key: "j", does: "Next layer", run: move(1) },
    { key: "k", does: "Previous layer", run: move(-1) },
    { key: "f", does: "Find layers", run: () => find.current?.focus() },
    { key: "m", does: "Pin the layer", run: () => togglePin(pickedOf(shown)) },
  ]);

  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!sides.data || (pair && !data)) return <div class="view" aria-busy="true" />;
  if (!pair || !data || layers.length === 0) return <Empty sides={sides.data} />;
  const { a, b, limits } = data; // The name of the variant in the log, and the SQNR limit that its bit width allows.
  const failing = layers.filter((layer) => layer.level === "bad").length;
  const watching = layers.filter((layer) => layer.level === "warn").length;
  const open = layers.filter((layer) => layer.level === "open").length;
  const roles = ["all", ...new Set(layers.map((layer) => layer.role))];
  return (
    <div class={`view layers${data.verified ? " is-verified" : ""}`}>
      <div class="page-bar">
        <h1>Layers</h1>
        <span class="note">
          {a === sideA.value && b === sideB.value ? "" : `${a} against ${b}: `}
          {plural(layers.length, "tensor")} paired
          {open < layers.length ? `, ${failing} ${failing === 1 ? "fails" : "fail"}, ${watching} to watch` : ""}
          {open > 0 ? `, ${open === layers.length ? "damage" : open} not measured` : ""}
        </span>
        {data.problems.length > 0 && (
          <span class="note bad" title={data.problems.join("\n")}>
            {plural(data.problems.length, "histogram")} could not be read
          </span>
        )}
        {kept.length > 0 && (
          <button class="link" onClick={() => setQuery({ snippet: "1" }, "replace")}>
            {plural(kept.length, "layer")} kept: snippet
          </button>
        )}
        <span class="label push">
          Sort layers, worst first, by
          <span class="seg" role="group" aria-label="Rank by">
            {SORTS.filter((s) => sorts.includes(s.id)).map((s) => (
              <button
                key={s.id}
                aria-pressed={s.id === sort}
                onClick={() => setQuery({ sort: s.id === "sqnr" ? null : s.id })}
              >
                {s.text}
              </button>
            ))}
          </span>
        </span>
        {roles.length > 2 && (
          <Menu
            label={`Tensors: ${role === "all" ? "all tensors" : `${role}s`}`}
            value={role}
            choices={roles.map((r) => ({ value: r, text: r === "all" ? "all tensors" : `${r}s` }))}
            onPick={(r) => setQuery({ role: r === "all" ? null : r })}
          >
            {role === "all" ? "all tensors" : `${role}s`}
          </Menu>
        )}
        {columns.menu}
      </div>
      <div class="notes">
        {data.outputs && data.outputs.sentence !== "" && (
          <p class="panel outputs-verdict" role="note">
            <span class={`verdict ${OUTPUTS_CLASS[data.outputs.level] ?? "open"}`}>Outputs</span>{" "}
            {data.outputs.sentence}
          </p>
        )}
        {data.not_measured !== "" && (
          <p class="panel not-measured" role="note">
            <b>Damage is not measured.</b> {asSentence(data.not_measured.replace(/^not measured: /, ""))}{" "}
            {similarities && (
              <a class="link" href={hrefOf(["images"], {})}>
                See the cosine similarities, which were logged as images
              </a>
            )}
          </p>
        )}
      </div>
      <section class="panel depth" aria-labelledby="depth-title">
        <div class="panel-head">
          <h2 id="depth-title">Error along the depth of the model</h2>
          <span class="note">
            SQNR in dB{boundsText(layers)}
            {layers.some((l) => l.carried !== null) ? "; line: accumulated over the layers before" : ""}
            {limits.bits < 8 ? `; limits for ${plural(limits.bits, "bit")}` : ""}; layers in the order of the{" "}
            {data.order === "graph" ? "graph" : "log"}
          </span>
          <input
            ref={find}
            class="field push find-layers"
            type="search"
            aria-label="Find layers"
            placeholder="Find layers: regular expression"
            value={words}
            onInput={(event) => setQuery({ find: event.currentTarget.value }, "replace")}
          />
        </div>
        <Depth layers={shown} limits={limits} picked={picked} onPick={pick} />
      </section>
      {data.verified && (
        <Verified
          response={data.verified}
          onPick={pickPart}
          kept={(names) => names.every((name) => kept.includes(fallbackOf(name)))}
          onKeep={(names) => setQuery({ keep: listText([...new Set([...kept, ...names.map(fallbackOf)])]) })}
        />
      )}
      {shown.length > 0 ? (
        <LayerTable layers={shown} columns={columns} picked={picked} onPick={pick} />
      ) : (
        <p class="panel note">
          No layer has this name.{" "}
          <button class="link" onClick={() => setQuery({ find: null, role: null })}>
            Show all {layers.length}
          </button>
        </p>
      )}
      {picked && (
        <LayerDetail
          model={data.model ?? pair.model}
          layer={picked}
          a={a}
          b={b}
          verified={data.verified !== null}
          kept={kept.includes(picked.fallback)}
          onKeep={() =>
            setQuery({
              keep: listText(
                kept.includes(picked.fallback) ? kept.filter((k) => k !== picked.fallback) : [...kept, picked.fallback],
              ),
            })
          }
          pinned={pins.includes(picked.key)}
          onPin={() => togglePin(picked)}
        >
          <Pinned
            layers={pins.flatMap((pin) => layers.find((layer) => layer.key === pin && hasHistograms(layer)) ?? [])}
            a={a}
            b={b}
            onPick={pick}
            onUnpin={togglePin}
          />
        </LayerDetail>
      )}
      {dialog && <KeepDialog operations={kept} onClose={() => setQuery({ snippet: null }, "replace")} />}
    </div>
  );
}

function Empty({ sides }: { sides: SidesResponse }): JSX.Element {
  const alone = sides.variants.length > 0;
  return (
    <EmptyPage
      title="No layers to compare yet"
      about="This page pairs the tensors of two variants, layer by layer, and shows the most damaged layers with the cause of the damage."
      lookedFor={
        alone ? (
          <>layers of two variants of the same model; only {sides.variants.join(", ")} logged layers</>
        ) : (
          <>
            histograms whose tag names a layer and a precision, such as <span class="mono">conv1/weight/int8</span> or{" "}
            <span class="mono">conv1/Output/fp32</span>, and tuning runs such as{" "}
            <span class="mono">baseline_acc_0.776</span>
          </>
        )
      }
    >
      <p>Compare two model files, or log both variants from Python:</p>
      <pre>{`compression-board compare model.onnx \\
    model.int8.onnx --logdir ${shellFolder()}

from compression_board import SummaryWriter
log = SummaryWriter(${pythonFolder("/resnet18")})
log.add_histogram("conv1/Output/fp32", fp32)
log.add_histogram("conv1/Output/int8", int8)`}</pre>
    </EmptyPage>
  );
}
