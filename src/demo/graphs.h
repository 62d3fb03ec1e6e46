// Describes the network as a graph, before and after quantization.
#pragma once

#include <string>
#include <vector>

#include "cboard/compression/stage_graph.h"
#include "demo/variants.h"

namespace cboard::demo {

// The details that a graph contains. They depend on the stage of quantization.
enum class GraphDetail {
  kFloat,       // Only the float model.
  kThresholds,  // Also the range of every activation.
  kQuantized,   // Also the weights in their final width.
};

// Returns the graph of the network. A layer has two nodes, for example conv0 and conv0_relu.
// `quantized` is required for every detail except kFloat.
compression::StageGraph GraphOf(const QuantizedNetwork* quantized, GraphDetail detail);

}  // namespace cboard::demo
