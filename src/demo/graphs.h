// The network as a graph, before and after quantization.
#pragma once

#include <string>
#include <vector>

#include "cboard/compression/stage_graph.h"
#include "demo/variants.h"

namespace cboard::demo {

// Details of the graph that are known at a stage of quantization.
enum class GraphDetail {
  kFloat,       // Nothing yet.
  kThresholds,  // The range of every activation.
  kQuantized,   // And the weights in their final width.
};

// A layer is two nodes, conv0 and conv0_relu; `quantized` is needed for all but kFloat.
compression::StageGraph GraphOf(const QuantizedNetwork* quantized, GraphDetail detail);

}  // namespace cboard::demo
