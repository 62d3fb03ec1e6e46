import type { JSX } from "preact";
import { status } from "../../state/live";
import { plural } from "../../lib/format";

export function Empty(): JSX.Element {
  const runs = status.value?.runs ?? 0;
  return (
    <div class="empty">
      <h1>No graph was logged yet</h1>
      <p>This page draws the graph of a model, or two side by side with what was added, fused and changed; coloured by bits, error, memory or time.</p>
      <p>{runs === 0 ? "The log directory holds no runs." : `None of ${plural(runs, "run")} holds a graph event, a Keras model or run metadata with graphs.`} Runs named like resnet18/fp32 and resnet18/int8 become A and B.</p>
      <pre>{`writer = SummaryWriter("runs/resnet18/int8")
writer.add_graph(model, example_input)          # PyTorch
writer.add_onnx_graph("resnet18_int8.onnx")     # ONNX`}</pre>
    </div>
  );
}
