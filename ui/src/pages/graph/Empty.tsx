import type { JSX } from "preact";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { pythonFolder } from "../../domain/live/Snippet";

export function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="No graph was logged yet"
      lookedFor="graph events, Keras models, and run metadata with graphs"
      about={
        "This page draws the graph of a model, or two side by side with what was added, fused and changed; coloured by bits, error, memory or time. Runs named like resnet18/fp32 and resnet18/int8 become A\u00a0and\u00a0B."
      }
    >
      <p>Log the graph of a PyTorch or ONNX model from Python:</p>
      <pre>{`from compression_board import SummaryWriter
writer = SummaryWriter(${pythonFolder("/resnet18/int8")})
writer.add_graph(model, example_input)
writer.add_onnx_graph("resnet18_int8.onnx")`}</pre>
    </EmptyPage>
  );
}
