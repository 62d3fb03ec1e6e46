#include "compare/layers/affine_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "compare/layers/weight_rows.h"

namespace cboard::compare {
namespace {

enum class Arithmetic { kAdd, kSubtract, kMultiply, kDivide };

std::optional<Arithmetic> ArithmeticOf(std::string_view op_type) {
  struct Operator {
    std::string_view name;
    Arithmetic what;
  };
  constexpr auto kOperators = std::to_array<Operator>({{"Add", Arithmetic::kAdd},
                                                       {"AddV2", Arithmetic::kAdd},
                                                       {"BiasAdd", Arithmetic::kAdd},
                                                       {"ADD", Arithmetic::kAdd},
                                                       {"Sub", Arithmetic::kSubtract},
                                                       {"Subtract", Arithmetic::kSubtract},
                                                       {"SUB", Arithmetic::kSubtract},
                                                       {"Mul", Arithmetic::kMultiply},
                                                       {"Multiply", Arithmetic::kMultiply},
                                                       {"MUL", Arithmetic::kMultiply},
                                                       {"Div", Arithmetic::kDivide},
                                                       {"RealDiv", Arithmetic::kDivide},
                                                       {"Divide", Arithmetic::kDivide},
                                                       {"DIV", Arithmetic::kDivide}});
  const auto found = std::ranges::find(kOperators, op_type, &Operator::name);
  if (found == kOperators.end()) return std::nullopt;
  return found->what;
}

bool IsNormalization(std::string_view op_type) {
  return op_type == "BatchNormalization" || op_type == "BatchNormInference" ||
         op_type.starts_with("FusedBatchNorm");
}

std::size_t ChannelsOf(const model::ModelGraph& model, const ModelLayer& layer) {
  return SizeOf(model, layer).channels;
}

// Number of the output's dimensions that come after the channel dimension.
std::size_t DimensionsBehindChannels(const model::ModelGraph& model, const ModelLayer& layer) {
  const std::string_view op_type = model.node(layer.node).op_type;
  const std::size_t rank = model.tensor(layer.operand).shape.size();
  if (op_type == "Conv" || op_type == "ConvTranspose" || op_type == "FusedConv" ||
      op_type == "Convolution") {
    return rank - 2;
  }
  return op_type == "GroupConvolution" && rank > 2 ? rank - 3 : 0;
}

// Returns true if the constant has a single value for all elements of a channel.
bool SuitsChannels(const model::ModelGraph& model, const ModelLayer& layer,
                   model::TensorId constant) {
  if (!model.IsWeight(constant)) return false;
  const std::vector<std::int64_t>& shape = model.tensor(constant).shape;
  if (std::ranges::all_of(shape, [](std::int64_t size) { return size == 1; })) return true;
  const std::size_t behind = DimensionsBehindChannels(model, layer);
  if (shape.size() <= behind) return false;
  const std::size_t axis = shape.size() - 1 - behind;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto wanted = i == axis ? static_cast<std::int64_t>(ChannelsOf(model, layer)) : 1;
    if (shape[i] != wanted) return false;
  }
  return true;
}

bool IsFlagSet(const model::ModelNode& node, std::string_view key) {
  const model::AttributeValue* value = node.FindAttribute(key);
  if (value == nullptr) return false;
  if (const auto* number = std::get_if<std::int64_t>(value)) return *number != 0;
  const auto* text = std::get_if<std::string>(value);
  return text != nullptr && (*text == "true" || *text == "1");
}

bool IsAffineNormalization(const model::ModelGraph& model, const ModelLayer& layer,
                           const model::ModelNode& node) {
  if (node.inputs.size() < 5 || node.inputs[0] != layer.output) return false;
  if (IsFlagSet(node, "training_mode") || IsFlagSet(node, "is_training")) return false;
  const auto channels = static_cast<std::int64_t>(ChannelsOf(model, layer));
  return std::all_of(node.inputs.begin() + 1, node.inputs.begin() + 5, [&](model::TensorId id) {
    return model.IsWeight(id) && model.tensor(id).shape == std::vector{channels};
  });
}

double EpsilonOf(const model::ModelNode& node) {
  for (const std::string_view key : {"epsilon", "eps"}) {
    const model::AttributeValue* value = node.FindAttribute(key);
    if (value == nullptr) continue;
    if (const auto* number = std::get_if<double>(value)) return *number;
  }
  return node.op_type.starts_with("Fused") ? 1e-4 : 1e-5;  // Defaults of TensorFlow and ONNX.
}

Result<std::vector<double>> ReadByChannel(const model::ModelGraph& model, model::TensorId id,
                                          std::size_t channels) {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> values, model.ReadWeights(id, channels));
  if (values.size() == 1) return std::vector<double>(channels, double{values[0]});
  return std::vector<double>(values.begin(), values.end());
}

