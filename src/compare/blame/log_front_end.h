// Finds the front end of networks that take the logarithm of a spectrum: all operators between the
// signal and the logarithm that add, scale or square values.
#pragma once

#include <optional>
#include <unordered_map>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// A logarithm shows relative errors. Rounding has the same error for large and small values, and
// operators that add or scale pass it on, so small values before the logarithm are lost. This holds
// for the whole front end, not just for the tensor that the logarithm reads.
class LogFrontEnd {
 public:
  // Does not borrow the model.
  explicit LogFrontEnd(const model::ModelGraph& model);

  // Returns the Log behind a tensor, if only operators that add, scale, square or move values, and
  // quantizers, are between them.
  std::optional<model::NodeId> LogBehind(model::TensorId tensor) const;

 private:
  std::unordered_map<model::TensorId, model::NodeId> logs_;
};

}  // namespace cboard::compare
