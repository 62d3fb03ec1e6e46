// Finds operators that exporters split into several nodes for old opsets: LayerNorm, RMSNorm,
// Softmax and GELU. Quantizers inside such an operator round intermediate values, such as squares
// and sums of exponentials, that a fused operator would not round.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

struct SplitOperator {
  std::string_view name;  // "LayerNorm", "RMSNorm", "Softmax", "GELU"
  model::NodeId first = model::kNoNode, last = model::kNoNode;
  std::vector<model::NodeId> nodes;  // The operator's nodes, in the order of execution.
};

// Finds split operators also if QuantizeLinear and DequantizeLinear are between their nodes.
// Borrows the model.
class SplitOperators {
 public:
  explicit SplitOperators(const model::ModelGraph& model);

  // Position in all() of the operator that has `tensor` as an intermediate value: one node of the
  // operator computes the tensor, and another one reads it. nullopt for its inputs and its output.
  std::optional<std::size_t> Around(model::TensorId tensor) const;

  const std::vector<SplitOperator>& all() const { return all_; }

 private:
  void FindNorm(model::NodeId sqrt);
  void FindSoftmax(model::NodeId divide);
  void FindGelu(model::NodeId erf);
  void Add(std::string_view name, std::vector<model::NodeId> nodes);

  // Producer and readers of a tensor; quantizers in between are skipped.
  model::NodeId ProducerOf(model::TensorId tensor) const;
  std::vector<model::NodeId> ConsumersOf(model::TensorId tensor) const;
  model::NodeId ProducerOfInput(model::NodeId node, std::size_t input) const;
  bool IsConstant(model::NodeId node, std::size_t input) const;
  std::string_view OperatorOf(model::NodeId node) const;

  const model::ModelGraph& model_;
  std::vector<SplitOperator> all_;
  std::unordered_map<model::TensorId, std::size_t> inside_;
};

}  // namespace cboard::compare
