// Follows errors through a graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Measured SQNR of the tensors of a model.
class ErrorPath {
 public:
  // `measured`: SQNRs in dB. Borrows the model.
  ErrorPath(const model::ModelGraph& model,
            const std::unordered_map<model::TensorId, double>& measured);

  // SQNR of the node's worst input: as measured or, if it was not measured, of the worst tensor
  // that it is computed from. Infinite if nothing was measured.
  double WorstInputDb(model::NodeId node) const;

 private:
  const model::ModelGraph& model_;
  std::vector<double> db_;  // SQNR by tensor.
};

}  // namespace cboard::compare
