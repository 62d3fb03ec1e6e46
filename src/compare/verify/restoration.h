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

// The weights of a pair of layers, and what makes one side of the other. Borrows the factors.
struct PairedWeights {
  ModelLayer before, after;
  FoldedSteps folded;
  const Equalized* equalized = nullptr;
  std::vector<double> rescaling;  // See WeightFindings.
};

// Whether the operator computes with floats, which may then be other ones, or is one that may be an
// operator on floats instead (float_operators.h). Codes that others take as they are (QLinearConv,
// ConvInteger, …) and halves leave no room for that.
bool CanRestoreWeights(const model::ModelGraph& variant, const ModelLayer& after);

// Whether floats go into the quantizer of this output and come out behind it.
bool CanRestoreOutput(const OutputPlan& plan);

// The baseline's weights of a pair in the compressed layer's channels and elements, with what was
// folded into them there. Fails as ReadRows does.
Result<WeightRows> BaselineRows(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const PairedWeights& weights);

// The baseline's bias likewise; nothing where the compressed layer has none that floats may take
// the place of.
Result<std::optional<std::vector<float>>> BaselineBias(const model::ModelGraph& baseline,
                                                       const model::ModelGraph& variant,
                                                       const PairedWeights& weights);

// [channels, elements] the other way around, as MatMul takes them.
std::vector<float> Transposed(const WeightRows& rows);

// Collects edits of the compressed model. Restoring a part twice has no further effect.
class Restoration {
 public:
  // Borrows both.
  Restoration(const model::ModelGraph& baseline, const model::ModelGraph& variant)
      : baseline_(baseline), variant_(variant) {}

  // The baseline's weights and bias in the compressed layer's layout, with what was folded into
  // them there. Those for which CanRestoreWeights holds. Fails as ReadRows does.
  Result<void> AddWeights(const PairedWeights& weights);

  // Lets a tensor pass its quantizer by, and those behind it that only round the same values to the
  // same codes again (behind MaxPool, Reshape, …). Cut off where an activation has become the range
  // of the quantizer.
  void AddOutput(model::TensorId before, const std::optional<ClampRange>& clamp);
  void AddOutput(const OutputPlan& plan);

  // Leaves these as they are, whatever is added afterwards.
  void KeepWeights(const PairedWeights& weights);
  void KeepOutput(const OutputPlan& plan);

  // Other constants that are quantized and that the baseline has under their name: what is added to
  // or multiplied by, tables that are looked up. Not those that are too different to be the same.
  Result<void> AddOtherConstants();

  // All quantizers of activations that are left.
  void AddOtherOutputs();

  runtime::GraphEdits Take() { return std::move(edits_); }

 private:
  // False when the tensor was edited before.
  bool IsNew(const std::string& tensor) { return edited_.insert(tensor).second; }
  Result<void> AddBias(const PairedWeights& weights);
  void AddConv(const FloatProduct& conv, const model::ModelNode& node, std::vector<float> values,
               const model::ModelTensor& weights);
  Result<void> AddToLstm(const ModelLayer& after, WeightRows rows);
  // A tensor that `node` gives or takes becomes these values.
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
