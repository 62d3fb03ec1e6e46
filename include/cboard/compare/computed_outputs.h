// Two models whose outputs another program has computed, such as PyTorch.
//
//   compare::ComputedOutputs outputs{.samples = …, .source = "a batch of 8, run by PyTorch"};
//   CBOARD_ASSIGN_OR_RETURN(const compare::ModelComparison comparison,
//                           compare::CompareComputed("net.onnx", "net_int8.onnx", outputs));
//
// The files describe the models: layers, weights, quantizers and names of tensors. ONNX Runtime is
// not needed, and the files need not be models that it can run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/runtime/session.h"

namespace cboard::compare {

// The tensors of one sample, including the inputs, by their names in the model files. The values
// are borrowed.
struct ComputedSample {
  std::vector<runtime::NamedTensor> baseline, variant;
};

struct ComputedOutputs {
  std::vector<ComputedSample> samples;
  std::string source;  // Where the samples come from, in words.
};

// Compares like CompareModels, but uses `outputs` instead of running the models. Tensors that
// `outputs` lacks are not compared. Runs with restored parts are not possible: `options.verify`
// must be 0, and the root causes in the verdict are not measured. Fails with kInvalidArgument if
// there is no sample.
Result<ModelComparison> CompareComputed(const std::filesystem::path& baseline,
                                        const std::filesystem::path& variant,
                                        const ComputedOutputs& outputs,
                                        const CompareOptions& options = {});

}  // namespace cboard::compare
