// Where it hurts: error along depth and the ranked list; and why, for the chosen layer.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { getJson, postJson } from "../../api/client";
import { useSize } from "../../charts/useSize";
import { fixed, plural } from "../../lib/format";
import { Dialog } from "../../shell/Dialog";
import { useKeys } from "../../shell/keys";
import { Menu } from "../../shell/Menu";
import { listOf, listText, query, setQuery } from "../../state/location";
import { Nothing } from "../../parts/Nothing";
import { model, sideA, sideB } from "../../state/pair";
import { useResource } from "../../state/resource";
import { hasHistograms, readLayers, SORTS, sortLayers, sqnrText, usableSorts, type KeepFloatAnswer, type Layer, type LayersAnswer, type SidesAnswer, type SortId } from "./data";
import { byDepth, clampDb, layoutDepth, TOP_DB } from "./depth_layout";
import { LayerDetail } from "./LayerDetail";
import { Pinned } from "./Pinned";
import { withPin } from "./pins";
import "./layers.css";

function Depth({ layers, picked, onPick }: { layers: readonly Layer[]; picked: Layer | null; onPick: (layer: Layer) => void }): JSX.Element {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const ordered = useMemo(() => byDepth(layers), [layers]);
  const layout = useMemo(() => layoutDepth(ordered, width, height), [ordered, width, height]);
  const at = picked ? ordered.indexOf(picked) : -1;
  return (
    <div class="depth-plot" ref={ref}>
      {layout && (
        <svg class="chart" height={height} role="img" aria-label={picked ? `SQNR of ${plural(layers.length, "tensor")}; ${picked.name} has ${sqnrText(picked)} dB` : "SQNR along depth"}>
          {layout.ticks.map((t) => (
            <g key={t}>
              <path class={t === TOP_DB ? "axis" : "grid"} d={`M${layout.box.l} ${Math.round(layout.y(t)) + 0.5}H${layout.box.r}`} />
              <text x={layout.box.l - 8} y={layout.y(t) + 4} text-anchor="end">{t}</text>
            </g>
          ))}
          <path class="rule" d={`M${layout.box.l} ${Math.round(layout.y(20)) + 0.5}H${layout.box.r}`} />
          <text class="halo" x={layout.box.l + 4} y={layout.y(20) + 12}>fail below 20 dB</text>
          {layout.groups.map((group, i) => (
            <g key={i}>
              {i > 0 && <path class="grid" d={`M${Math.round(group.from) + 0.5} ${layout.box.t}V${layout.box.b + 6}`} />}
              {group.named && <text x={(group.from + group.to) / 2} y={height - 4} text-anchor="middle">{group.name}</text>}
            </g>
          ))}
          {layout.carried && <path class="total" d={layout.carried} />}
          {ordered.map((layer, i) => {
            const [px, py] = [Math.round(layout.x(i)) + 0.5, layout.y(clampDb(layer.sqnr))];
            return (
              <g key={layer.key} onClick={() => onPick(layer)}>
                <path class={`stem ${layer.level}`} d={`M${px} ${layout.box.t}V${py}`} />
                <circle class={`dot ${layer.level}${layer === picked ? " sel" : ""}`} cx={px} cy={py} r={layer === picked ? 4 : 3} />
                <rect class="hit" x={layout.x(i - 0.5)} y="0" width={layout.x(1) - layout.x(0)} height={height}><title>{`${layer.name} ${sqnrText(layer)} dB`}</title></rect>
              </g>
            );
          })}
          {picked && at >= 0 && (
            <text class={`${picked.level} name halo`} x={layout.x(at) + (layout.x(at) > layout.box.r - 240 ? -9 : 9)}
              y={layout.y(clampDb(picked.sqnr)) + (picked.sqnr > 34 ? 16 : 4)} text-anchor={layout.x(at) > layout.box.r - 240 ? "end" : "start"}>
              {`${picked.name} ${picked.sqnr === Infinity ? "exact" : `${sqnrText(picked)} dB`}`}
            </text>
          )}
        </svg>
      )}
    </div>
  );
}

const place = (db: number): string => `${Math.min(100, Math.max(0, ((TOP_DB - clampDb(db)) / 28) * 100))}%`;

