#include "compare/verify/restoration.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cboard/tensor/compare.h"
#include "compare/layers/float_operators.h"
#include "compare/layers/node_bodies.h"

namespace cboard::compare {
namespace {

// Constants whose SQNR is lower were changed, not rounded, and are not restored.
constexpr double kSameConstantDb = 10;

std::optional<std::size_t> CountOf(const model::ModelTensor& tensor) {
  if (!tensor.has_shape) return std::nullopt;
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0) return std::nullopt;
    count *= static_cast<std::size_t>(size);
  }
  return count;
}

// Returns the factor of each channel that turns the baseline's weights into weights with the scale
// of the compressed weights.
std::vector<double> FactorsOf(const Folding& folding, const std::vector<double>& rescaling,
                              std::size_t channels) {
  const auto at = [](const std::vector<double>& factors, std::size_t c) {
    return factors.empty() ? 1 : factors[c];
  };
  std::vector<double> factors(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    // If a later node multiplies the channel by 0, any factor is correct.
    const double later = at(folding.variant.factors, c);
    factors[c] = at(folding.baseline.factors, c) * at(rescaling, c) / (later == 0 ? 1 : later);
  }
  return factors;
}

// Returns the name of the tensor that is edited to restore a layer's weights. The two layers of an
// LSTM share a node, and one of them may stay compressed when the other one is restored.
std::string EditedFor(const model::ModelGraph& variant, const ModelLayer& layer) {
  if (const auto product = ProductInsteadOf(variant, layer)) {
    return variant.tensor(product->output).name;
  }
  if (const auto conv = ConvInsteadOf(variant, layer)) return variant.tensor(conv->output).name;
  return CanBecomeLstm(variant, layer) ? NameOf(variant, layer) : variant.tensor(layer.weight).name;
}

}  // namespace

std::vector<float> Transposed(const WeightRows& rows) {
  std::vector<float> values(rows.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i % rows.row * rows.channels + i / rows.row] = rows.values[i];
  }
  return values;
}

bool CanRestoreWeights(const model::ModelGraph& variant, const ModelLayer& after) {
  if (after.node == model::kNoNode) return false;
  return IsFloat(variant.tensor(after.weight)) || ProductInsteadOf(variant, after) ||
         ConvInsteadOf(variant, after) || CanBecomeLstm(variant, after);
}

Result<WeightRows> BaselineRows(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                                const PairedWeights& weights) {
  CBOARD_ASSIGN_OR_RETURN(const Folding folding,
                          ReadFolding(baseline, weights.before, variant, weights.after,
                                      weights.folded, weights.equalized));
  CBOARD_ASSIGN_OR_RETURN(WeightRows rows, ReadRows(baseline, weights.before));
  const std::vector<double> factors = FactorsOf(folding, weights.rescaling, rows.channels);
  ScaleInputs(folding.inputs, 0, rows.channels, rows.values);
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    rows.values[i] = static_cast<float>(rows.values[i] * factors[i / rows.row]);
  }
  return rows;
}

Result<void> Restoration::AddWeights(const PairedWeights& weights) {
  const ModelLayer& after = weights.after;
  if (IsNew(EditedFor(variant_, after))) {
    CBOARD_ASSIGN_OR_RETURN(WeightRows rows, BaselineRows(baseline_, variant_, weights));
    const model::ModelNode& node = variant_.node(after.node);
    if (const auto product = ProductInsteadOf(variant_, after)) {
      TensorInFile output = FindInFile(variant_, product->output, node);
      edits_.products.push_back(
          {.name = std::move(output.name),
           .left = FindInFile(variant_, product->left, node).name,
           .shape = {static_cast<std::int64_t>(rows.row), static_cast<std::int64_t>(rows.channels)},
           .values = Transposed(rows),
           .in = std::move(output.in)});
    } else if (const auto conv = ConvInsteadOf(variant_, after)) {
      AddConv(*conv, node, ToStoredOrder(variant_, after, rows), variant_.tensor(after.weight));
    } else if (CanBecomeLstm(variant_, after)) {
      CBOARD_RETURN_IF_ERROR(AddToLstm(after, std::move(rows)));
    } else {
      AddConstant(after.weight, node, ToStoredOrder(variant_, after, rows));
    }
  }
  return AddBias(weights);
}

// Computes the sums of a ConvInteger by a float Conv with the baseline's weights, and bypasses the
// nodes that multiply the integer sums by the scales.
void Restoration::AddConv(const FloatProduct& conv, const model::ModelNode& node,
                          std::vector<float> values, const model::ModelTensor& weights) {
  const TensorInFile sums = FindInFile(variant_, conv.sums, node);
  const std::string right = sums.name + "__weights";
  edits_.added.push_back(
      {.name = right, .shape = weights.shape, .values = std::move(values), .in = sums.in});
  edits_.recomputed.push_back(
      {.name = sums.name,
       .nodes = {{.op_type = "Conv",
                  .inputs = {FindInFile(variant_, conv.left, node).name, right},
                  .output = sums.name,
                  .has_attributes = true}},
       .own = {},
       .in = sums.in});
  const TensorInFile output = FindInFile(variant_, conv.output, node);
  edits_.passed.push_back({.name = output.name,
                           .from = FindInFile(variant_, conv.cast, node).name,
                           .low = {},
                           .high = {},
                           .in = output.in});
}

