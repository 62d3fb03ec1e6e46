// Where errors grow on their way through a graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// How near the tensors of a model are to what they should be, as far as that was measured.
class ErrorPath {
 public:
  // `measured`: SQNRs in dB. Borrows the model.
  ErrorPath(const model::ModelGraph& model,
            const std::unordered_map<model::TensorId, double>& measured);

  // Of the worst that the node computes with: what was measured of each input or, where nothing
  // was, of the worst that this one is computed from. Infinite where nothing was measured at all.
  double WorstInputDb(model::NodeId node) const;

 private:
  const model::ModelGraph& model_;
  std::vector<double> db_;  // SQNR by tensor.
};

}  // namespace cboard::compare