Result<ChannelAffine> ReadNormalization(const model::ModelGraph& model,
                                        const model::ModelNode& node, std::size_t channels) {
  std::array<std::vector<double>, 4> parts;  // Scale, offset, mean, variance.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CBOARD_ASSIGN_OR_RETURN(parts[i], ReadByChannel(model, node.inputs[i + 1], channels));
  }
  const auto& [scale, offset, mean, variance] = parts;
  const double epsilon = EpsilonOf(node);
  ChannelAffine affine;
  for (std::size_t c = 0; c < channels; ++c) {
    const double factor = scale[c] / std::sqrt(variance[c] + epsilon);
    affine.factors.push_back(factor);
    affine.offsets.push_back(offset[c] - factor * mean[c]);
  }
  return affine;
}

Result<ChannelAffine> ReadArithmetic(const model::ModelGraph& model, const model::ModelNode& node,
                                     model::TensorId input, std::size_t channels) {
  const bool is_first = node.inputs[0] == input;
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> constant,
                          ReadByChannel(model, node.inputs[is_first ? 1 : 0], channels));
  ChannelAffine affine{.factors = std::vector<double>(channels, 1),
                       .offsets = std::vector<double>(channels)};
  for (std::size_t c = 0; c < channels; ++c) {
    switch (*ArithmeticOf(node.op_type)) {
      case Arithmetic::kAdd:
        affine.offsets[c] = constant[c];
        break;
      case Arithmetic::kSubtract:
        affine.factors[c] = is_first ? 1 : -1;
        affine.offsets[c] = is_first ? -constant[c] : constant[c];
        break;
      case Arithmetic::kMultiply:
        affine.factors[c] = constant[c];
        break;
      case Arithmetic::kDivide:
        affine.factors[c] = 1 / constant[c];
        break;
    }
  }
  return affine;
}

// Sums over one channel. For any channel factors, the distance of the weights can be computed from
// these sums.
struct ChannelSums {
  double xx = 0, yy = 0, xy = 0;
};

// Returns the distance between the weights of baseline (x) and variant (y), after the weights of
// one of them are multiplied by channel factors f.
struct Distance {
  double of_direction = 0;  // 1 - cosine² (with its sign); the same for any common scale.
  double of_size = 0;       // Σ(f x - y)² / Σ((f x)² + y²).
};
Distance DistanceOf(const std::vector<ChannelSums>& sums, const std::vector<double>& factors,
                    bool is_variant) {
  double moved = 0, kept = 0, product = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const double factor = factors.empty() ? 1 : factors[c];
    moved += factor * factor * (is_variant ? sums[c].yy : sums[c].xx);
    kept += is_variant ? sums[c].xx : sums[c].yy;
    product += factor * sums[c].xy;
  }
  const double cosine = product / std::sqrt(moved * kept);
  // Returns early, because the weights of one model are all zero or not finite.
  if (!std::isfinite(cosine)) return {1, 1};
  return {std::max(0.0, 1 - cosine * std::abs(cosine)),
          std::max(0.0, moved - 2 * product + kept) / (moved + kept)};
}

// Relative distance of two biases: Σ(b - c)² / Σ(b² + c²).
double BiasDistanceOf(const std::vector<double>& b, const std::vector<double>& c) {
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += (b[i] - c[i]) * (b[i] - c[i]);
    energy += b[i] * b[i] + c[i] * c[i];
  }
  return energy > 0 ? error / energy : 0;
}

