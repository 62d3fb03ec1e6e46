// The sources of quantization error in a plan, and the changes that remove them.
//
// A source is the weight of a node, or a group of tensors that share a scale. A change keeps a node
// in float, gives a group of tensors 16 bits, or stores the weight of a matrix product in 4 bits.
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
  std::string key;                   // The node's first output, or the tensor that owns the scale.
  std::string name;                  // For people.
  std::string op_type;               // Operator of the node.
  std::size_t position = 0;          // In the order of the graph.
  std::vector<std::string> tensors;  // Those that share the scale.
  std::vector<std::string> nodes;    // Quantized nodes with weights that take or give the tensors.
  std::int64_t weight_values = 0;    // Values of the node's weight, or of the weights of `nodes`.
};

// All sources, in the order of the graph.
std::vector<ErrorSource> FindErrorSources(const quantize::Plan& plan);

// Changes of a plan. Sets are ordered, so that the same changes give the same text.
struct PlanChanges {
  std::set<std::string> float_nodes;   // By first output.
  std::set<std::string> wide_tensors;  // 16 bits, by the tensor that owns the scale.
  std::set<std::string> narrow_nodes;  // Weights of 4 bits, by first output.

  bool empty() const { return float_nodes.empty() && wide_tensors.empty() && narrow_nodes.empty(); }
  std::size_t size() const {
    return float_nodes.size() + wide_tensors.size() + narrow_nodes.size();
  }
  std::string Key() const;  // The same text for the same changes.
  static PlanChanges Parse(std::string_view key);
  friend bool operator==(const PlanChanges&, const PlanChanges&) = default;
};

// Removes the error of a source for a measurement: weights become float, tensors 16 bits.
void Restore(const ErrorSource& source, PlanChanges& changes);

// Removes the error of a source in a model that is kept: with Objective::kLatency, nodes around a
// tensor become float instead of 16 bits. `has_16_bits` is false for targets without such tensors.
void Fix(const ErrorSource& source, Objective objective, bool has_16_bits, PlanChanges& changes);

// `wide` is a plan with the ranges of min and max, which 16-bit tensors use.
quantize::Plan Apply(const quantize::Plan& plan, const quantize::Plan& wide,
                     const PlanChanges& changes);

// Whether the weight of a source can have 4 bits: that of a matrix product.
bool CanBeNarrow(const quantize::Plan& plan, const ErrorSource& source);

// Bytes that the changes add to the file: weights that stay float32. Negative for weights of 4
// bits.
std::int64_t AddedBytes(const quantize::Plan& plan, const PlanChanges& changes);

}  // namespace cboard::tune
