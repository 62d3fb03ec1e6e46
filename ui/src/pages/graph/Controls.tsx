// The toolbar of the graph page: the choice of graphs, panes and colours.
import type { JSX } from "preact";
import { count, plural } from "../../base/text/format";
import { byNumber } from "../../base/text/natural";
import { Menu } from "../../widgets/Menu";
import { query, setQuery } from "../../base/address";
import { model } from "../../domain/models/pair";
import { legendOf, memoryName, MODES, type Legend, type Mode } from "./colours";
import type { Drawing, Side } from "./data";
import { nameOf, type Shown, type Source } from "./sources";

const RAMP = [0, 1, 2, 3, 4, 5];

function LegendOf({ legend }: { legend: Legend }): JSX.Element | null {
  if (legend.kind === "ramp") {
    return (
      <span class="label legend">
        {legend.from}{" "}
        <span class="ramp" aria-hidden="true">
          {RAMP.map((i) => (
            <i key={i} style={{ background: `var(--heat-${i})` }} />
          ))}
        </span>{" "}
        {legend.to}
      </span>
    );
  }
  if (legend.names.length === 0) return null;
  return (
    <span class="label legend">
      {legend.names.map(({ colour, name }) => (
        <span key={name} class="key" title={name}>
          <i style={{ background: `var(--run-${colour})` }} />
          {name.split("/").at(-1)}
        </span>
      ))}
    </span>
  );
}

function opsOf(drawing: Drawing): string {
  const { boxes, shown_count } = drawing.view;
  if (!boxes.b) return `${count(shown_count)} ops`;
  // Sums over the boxes of the top level, because every node is in exactly one of these boxes.
  const total = (side: { readonly node_counts: readonly number[] }): number =>
    side.node_counts.reduce((sum, n, i) => (boxes.parents[i] === -1 ? sum + n : sum), 0);
  return `${count(total(boxes.a))} ops → ${count(total(boxes.b))} ops`;
}

const NONE = "";

function Pick({ side, shown, sources }: { side: Side; shown: Shown; sources: readonly Source[] }): JSX.Element {
  const mine = side === "a" ? shown.a : shown.b;
  // A second menu for A and B. It is shown if the header does not show the pair.
  const ofModel =
    model.value === null && mine?.model && sources.some((source) => source.model !== mine.model)
      ? `${mine.model} · `
      : "";
  const name = mine ? ofModel + nameOf(mine) : "compare with";
  const choices = sources
    .map((source) => ({
      value: source.id,
      text: nameOf(source),
      note: source.variant ? source.model || source.run : "",
    }))
    .sort((p, q) => byNumber(p.note, q.note) || byNumber(p.text, q.text));
  const pick = (id: string): void =>
    setQuery(
      side === "a"
        ? { graph: id, with: shown.b?.id, stage: null, node: null, open: null, at: null }
        : { graph: shown.a.id, with: id, stage: null, node: null, open: null, at: null },
    );
  return (
    <Menu
      label={`Graph ${side.toUpperCase()}: ${name}`}
      value={mine?.id ?? NONE}
      onPick={pick}
      choices={side === "b" ? [{ value: NONE, text: "no other graph" }, ...choices] : choices}
    >
      <span class={mine ? `in-${side}` : "dim"} aria-hidden="true">
        {side === "a" ? "●" : "◆"}
      </span>
      <span class="pick-name">{name}</span>
    </Menu>
  );
}

export function Controls({
  sources,
  shown,
  drawing,
  modes,
  mode,
  panes,
}: {
  sources: readonly Source[];
  shown: Shown;
  drawing: Drawing;
  modes: readonly Mode[];
  mode: Mode;
  panes: readonly Side[];
}): JSX.Element {
  const pane = panes.length > 1 ? "both" : panes[0];
  const table = query.value.has("table");
  const constants = query.value.has("constants");
  const quantization = query.value.has("quantization");
  const { node_count, shown_count, folded_count } = drawing.view;
  return (
    <div class="page-bar">
      <h1>Graph</h1>
      <span class="note">{opsOf(drawing)}</span>
      {sources.length > 1 && (
        <span class="graph-picks">
          <Pick side="a" shown={shown} sources={sources} />
          <Pick side="b" shown={shown} sources={sources} />
        </span>
      )}
      {shown.b && (
        <span class="seg" role="group" aria-label="Panes">
          {(["a", "both", "b"] as const).map((id) => (
            <button
              key={id}
              class={id === "both" ? "wide-only" : ""}
              aria-pressed={pane === id}
              onClick={() => setQuery({ pane: id === "both" ? null : id })}
            >
              {id === "both" ? "Both" : id.toUpperCase()}
            </button>
          ))}
        </span>
      )}
      <button class="link" aria-pressed={table} onClick={() => setQuery({ table: table ? null : "1" })}>
        {table ? "Picture" : "Table"}
      </button>
      {node_count > shown_count && (
        <button
          class="link"
          aria-pressed={constants}
          title={`${count(node_count - shown_count)} weights and other constants`}
          onClick={() => setQuery({ constants: constants ? null : "1" })}
        >
          {constants ? "Hide constants" : "Constants"}
        </button>
      )}
      {folded_count > 0 && (
        <button
          class="link"
          aria-pressed={quantization}
          title={`${plural(folded_count, "operation")} that only quantize or dequantize a tensor, drawn as part of the node that computes it`}
          onClick={() => setQuery({ quantization: quantization ? null : "1" })}
        >
          {quantization ? "Fold Q/DQ" : "Unfold Q/DQ"}
        </button>
      )}
      <span class="push colours">
        <span class="label colour-by">
          Colour
          <span class="seg" role="group" aria-label="Colour by">
            {MODES.filter((m) => modes.includes(m.id)).map((m) => (
              <button key={m.id} aria-pressed={m.id === mode} onClick={() => setQuery({ color: m.id })}>
                {m.id === "memory" && memoryName(drawing) === "weights" ? "Weights" : m.text}
              </button>
            ))}
          </span>
        </span>
        <LegendOf legend={legendOf(drawing, mode)} />
      </span>
    </div>
  );
}
