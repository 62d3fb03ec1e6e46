#include "quantize/writing/quantized_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "quantize/writing/table_codes.h"
#include "quantize/writing/weight_codes.h"
#include "quantize/writing/weight_only_graph.h"

namespace cboard::quantize {

namespace {

template <typename T>
std::string ElementsOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <typename T>
std::string ElementOf(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

constexpr std::string_view kMicrosoft = "com.microsoft";

class GraphQuantizer {
 public:
  GraphQuantizer(const Graph& graph, const Placement& placement, const Plan& plan)
      : from_(graph), index_(graph), placement_(placement), plan_(plan), to_(graph) {}

  Graph Quantize() {
    is_quantized_.resize(from_.nodes.size());
    for (std::size_t i = 0; i < from_.nodes.size(); ++i) is_quantized_[i] = CanQuantize(i);
    for (const auto& [tensor, activation] : plan_.activations) {
      if (!activation.is_float && IsUsed(tensor)) AddQuantizer(tensor, activation);
    }
    for (std::size_t i = 0; i < from_.nodes.size(); ++i) {
      if (is_quantized_[i]) QuantizeNode(i);
    }
    QuantizeTables(from_, placement_, plan_, to_, added_);
    to_.nodes.insert(to_.nodes.end(), std::make_move_iterator(added_.begin()),
                     std::make_move_iterator(added_.end()));
    ShareWeightsWithBodies();
    RemoveUnused(to_);
    SortNodes(to_);
    return std::move(to_);
  }

 private:
  NodeRole RoleOf(std::size_t i) const { return placement_.nodes[i].role; }

  bool IsQuantized(const std::string& tensor) const {
    const auto found = plan_.activations.find(tensor);
    return found != plan_.activations.end() && !found->second.is_float;
  }

  // Returns the tensor after Relu and Clip nodes that become part of its quantizer.
  std::string Behind(std::string tensor) const {
    while (!IsQuantized(tensor)) {
      const std::size_t next = index_.OnlyConsumer(tensor);
      if (next == GraphIndex::kNone || RoleOf(next) != NodeRole::kFused) break;
      tensor = from_.nodes[next].outputs[0];
    }
    return tensor;
  }

  // Returns true for a matrix product whose weight is in blocks, in the format of MatMulNBits.
  bool HasBlocks(std::size_t i) const {
    const Node& node = from_.nodes[i];
    const auto weight = plan_.weights.find(node.outputs[0]);
    return (node.Is("MatMul") || node.Is("Gemm")) && weight != plan_.weights.end() &&
           weight->second.block_size > 0;
  }

  // Returns true for a layer with 8-bit weights that computes in float: the operator has no integer
  // kernel, or its input or output stays float.
  bool IsWeightOnly(std::size_t i) const {
    const Node& node = from_.nodes[i];
    if (RoleOf(i) != NodeRole::kCompute) return RoleOf(i) == NodeRole::kWeightOnly;
    if (HasBlocks(i)) return true;
    return !IsQuantized(node.inputs[0]) ||
           (node.Is("Conv") && !IsQuantized(Behind(node.outputs[0])));
  }

  bool CanQuantize(std::size_t i) const {
    const Node& node = from_.nodes[i];
    if (node.outputs.empty()) return false;
    const auto planned = plan_.nodes.find(node.outputs[0]);
    if (planned != plan_.nodes.end() && !planned->second.is_quantized) return false;
    const NodeRole role = RoleOf(i);
    const auto weight = plan_.weights.find(node.outputs[0]);
    const bool has_weight = weight != plan_.weights.end() && !weight->second.is_float;
    switch (role) {
      case NodeRole::kCompute:
      case NodeRole::kWeightOnly:
        return has_weight;
      case NodeRole::kElementwise:
      case NodeRole::kMove: {
        if (!IsQuantized(Behind(node.outputs[0]))) return false;
        const std::size_t count = role == NodeRole::kMove ? 1 : node.inputs.size();
        for (std::size_t input = 0; input < count; ++input) {
          const std::string& tensor = node.inputs[input];
          if (from_.FindConstant(tensor) == nullptr && !IsQuantized(tensor)) return false;
        }
        return true;
      }
      default:
        return false;
    }
  }

  // Returns true if the node that computes the tensor, before Relu and Clip, gives integers.
  bool IsGivenInIntegers(const std::string& tensor) const {
    std::size_t producer = index_.Producer(tensor);
    while (producer != GraphIndex::kNone && RoleOf(producer) == NodeRole::kFused &&
           index_.OnlyConsumer(from_.nodes[producer].Input(0)) == producer &&
           !IsQuantized(from_.nodes[producer].Input(0))) {
      producer = index_.Producer(from_.nodes[producer].Input(0));
    }
    if (producer == GraphIndex::kNone || !is_quantized_[producer]) return false;
    const NodeRole role = RoleOf(producer);
    if (role == NodeRole::kCompute) {
      return from_.nodes[producer].Is("Conv") && !IsWeightOnly(producer);
    }
    return role == NodeRole::kElementwise || role == NodeRole::kMove;
  }

  bool TakesIntegers(std::size_t node) const { return is_quantized_[node] && !IsWeightOnly(node); }

  bool IsUsed(const std::string& tensor) const {
    if (IsGivenInIntegers(tensor)) return true;
    return std::ranges::any_of(index_.Consumers(tensor),
                               [&](std::size_t node) { return TakesIntegers(node); });
  }

  int CodeType(const ActivationPlan& plan) const {
    if (plan.bits > 8) return plan.is_signed ? kInt16 : kUint16;
    return plan.is_signed ? kInt8 : kUint8;
  }

  std::string ZeroPointBytes(const ActivationPlan& plan) const {
    if (plan.bits > 8) {
      return plan.is_signed ? ElementOf(static_cast<std::int16_t>(plan.zero_point))
                            : ElementOf(static_cast<std::uint16_t>(plan.zero_point));
    }
    return std::string(1, static_cast<char>(plan.zero_point));
  }

  // Returns the domain of the operator: 16-bit codes are part of ONNX from opset 21 on; before,
  // ONNX Runtime has them in its own domain.
  std::string DomainFor(const ActivationPlan& plan) {
    if (plan.bits <= 8 || to_.opset() >= 21) return {};
    to_.opsets.try_emplace(std::string(kMicrosoft), 1);
    return std::string(kMicrosoft);
  }

  void AddQuantizer(const std::string& tensor, const ActivationPlan& plan) {
    const std::string scale = to_.UniqueName(tensor + "_scale"),
                      zero_point = to_.UniqueName(tensor + "_zero_point");
    to_.constants.emplace(scale, Constant::Floats({}, {plan.scale}));
    to_.constants.emplace(zero_point, Constant::Of(CodeType(plan), {}, ZeroPointBytes(plan)));
    std::string source = tensor, result = to_.UniqueName(tensor + "_DequantizeLinear_Output");
    const std::string codes = to_.UniqueName(tensor + "_QuantizeLinear_Output");
    const bool is_integer = IsGivenInIntegers(tensor);
    if (is_integer && index_.IsOutput(tensor)) {
      // The quantizer's output gets the name of the graph's output.
      source = to_.UniqueName(tensor + "_float");
      result = tensor;
      Node& producer = to_.nodes[index_.Producer(tensor)];
      std::ranges::replace(producer.outputs, tensor, source);
    }
    dequantized_[tensor] = result;
    const std::string domain = DomainFor(plan);
    added_.push_back({.name = to_.UniqueName(tensor + "_QuantizeLinear"),
                      .op_type = "QuantizeLinear",
                      .domain = domain,
                      .inputs = {source, scale, zero_point},
                      .outputs = {codes}});
    added_.push_back({.name = to_.UniqueName(tensor + "_DequantizeLinear"),
                      .op_type = "DequantizeLinear",
                      .domain = domain,
                      .inputs = {codes, scale, zero_point},
                      .outputs = {result}});
    for (const std::size_t consumer : index_.Consumers(tensor)) {
      // A float node reads integers only if its producer gives integers: two forms of an output
      // prevent fusion.
      if (from_.nodes[consumer].HasBody()) continue;
      if (is_integer || TakesIntegers(consumer)) {
        std::ranges::replace(to_.nodes[consumer].inputs, tensor, result);
      }
    }
  }

  // Quantizes a weight once, even if several nodes share it.
  std::string QuantizedWeight(const WeightPlan& plan) {
    std::string key = plan.constant + "\n" + ElementsOf(plan.scales);
    if (plan.codes.empty() && plan.values.empty()) {
      if (const auto found = shared_weights_.find(key); found != shared_weights_.end()) {
        return found->second;
      }
    }
    const Constant& weight = *from_.FindConstant(plan.constant);
    const std::string result = AddWeightCodes(to_, weight, plan, added_);
    if (plan.codes.empty() && plan.values.empty()) {
      shared_weights_[std::move(key)] = result;
      rounded_weights_.emplace(plan.constant, result);
    }
    return result;
  }

  // The bodies of If, Loop and Scan take weights that they share with quantized nodes in their
  // rounded form: otherwise the file has the codes and the float weight. The rounded weight gets
  // the name of the float weight, which bodies may use without an input.
  void ShareWeightsWithBodies() {
    const GraphIndex index(to_);
    for (const auto& [constant, rounded] : rounded_weights_) {
      const auto users = index.Consumers(constant);
      const bool is_for_bodies =
          !users.empty() && !index.IsOutput(constant) &&
          std::ranges::all_of(users, [&](std::size_t user) { return to_.nodes[user].HasBody(); });
      if (!is_for_bodies) continue;
      to_.constants.erase(constant);
      std::ranges::replace(to_.nodes[index.Producer(rounded)].outputs, rounded, constant);
      for (const std::size_t user : index.Consumers(rounded)) {
        std::ranges::replace(to_.nodes[user].inputs, rounded, constant);
      }
    }
  }

  // The position of a compute node's bias: an input of the node, or of the Add after a MatMul.
  struct BiasPlace {
    std::size_t node = 0;
    std::size_t input = 2;
  };
  std::optional<BiasPlace> FindBias(std::size_t i, const WeightPlan& weight) const {
    const Node& node = from_.nodes[i];
    if (!node.Is("MatMul")) return BiasPlace{i, 2};
    const std::size_t next = index_.OnlyConsumer(node.outputs[0]);
    if (next == GraphIndex::kNone || !from_.nodes[next].Is("Add")) return std::nullopt;
    const Node& add = from_.nodes[next];
    const std::size_t input = add.inputs[0] == node.outputs[0] ? 1 : 0;
    const Constant* const bias = from_.FindConstant(add.inputs[input]);
    if (bias == nullptr || bias->shape.empty() || bias->element_type != kFloat32 ||
        weight.axis < 0 || bias->element_count() != weight.scales.size() ||
        bias->shape.back() != static_cast<std::int64_t>(weight.scales.size())) {
      return std::nullopt;
    }
    return BiasPlace{next, input};
  }

  std::vector<float> BiasValues(std::size_t i, const BiasPlace& place) const {
    const auto corrected = plan_.biases.find(from_.nodes[i].outputs[0]);
    if (corrected != plan_.biases.end()) return corrected->second;
    const Constant* const bias = from_.FindConstant(from_.nodes[place.node].Input(place.input));
    if (bias == nullptr || bias->element_type != kFloat32) return {};
    return bias->ToFloats();
  }

  void QuantizeBias(std::size_t i, const BiasPlace& place, const WeightPlan& weight) {
    const std::vector<float> values = BiasValues(i, place);
    const bool fits =
        weight.axis < 0 ? weight.scales.size() == 1 : weight.scales.size() == values.size();
    if (values.empty() || !fits) return;
    const float input_scale = plan_.activations.at(from_.nodes[i].inputs[0]).scale;
    std::vector<float> scales(weight.scales.size());
    for (std::size_t c = 0; c < scales.size(); ++c) scales[c] = input_scale * weight.scales[c];
    std::vector<std::int32_t> codes(values.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
      const double code = values[c] / static_cast<double>(scales[weight.axis < 0 ? 0 : c]);
      codes[c] =
          static_cast<std::int32_t>(std::clamp(std::nearbyint(code), -2147483648.0, 2147483647.0));
    }
    Node& node = to_.nodes[place.node];
    const std::string old = from_.nodes[place.node].Input(place.input);
    if (node.inputs.size() <= place.input) node.inputs.resize(place.input + 1);
    node.inputs[place.input] =
        AddConstantCodes(to_,
                         {.name = old.empty() ? from_.nodes[i].outputs[0] + "_bias" : old,
                          .element_type = kInt32,
                          .shape = {static_cast<std::int64_t>(values.size())},
                          .codes = ElementsOf(codes),
                          .scales = scales,
                          .axis = weight.axis < 0 ? -1 : 0},
                         added_);
  }

  // Replaces the bias of a layer that computes in float by the corrected bias.
  void ReplaceBias(std::size_t i, const WeightPlan& weight) {
    const auto corrected = plan_.biases.find(from_.nodes[i].outputs[0]);
    const auto place = FindBias(i, weight);
    if (corrected == plan_.biases.end() || !place) return;
    SetBias(to_, to_.nodes[place->node], place->input, from_.nodes[i].outputs[0],
            corrected->second);
  }

  // Quantizes a constant operand of Add, Mul or Concat.
  void QuantizeOperand(std::size_t i, std::size_t input) {
    const std::string& name = from_.nodes[i].inputs[input];
    const Constant* const constant = from_.FindConstant(name);
    if (constant == nullptr || constant->element_type != kFloat32) return;
    const std::vector<float> values = constant->ToFloats();
    if (values.empty()) return;
    const auto [low, high] = std::ranges::minmax(values);
    ActivationPlan plan{.is_signed = plan_.target == Target::kTensorRt, .low = low, .high = high};
    SetScale(plan);
    std::string codes;
    for (const float value : values) {
      const float code = std::nearbyint(value / plan.scale) + static_cast<float>(plan.zero_point);
      const auto [min, max] = plan.is_signed ? std::pair(-128.0f, 127.0f) : std::pair(0.0f, 255.0f);
      codes.push_back(static_cast<char>(static_cast<int>(std::clamp(code, min, max))));
    }
    to_.nodes[i].inputs[input] = AddConstantCodes(to_,
                                                  {.name = name,
                                                   .element_type = CodeType(plan),
                                                   .shape = constant->shape,
                                                   .codes = std::move(codes),
                                                   .scales = {plan.scale},
                                                   .zero_points = ZeroPointBytes(plan)},
                                                  added_);
  }

  void QuantizeNode(std::size_t i) {
    const Node& node = from_.nodes[i];
    switch (RoleOf(i)) {
      case NodeRole::kCompute:
      case NodeRole::kWeightOnly: {
        WeightPlan weight = plan_.weights.at(node.outputs[0]);
        if (HasBlocks(i)) {
          const Node product = to_.nodes[i];
          to_.nodes[i] = MakeBlockProduct(to_, product, *from_.FindConstant(weight.constant),
                                          weight, nullptr, false, added_);
          break;
        }
        std::optional<BiasPlace> bias;
        // TensorRT supports only float biases.
        if (IsWeightOnly(i) || plan_.target == Target::kTensorRt) {
          ReplaceBias(i, weight);
        } else {
          bias = FindBias(i, weight);
        }
        if (bias) WidenForBias(i, *bias, weight);
        to_.nodes[i].inputs[*WeightInput(from_, node)] = QuantizedWeight(weight);
        if (bias) QuantizeBias(i, *bias, weight);
        break;
      }
      case NodeRole::kElementwise:
        for (std::size_t input = 0; input < node.inputs.size(); ++input) QuantizeOperand(i, input);
        break;
      default:
        break;
    }
  }

  // Widens the scale of a channel with tiny weights and a large bias: the bias must fit into 32
  // bits.
  void WidenForBias(std::size_t i, const BiasPlace& place, WeightPlan& weight) const {
    const std::vector<float> values = BiasValues(i, place);
    const double input_scale = plan_.activations.at(from_.nodes[i].inputs[0]).scale;
    for (std::size_t c = 0; c < values.size(); ++c) {
      float& scale = weight.scales[std::min(c, weight.scales.size() - 1)];
      const double needed = std::abs(values[c]) / (input_scale * 1073741824.0);
      if (scale < needed) scale = static_cast<float>(needed);
    }
  }

  const Graph& from_;
  GraphIndex index_;
  const Placement& placement_;
  const Plan& plan_;
  Graph to_;
  std::vector<bool> is_quantized_;
  std::vector<Node> added_;
  std::map<std::string, std::string> dequantized_;
  std::map<std::string, std::string> shared_weights_;
  std::map<std::string, std::string> rounded_weights_;  // By the name of the float weight.
};

}  // namespace

Result<Graph> QuantizeGraph(const Graph& graph, const Placement& placement, const Plan& plan) {
  return GraphQuantizer(graph, placement, plan).Quantize();
}

}  // namespace cboard::quantize
