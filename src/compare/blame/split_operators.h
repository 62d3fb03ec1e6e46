// Finds operators that exporters split into several nodes for old opsets: LayerNorm, RMSNorm,
// Softmax and GELU. Quantizers inside of them round intermediate values that the whole operator
// does not have, such as squares and sums of exponentials.
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
  std::vector<model::NodeId> nodes;  // The pieces, in the order of execution.
};

// Looks through QuantizeLinear and DequantizeLinear. Borrows the model.
class SplitOperators {
 public:
  explicit SplitOperators(const model::ModelGraph& model);

  // Position in all() of the operator that `tensor` is inside of: one of its nodes computes the
  // tensor, and another one reads it. nullopt for its inputs and its output.
  std::optional<std::size_t> Around(model::TensorId tensor) const;

  const std::vector<SplitOperator>& all() const { return all_; }

 private:
  void FindNorm(model::NodeId sqrt);
  void FindSoftmax(model::NodeId divide);
  void FindGelu(model::NodeId erf);
  void Add(std::string_view name, std::vector<model::NodeId> nodes);

  // Producer and readers of a tensor, with quantizers ignored.
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