// Share of the energy of bias c in channels in which b has another sign or is 0.
double SignDistanceOf(const std::vector<double>& b, const std::vector<double>& c) {
  double other = 0, energy = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    energy += c[i] * c[i];
    if (!(b[i] * c[i] > 0)) other += c[i] * c[i];
  }
  return energy > 0 ? other / energy : 0;
}

// Returns true if a factor for each channel turns the baseline's weights into the variant's.
bool DifferByFactors(const std::vector<ChannelSums>& sums) {
  constexpr double kMaxUnexplained = 0.01;  // SQNR of 20 dB.
  double energy = 0, unexplained = 0;
  for (const ChannelSums& channel : sums) {
    energy += channel.yy;
    unexplained += channel.yy - (channel.xx > 0 ? channel.xy * channel.xy / channel.xx : 0);
  }
  return energy > 0 && unexplained <= kMaxUnexplained * energy;
}

std::vector<ChannelSums> SumsOf(const WeightRows& x, const WeightRows& y) {
  std::vector<ChannelSums> sums(x.channels);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double a = x.values[i], b = y.values[i];
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    ChannelSums& channel = sums[i / x.row];
    channel.xx += a * a;
    channel.yy += b * b;
    channel.xy += a * b;
  }
  return sums;
}

}  // namespace

bool IsAffine(const model::ModelGraph& model, const ModelLayer& layer,
              const model::ModelNode& node) {
  if (IsNormalization(node.op_type)) return IsAffineNormalization(model, layer, node);
  const std::optional<Arithmetic> what = ArithmeticOf(node.op_type);
  if (!what || node.inputs.size() != 2) return false;
  // Not supported: in old ONNX versions, the attribute "axis" defines broadcasting.
  if (node.FindAttribute("axis") != nullptr) return false;
  const bool is_first = node.inputs[0] == layer.output;
  if (!is_first && (*what == Arithmetic::kDivide || node.inputs[1] != layer.output)) return false;
  return SuitsChannels(model, layer, node.inputs[is_first ? 1 : 0]);
}

Result<ChannelAffine> JoinSteps(const model::ModelGraph& model, const ModelLayer& layer,
                                std::size_t count) {
  ChannelAffine joined;
  if (count == 0) return joined;
  const std::size_t channels = ChannelsOf(model, layer);
  joined = {.factors = std::vector<double>(channels, 1), .offsets = std::vector<double>(channels)};
  for (std::size_t i = 0; i < count; ++i) {
    const model::ModelNode& node = model.node(layer.steps[i].node);
    const model::TensorId input = i == 0 ? layer.sum : layer.steps[i - 1].output;
    CBOARD_ASSIGN_OR_RETURN(const ChannelAffine step,
                            IsNormalization(node.op_type)
                                ? ReadNormalization(model, node, channels)
                                : ReadArithmetic(model, node, input, channels));
    for (std::size_t c = 0; c < channels; ++c) {
      joined.factors[c] *= step.factors[c];
      joined.offsets[c] = joined.offsets[c] * step.factors[c] + step.offsets[c];
    }
  }
  return joined;
}

Result<std::vector<double>> FoldedBias(const model::ModelGraph& model, const ModelLayer& layer,
                                       const ChannelAffine& folded) {
  std::vector<double> bias(ChannelsOf(model, layer));
  if (layer.bias != model::kNoTensor) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> values, ReadBias(model, layer));
    if (values.size() == bias.size()) {
      std::ranges::copy(values, bias.begin());
    } else if (values.size() == 1) {
      std::ranges::fill(bias, double{values[0]});
    }
  }
  for (std::size_t c = 0; c < folded.factors.size(); ++c) {
    bias[c] = folded.factors[c] * bias[c] + folded.offsets[c];
  }
  return bias;
}

