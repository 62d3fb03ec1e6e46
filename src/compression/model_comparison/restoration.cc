#include "compression/model_comparison/restoration.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cboard/tensor/compare.h"
#include "compression/model_comparison/layer_operators.h"

namespace cboard::compare {
namespace {

// Constants further apart than this were made into something else, and not rounded.
constexpr double kSameConstantDb = 10;

bool IsFloat(const ModelTensor& tensor) {
  return !tensor.quantization &&
         (tensor.type == ElementType::kFloat32 || tensor.type == ElementType::kUnknown);
}

std::optional<std::size_t> CountOf(const ModelTensor& tensor) {
  if (!tensor.has_shape) return std::nullopt;
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0) return std::nullopt;
    count *= static_cast<std::size_t>(size);
  }
  return count;
}

// Outputs of these are elements of their inputs.
bool PicksElements(std::string_view op_type) {
  return op_type == "Concat" || op_type == "Pad" || PassesValues(op_type);
}

bool HaveSameGrid(const ModelTensor& a, const ModelTensor& b) {
  return a.quantization && b.quantization && a.quantization->scales.size() == 1 &&
         a.quantization->scales == b.quantization->scales &&
         a.quantization->zero_points == b.quantization->zero_points && a.type == b.type;
}

// Calls `visit(node)` for the nodes of the main graph that are this operator on `tensor`.
template <typename Visit>
void ForEachUse(const ModelGraph& model, TensorId tensor, std::string_view op_type,
                const Visit& visit) {
  for (const NodeId consumer : model.consumers(tensor)) {
    const ModelNode& node = model.node(consumer);
    if (node.op_type != op_type || node.parent != kNoNode) continue;
    if (node.inputs[0] != tensor || node.outputs.empty() || node.outputs[0] == kNoTensor) continue;
    visit(node);
  }
}

// What a channel of the baseline's weights is multiplied by to be one of the compressed model's.
std::vector<double> FactorsOf(const PairedWeights& weights, std::size_t channels) {
  const auto at = [](const std::vector<double>& factors, std::size_t c) {
    return factors.empty() ? 1 : factors[c];
  };
  std::vector<double> factors(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    // A channel that is multiplied by 0 later may be anything.
    const double later = at(weights.folding.variant.factors, c);
    factors[c] = at(weights.folding.baseline.factors, c) * at(weights.rescaling, c) /
                 (later == 0 ? 1 : later);
  }
  return factors;
}

// MatMulNBits has codes for weights, but is a product of floats otherwise.
bool CanBecomeProduct(const ModelGraph& variant, const ModelLayer& layer) {
  const ModelNode& node = variant.node(layer.node);
  const bool has_bias = node.inputs.size() > 5 && node.inputs[5] != kNoTensor;
  return node.op_type == "MatMulNBits" && !has_bias && node.inputs[0] != kNoTensor &&
         layer.layout.channel_axis == 0 && IsFloat(variant.tensor(node.inputs[0]));
}

// The tensor that is another one with other weights.
const ModelTensor& EditedFor(const ModelGraph& variant, const ModelLayer& layer) {
  return variant.tensor(CanBecomeProduct(variant, layer) ? layer.product : layer.weight);
}

// [channels, elements] the other way around, as MatMul takes them.
std::vector<float> Transposed(const WeightRows& rows) {
  std::vector<float> values(rows.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i % rows.row * rows.channels + i / rows.row] = rows.values[i];
  }
  return values;
}

}  // namespace

bool CanRestoreWeights(const ModelGraph& variant, const ModelLayer& after) {
  if (after.node == kNoNode || IsInBody(variant, after)) return false;
  return IsFloat(variant.tensor(after.weight)) || CanBecomeProduct(variant, after);
}

bool CanRestoreOutput(const OutputPlan& plan) { return !plan.before.empty() && !plan.codes; }

Result<void> Restoration::AddWeights(const PairedWeights& weights) {
  const ModelLayer& after = weights.after;
  const ModelTensor& tensor = EditedFor(variant_, after);
  if (IsNew(tensor.name)) {
    CBOARD_ASSIGN_OR_RETURN(WeightRows rows, ReadRows(baseline_, weights.before));
    const std::vector<double> factors = FactorsOf(weights, rows.channels);
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
      rows.values[i] = static_cast<float>(rows.values[i] * factors[i / rows.row]);
    }
    if (CanBecomeProduct(variant_, after)) {
      edits_.products.push_back(
          {.name = tensor.name,
           .left = variant_.tensor(variant_.node(after.node).inputs[0]).name,
           .shape = {static_cast<std::int64_t>(rows.row), static_cast<std::int64_t>(rows.channels)},
           .values = Transposed(rows)});
    } else {
      edits_.constants.push_back({tensor.name, tensor.shape, ToStoredOrder(variant_, after, rows)});
    }
  }
  return AddBias(weights);
}

