// Texts beside the graph: a summary of the whole graph, and details of the box under the pointer.
import type { JSX } from "preact";
import { bytes, count, plural } from "../../base/text/format";
import { sqnrWithUnit } from "../../domain/layers/layers";
import { memoryName, type LayerError } from "./colours";
import { Kind, opOf, type Drawing, type Side } from "./data";

export function Totals({ drawing }: { drawing: Drawing }): JSX.Element {
  const { view } = drawing;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>The graph</h2>
      </div>
      <ul class="diff">
        <li>{plural(view.shown_count, "operation")}</li>
        {view.node_count > view.shown_count && (
          <li>
            {plural(view.node_count - view.shown_count, "constant")} <span class="dim">not drawn</span>
          </li>
        )}
        <li>
          {plural(view.edge_count, "edge")}, {plural(view.group_count, "group")}
        </li>
      </ul>
      <p class="note">Select a node to see its shape, its attributes and its metrics.</p>
    </section>
  );
}

export function Card({
  drawing,
  box,
  side,
  error,
}: {
  drawing: Drawing;
  box: number;
  side: Side;
  error: LayerError | undefined;
}): JSX.Element {
  const { boxes, has_memory } = drawing.view;
  const facts = (side === "b" ? boxes.b : boxes.a) ?? boxes.a;
  const memory = has_memory ? facts.memory_bytes[box]! : facts.weight_bytes[box]!;
  return (
    <>
      <b class="mono">{boxes.paths[box]}</b>
      <br />
      {boxes.kinds[box] === Kind.Node ? opOf(drawing, box, side) : `${count(facts.node_counts[box]!)} operations`}
      {memory > 0 && (
        <>
          , {bytes(memory)} {memoryName(drawing)}
        </>
      )}
      {error && (
        <>
          <br />
          worst layer {error.layer}, {sqnrWithUnit(error)}
        </>
      )}
    </>
  );
}
