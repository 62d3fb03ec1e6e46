// Details of the selected node or group, A beside B.
import {
  type Ends,
  type GroupResponse,
  type NodeResponse,
  type NodeSide,
  type ViewResponse,
  nodeOrGroupShape,
} from "../../api/graphs";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { getJson, type Params } from "../../api/client";
import { bytes, count, duration, plural, steady, withTrueMinus } from "../../base/text/format";
import { Breakable } from "../../widgets/Breakable";
import { hrefOf } from "../../base/address";
import { useResource } from "../../domain/live/resource";
import { sqnrWithUnit } from "../../domain/layers/layers";
import type { LayerError } from "./colours";
import { shapeText } from "./colours";
import { isWeight, NodeWeights, roundingOf } from "./NodeWeights";

const MAX_ENDS = 12;
const MAX_ATTRIBUTES = 40;
const LONG = 26; // The number of characters that fit beside the name of an attribute.

const CHANGES: Record<string, string> = { added: "Only in B", gone: "Only in A", changed: "Changed from A to B" };

/** Shows the end of a long name, because names usually differ there; the tooltip has the whole name. */
const lastPart = (name: string): string => name.split(/[/·]/).at(-1)?.trim() ?? name;

/** Replaces "-" before numbers by a minus sign. Needed because attributes are shown as they are in the log. */
const shownText = (text: string): string => text.replace(/(?<![\w.])-(?=[\d.])/g, withTrueMinus);

const orNone = (text: string | undefined | null): string =>
  text === undefined || text === null || text === "" ? "–" : text;

const bitsOf = (side: NodeSide | null): string =>
  side
    ? [side.weight_bits ? `W${side.weight_bits}` : "", side.activation_bits ? `A${side.activation_bits}` : ""]
        .filter(Boolean)
        .join(" ")
    : "";

/** Formats the values of A and B with the same decimals, for example 70 µs and 242 µs. */
const timeText = (micros: number): string => (micros < 1e4 ? `${steady(micros / 1000, 3)} ms` : duration(micros / 1e6));

