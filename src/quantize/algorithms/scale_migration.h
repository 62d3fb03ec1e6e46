// Moves scale factors by channel from an activation into the layers that use it, so that both have
// smaller rounding errors. The model computes the same, up to rounding.
//
//   equalization  Conv, Gemm and MatMul -> Relu, pooling -> Conv, Gemm and MatMul
//   SmoothQuant   LayerNormalization, and gains of other normalizations -> MatMul and Gemm
//   AWQ           as SmoothQuant, for weights in blocks: channels with large inputs get finer steps
#pragma once

#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

enum class Migration { kEqualize, kSmooth, kAwq };

struct MigratedLayer {
  std::string tensor;
  std::vector<double> factors;  // The activation is divided by these factors.
  LayerGain gain;
};

struct MigrationRequest {
  Migration kind = Migration::kSmooth;
  bool is_symmetric = false;   // True if activations have symmetric ranges.
  int weight_bits = 8;         // For kAwq: bits of the weights.
  std::size_t block_size = 0;  // For kAwq: number of weights in a block.
  double min_gain_db = 0.3;
  std::vector<std::string> excluded;  // Activations that must not be changed.
};

// Returns factors for all activations for which they reduce the error, the largest gain first. The
// gain is predicted from statistics.
std::vector<MigratedLayer> PlanMigration(const Graph& graph, const Placement& placement,
                                         const Statistics& statistics,
                                         const MigrationRequest& request);

// Applies the factors to the constants of `graph` and to the statistics of the activations.
void Migrate(const MigratedLayer& layer, const Placement& placement, Graph& graph,
             Statistics& statistics);

}  // namespace cboard::quantize
