#include "tune/error_sources.h"

#include <algorithm>

#include "cboard/base/strings.h"

namespace cboard::tune {
namespace {

using quantize::ActivationPlan;
using quantize::Plan;

// Returns the tensor that owns the scale of `tensor`.
std::string OwnerOf(const Plan& plan, std::string tensor) {
  for (int depth = 0; depth < 1000; ++depth) {
    const auto found = plan.activations.find(tensor);
    if (found == plan.activations.end() || found->second.shares.empty()) break;
    const auto owner = plan.activations.find(found->second.shares);
    if (owner == plan.activations.end() || owner->second.is_float) break;
    tensor = owner->first;
  }
  return tensor;
}

bool HasQuantizedWeight(const Plan& plan, const std::string& node) {
  const auto weight = plan.weights.find(node);
  const auto planned = plan.nodes.find(node);
  return weight != plan.weights.end() && !weight->second.is_float && planned != plan.nodes.end() &&
         planned->second.is_quantized;
}

std::int64_t WeightValues(const Plan& plan, const std::string& node) {
  const auto found = plan.weights.find(node);
  return found == plan.weights.end() ? 0 : found->second.value_count;
}

// Block size of 4-bit weights: so many inputs share a float32 scale and a 4-bit zero point.
constexpr std::size_t kNarrowBlock = 64;
constexpr double kNarrowBytes = 0.5 + 4.5 / static_cast<double>(kNarrowBlock);

}  // namespace

std::string PlanChanges::Key() const {
  std::string key;
  for (const std::string& node : float_nodes) key += "f:" + node + "\n";
  for (const std::string& tensor : wide_tensors) key += "w:" + tensor + "\n";
  for (const std::string& node : narrow_nodes) key += "n:" + node + "\n";
  return key;
}

PlanChanges PlanChanges::Parse(std::string_view key) {
  PlanChanges changes;
  for (const std::string_view line : Split(key, '\n')) {
    if (line.starts_with("f:")) changes.float_nodes.emplace(line.substr(2));
    if (line.starts_with("w:")) changes.wide_tensors.emplace(line.substr(2));
    if (line.starts_with("n:")) changes.narrow_nodes.emplace(line.substr(2));
  }
  return changes;
}

std::vector<ErrorSource> FindErrorSources(const Plan& plan) {
  std::map<std::string, ErrorSource> groups;
  for (const auto& [tensor, activation] : plan.activations) {
    if (activation.is_float) continue;
    const std::string owner = OwnerOf(plan, tensor);
    ErrorSource& group = groups[owner];
    group.key = group.name = owner;
    group.tensors.push_back(tensor);
  }
  std::vector<ErrorSource> sources;
  // Visits nodes in the order of the graph. A group of tensors comes where its owner is computed or
  // first used.
  std::vector<const std::pair<const std::string, quantize::NodePlan>*> nodes;
  for (const auto& node : plan.nodes) nodes.push_back(&node);
  std::ranges::sort(nodes, {}, [](const auto* node) { return node->second.position; });
  std::map<std::string, std::size_t> first_use;
  for (const auto* entry : nodes) {
    const auto& [key, node] = *entry;
    const bool has_weight = HasQuantizedWeight(plan, key);
    if (has_weight) {
      sources.push_back({.is_weight = true,
                         .key = key,
                         .name = node.node,
                         .op_type = node.op_type,
                         .position = node.position,
                         .tensors = {},
                         .nodes = {key},
                         .weight_values = WeightValues(plan, key)});
    }
    const auto touch = [&](const std::string& tensor) {
      const auto group = groups.find(OwnerOf(plan, tensor));
      if (group == groups.end() || !plan.activations.contains(tensor)) return;
      first_use.try_emplace(group->first, node.position);
      auto& users = group->second.nodes;
      if (!has_weight || std::ranges::find(users, key) != users.end()) return;
      users.push_back(key);
      group->second.weight_values += WeightValues(plan, key);
    };
    for (const std::string& tensor : node.inputs) touch(tensor);
    for (const std::string& tensor : node.outputs) touch(tensor);
  }
  for (auto& [key, group] : groups) {
    const auto use = first_use.find(key);
    if (use == first_use.end()) continue;
    group.position = use->second;
    sources.push_back(std::move(group));
  }
  std::ranges::stable_sort(sources, {}, &ErrorSource::position);
  return sources;
}

void Restore(const ErrorSource& source, PlanChanges& changes) {
  (source.is_weight ? changes.float_nodes : changes.wide_tensors).insert(source.key);
}

void Fix(const ErrorSource& source, Objective objective, bool has_16_bits, PlanChanges& changes) {
  const bool is_wide = !source.is_weight && objective == Objective::kSize && has_16_bits;
  if (is_wide) {
    changes.wide_tensors.insert(source.key);
  } else {
    changes.float_nodes.insert(source.nodes.begin(), source.nodes.end());
  }
}

Plan Apply(const Plan& plan, const Plan& wide, const PlanChanges& changes) {
  Plan changed = plan;
  for (const std::string& node : changes.float_nodes) {
    const auto found = changed.nodes.find(node);
    if (found == changed.nodes.end()) continue;
    found->second.is_quantized = false;
    found->second.reason = "kept in float by tune";
  }
  for (const std::string& node : changes.narrow_nodes) {
    const auto weight = changed.weights.find(node);
    if (weight == changed.weights.end() || changes.float_nodes.contains(node)) continue;
    weight->second.bits = 4;
    weight->second.block_size = kNarrowBlock;
    weight->second.codes.clear();
    changed.biases.erase(node);  // This bias correction is for 8-bit weights.
  }
  for (auto& [tensor, activation] : changed.activations) {
    const std::string owner = OwnerOf(plan, tensor);
    if (activation.is_float || !changes.wide_tensors.contains(owner)) continue;
    const ActivationPlan& range = wide.activations.at(owner);
    activation.bits = 16;
    activation.low = range.low;
    activation.high = range.high;
    activation.method = range.method;
    quantize::SetScale(activation);
  }
  return changed;
}

bool CanBeNarrow(const Plan& plan, const ErrorSource& source) {
  if (!source.is_weight || (source.op_type != "MatMul" && source.op_type != "Gemm")) return false;
  const auto weight = plan.weights.find(source.key);
  return weight != plan.weights.end() && weight->second.axis >= 0 && weight->second.values.empty();
}

std::int64_t AddedBytes(const Plan& plan, const PlanChanges& changes) {
  std::int64_t bytes = 0;
  for (const std::string& node : changes.float_nodes) bytes += 3 * WeightValues(plan, node);
  for (const std::string& node : changes.narrow_nodes) {
    if (changes.float_nodes.contains(node)) continue;
    bytes -= static_cast<std::int64_t>((1 - kNarrowBytes) *
                                       static_cast<double>(WeightValues(plan, node)));
  }
  return bytes;
}

}  // namespace cboard::tune
