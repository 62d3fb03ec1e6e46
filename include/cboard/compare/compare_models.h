// Compares two files of one model, before and after compression, and finds the damaged layers and
// the causes.
//
//   CBOARD_ASSIGN_OR_RETURN(const compare::ModelComparison comparison,
//                           compare::CompareModels("fp32.onnx", "int8.onnx", {.samples = 20}));
//   for (const compare::LayerComparison& layer : comparison.layers) {  // The worst first.
//     layer.name, layer.diagnosis.explanation, layer.fixes;
//   }
//
// Weights are compared from the files alone. With samples, ONNX Runtime runs both models, and the
// outputs of all layers are compared too; `verify` runs the compressed model with restored parts.
// docs/compare.md explains the numbers.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/runtime/samples.h"
#include "cboard/runtime/session.h"

namespace cboard::compare {

// Compares two model files. Fails like OpenModel, OpenSamples and ModelCapture, and with
// kInvalidArgument if no layer of one model has a counterpart in the other. Uses all processors for
// weights. Memory: four times the weights of the largest layer per processor, and the captured
// outputs of one sample.
Result<ModelComparison> CompareModels(const std::filesystem::path& baseline,
                                      const std::filesystem::path& variant,
                                      const CompareOptions& options = {});

// Measures only the verdict, without the search for root causes: runs every sample through both
// ONNX files and compares their outputs. Fails like OpenModel and ModelCapture, and if a sample
// cannot be read.
Result<EndVerdict> MeasureEnds(const std::filesystem::path& baseline,
                               const std::filesystem::path& variant, runtime::SampleSource& samples,
                               const runtime::SessionOptions& session);

// The tensors of a baseline from which MeasureEnds computes the verdict.
struct EndTensors {
  std::vector<std::string> outputs;
  // Tensors that show the position of the channel dimension; needed only for the first sample.
  std::vector<std::string> shapes;
};
Result<EndTensors> FindEndTensors(const std::filesystem::path& baseline);

// Measures the verdict without running the baseline. `computed` contains, for each sample, the
// tensors of the baseline that FindEndTensors() names; tensors that are not known may be missing.
Result<EndVerdict> MeasureEnds(const std::filesystem::path& baseline,
                               const std::filesystem::path& variant, runtime::SampleSource& samples,
                               std::span<const std::vector<runtime::NamedTensor>> computed,
                               const runtime::SessionOptions& session);

}  // namespace cboard::compare