function LayerTable({ layers, picked, onPick }: { layers: readonly Layer[]; picked: Layer | null; onPick: (layer: Layer) => void }): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const hasWorst = layers.some((layer) => layer.worstChannel !== null);
  const hasCosine = layers.some((layer) => layer.cosine !== null);
  useEffect(() => {
    body.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [picked]);
  return (
    <div class="list">
      <table class="table">
        <caption class="sr">Layers, worst first</caption>
        <thead>
          <tr>
            <th scope="col">Layer</th>
            <th scope="col" class="num">SQNR, dB</th>
            <th scope="col" class="bar-cell"><span class="sr">Short of 40 dB</span>
              <span class="short" aria-hidden="true"><em>40</em><em style={{ left: place(30) }}>30</em><em style={{ left: place(20) }}>20</em></span></th>
            {hasWorst && <th scope="col" class="num wide-s">Worst ch.</th>}
            {hasCosine && <th scope="col" class="num">Cosine</th>}
            <th scope="col" class="wide-s">Cause</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {layers.map((layer) => (
            <tr key={layer.key} tabIndex={layer === picked ? 0 : -1} aria-selected={layer === picked} onClick={() => onPick(layer)}
              onKeyDown={(event) => { if (event.key === "Enter") onPick(layer); }}>
              <td class="mono" title={layer.name}>{layer.name}{layer.role === "output" ? "" : <span class="dim"> {layer.parameter || layer.role}</span>}</td>
              <td class={`num ${layer.level === "good" ? "" : layer.level}`}>
                {{ bad: "✗ ", warn: "▲ ", good: "" }[layer.level]}{layer.sqnrIsBound && Number.isFinite(layer.sqnr) ? "≤ " : ""}{sqnrText(layer)}
              </td>
              <td class="bar-cell"><span class={`short ${layer.level}`}><i style={{ width: place(layer.sqnr) }} /><u style={{ left: place(30) }} /><u style={{ left: place(20) }} /></span></td>
              {hasWorst && <td class="num wide-s">{layer.worstChannel === null ? "–" : fixed(layer.worstChannel, 1)}</td>}
              {hasCosine && <td class="num">{layer.cosine === null ? "–" : fixed(layer.cosine, 4)}</td>}
              <td class="wide-s dim">{layer.cause === "none" ? "" : layer.cause}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeepDialog({ operations, onClose }: { operations: readonly string[]; onClose: () => void }): JSX.Element {
  const { state, retry } = useResource(JSON.stringify(operations), (signal) => postJson<KeepFloatAnswer>("compression/keep_float", { layers: operations }, signal), { live: false });
  const { data, error } = state.value;
  return (
    <Dialog label="Keep in fp32" onClose={onClose}>
      <h2>{plural(operations.length, "layer")} kept in fp32</h2>
      {error && <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>}
      {data?.titles.map((title, i) => (
        <section key={title}>
          <div class="panel-head"><h3>{title}</h3><button class="link push" onClick={() => void navigator.clipboard?.writeText(data.snippets[i] ?? "")}>Copy</button></div>
          <pre class="snippet">{data.snippets[i]}</pre>
        </section>
      ))}
    </Dialog>
  );
}

/** The pair of the header where its layers were logged; else the first two sides that were. */
function pairOf(sides: SidesAnswer, wanted: string | null): { model: string | null; a: string; b: string } | null {
  const rows = sides.models.map((name, i) => ({ model: name, variant: sides.variants[i] ?? "" }))
    .filter((row) => wanted === null || row.model === wanted || row.model === "");
  const has = (variant: string): boolean => rows.some((row) => row.variant === variant);
  if (has(sideA.value) && has(sideB.value) && sideA.value !== sideB.value) return { model: wanted, a: sideA.value, b: sideB.value };
  const [first] = rows;
  const second = rows.find((row) => row.model === first?.model && row.variant !== first?.variant);
  return first && second ? { model: first.model || wanted, a: first.variant, b: second.variant } : null;
}

/** The layer that the address names; the worst without one. */
function pickedOf(shown: readonly Layer[]): Layer | null {
  const wanted = query.value.get("sel");
  return shown.find((layer) => layer.key === wanted || layer.name === wanted) ?? shown[0] ?? null;
}

export default function Layers(): JSX.Element {
  const sides = useResource("sides", (signal) => getJson<SidesAnswer>("compression/sides", {}, signal)).state.value;
  const pair = sides.data ? pairOf(sides.data, model.value) : null;
  const key = pair ? JSON.stringify(pair) : "";
  const { state, retry } = useResource(key, (signal) =>
    pair ? getJson<LayersAnswer>("compression/layers", { a: pair.a, b: pair.b, model: pair.model }, signal) : Promise.resolve(null));
  const { data, error } = state.value;
  const layers = useMemo(() => (data ? readLayers(data) : []), [data]);

  const role = query.value.get("role") ?? "all";
  const sorts = usableSorts(layers);
  const sort = sorts.find((id) => id === query.value.get("sort")) ?? ("sqnr" satisfies SortId);
  const shown = useMemo(() => sortLayers(layers.filter((layer) => role === "all" || layer.role === role), sort), [layers, role, sort]);
  const picked = pickedOf(shown);
  const pick = (layer: Layer): void => setQuery({ sel: layers.filter((l) => l.name === layer.name).length > 1 ? layer.key : layer.name, channel: null });
  const kept = listOf(query.value.get("keep"));
  const dialog = query.value.has("snippet");
  const pins = listOf(query.value.get("pins"));
  const togglePin = (layer: Layer | null): void => {
    if (layer && hasHistograms(layer)) setQuery({ pins: listText(withPin(listOf(query.value.get("pins")), layer.key)) }, "replace");
  };

  const move = (by: number) => (): void => {
    const now = pickedOf(shown);
    const next = shown[Math.max(0, Math.min(shown.length - 1, (now ? shown.indexOf(now) : 0) + by))];
    if (next) pick(next);
  };
  useKeys([
    { key: "j", does: "Next layer", run: move(1) },
    { key: "k", does: "Previous layer", run: move(-1) },
    { key: "m", does: "Pin the layer", run: () => togglePin(pickedOf(shown)) },
  ]);

  if (error && !data) return <p class="trouble" role="alert">{error.message} <button class="link" onClick={retry}>Try again</button></p>;
  if (!sides.data || (pair && !data)) return <div class="view" aria-busy="true" />;
  if (!pair || layers.length === 0) return <Empty sides={sides.data} />;
  const failing = layers.filter((layer) => layer.level === "bad").length;
  const watching = layers.filter((layer) => layer.level === "warn").length;
  const roles = ["all", ...new Set(layers.map((layer) => layer.role))];
  return (
    <div class="view layers">
      <div class="page-bar">
        <h1>Layers</h1>
        <span class="note">{pair.a} against {pair.b}: {plural(layers.length, "tensor")} paired, {failing} {failing === 1 ? "fails" : "fail"}, {watching} to watch</span>
        {data && data.problems.length > 0 && <span class="note bad" title={data.problems.join("\n")}>{plural(data.problems.length, "histogram")} could not be read</span>}
        {kept.length > 0 && <button class="link" onClick={() => setQuery({ snippet: "1" }, "replace")}>{plural(kept.length, "layer")} kept: snippet</button>}
        <span class="label push">Worst first by
          <span class="seg" role="group" aria-label="Rank by">
            {SORTS.filter((s) => sorts.includes(s.id)).map((s) => (
              <button key={s.id} aria-pressed={s.id === sort} onClick={() => setQuery({ sort: s.id === "sqnr" ? null : s.id })}>{s.text}</button>
            ))}
          </span>
        </span>
        {roles.length > 2 && (
          <Menu label={`Tensors: ${role}`} value={role} choices={roles.map((r) => ({ value: r, text: r === "all" ? "all tensors" : `${r}s` }))}
            onPick={(r) => setQuery({ role: r === "all" ? null : r })}>{role === "all" ? "all tensors" : `${role}s`}</Menu>
        )}
      </div>
      <section class="panel depth" aria-labelledby="depth-title">
        <div class="panel-head"><h2 id="depth-title">Error along depth</h2>
          <span class="note">SQNR in dB{layers.some((l) => l.sqnrIsBound) ? ", at best, as histograms show it" : ""}; layers in the order of the log</span></div>
        <Depth layers={shown} picked={picked} onPick={pick} />
      </section>
      <LayerTable layers={shown} picked={picked} onPick={pick} />
      {picked && <LayerDetail layer={picked} a={pair.a} b={pair.b} kept={kept.includes(picked.fallback)}
        onKeep={() => setQuery({ keep: listText(kept.includes(picked.fallback) ? kept.filter((k) => k !== picked.fallback) : [...kept, picked.fallback]) })}
        pinned={pins.includes(picked.key)} onPin={() => togglePin(picked)}>
        <Pinned layers={pins.flatMap((pin) => layers.find((layer) => layer.key === pin && hasHistograms(layer)) ?? [])} a={pair.a} b={pair.b} onPick={pick} onUnpin={togglePin} />
      </LayerDetail>}
      {dialog && <KeepDialog operations={kept} onClose={() => setQuery({ snippet: null }, "replace")} />}
    </div>
  );
}

function Empty({ sides }: { sides: SidesAnswer }): JSX.Element {
  const alone = sides.variants.length > 0;
  return (
    <Nothing title="No layers to compare" about="This page pairs the tensors of two variants, layer by layer, and says which was hurt most and why."
      lookedFor={alone ? <>layers of two variants of the same model; only {sides.variants.join(", ")} logged any</>
        : <>histograms whose tag names a layer and a precision, such as <span class="mono">conv1/weight/int8</span> or <span class="mono">conv1/Output/fp32</span>, and tuning runs such as <span class="mono">baseline_acc_0.776</span></>}>
      <p>Compare two model files, or log both from Python:</p>
      <pre>{`compression-board compare model.onnx model.int8.onnx --logdir runs

writer.add_histogram("conv1/Output/fp32", fp32_output)
writer.add_histogram("conv1/Output/int8", int8_output)`}</pre>
    </Nothing>
  );
}
