// The sources of quantization error in a plan, and the changes that remove them.
//
// A source is the weight of a node, or a group of tensors that share a scale. A change keeps a node
// in float, quantizes a group of tensors to 16 bits, or stores the weight of a matrix product in 4
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/tune/tune.h"

namespace cboard::tune {

struct ErrorSource {
  bool is_weight = false;
  std::string key;                   // First output of the node, or the tensor that owns the scale.
  std::string name;                  // Name that is shown to users.
  std::string op_type;               // Operator of the node.
  std::size_t position = 0;          // Position in the order of the graph.
  std::vector<std::string> tensors;  // Tensors that share the scale.
  std::vector<std::string> nodes;  // Quantized nodes with weights that read or compute the tensors.
  std::int64_t weight_values = 0;  // Number of weights of the node, or of all `nodes`.
};

// Returns all sources of a plan, in the order of the graph.
std::vector<ErrorSource> FindErrorSources(const quantize::Plan& plan);

// Changes of a plan. Sets are sorted, so equal changes have equal keys.
struct PlanChanges {
  std::set<std::string> float_nodes;   // Nodes in float, by first output.
  std::set<std::string> wide_tensors;  // 16-bit tensors, by owner of the scale.
  std::set<std::string> narrow_nodes;  // Nodes with 4-bit weights, by first output.

  bool empty() const { return float_nodes.empty() && wide_tensors.empty() && narrow_nodes.empty(); }
  std::size_t size() const {
    return float_nodes.size() + wide_tensors.size() + narrow_nodes.size();
  }
  std::string Key() const;  // A text that is equal for equal changes.
  static PlanChanges Parse(std::string_view key);
  friend bool operator==(const PlanChanges&, const PlanChanges&) = default;
};

// Adds the change that removes the error of a source in a measurement: a weight becomes float, a
// group of tensors gets 16 bits.
void Restore(const ErrorSource& source, PlanChanges& changes);

// Adds the change that removes the error of a source in the tuned model. With Objective::kLatency,
// the nodes around a group of tensors become float, because 16 bits are slow. `has_16_bits` is
// false for targets without 16-bit tensors.
void Fix(const ErrorSource& source, Objective objective, bool has_16_bits, PlanChanges& changes);

// Returns the plan with these changes. `wide` is a plan with min-max ranges, which 16-bit tensors
// use.
quantize::Plan Apply(const quantize::Plan& plan, const quantize::Plan& wide,
                     const PlanChanges& changes);

// Returns true if the weight of a source can have 4 bits: it belongs to a matrix product.
bool CanBeNarrow(const quantize::Plan& plan, const ErrorSource& source);

// Returns the bytes by which the changes increase the file size (weights in float32); negative for
// 4-bit weights.
std::int64_t AddedBytes(const quantize::Plan& plan, const PlanChanges& changes);

}  // namespace cboard::tune
