// Finds nodes that ONNX Runtime did not fuse, in the graph that it runs.
#pragma once

#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/runtime/session.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

// Finds nothing in a graph above 2 GiB, which ONNX Runtime cannot write.
Result<std::vector<UnfusedNode>> FindUnfusedNodes(const Graph& quantized, const Plan& plan,
                                                  const runtime::SessionOptions& session);

}  // namespace cboard::quantize
