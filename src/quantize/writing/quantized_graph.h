// The graph of a plan: QuantizeLinear and DequantizeLinear nodes where ONNX Runtime fuses them.
#pragma once

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// `graph` is the prepared float graph that plan and placement belong to.
Result<Graph> QuantizeGraph(const Graph& graph, const Placement& placement, const Plan& plan);

}  // namespace cboard::quantize
