// Outputs of the float model on held-out samples, and their comparison.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cboard/quantize/quality.h"
#include "cboard/runtime/session.h"
#include "quantize/calibration/calibrate.h"

namespace cboard::quantize {

// A tensor at which two models are compared.
struct ComparedTensor {
  std::string output;  // The graph's output that it stands for.
  std::string tensor;
  bool is_hidden = false;  // An activation in front of the last layers.
};

// Outputs of a model for several samples, as float values.
struct ModelOutputs {
  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    bool is_hidden = false;  // An activation in front of the last layers, not an output.
  };
  std::vector<std::vector<Output>> samples;
};

// Runs the model and keeps the values of these tensors, in their order.
Result<ModelOutputs> RunModel(const runtime::Session& model, std::span<const std::string> tensors,
                              std::span<const HeldSample> samples);

EndQuality CompareOutputs(const ModelOutputs& baseline, const ModelOutputs& variant);

}  // namespace cboard::quantize
