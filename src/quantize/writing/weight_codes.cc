#include "quantize/writing/weight_codes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quantize/planning/weight_rows.h"

namespace cboard::quantize {

std::vector<std::int8_t> QuantizeWeight(const Constant& weight, const WeightPlan& plan) {
  if (!plan.codes.empty()) return plan.codes;
  const std::vector<float> values = plan.values.empty() ? weight.ToFloats() : plan.values;
  std::vector<std::int8_t> codes(values.size());
  const WeightRows rows(weight.shape, plan.axis);
  std::vector<float> inverse(plan.scales.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) inverse[i] = 1 / plan.scales[i];
  const auto limit = static_cast<float>(plan.max_code);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  rows.ForEachRun([&](std::size_t row, std::size_t begin, std::size_t end) {
    const float factor = inverse[row];
    for (std::size_t i = begin; i < end; ++i) {
      const float value = values[i] * factor;
      const float code = RoundToInteger(std::min(std::max(value, -limit), limit));
      codes[i] = static_cast<std::int8_t>(std::abs(value) < kInfinity ? code : 0.0f);
    }
  });
  return codes;
}

std::string AddConstantCodes(Graph& graph, ConstantCodes codes, std::vector<Node>& added) {
  const std::string& name = codes.name;
  const std::string quantized = graph.UniqueName(name + "_quantized"),
                    scale = graph.UniqueName(name + "_scale"),
                    result = graph.UniqueName(name + "_DequantizeLinear_Output");
  std::vector<std::int64_t> scale_shape;
  if (codes.axis >= 0) scale_shape = {static_cast<std::int64_t>(codes.scales.size())};
  graph.constants.emplace(quantized,
                          Constant::Of(codes.element_type, codes.shape, std::move(codes.codes)));
  graph.constants.emplace(scale, Constant::Floats(scale_shape, std::move(codes.scales)));
  Node node{.name = graph.UniqueName(name + "_DequantizeLinear"),
            .op_type = "DequantizeLinear",
            .inputs = {quantized, scale},
            .outputs = {result}};
  if (!codes.zero_points.empty()) {
    const std::string zero_point = graph.UniqueName(name + "_zero_point");
    graph.constants.emplace(
        zero_point, Constant::Of(codes.element_type, scale_shape, std::move(codes.zero_points)));
    node.inputs.push_back(zero_point);
  }
  if (codes.axis >= 0) node.attributes.push_back(Attribute::Int("axis", codes.axis));
  added.push_back(std::move(node));
  return result;
}

void SetBias(Graph& graph, Node& node, std::size_t input, const std::string& layer,
             const std::vector<float>& bias) {
  const std::string name = graph.UniqueName(layer + "_corrected_bias");
  graph.constants.emplace(name, Constant::Floats({static_cast<std::int64_t>(bias.size())}, bias));
  if (node.inputs.size() <= input) node.inputs.resize(input + 1);
  node.inputs[input] = name;
}

std::string AddWeightCodes(Graph& graph, const Constant& weight, const WeightPlan& plan,
                           std::vector<Node>& added) {
  const std::vector<std::int8_t> codes = QuantizeWeight(weight, plan);
  return AddConstantCodes(graph,
                          {.name = plan.constant,
                           .element_type = kInt8,
                           .shape = weight.shape,
                           .codes = {codes.begin(), codes.end()},
                           .scales = plan.scales,
                           .zero_points = std::string(plan.scales.size(), '\0'),
                           .axis = plan.axis},
                          added);
}

}  // namespace cboard::quantize
