// Removes the mean error of rounded weights from the bias.
#pragma once

#include "cboard/quantize/plan.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Corrects the biases: plan.biases = bias - sum over inputs of (rounded weight - weight) * mean of
// the input channel. Uses only statistics and ignores padding. Returns the number of layers with a
// corrected bias.
std::size_t CorrectBiases(const Graph& graph, const Placement& placement,
                          const Statistics& statistics, Plan& plan);

}  // namespace cboard::quantize
