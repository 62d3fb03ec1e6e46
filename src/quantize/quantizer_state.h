// The parts of a ModelQuantizer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/quantize/model_quantizer.h"
#include "quantize/calibration/calibrate.h"
#include "quantize/graph/graph.h"
#include "quantize/graph/prepare_graph.h"
#include "quantize/placement/placement.h"
#include "quantize/quality/end_quality.h"

namespace cboard::quantize {

struct ModelQuantizer::State {
  QuantizeOptions options;
  runtime::SessionOptions session;
  Graph prepared;  // Float, before equalization and SmoothQuant.
  Graph graph;     // The same with factors moved between layers.
  Placement placement;
  Calibration calibration;
  std::vector<ComparedTensor> compared;          // Where models are compared.
  std::optional<ModelOutputs> baseline_outputs;  // On held-out samples; computed once.
  std::size_t baseline_bytes = 0;
  std::vector<std::string> notes;
};

// Whether the Gram matrix was collected from at least as many rows as it has; else GPTQ makes
// weights worse.
bool HasFullGram(const TensorStatistics& statistics);

}  // namespace cboard::quantize
