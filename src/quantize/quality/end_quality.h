// Runs the float model on held-out samples and compares the outputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cboard/quantize/quality.h"
#include "cboard/runtime/session.h"
#include "quantize/calibration/calibrate.h"

namespace cboard::quantize {

// A tensor whose values in two models are compared.
struct ComparedTensor {
  std::string output;  // The output of the graph that this tensor represents.
  std::string tensor;
  bool is_hidden = false;  // True for an activation before the last layers.
};

// Outputs of a model for several samples, as float values.
struct ModelOutputs {
  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    bool is_hidden = false;  // An activation before the last layers, not an output.
  };
  std::vector<std::vector<Output>> samples;
};

// Further tensors that are copied while a model runs.
struct KeptTensors {
  std::vector<std::string> always;
  std::vector<std::string> at_first;  // For the first sample only.
  std::vector<HeldSample> samples;
};

// Runs the model and stores the values of these tensors, in their order, and of those in `kept`, if
// given.
Result<ModelOutputs> RunModel(const runtime::Session& model, std::span<const std::string> tensors,
                              std::span<const HeldSample> samples, KeptTensors* kept = nullptr);

// Compares the outputs of two models for the same samples. With `without_mean`, the signal of an
// output is its difference from the mean over the samples, as long as there are at least four.
EndQuality CompareOutputs(const ModelOutputs& baseline, const ModelOutputs& variant,
                          bool without_mean = true);

}  // namespace cboard::quantize
