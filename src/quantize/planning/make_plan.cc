#include "quantize/planning/make_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quantize/planning/weight_rows.h"
#include "quantize/ranges/range_search.h"

namespace cboard::quantize {

void SetScale(ActivationPlan& plan) {
  const int levels = (1 << plan.bits) - 1;
  double low = std::min(plan.low, 0.0f), high = std::max(plan.high, 0.0f);
  if (!(high > low)) high = low + 1e-6;  // The tensor is constant.
  if (plan.is_signed) {
    const double limit = std::max(-low, high);
    plan.scale = static_cast<float>(limit / (levels / 2));
    plan.zero_point = 0;
  } else {
    plan.scale = static_cast<float>((high - low) / levels);
    plan.zero_point = 0;
  }
  plan.scale = std::max(plan.scale, 1e-30f);
  if (plan.is_signed) return;
  plan.zero_point = static_cast<std::int32_t>(
      std::clamp(std::nearbyint(-low / plan.scale), 0.0, static_cast<double>(levels)));
  // Codes must not exceed the range, so that ONNX Runtime removes the preceding Clip.
  if (plan.zero_point == 0 && static_cast<double>(plan.scale) * levels > high) {
    plan.scale = std::nextafter(plan.scale, 0.0f);
  }
}

void ChooseRange(const TensorStatistics& statistics, RangeMethod method, double percentile,
                 ActivationPlan& plan) {
  const RangeSettings settings{
      .bits = plan.bits, .is_symmetric = plan.is_signed, .percentile = percentile};
  const RangeMethod chosen = method == RangeMethod::kAuto ? RangeMethod::kMse : method;
  const Range range = FindRange(statistics, chosen, settings);
  plan.method = chosen;
  plan.low = static_cast<float>(range.low);
  plan.high = static_cast<float>(range.high);
  SetScale(plan);
  plan.sqnr_db = RangeCost(statistics).SqnrDb(range, plan.bits);
}

void ShareScales(Plan& plan) {
  for (auto& [tensor, activation] : plan.activations) {
    const ActivationPlan* source = &activation;
    for (int depth = 0; !source->shares.empty() && depth < 1000; ++depth) {
      const auto found = plan.activations.find(source->shares);
      if (found == plan.activations.end() || found->second.is_float) break;
      source = &found->second;
    }
    if (source == &activation) continue;
    activation.low = source->low;
    activation.high = source->high;
    activation.scale = source->scale;
    activation.zero_point = source->zero_point;
    activation.bits = source->bits;
    activation.is_signed = source->is_signed;
    activation.method = source->method;
  }
}

Target ResolveTarget(Target target) {
  if (target != Target::kThisMachine) return target;
  return HasVnni() ? Target::kOrtVnni : Target::kOrtCpu;
}

void SetWeightScales(const Constant& weight, bool avoids_saturation, WeightPlan& plan) {
  const std::vector<float> values = plan.values.empty() ? weight.ToFloats() : plan.values;
  const WeightRows rows(weight.shape, plan.axis);
  plan.scales.assign(rows.count(), 0);
  std::vector<float> largest(rows.count()), second(rows.count());
  rows.ForEachRun([&](std::size_t row, std::size_t begin, std::size_t end) {
    float first = largest[row], next = second[row];
    for (std::size_t i = begin; i < end; ++i) {
      const float magnitude = std::abs(values[i]);
      const float finite = magnitude < std::numeric_limits<float>::infinity() ? magnitude : 0.0f;
      next = std::max(next, std::min(first, finite));
      first = std::max(first, finite);
    }
    largest[row] = first;
    second[row] = next;
  });
  for (std::size_t i = 0; i < rows.count(); ++i) {
    double scale = static_cast<double>(largest[i]) / plan.max_code;
    // VPMADDUBSW adds two products in 16 bits: 255 * (|a| + |b|) must not exceed 32767.
    if (avoids_saturation) {
      scale = std::max(scale, (static_cast<double>(largest[i]) + second[i]) / 127.99);
    }
    plan.scales[i] = scale > 1e-30 ? static_cast<float>(scale) : 1.0f;
  }
  // Computes the rounding error for the report.
  double power = 0, error = 0;
  const auto limit = static_cast<float>(plan.max_code);
  rows.ForEachRun([&](std::size_t row, std::size_t begin, std::size_t end) {
    const float scale = plan.scales[row], inverse = 1 / scale;
    double run_power = 0, run_error = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const float value = values[i];
      const float code = RoundToInteger(std::min(std::max(value * inverse, -limit), limit));
      const double difference = static_cast<double>(code * scale) - static_cast<double>(value);
      run_power += static_cast<double>(value) * static_cast<double>(value);
      run_error += difference * difference;
    }
    power += run_power;
    error += run_error;
  });
  plan.sqnr_db = error > 0 ? 10 * std::log10(power / error) : 200;
}

