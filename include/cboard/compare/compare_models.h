// Two files of one model, before and after compression: which layer was damaged, and why.
//
//   CBOARD_ASSIGN_OR_RETURN(const compare::ModelComparison comparison,
//                           compare::CompareModels("fp32.onnx", "int8.onnx", {.samples = 20}));
//   for (const compare::LayerComparison& layer : comparison.layers) {  // The worst first.
//     layer.name, layer.diagnosis.explanation, layer.fixes;
//   }
//
// Weights are compared from the files alone. With samples, ONNX Runtime runs both models, and the
// outputs of all layers are compared, too; `verify` runs the compressed one with parts restored.
// docs/compare.md explains the numbers.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Fails as OpenModel, OpenSamples and ModelCapture do, and with kInvalidArgument when no layer of
// one model has a partner in the other. Weights are compared on all processors. Memory is that of
// the largest layers' weights, one for each processor, four times over, and of the captured outputs
// of one sample.
Result<ModelComparison> CompareModels(const std::filesystem::path& baseline,
                                      const std::filesystem::path& variant,
                                      const CompareOptions& options = {});

}  // namespace cboard::compare