// Replaces the node by an LSTM when the first of its weights is restored; its other weights become
// dequantized codes.
Result<void> Restoration::AddToLstm(const ModelLayer& after, WeightRows rows) {
  constexpr std::size_t kW = 1, kR = 2, kPeepholes = 7;
  const model::ModelNode& node = variant_.node(after.node);
  const auto [place, is_new] = lstms_.try_emplace(after.node, edits_.added.size());
  if (is_new) {
    const auto output = std::ranges::find_if(
        node.outputs, [](model::TensorId id) { return id != model::kNoTensor; });
    const TensorInFile found = FindInFile(variant_, *output, node);
    runtime::ReplacedNode lstm{
        .output = found.name, .op_type = "LSTM", .inputs = {}, .in = found.in};
    for (std::size_t i = 0; i < std::min(node.inputs.size(), kPeepholes + 1); ++i) {
      lstm.inputs.push_back(node.inputs[i] == model::kNoTensor
                                ? std::string()
                                : FindInFile(variant_, node.inputs[i], node).name);
    }
    for (const std::size_t input : {kW, kR}) {
      ModelLayer part = after;
      part.weight = part.operand = node.inputs[input];
      CBOARD_ASSIGN_OR_RETURN(WeightRows codes, ReadRows(variant_, part));
      const std::vector<std::int64_t>& stored = variant_.tensor(part.weight).shape;
      lstm.inputs[input] = found.name + (input == kW ? "__W" : "__R");
      edits_.added.push_back({.name = lstm.inputs[input],
                              .shape = {stored[0], stored[2], stored[1]},
                              .values = std::move(codes.values),
                              .in = found.in});
    }
    edits_.nodes.push_back(std::move(lstm));
  }
  edits_.added[place->second + (after.operand == node.inputs[kW] ? 0 : 1)].values =
      std::move(rows.values);
  return {};
}

void Restoration::AddConstant(model::TensorId tensor, const model::ModelNode& node,
                              std::vector<float> values) {
  TensorInFile found = FindInFile(variant_, tensor, node);
  edits_.constants.push_back({.name = std::move(found.name),
                              .shape = variant_.tensor(tensor).shape,
                              .values = std::move(values),
                              .in = std::move(found.in)});
}

Result<std::optional<std::vector<float>>> BaselineBias(const model::ModelGraph& baseline,
                                                       const model::ModelGraph& variant,
                                                       const PairedWeights& weights) {
  using Values = std::optional<std::vector<float>>;
  const auto& [before, after, folded, equalized, rescaling] = weights;
  if (after.bias == model::kNoTensor || !IsFloat(variant.tensor(after.bias))) return Values();
  const model::ModelTensor& tensor = variant.tensor(after.bias);
  if (after.bias_half) {  // The other half is restored with it.
    if (before.bias == model::kNoTensor || baseline.tensor(before.bias).shape != tensor.shape) {
      return Values();
    }
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> values,
                            baseline.ReadWeights(before.bias, 8 * baseline.file_bytes()));
    return Values(std::move(values));
  }
  const std::size_t channels = SizeOf(variant, after).channels;
  if (CountOf(tensor) != channels) return Values();
  if (before.bias != model::kNoTensor) {
    const auto count = CountOf(baseline.tensor(before.bias));
    if (count != channels && count != std::size_t{1}) return Values();
  }
  CBOARD_ASSIGN_OR_RETURN(const Folding folding,
                          ReadFolding(baseline, before, variant, after, folded, equalized));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> bias,
                          FoldedBias(baseline, before, folding.baseline));
  if (bias.size() != channels) return Values();
  std::vector<float> values(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    double value = bias[c] * (rescaling.empty() ? 1 : rescaling[c]);
    if (const auto& later = folding.variant; !later.factors.empty() && later.factors[c] != 0) {
      value = (value - later.offsets[c]) / later.factors[c];
    }
    values[c] = static_cast<float>(value);
  }
  return Values(std::move(values));
}

Result<void> Restoration::AddBias(const PairedWeights& weights) {
  CBOARD_ASSIGN_OR_RETURN(auto values, BaselineBias(baseline_, variant_, weights));
  const model::TensorId bias = weights.after.bias;
  if (!values || !IsNew(variant_.tensor(bias).name)) return {};
  AddConstant(bias, variant_.node(weights.after.node), *std::move(values));
  return {};
}

void Restoration::KeepWeights(const PairedWeights& weights) {
  edited_.insert(EditedFor(variant_, weights.after));
  if (weights.after.bias != model::kNoTensor)
    edited_.insert(variant_.tensor(weights.after.bias).name);
}

Result<void> Restoration::AddOtherConstants() {
  for (const model::ModelNode& node : variant_.nodes()) {
    if (node.op_type != "DequantizeLinear") continue;
    const model::TensorId after = node.outputs.empty() ? model::kNoTensor : node.outputs[0];
    if (!variant_.IsWeight(after) || !IsFloat(variant_.tensor(after))) continue;
    const model::ModelTensor& tensor = variant_.tensor(after);
    const model::TensorId ours = baseline_.FindTensor(WithoutQuantizationSuffix(tensor.name));
    if (!baseline_.IsWeight(ours) || baseline_.tensor(ours).shape != tensor.shape) continue;
    if (edited_.contains(tensor.name)) continue;
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> x,
                            baseline_.ReadWeights(ours, 8 * baseline_.file_bytes()));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> y,
                            variant_.ReadWeights(after, 8 * variant_.file_bytes()));
    if (x.size() != y.size() || x.empty()) continue;
    CBOARD_ASSIGN_OR_RETURN(const tensor::Comparison compared,
                            Compare(TensorView(x), TensorView(y)));
    if (!(compared.total.SqnrDb() >= kSameConstantDb)) continue;
    edited_.insert(tensor.name);
    AddConstant(after, node, std::move(x));
  }
  return {};
}

}  // namespace cboard::compare
