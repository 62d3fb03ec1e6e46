// Creates the graph of a plan, with QuantizeLinear and DequantizeLinear nodes where ONNX Runtime
// fuses them.
#pragma once

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Returns `graph` with its quantized weights, and with the QuantizeLinear and DequantizeLinear
// nodes that `placement` chooses. `plan` has the bits and ranges of all tensors. `graph` is the
// float graph that `placement` was made for.
Result<Graph> QuantizeGraph(const Graph& graph, const Placement& placement, const Plan& plan);

}  // namespace cboard::quantize