function Facts({
  node,
  names,
  pair,
  error,
}: {
  node: NodeResponse;
  names: { a: string; b: string };
  pair: boolean;
  error: LayerError | undefined;
}): JSX.Element {
  const row = (name: string, text: (side: NodeSide) => string): JSX.Element | null => {
    const [a, b] = [node.a ? text(node.a) : "", node.b ? text(node.b) : ""];
    if (a === "" && b === "") return null;
    return (
      <tr key={name}>
        <th scope="row">{name}</th>
        <td title={a}>{orNone(a)}</td>
        {pair && (
          <td title={b} class={a !== b && node.a && node.b ? "differs" : ""}>
            {orNone(b)}
          </td>
        )}
      </tr>
    );
  };
  return (
    <table class="pairs">
      {pair && (
        <thead>
          <tr>
            <td />
            <th scope="col" class="in-a" title={names.a}>
              ● <Breakable name={lastPart(names.a)} />
            </th>
            <th scope="col" class="in-b" title={names.b}>
              ◆ <Breakable name={lastPart(names.b)} />
            </th>
          </tr>
        </thead>
      )}
      <tbody>
        {row("Op", (side) => side.op)}
        {row("Bits", bitsOf)}
        {row("Output", (side) => side.output_shapes.map(shapeText).join(", "))}
        {row("Output size", (side) => (side.output_bytes > 0 ? bytes(side.output_bytes) : ""))}
        {row("Weights", (side) => (side.weight_bytes > 0 ? bytes(side.weight_bytes) : ""))}
        {row("Memory", (side) => (side.memory_bytes === null ? "" : bytes(side.memory_bytes)))}
        {row("Time", (side) => (side.compute_micros ? timeText(side.compute_micros) : ""))}
        {row("Device", (side) => (side.device === side.op ? "" : side.device))}
        {error && (
          <tr>
            <th scope="row">{error.sqnrIsBound ? "Upper bound of SQNR" : "SQNR"}</th>
            {pair && <td>–</td>}
            <td class={error.level}>{sqnrWithUnit(error)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function EndList({ ends, arrow, onPick }: { ends: Ends; arrow: string; onPick: (path: string) => void }): JSX.Element {
  const shown = ends.paths.map((path, i) => ({
    path,
    op: ends.ops[i] ?? "",
    hidden: ends.hidden[i],
    control: ends.controls[i],
  }));
  const drawn = shown.filter((end) => !end.hidden);
  const constants = shown.filter((end) => end.hidden);
  return (
    <>
      {drawn.slice(0, MAX_ENDS).map((end) => (
        <li key={end.path}>
          <b aria-hidden="true">{arrow}</b>
          <button class="end" title={end.path} onClick={() => onPick(end.path)}>
            <Breakable name={end.path} />
          </button>{" "}
          <span class="dim">
            {end.op}
            {end.control ? ", control" : ""}
          </span>
        </li>
      ))}
      {ends.total > MAX_ENDS && drawn.length > MAX_ENDS && (
        <li class="dim">
          <b />
          {count(ends.total - MAX_ENDS)} more
        </li>
      )}
      {constants.length > 0 && (
        <li class="dim" title={constants.map((end) => end.path).join("\n")}>
          <b aria-hidden="true">{arrow}</b>
          {plural(constants.length, "constant")}
        </li>
      )}
    </>
  );
}

function Attributes({
  title,
  keys,
  texts,
}: {
  title: string;
  keys: readonly string[];
  texts: readonly string[];
}): JSX.Element | null {
  const shown = keys
    .map((key, i) => ({ key, text: texts[i] ?? "" }))
    .filter(({ key, text }) => key !== "_output_shapes" && !isWeight(key) && text !== "");
  if (shown.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>{title}</h3>
      </div>
      <dl class="attributes">
        {shown.slice(0, MAX_ATTRIBUTES).map(({ key, text }) => (
          <div key={key} class={text.length > LONG ? "long" : ""}>
            <dt>{key}</dt>
            <dd class="mono">{shownText(text)}</dd>
          </div>
        ))}
      </dl>
      {shown.length > MAX_ATTRIBUTES && <p class="note">{count(shown.length - MAX_ATTRIBUTES)} more attributes</p>}
    </section>
  );
}

/**
 * The annotation attributes to show. If both graphs have the node, only attributes of both nodes are shown; all other
 * attributes are in the list of changes.
 */
function notesToShow({ a, b, notes }: NodeResponse): NodeResponse["notes"] {
  if (!a || !b) return notes;
  return notes.filter((note) => notes.some((other) => other.side !== note.side && other.name === note.name));
}

// Attributes that the table above already shows.
const IN_TABLE = new Set(["op", "device", "output shape", "weight bits", "activation bits"]);

/** Shows the scale, zero point and type of each node that quantizes or dequantizes the output. */
function Quantization({ node, onPick }: { node: NodeResponse; onPick: (path: string) => void }): JSX.Element | null {
  if (node.quantization.length === 0) return null;
  return (
    <section class="panel quantization">
      <div class="panel-head">
        <h3>Quantization of the output</h3>
        <span class="note">{plural(node.quantization.length, "operation")}</span>
      </div>
      {node.quantization.slice(0, MAX_ENDS).map(({ path, op, side, keys, texts }) => (
        <dl key={path} class="attributes">
          <div class="long">
            <dt class={`in-${side}`}>{op}</dt>
            <dd class="mono">
              <button class="end" title={path} onClick={() => onPick(path)}>
                <Breakable name={path} />
              </button>
            </dd>
          </div>
          {roundingOf(keys, texts).map(({ key, text }) => (
            <div key={key} class={text.length > LONG ? "long" : ""}>
              <dt>{key}</dt>
              <dd class="mono">{shownText(text)}</dd>
            </div>
          ))}
        </dl>
      ))}
    </section>
  );
}

function Differences({ node }: { node: NodeResponse }): JSX.Element | null {
  const { whats, a, b } = node.differences;
  const rest = whats
    .map((what, i) => ({ what, a: a[i] ?? "", b: b[i] ?? "" }))
    .filter(({ what }) => !IN_TABLE.has(what));
  if (rest.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>Changes</h3>
        <span class="note">{plural(rest.length, "setting")}</span>
      </div>
      <dl class="attributes changes">
        {rest.slice(0, MAX_ATTRIBUTES).map(({ what, a: from, b: to }) => (
          <div key={what} class={from.length + to.length > LONG - 6 ? "long" : ""}>
            <dt>{what}</dt>
            <dd class="mono">
              <span class="in-a">{shownText(orNone(from))}</span> → <span class="in-b">{shownText(orNone(to))}</span>
            </dd>
          </div>
        ))}
      </dl>
      {rest.length > MAX_ATTRIBUTES && <p class="note">{count(rest.length - MAX_ATTRIBUTES)} more</p>}
    </section>
  );
}

function Operations({ group, pair }: { group: GroupResponse; pair: boolean }): JSX.Element {
  const rows = group.operations.names
    .map((name, i) => ({ name, a: group.operations.a[i] ?? 0, b: group.operations.b[i] ?? 0 }))
    .sort((p, q) => Math.max(q.a, q.b) - Math.max(p.a, p.b));
  return (
    <table class="pairs">
      {pair && (
        <thead>
          <tr>
            <td />
            <th scope="col" class="in-a">
              ● A
            </th>
            <th scope="col" class="in-b">
              ◆ B
            </th>
          </tr>
        </thead>
      )}
      <tbody>
        {rows.slice(0, MAX_ATTRIBUTES).map(({ name, a, b }) => (
          <tr key={name}>
            <th scope="row">{orNone(name)}</th>
            <td>{a === 0 ? "–" : count(a)}</td>
            {pair && <td class={a !== b ? "differs" : ""}>{b === 0 ? "–" : count(b)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function NodePanel({
  path,
  source,
  version,
  pair,
  names,
  error,
  onPick,
  summary,
  children,
}: {
  path: string;
  source: Params;
  version: string;
  pair: boolean;
  names: { a: string; b: string };
  error: LayerError | undefined;
  onPick: (path: string) => void;
  /** A summary of the changes in the whole graph. It is shown between the changes of the node and its attributes. */
  summary: JSX.Element | null;
  children: JSX.Element;
}): JSX.Element {
  const { state, retry } = useResource(
    JSON.stringify([path, source, version]),
    (signal) => getJson(nodeOrGroupShape, "graphs/node", { ...source, path }, signal),
    { live: false },
  );
  const { data, error: problem } = state.value;
  if (problem && data?.path !== path)
    return (
      <>
        <section class="panel">
          <p class="trouble" role="alert">
            {problem.message}{" "}
            <button class="link" onClick={retry}>
              Try again
            </button>
          </p>
        </section>
        {summary}
      </>
    );
  if (!data || data.path !== path)
    return (
      <>
        <section class="panel" aria-busy="true">
          <h2 class="mono node-name">{path}</h2>
        </section>
        {summary}
      </>
    );
  const one = data.kind === "node" ? (data.a ?? data.b) : null;
  return (
    <>
      <section class="panel">
        <h2 class="mono node-name" title={path}>
          {path}
        </h2>
        {error && error.level !== "" && (
          <p class={`verdict ${error.level}`}>
            {error.layer}: {sqnrWithUnit(error)}
          </p>
        )}
        {data.kind === "node" && data.change === "fused" && (
          <p class="note">
            Fused into{" "}
            <button class="end" onClick={() => onPick(data.fused_into ?? "")}>
              <Breakable name={data.fused_into ?? ""} />
            </button>
          </p>
        )}
        {data.kind === "node" && pair && CHANGES[data.change] && <p class="note">{CHANGES[data.change]}</p>}
        {data.kind === "node" && data.fused.length > 0 && (
          <p class="note">Also computes {data.fused.map((f) => f.split("/").at(-1)).join(", ")}</p>
        )}
        {data.kind === "node" ? (
          <Facts node={data} names={names} pair={pair} error={error} />
        ) : (
          <Operations group={data} pair={pair} />
        )}
        <div class="links">
          {error && <a href={hrefOf(["layers"], { sel: error.layer })}>Layer</a>}
          {children}
        </div>
      </section>
      {data.inputs.total + data.outputs.total > 0 && (
        <section class="panel">
          <div class="panel-head">
            <h3>Inputs and outputs</h3>
          </div>
          <ul class="diff">
            <EndList ends={data.inputs} arrow="←" onPick={onPick} />
            <EndList ends={data.outputs} arrow="→" onPick={onPick} />
          </ul>
        </section>
      )}
      {data.kind === "node" && <NodeWeights node={data} names={names} pair={pair} />}
      {data.kind === "node" && <Quantization node={data} onPick={onPick} />}
      {data.kind === "node" && <Differences node={data} />}
      {summary}
      {data.kind === "node" &&
        notesToShow(data).map((note) => (
          <Attributes
            key={note.side + note.name}
            title={`${note.name.split("/").at(-1) ?? note.name}${pair ? ` in ${note.side.toUpperCase()}` : ""}`}
            keys={note.keys}
            texts={note.texts}
          />
        ))}
      {one && <Attributes title="Attributes" keys={one.attributes.keys} texts={one.attributes.texts} />}
    </>
  );
}

const GLYPHS: Record<string, string> = { changed: "~", added: "+", gone: "−", fused: "−" };
const MAX_LINES = 8;

/** The difference between two graphs in a few lines. */
export function DiffSummary({ view }: { view: ViewResponse }): JSX.Element {
  const [whole, setWhole] = useState(false);
  const { changes, counts, ops, others, whats } = view.summary;
  const order = ["fused", "gone", "added", "changed"];
  const lines = changes
    .map((change, i) => ({
      change,
      n: counts[i] ?? 0,
      op: ops[i] ?? "",
      other: others[i] ?? "",
      whats: whats[i] ?? [],
    }))
    .sort((p, q) => order.indexOf(p.change) - order.indexOf(q.change) || q.n - p.n);
  const what = ({ change, other, whats: settings }: (typeof lines)[number]): string => {
    switch (change) {
      case "fused":
        return `fused into ${other}`;
      case "gone":
        return "gone";
      case "added":
        return "added";
      default:
        return other ? `became ${other}` : settings.length > 0 ? `changed ${settings.join(", ")}` : "changed";
    }
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Difference A to B</h2>
      </div>
      {lines.length === 0 ? (
        <p class="note">Both graphs have the same nodes with the same attributes and bit widths.</p>
      ) : (
        <ul class="diff whole">
          {lines.slice(0, whole ? lines.length : MAX_LINES).map((line) => (
            <li key={`${line.change} ${line.op} ${line.other}`} title={what(line)}>
              <b>{GLYPHS[line.change]}</b>
              {count(line.n)} {line.op || "unnamed"} <span class="dim">{what(line)}</span>
            </li>
          ))}
          {lines.length > MAX_LINES && (
            <li>
              <b />
              <button class="link" onClick={() => setWhole(!whole)}>
                {whole ? "Fewer kinds" : plural(lines.length - MAX_LINES, "more kind")}
              </button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}
