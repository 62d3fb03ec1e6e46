// Restores parts (weights or outputs of layers) of a compressed ONNX model to the baseline's
// floats.
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

// The weights of a pair of layers, and the factors by which they differ. Borrows `equalized`.
struct PairedWeights {
  ModelLayer before, after;
  FoldedSteps folded;
  const Equalized* equalized = nullptr;
  std::vector<double> rescaling;  // See WeightFindings.
};

// Returns true if the operator uses float weights, or can be replaced by a float operator
// (float_operators.h). Returns false for float16 and for operators that read integer codes directly
// (QLinearConv, …).
bool CanRestoreWeights(const model::ModelGraph& variant, const ModelLayer& after);

// Returns true if the input and the output of the output's quantizer are floats.
bool CanRestoreOutput(const OutputPlan& plan);

// Returns the baseline's weights of a pair in the layout of the compressed layer, with the factors
// that were folded into the compressed weights. Fails if ReadRows fails.
Result<WeightRows> BaselineRows(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const PairedWeights& weights);

// Returns the baseline's bias of a pair, with the folded factors; nullopt if the compressed layer
// has no float bias.
Result<std::optional<std::vector<float>>> BaselineBias(const model::ModelGraph& baseline,
                                                       const model::ModelGraph& variant,
                                                       const PairedWeights& weights);

// Returns the transposed matrix [elements, channels] of the rows. MatMul requires this layout.
std::vector<float> Transposed(const WeightRows& rows);

// Collects the edits that restore parts of the compressed model. Restoring a part twice has no
// further effect.
class Restoration {
 public:
  // Borrows both models. Nothing is restored yet.
  Restoration(const model::ModelGraph& baseline, const model::ModelGraph& variant)
      : baseline_(baseline), variant_(variant) {}

  // Restores weights and bias of a layer, with the factors that were folded into the compressed
  // weights. Requires CanRestoreWeights. Fails if ReadRows fails.
  Result<void> AddWeights(const PairedWeights& weights);

  // Bypasses the quantizer of a tensor, and later quantizers that only round the same values again
  // (behind MaxPool, Reshape, …). Clips the values if the quantizer's range replaces an activation.
  void AddOutput(model::TensorId before, const std::optional<ClampRange>& clamp);
  void AddOutput(const OutputPlan& plan);

  // Excludes a part from all later calls, so it stays compressed.
  void KeepWeights(const PairedWeights& weights);
  void KeepOutput(const OutputPlan& plan);

  // Restores other quantized constants that have the same name in the baseline: summands, factors,
  // lookup tables. Skips constants whose values differ too much.
  Result<void> AddOtherConstants();

  // Bypasses the quantizers of all activations that are not restored yet.
  void AddOtherOutputs();

  runtime::GraphEdits Take() { return std::move(edits_); }

 private:
  // Returns false if this tensor has already been edited.
  bool IsNew(const std::string& tensor) { return edited_.insert(tensor).second; }
  Result<void> AddBias(const PairedWeights& weights);
  void AddConv(const FloatProduct& conv, const model::ModelNode& node, std::vector<float> values,
               const model::ModelTensor& weights);
  Result<void> AddToLstm(const ModelLayer& after, WeightRows rows);
  // Replaces a constant that `node` reads or computes by the given values.
  void AddConstant(model::TensorId tensor, const model::ModelNode& node, std::vector<float> values);
  // Calls `visit(dequantize, from, clamp)` for each DequantizeLinear behind the quantizer of
  // `before`, also behind later quantizers that only round the same values again. If these
  // quantizers are bypassed, the output of `dequantize` is replaced by `from`, limited to `clamp`.
  template <typename Visit>
  void ForEachRounded(model::TensorId before, const std::optional<ClampRange>& clamp,
                      const Visit& visit);

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  runtime::GraphEdits edits_;
  std::unordered_set<std::string> edited_;
  std::unordered_map<model::NodeId, std::size_t>
      lstms_;  // For each node: position of W and R in edits_.added.
};

}  // namespace cboard::compare
