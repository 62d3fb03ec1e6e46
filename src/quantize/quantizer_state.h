// The internal state of a ModelQuantizer.
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
  std::filesystem::path path;
  QuantizeOptions options;
  runtime::SessionOptions session;
  Graph prepared;  // Float graph before equalization and SmoothQuant.
  Graph graph;     // Float graph after factors were moved between layers.
  Placement placement;
  Calibration calibration;
  std::vector<ComparedTensor> compared;          // Tensors at which models are compared.
  std::optional<ModelOutputs> baseline_outputs;  // For held-out samples; computed once.
  KeptTensors baseline_ends;                     // For the verdict; computed once.
  std::size_t baseline_bytes = 0;
  std::vector<std::string> notes;
};

// Returns true if the Gram matrix was computed from at least as many rows as it has; otherwise GPTQ
// makes weights worse.
bool HasFullGram(const TensorStatistics& statistics);

}  // namespace cboard::quantize
