// Moves factors by channel between an activation's producer and the layers that take it, so that
// both are rounded with less error. The network computes the same, up to rounding.
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
  std::vector<double> factors;  // The activation is divided by them.
  LayerGain gain;
};

struct MigrationRequest {
  Migration kind = Migration::kSmooth;
  bool is_symmetric = false;   // Activations have symmetric ranges.
  int weight_bits = 8;         // kAwq: of weights …
  std::size_t block_size = 0;  // … in blocks of this size.
  double min_gain_db = 0.3;
  std::vector<std::string> excluded;  // Activations that must not change.
};

// Factors for all activations where they pay, the largest gain first. Predicted from statistics.
std::vector<MigratedLayer> PlanMigration(const Graph& graph, const Placement& placement,
                                         const Statistics& statistics,
                                         const MigrationRequest& request);

// Changes the constants of `graph` and the statistics of the activations.
void Migrate(const MigratedLayer& layer, const Placement& placement, Graph& graph,
             Statistics& statistics);

}  // namespace cboard::quantize