Result<void> Restoration::AddBias(const PairedWeights& weights) {
  const auto& [before, after, folding, rescaling] = weights;
  if (after.bias == kNoTensor || !IsFloat(variant_.tensor(after.bias))) return {};
  const ModelTensor& tensor = variant_.tensor(after.bias);
  if (after.bias_half) {  // The other half comes with it.
    if (before.bias == kNoTensor || baseline_.tensor(before.bias).shape != tensor.shape) return {};
    if (!IsNew(tensor.name)) return {};
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> values,
                            baseline_.ReadWeights(before.bias, 8 * baseline_.file_bytes()));
    edits_.constants.push_back({tensor.name, tensor.shape, std::move(values)});
    return {};
  }
  const std::size_t channels = SizeOf(variant_, after).channels;
  if (CountOf(tensor) != channels) return {};
  if (before.bias != kNoTensor) {
    const auto count = CountOf(baseline_.tensor(before.bias));
    if (count != channels && count != std::size_t{1}) return {};
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> bias,
                          FoldedBias(baseline_, before, folding.baseline));
  if (bias.size() != channels || !IsNew(tensor.name)) return {};
  std::vector<float> values(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    double value = bias[c] * (rescaling.empty() ? 1 : rescaling[c]);
    if (const auto& later = folding.variant; !later.factors.empty() && later.factors[c] != 0) {
      value = (value - later.offsets[c]) / later.factors[c];
    }
    values[c] = static_cast<float>(value);
  }
  edits_.constants.push_back({tensor.name, tensor.shape, std::move(values)});
  return {};
}

template <typename Visit>
void Restoration::ForEachRounded(TensorId before, const std::optional<ClampRange>& clamp,
                                 const Visit& visit) {
  struct Quantized {
    TensorId tensor;
    std::optional<ClampRange> clamp;
  };
  std::vector<Quantized> rest = {{before, clamp}};
  while (!rest.empty()) {
    const Quantized next = rest.back();
    rest.pop_back();
    ForEachUse(variant_, next.tensor, "QuantizeLinear", [&](const ModelNode& quantize) {
      const TensorId codes = quantize.outputs[0];
      ForEachUse(variant_, codes, "DequantizeLinear", [&](const ModelNode& dequantize) {
        const TensorId after = dequantize.outputs[0];
        if (!IsNew(variant_.tensor(after).name)) return;
        visit(variant_.tensor(after), variant_.tensor(next.tensor), next.clamp);
        for (const NodeId consumer : variant_.consumers(after)) {
          const ModelNode& node = variant_.node(consumer);
          if (!PicksElements(node.op_type) || node.parent != kNoNode) continue;
          for (const TensorId output : node.outputs) {
            const auto again = QuantizerOf(variant_, output);
            if (!again || again->before == kNoTensor) continue;
            if (!HaveSameGrid(variant_.tensor(codes), variant_.tensor(again->codes))) continue;
            rest.push_back({output, std::nullopt});
          }
        }
      });
    });
  }
}

void Restoration::AddOutput(TensorId before, const std::optional<ClampRange>& clamp) {
  ForEachRounded(before, clamp,
                 [&](const ModelTensor& after, const ModelTensor& from,
                     const std::optional<ClampRange>& range) {
                   PassedTensor passed{.name = after.name, .from = from.name};
                   if (range && std::isfinite(range->low)) passed.low = range->low;
                   if (range && std::isfinite(range->high)) passed.high = range->high;
                   edits_.passed.push_back(std::move(passed));
                 });
}

void Restoration::AddOutput(const OutputPlan& plan) {
  AddOutput(variant_.FindTensor(plan.before), plan.clamp);
}

void Restoration::KeepWeights(const PairedWeights& weights) {
  edited_.insert(EditedFor(variant_, weights.after).name);
  if (weights.after.bias != kNoTensor) edited_.insert(variant_.tensor(weights.after.bias).name);
}

void Restoration::KeepOutput(const OutputPlan& plan) {
  ForEachRounded(variant_.FindTensor(plan.before), plan.clamp, [](const auto&...) {});
}

Result<void> Restoration::AddOtherConstants() {
  for (const ModelNode& node : variant_.nodes()) {
    if (node.op_type != "DequantizeLinear" || node.parent != kNoNode) continue;
    const TensorId after = node.outputs.empty() ? kNoTensor : node.outputs[0];
    if (!variant_.IsWeight(after) || !IsFloat(variant_.tensor(after))) continue;
    const ModelTensor& tensor = variant_.tensor(after);
    const TensorId ours = baseline_.FindTensor(WithoutQuantizationSuffix(tensor.name));
    if (!baseline_.IsWeight(ours) || baseline_.tensor(ours).shape != tensor.shape) continue;
    if (edited_.contains(tensor.name)) continue;
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> x,
                            baseline_.ReadWeights(ours, 8 * baseline_.file_bytes()));
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> y,
                            variant_.ReadWeights(after, 8 * variant_.file_bytes()));
    if (x.size() != y.size() || x.empty()) continue;
    CBOARD_ASSIGN_OR_RETURN(const Comparison compared, Compare(TensorView(x), TensorView(y)));
    if (!(compared.total.SqnrDb() >= kSameConstantDb)) continue;
    edited_.insert(tensor.name);
    edits_.constants.push_back({tensor.name, tensor.shape, std::move(x)});
  }
  return {};
}

void Restoration::AddOtherOutputs() {
  for (const ModelNode& node : variant_.nodes()) {
    if (node.op_type != "QuantizeLinear" || node.parent != kNoNode || node.inputs.empty()) continue;
    const TensorId before = node.inputs[0];
    if (before != kNoTensor && !variant_.IsWeight(before)) AddOutput(before, std::nullopt);
  }
}

}  // namespace cboard::compare
