// Follows the SQNR of tensors along a graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// The SQNR of all tensors of a model. It is computed from the tensors whose SQNR was measured.
class ErrorPath {
 public:
  // `measured` contains the measured SQNR in dB by tensor. Borrows the model.
  ErrorPath(const model::ModelGraph& model,
            const std::unordered_map<model::TensorId, double>& measured);

  // Returns the lowest SQNR among the node's inputs. An input that was not measured has the lowest
  // SQNR of the tensors from which it is computed. Infinite if nothing was measured.
  double WorstInputDb(model::NodeId node) const;

 private:
  const model::ModelGraph& model_;
  std::vector<double> db_;  // SQNR of each tensor.
};

// Removes tensors whose error has no effect: the results of all their readers have a higher SQNR
// than the tensors. Example: a convolution before a Relu is quantized to the range of the Relu, so
// it loses its negative values. The Relu would remove these values anyway.
void EraseRegained(const model::ModelGraph& model,
                   std::unordered_map<model::TensorId, double>& measured);

}  // namespace cboard::compare
