#include "compare/measure/input_gains.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compare/layers/input_layout.h"
#include "compare/measure/channel_importance.h"

namespace cboard::compare {
namespace {

// Maximum number of nodes between a tensor and the constant factors before it.
constexpr std::size_t kMaxSteps = 16;

// Returns the position of the scales among the inputs of a normalization.
std::optional<std::size_t> ScalesOf(std::string_view op_type) {
  struct Operator {
    std::string_view name;
    std::size_t scales;
  };
  constexpr auto kOperators = std::to_array<Operator>({{"LayerNormalization", 1},
                                                       {"RMSNormalization", 1},
                                                       {"SimplifiedLayerNormalization", 1},
                                                       {"SkipLayerNormalization", 2},
                                                       {"SkipSimplifiedLayerNormalization", 2},
                                                       {"BatchNormalization", 1},
                                                       {"InstanceNormalization", 1},
                                                       {"GroupNormalization", 1}});
  const auto found = std::ranges::find(kOperators, op_type, &Operator::name);
  if (found == kOperators.end()) return std::nullopt;
  return found->scales;
}

// Returns true for operators whose output equals the input, possibly after rounding.
bool PassesOn(std::string_view op_type) {
  return IsChannelwise(op_type) || op_type == "QuantizeLinear" || op_type == "DequantizeLinear" ||
         op_type == "Cast" || op_type == "Add" || op_type == "Sub";
}

using Nodes = std::unordered_set<model::NodeId>;

// Follows a tensor back to its producers, as far as they are not in `folded`. Calls
// `multiply(constant, divides)` for each constant that multiplies or divides it, and `pass(tensor)`
// for the tensor and each tensor before it.
template <typename Multiply, typename Pass>
Result<void> WalkBack(const model::ModelGraph& model, const Nodes& folded, model::TensorId tensor,
                      const Multiply& multiply, const Pass& pass) {
  for (std::size_t i = 0; i < kMaxSteps && tensor != model::kNoTensor; ++i) {
    pass(tensor);
    const model::NodeId producer = model.tensor(tensor).producer;
    if (producer == model::kNoNode || folded.contains(producer)) break;
    const model::ModelNode& node = model.node(producer);
    const auto scales = ScalesOf(node.op_type);
    if (scales)
      return *scales < node.inputs.size() ? multiply(node.inputs[*scales], false) : Result<void>();
    const bool divides = node.op_type == "Div";
    const bool multiplies = divides || node.op_type == "Mul";
    if (!multiplies && !PassesOn(node.op_type)) break;
    tensor = model::kNoTensor;
    for (const model::TensorId input : node.inputs) {
      if (input == model::kNoTensor || model.IsWeight(input)) continue;
      if (tensor != model::kNoTensor) return {};  // The node has two inputs that are not constant.
      tensor = input;
    }
    if (!multiplies || (divides && node.inputs[0] != tensor)) continue;
    for (const model::TensorId input : node.inputs) {
      if (input != model::kNoTensor && model.IsWeight(input))
        CBOARD_RETURN_IF_ERROR(multiply(input, divides));
    }
  }
  return {};
}

class Gains {
 public:
  Gains(const model::ModelGraph& model, const Nodes& folded, std::size_t channels)
      : model_(model), folded_(folded), gains_(channels, 1) {}

  Result<std::vector<double>> At(model::TensorId tensor) {
    CBOARD_RETURN_IF_ERROR(WalkBack(
        model_, folded_, tensor,
        [&](model::TensorId constant, bool divides) { return Multiply(constant, divides); },
        [](model::TensorId) {}));
    return std::move(gains_);
  }

 private:
  Result<void> Multiply(model::TensorId constant, bool divides) {
    if (!model_.IsWeight(constant)) return {};
    std::size_t count = 1;
    for (const std::int64_t size : model_.tensor(constant).shape) {
      if (size < 0 || static_cast<std::size_t>(size) > gains_.size()) return {};
      count *= static_cast<std::size_t>(size);
    }
    if (count != gains_.size()) return {};  // Not one factor per channel.
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> values, model_.ReadWeights(constant, count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      gains_[i] *= divides ? 1 / double{values[i]} : double{values[i]};
    }
    return {};
  }

  const model::ModelGraph& model_;
  const Nodes& folded_;
  std::vector<double> gains_;
};

}  // namespace

Result<std::optional<std::vector<double>>> GainsBetween(const PairedModels& models,
                                                        model::TensorId before,
                                                        model::TensorId after,
                                                        std::size_t channels) {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> ours,
                          Gains(models.baseline, models.baseline_folded, channels).At(before));
  CBOARD_ASSIGN_OR_RETURN(std::vector<double> gains,
                          Gains(models.variant, models.variant_folded, channels).At(after));
  bool is_same = true;
  for (std::size_t i = 0; i < channels; ++i) {
    is_same = is_same && gains[i] == ours[i];
    gains[i] = ours[i] != 0 && gains[i] / ours[i] > 0 ? gains[i] / ours[i] : 0;
  }
  if (is_same) return std::nullopt;
  return gains;
}

std::vector<model::TensorId> TensorsWithGains(const PairedModels& models, model::TensorId tensor) {
  std::vector<model::TensorId> tensors;
  const auto walked = WalkBack(
      models.baseline, models.baseline_folded, tensor,
      [](model::TensorId, bool) { return Result<void>(); },
      [&](model::TensorId passed) { tensors.push_back(passed); });
  return walked ? tensors : std::vector<model::TensorId>();
}

}  // namespace cboard::compare
