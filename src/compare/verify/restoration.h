// A compressed ONNX model with parts of it put back to what its baseline has.
//
//   Restoration restoration(baseline, variant);
//   CBOARD_RETURN_IF_ERROR(restoration.AddWeights(layer));
//   ModelCapture::Open(variant.path(), {.edits = restoration.Take()});
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"
#include "compare/layers/affine_steps.h"
#include "compare/layers/float_operators.h"
#include "compare/layers/model_layers.h"
#include "compare/layers/weight_rows.h"
#include "compare/measure/output_comparison.h"

namespace cboard::compare {

// The weights of a pair of layers, and the factors that turn one side into the other. Borrows the
// factors.
struct PairedWeights {
  ModelLayer before, after;
  FoldedSteps folded;
  const Equalized* equalized = nullptr;
  std::vector<double> rescaling;  // See WeightFindings.
};

// Returns true if the operator uses floats, or can be replaced by an operator on floats
// (float_operators.h). Codes that other operators read directly (QLinearConv, ConvInteger, …) and
// float16 cannot be restored.
bool CanRestoreWeights(const model::ModelGraph& variant, const ModelLayer& after);

// Returns true if the quantizer of this output takes and returns floats.
bool CanRestoreOutput(const OutputPlan& plan);

// The baseline's weights of a pair in the layout of the compressed layer, with its folded factors.
// Fails as ReadRows does.
Result<WeightRows> BaselineRows(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const PairedWeights& weights);

// The baseline's bias likewise; empty if the compressed layer has none in float.
Result<std::optional<std::vector<float>>> BaselineBias(const model::ModelGraph& baseline,
                                                       const model::ModelGraph& variant,
                                                       const PairedWeights& weights);

// Transposes [channels, elements], as MatMul needs them.
std::vector<float> Transposed(const WeightRows& rows);

// Collects edits of the compressed model. Restoring a part twice has no further effect.
class Restoration {
 public:
  // Borrows both.
  Restoration(const model::ModelGraph& baseline, const model::ModelGraph& variant)
      : baseline_(baseline), variant_(variant) {}

  // Restores weights and bias in the layout of the compressed layer, with its folded factors.
  // Requires CanRestoreWeights. Fails as ReadRows does.
  Result<void> AddWeights(const PairedWeights& weights);

  // Bypasses the quantizer of a tensor, and later quantizers that only round the same values again
  // (behind MaxPool, Reshape, …). Clips the values if the quantizer's range has replaced an
  // activation.
  void AddOutput(model::TensorId before, const std::optional<ClampRange>& clamp);
  void AddOutput(const OutputPlan& plan);

  // Excludes these parts from all later calls.
  void KeepWeights(const PairedWeights& weights);
  void KeepOutput(const OutputPlan& plan);

  // Restores other quantized constants that the baseline has under the same name: summands,
  // factors, lookup tables. Skips constants that differ too much to be the same.
  Result<void> AddOtherConstants();

  // Bypasses all remaining quantizers of activations.
  void AddOtherOutputs();

  runtime::GraphEdits Take() { return std::move(edits_); }

 private:
  // Returns false if the tensor was edited before.
  bool IsNew(const std::string& tensor) { return edited_.insert(tensor).second; }
  Result<void> AddBias(const PairedWeights& weights);
  void AddConv(const FloatProduct& conv, const model::ModelNode& node, std::vector<float> values,
               const model::ModelTensor& weights);
  Result<void> AddToLstm(const ModelLayer& after, WeightRows rows);
  // Replaces a tensor that `node` reads or computes with these values.
  void AddConstant(model::TensorId tensor, const model::ModelNode& node, std::vector<float> values);
  // Calls `visit(dequantize, from, clamp)` for what comes out behind the quantizer of `before`, and
  // of those behind it that only round again: what `dequantize` gives would be `from` without them.
  template <typename Visit>
  void ForEachRounded(model::TensorId before, const std::optional<ClampRange>& clamp,
                      const Visit& visit);

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  runtime::GraphEdits edits_;
  std::unordered_set<std::string> edited_;
  std::unordered_map<model::NodeId, std::size_t>
      lstms_;  // Where in edits_.added each has W, then R.
};

}  // namespace cboard::compare