Result<FoldedSteps> FindFolded(const model::ModelGraph& baseline, const ModelLayer& before,
                               const model::ModelGraph& variant, const ModelLayer& after) {
  if (before.steps.empty() && after.steps.empty()) return FoldedSteps();
  CBOARD_ASSIGN_OR_RETURN(const WeightRows x, ReadRows(baseline, before));
  CBOARD_ASSIGN_OR_RETURN(const WeightRows y, ReadRows(variant, after));
  const std::vector<ChannelSums> sums = SumsOf(x, y);
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> ours, FoldedBias(baseline, before, {}));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> theirs, FoldedBias(variant, after, {}));

  struct Candidate {
    FoldedSteps steps;
    Distance weights;
    double bias = 0, bias_signs = 0;
  };
  std::vector<Candidate> candidates = {{{},
                                        DistanceOf(sums, {}, false),
                                        BiasDistanceOf(ours, theirs),
                                        SignDistanceOf(ours, theirs)}};
  for (const bool is_variant : {false, true}) {
    const model::ModelGraph& model = is_variant ? variant : baseline;
    const ModelLayer& layer = is_variant ? after : before;
    for (std::size_t k = 1; k <= layer.steps.size(); ++k) {
      CBOARD_ASSIGN_OR_RETURN(const ChannelAffine joined, JoinSteps(model, layer, k));
      CBOARD_ASSIGN_OR_RETURN(const std::vector<double> bias, FoldedBias(model, layer, joined));
      candidates.push_back(
          {is_variant ? FoldedSteps{.variant = k} : FoldedSteps{.baseline = k},
           DistanceOf(sums, joined.factors, is_variant),
           BiasDistanceOf(bias, is_variant ? ours : theirs),
           is_variant ? SignDistanceOf(ours, bias) : SignDistanceOf(bias, theirs)});
    }
  }
  // `of_direction` does not change with a factor that all channels share. In this case the
  // magnitudes of the weights and the biases decide. Without evidence, nothing is folded.
  double nearest = std::numeric_limits<double>::infinity();
  for (const Candidate& each : candidates) nearest = std::min(nearest, each.weights.of_direction);
  // Equalization multiplies each channel by a positive factor of its own. No steps alone explain
  // such weights, but the signs of the biases still show which steps were folded.
  constexpr double kUnexplained = 0.01, kSameSigns = 0.02;
  constexpr std::size_t kMinChannels = 8;
  if (nearest > kUnexplained && sums.size() >= kMinChannels && DifferByFactors(sums)) {
    const auto signs = std::ranges::min_element(candidates, {}, &Candidate::bias_signs);
    if (signs->bias_signs <= kSameSigns && candidates[0].bias_signs > 0.2) return signs->steps;
  }
  constexpr double kAsNear = 1.25, kRounding = 1e-9;
  const Candidate* best = nullptr;
  const auto left = [](const Candidate& each) { return each.weights.of_size + each.bias; };
  for (const Candidate& each : candidates) {
    if (each.weights.of_direction > kAsNear * nearest + kRounding) continue;
    if (best == nullptr || left(each) < 0.9 * left(*best)) best = &each;
  }
  return best == nullptr ? FoldedSteps() : best->steps;
}

Result<Folding> ReadFolding(const model::ModelGraph& baseline, const ModelLayer& before,
                            const model::ModelGraph& variant, const ModelLayer& after,
                            const FoldedSteps& steps, const Equalized* equalized) {
  Folding folding;
  CBOARD_ASSIGN_OR_RETURN(folding.baseline, JoinSteps(baseline, before, steps.baseline));
  CBOARD_ASSIGN_OR_RETURN(folding.variant, JoinSteps(variant, after, steps.variant));
  if (equalized == nullptr) return folding;
  folding.inputs = {equalized->inputs, equalized->layout};
  if (equalized->outputs.empty()) return folding;
  auto& [factors, offsets] = folding.baseline;
  factors.resize(equalized->outputs.size(), 1);
  offsets.resize(equalized->outputs.size(), 0);
  for (std::size_t c = 0; c < factors.size(); ++c) {
    const double factor = equalized->outputs[c] > 0 ? equalized->outputs[c] : 1;
    factors[c] *= factor;
    offsets[c] *= factor;
  }
  return folding;
}

}  // namespace cboard::compare
