// Pairs the outputs that both models declare.
#pragma once

#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// An output that both models declare.
struct EndPair {
  model::TensorId baseline = model::kNoTensor;
  model::TensorId variant = model::kNoTensor;
};

// Pairs outputs by name. If no name is equal and both models have the same number of outputs, pairs
// them by position and shape.
std::vector<EndPair> PairEnds(const model::ModelGraph& baseline, const model::ModelGraph& variant);

}  // namespace cboard::compare