namespace {

std::string NameOfNode(const Node& node) { return node.name.empty() ? node.outputs[0] : node.name; }

// Returns the dimension of output channels; -1 for a single scale. A ConvTranspose in groups has
// its groups in dimension 0, and computes in float, so that a scale per input channel is as good;
// TensorRT takes only dimension 1.
std::int64_t ChannelAxis(const Node& node, const Constant& weight, bool per_channel,
                         Target target) {
  if (!per_channel || weight.shape.size() < 2) return -1;
  if (node.Is("Conv")) return 0;
  if (node.Is("ConvTranspose")) {
    if (node.Int("group", 1) == 1) return 1;
    return target == Target::kTensorRt ? -1 : 0;
  }
  if (node.Is("Gemm")) return node.Int("transB", 0) != 0 ? 0 : 1;
  return weight.shape.size() == 2 ? 1 : -1;
}

}  // namespace

Plan MakePlan(const Graph& graph, const Placement& placement, const Statistics& statistics,
              const QuantizeOptions& options) {
  Plan plan{.precision = options.precision, .target = ResolveTarget(options.target)};
  const bool is_signed = plan.target == Target::kTensorRt;
  for (const auto& [tensor, placed] : placement.tensors) {
    ActivationPlan& activation = plan.activations[tensor];
    activation.is_signed = is_signed;
    activation.shares = placed.shares;
    const auto found = statistics.tensors.find(tensor);
    if (found == statistics.tensors.end() || found->second.count == 0) {
      activation.is_float = true;
      activation.reason = "no sample computes it";
    } else if (!found->second.is_usable()) {
      activation.is_float = true;
      activation.reason = "it contains infinity or NaN, such as an attention mask";
    } else {
      ChooseRange(found->second, options.ranges, options.percentile, activation);
    }
  }
  ShareScales(plan);
  const bool avoids_saturation = plan.target == Target::kOrtCpu;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const PlacedNode& placed = placement.nodes[i];
    if (node.outputs.empty()) continue;
    plan.nodes[node.outputs[0]] = {.node = NameOfNode(node),
                                   .op_type = node.op_type,
                                   .position = i,
                                   .inputs = node.inputs,
                                   .outputs = node.outputs,
                                   .is_quantized = placed.role != NodeRole::kFloat,
                                   .reason = placed.reason};
    const bool is_table = placed.role == NodeRole::kTable;
    if (placed.role != NodeRole::kCompute && placed.role != NodeRole::kWeightOnly && !is_table) {
      continue;
    }
    const std::string& constant = node.inputs[is_table ? 0 : *WeightInput(graph, node)];
    const Constant& weight = *graph.FindConstant(constant);
    WeightPlan& weight_plan = plan.weights[node.outputs[0]];
    weight_plan.node = NameOfNode(node);
    weight_plan.constant = constant;
    weight_plan.value_count = static_cast<std::int64_t>(weight.element_count());
    weight_plan.axis = is_table ? 0 : ChannelAxis(node, weight, options.per_channel, plan.target);
    const bool is_product = (node.Is("MatMul") || node.Is("Gemm")) && weight.shape.size() == 2;
    const bool is_four =
        options.precision == Precision::kW4A16 || options.precision == Precision::kW4A8;
    if (is_product && (is_four || options.precision == Precision::kW8A16)) {
      weight_plan.bits = is_four ? 4 : 8;
      weight_plan.block_size = options.block_size;
    }
    SetWeightScales(weight, avoids_saturation && placed.role == NodeRole::kCompute, weight_plan);
  }
  return plan;
}

}  // namespace cboard::quantize
